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
    lines = ["".join(f"<th>{_text(head)}</th>" for head in heads)]
    lines += ["".join(_cell(value) for value in row) for row in rows]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table>{body}</table>{f'<p>{_text(note)}</p>' if note else ''}"


def _cell(value: Cell) -> str:
    if isinstance(value, str):
        return f'<td style="text-align:left">{_text(value)}</td>'
    if value is None or math.isnan(value):
        shown = "-"
    elif isinstance(value, bool):
        shown = "yes" if value else "no"
    else:
        shown = f"{value:,}" if isinstance(value, int) else significant(value)
    return f'<td style="text-align:right">{shown}</td>'


def _text(text: str) -> str:
    return escape(plain(text))
