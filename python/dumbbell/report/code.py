"""The code of the figures of a page: lines of Python that draw one again, for a paper."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dumbbell.report.spec import FigureSpec

LOADING = """from dumbbell.study import StudyResult

result = StudyResult.load(".")  # the folder of this page
"""
"""Makes ``result`` of the folder of a study."""


def loading_from(folder: str) -> str:
    """Return the lines that load a study from a folder.

    Parameters
    ----------
    folder
        As seen from that of the page.
    """
    where = "the folder of this page" if folder == "." else "from the folder of this page"
    return LOADING.replace('"."', _text(folder)).replace("the folder of this page", where)


def code_of(spec: FigureSpec, loading: str) -> str:
    """Return the lines that draw a figure of a study.

    Parameters
    ----------
    spec
        What it shows.
    loading
        Lines that make ``result``, and ``paper`` where the figure is one of a paper.
    """
    if _of_paper(loading):
        return own_code(loading, "figures", spec.id, "draw(figure_data(result, spec))")
    made = _call(spec)
    kinds = [name for name in ("FigureSpec", "Measured", "Reference") if f"{name}(" in made]
    imports = f"from dumbbell.report import {', '.join([*kinds, 'draw', 'figure_data'])}\n"
    drawn = f"draw(figure_data(result, spec)).savefig({_text(spec.id + '.pdf')})"
    return f"{imports}{loading}spec = {made}\n{drawn}\n"


def own_code(loading: str, kind: str, name: str, drawing: str) -> str:
    """Return the lines that draw what a paper has itself; nothing without a paper, as only Python knows it.

    Parameters
    ----------
    loading
        Lines that make ``result`` and ``paper``.
    kind
        ``figures``, ``maps`` or ``plots``: a method of the paper.
    name
        Its id.
    drawing
        An expression of ``spec`` and ``result``.
    """
    if not _of_paper(loading):
        return ""
    called = drawing.replace("spec.draw(", "")
    uses = [word for word in ("draw", "draw_map", "figure_data", "map_data") if f"{word}(" in called]
    imports = f"from dumbbell.report import {', '.join(uses)}\n" if uses else ""
    return (
        f"{imports}{loading}spec = next(spec for spec in paper.{kind}() if spec.id == {_text(name)})\n"
        f"{drawing}.savefig({_text(name + '.pdf')})\n"
    )


def _of_paper(loading: str) -> bool:
    return "\npaper = " in loading


def _call(value: Any) -> str:
    """Write what makes a value; of data classes only what differs from the default."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        given = []
        for entry in dataclasses.fields(value):
            own = getattr(value, entry.name)
            default = entry.default
            if entry.default_factory is not dataclasses.MISSING:
                default = entry.default_factory()
            if default is dataclasses.MISSING or own != default:
                given.append(f"{entry.name}={_call(own)}")
        return f"{type(value).__name__}(\n    {', '.join(given)},\n)"
    if isinstance(value, tuple):
        return f"({', '.join(map(_call, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return f'float("{value}")'
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(str(key))}: {_call(own)}" for key, own in value.items()) + "}"
    return repr(value)


def _text(value: str) -> str:
    """Write a string in double quotes, where it holds none."""
    written = repr(value)
    return written if '"' in value or "\\" in written or "'" in value else f'"{value}"'
