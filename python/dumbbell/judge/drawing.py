"""The figures of a judgement, of what ``judge.json`` holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class About:
    """What a page says of a figure."""

    id: str
    title: str
    text: str
    """For those who cannot see it."""
    note: str


FIGURES = (
    About(
        "comparisons", "Comparisons that are worse, better, or neither",
        "For each chapter, how many of its comparisons are worse, better, or not surely either.",
        "A comparison is worse or better if its interval, widened to the number of comparisons, says so.",
    ),
)  # fmt: skip

_ROW = 0.24
"""Inches of a chapter."""


def draw(kind: str, facts: Mapping[str, Any]) -> Figure | None:
    """Draw a figure of a judgement.

    Parameters
    ----------
    kind
        The ``id`` of one of :data:`FIGURES`.
    facts
        What ``judge.json`` holds.

    Returns
    -------
    Figure or None
        ``None`` if no chapter has what it shows.

    Raises
    ------
    KeyError
        If there is no such kind, or the facts are not those of a judgement.
    """
    return {"comparisons": _comparisons}[kind](facts)


def _comparisons(facts: Mapping[str, Any]) -> Figure | None:
    import matplotlib as mpl

    from dumbbell.figures.style import COLOURS, STYLE, new_figure

    chapters = [chapter for chapter in facts["chapters"] if chapter.get("comparisons")]
    if not chapters:
        return None
    figure, (axes,) = new_figure(1, "double", 1.0 + _ROW * len(chapters))
    counts = [chapter["comparisons"] for chapter in chapters]
    kinds: tuple[tuple[str, str, Callable[[Mapping[str, int]], int]], ...] = (
        ("worse", COLOURS[1], lambda count: count["worse"]),
        ("neither", "#888888", lambda count: count["all"] - count["worse"] - count["better"]),
        ("better", COLOURS[2], lambda count: count["better"]),
    )
    with mpl.rc_context(STYLE):
        lefts = [0] * len(chapters)
        for label, colour, number in kinds:
            widths = [number(count) for count in counts]
            axes.barh(range(len(chapters)), widths, 0.7, lefts, color=colour, label=label)
            _write(axes, lefts, widths)
            lefts = [left + width for left, width in zip(lefts, widths, strict=True)]
        axes.invert_yaxis()
        axes.set_yticks(range(len(chapters)), [chapter["section"] for chapter in chapters])
        axes.set_xlabel("comparisons")
        axes.set_ylabel("section of RFC 9743")
        figure.legend(loc="outside upper left", ncols=3)
    return figure


def _write(axes: Axes, lefts: list[int], widths: list[int]) -> None:
    """Write the numbers of comparisons on their bars."""
    for row, (left, width) in enumerate(zip(lefts, widths, strict=True)):
        if width:
            axes.text(left + width / 2, row, str(width), ha="center", va="center", fontsize=6, color="black")
