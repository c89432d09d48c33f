"""Tables and facts as HTML, for notebooks: what ``_repr_html_`` returns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

from dumbbell._files.text import plain
from dumbbell._printing import significant


def heading(title: str, text: str = "") -> str:
    """Return a title in bold, and text after it."""
    return f"<p><b>{_text(title)}</b>{f': {_text(text)}' if text else ''}</p>"


Cell = str | float | None
"""What a table shows in a place; whole numbers and truth values are numbers too."""


def table(heads: Sequence[str], rows: Iterable[Sequence[Cell]], note: str = "") -> str:
    """Return a table: numbers stand right and have four digits, what is absent is a dash.

    Parameters
    ----------
    heads
        Headings of the columns.
    rows
        A value for each column.
    note
        Below the table.
    """
    body = list(rows)
    # A head stands where the cells below it do.
    first = body[0] if body else (None,) * len(heads)
    named = zip(heads, first, strict=True)
    lines = ["".join(_placed("th", head, isinstance(below, str)) for head, below in named)]
    lines += ["".join(_cell(value) for value in row) for row in body]
    written = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table>{written}</table>{f'<p>{_text(note)}</p>' if note else ''}"


def _cell(value: Cell) -> str:
    if isinstance(value, str):
        return _placed("td", value, text=True)
    if value is None or math.isnan(value):
        shown = "-"
    elif isinstance(value, bool):
        shown = "yes" if value else "no"
    else:
        shown = f"{value:,}" if isinstance(value, int) else significant(value)
    return _placed("td", shown, text=False)


def _placed(tag: str, shown: str, text: bool) -> str:
    return f'<{tag} style="text-align:{"left" if text else "right"}">{_text(shown)}</{tag}>'


def _text(text: str) -> str:
    return escape(plain(text))
