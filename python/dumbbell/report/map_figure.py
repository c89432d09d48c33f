"""Drawing maps."""

from __future__ import annotations

import matplotlib as mpl
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from dumbbell.figures.style import COLOURS, STYLE, WIDTHS, as_label, stamp_on
from dumbbell.report.maps import MapData

_ROW_HEIGHT = 0.22
"""Inches."""

_PALE = 0.45
"""How opaque a cell is whose best arm is not surely the best."""


def draw_map(data: MapData, stamp: str = "") -> Figure:
    """Draw a map: one cell for each point in the colour of its best arm, with its score.

    Parameters
    ----------
    data
        The cells.
    stamp
        What to write across the top; nothing if empty.
    """
    rows, columns = len(data.cells), len(data.x_values)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTHS["double"], 1.1 + _ROW_HEIGHT * rows), layout="constrained")
        axes = figure.subplots()
        axes.grid(visible=False)
        seen: dict[int, str] = {}
        for row, line in enumerate(data.cells):
            for column, cell in enumerate(line):
                if cell is None:
                    continue
                seen[cell.slot] = cell.label
                colour = to_rgba(COLOURS[cell.slot % len(COLOURS)], 1.0 if cell.sure else _PALE)
                axes.add_patch(
                    Rectangle((column, row), 1, 1, facecolor=colour, edgecolor="white", linewidth=0.5)
                )
                axes.text(
                    column + 0.5, row + 0.5, f"{cell.score.value:.0f}", ha="center", va="center",
                    fontsize=6, color=_ink(_on_white(colour)),
                )  # fmt: skip
        axes.set_xlim(0, columns)
        axes.set_ylim(0, rows)
        axes.set_xticks(
            [column + 0.5 for column in range(columns)],
            [f"{x:g}" if not isinstance(x, str) else as_label(x) for x in data.x_values],
        )
        axes.set_yticks([row + 0.5 for row in range(rows)], [f"{y:g}" for y in data.spec.y_values])
        axes.set_xlabel(as_label(data.x_label))
        axes.set_ylabel(data.spec.y_label)
        stamp_on(figure, stamp)
        handles = [
            Patch(color=COLOURS[slot % len(COLOURS)], label=as_label(label))
            for slot, label in sorted(seen.items())
        ]
        if handles:
            figure.legend(handles=handles, loc="outside upper left", ncols=4, columnspacing=1.2)
    return figure


def _on_white(colour: tuple[float, float, float, float]) -> tuple[float, float, float]:
    red, green, blue, part = colour
    return (1 - part * (1 - red), 1 - part * (1 - green), 1 - part * (1 - blue))


def _ink(colour: tuple[float, float, float]) -> str:
    """Return black or white, whichever is easier to read on a colour (WCAG 2.2, relative luminance)."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "black" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "white"
