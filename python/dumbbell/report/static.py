"""Figures of studies for print."""

from __future__ import annotations

import math
import textwrap
from itertools import cycle
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator

from dumbbell.figures.style import COLOURS, DASHES, STYLE, as_label, new_figure, plain_log, stamp_on
from dumbbell.report.data import FigureData, Line
from dumbbell.report.spec import Reference

_REFERENCE_DASHES = ((0, (2, 2)), (0, (6, 2, 1, 2)), (0, (1, 3)), (0, (9, 2)))
_REFERENCE_MARKS = ("+", "x")
_REFERENCE = "0.35"
# One more than colours: no two lines of a figure have both in common.
_MARKERS = ("o", "s", "^", "D", "v", "X", "P", "*")
_BAND_OPACITY = 0.14

_MOST_LINES = 4
"""Of the label of an axis."""

_SLACK = 4
"""Characters by which a line may be longer than its share, so that breaks between words suffice."""


_MOST_COLUMNS = 4
"""Of names of lines."""
_FEW_ROWS = 2
"""Rows of names that leave the axes their height."""
_ROW = 0.14
"""Inches of a row of names."""

_MANY = 20
"""Values of an axis above which a figure is wide and its markers are small."""

_TALL = 1.4
"""Height of such a figure over that of others."""


def draw(data: FigureData, stamp: str = "") -> Figure:
    """Draw a figure: estimates as lines, intervals as bars and bands.

    Parameters
    ----------
    data
        The numbers.
    stamp
        What to write across the top, such as ``INCOMPLETE: 3 of 8 runs``; nothing if empty.
    """
    many = len(data.x_values) > _MANY
    figure, (axes,) = new_figure(1, "double" if many else "single")
    if many:
        figure.set_figheight(_TALL * figure.get_figheight())
    with mpl.rc_context(STYLE):
        handles: list[Any] = []
        for index, line in enumerate(data.lines):
            shift = (index - (len(data.lines) - 1) / 2) * 0.12 if data.categories else 0.0
            # Earlier markers are larger, so that none hides another at the same place.
            size = (2.8 + 1.8 * (1 - (index + 1) / len(data.lines))) * (0.6 if many else 1)
            handles.append(_line(axes, data, line, shift, size))
        looks = zip(cycle(_REFERENCE_DASHES), cycle(_REFERENCE_MARKS), strict=False)
        for reference, (dashes, mark) in zip(data.references, looks, strict=False):
            handles.append(_reference(axes, reference, dashes, mark))
        axes.set_xlabel(as_label(data.x_label))
        axes.set_ylabel(data.y_label)
        logarithmic = data.spec.scale == "log" and _positive(data)
        if logarithmic:
            plain_log(axes.yaxis)
        if data.categories:
            axes.set_xticks(data.positions, [as_label(str(value)) for value in data.x_values])
            axes.set_xlim(-0.5, len(data.x_values) - 0.5)
        elif data.spec.x_scale == "log":
            plain_log(axes.xaxis)
        elif not data.ticks and all(isinstance(value, int) for value in data.x_values):
            axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True))
        if data.ticks:
            axes.set_xticks(data.ticks, [f"{value:g}" for value in data.ticks])
            axes.xaxis.set_minor_locator(NullLocator())
        if not logarithmic:
            _down_to_zero(axes)
        stamp_on(figure, stamp)
        _name_lines(figure, handles)
        _wrap_label(figure, axes)
    return figure


def _name_lines(figure: Figure, handles: list[Any]) -> None:
    """Name the lines above the axes, where they cover no data, in as many columns as fit."""
    # The width of names does not depend on the layout of the figure, which takes ten times as long.
    for columns in range(min(len(handles), _MOST_COLUMNS), 0, -1):
        legend = figure.legend(handles=handles, loc="outside upper left", ncols=columns, columnspacing=1.2)
        if columns == 1 or legend.get_window_extent().width <= figure.bbox.width:
            break
        legend.remove()
    rows = math.ceil(len(handles) / columns)
    figure.set_figheight(figure.get_figheight() + _ROW * max(rows - _FEW_ROWS, 0))


def _wrap_label(figure: Figure, axes: Axes) -> None:
    """Break the label of the y axis into as many lines as it takes to be no longer than the axis."""
    words, engine = axes.get_ylabel(), figure.get_layout_engine()
    assert engine is not None, "figures of reports lay themselves out"
    for lines in range(1, _MOST_LINES + 1):
        width = len(words) if lines == 1 else len(words) // lines + _SLACK
        axes.set_ylabel(textwrap.fill(words, max(width, 1)))
        # The layout moves with the number of lines.
        engine.execute(figure)
        if axes.yaxis.label.get_window_extent().height <= axes.bbox.height:
            return


def _line(axes: Axes, data: FigureData, line: Line, shift: float, size: float) -> Any:
    there = [
        (x + shift, estimate)
        for x, estimate in zip(data.positions, line.estimates, strict=True)
        if estimate is not None
    ]
    xs = [x for x, _ in there]
    values = np.array([estimate.value for _, estimate in there])
    ends = np.array([estimate.interval or (np.nan, np.nan) for _, estimate in there]).reshape(-1, 2)
    ends[~np.isfinite(ends).all(axis=1)] = np.nan
    colour = COLOURS[line.slot % len(COLOURS)]
    bars = axes.errorbar(
        xs, values, yerr=np.abs(ends.T - values), color=colour, label=as_label(line.label), capsize=2,
        linestyle="" if data.categories else DASHES[line.slot % len(DASHES)],
        marker=_MARKERS[line.slot % len(_MARKERS)], markersize=size, elinewidth=0.7, capthick=0.7,
    )  # fmt: skip
    if not data.categories:
        axes.fill_between(xs, ends[:, 0], ends[:, 1], color=colour, alpha=_BAND_OPACITY, linewidth=0)
    return bars


def _reference(axes: Axes, reference: Reference, dashes: Any, mark: str) -> Any:
    if not reference.x:
        return axes.axhline(
            reference.y[0], color=_REFERENCE, linestyle=dashes, linewidth=0.9, label=as_label(reference.label)
        )
    # Points above what the study draws: they may lie exactly on it.
    points = {"linestyle": "", "marker": mark, "markersize": 4.5, "zorder": 5}
    look = points if reference.marks else {"linestyle": dashes}
    return axes.plot(reference.x, reference.y, color=_REFERENCE, label=as_label(reference.label), **look)[0]


def _positive(data: FigureData) -> bool:
    """Whether there is anything that a logarithmic axis can show."""
    return any(estimate and estimate.value > 0 for line in data.lines for estimate in line.estimates)


def _down_to_zero(axes: Axes) -> None:
    """Start the y axis at zero where that leaves most of the height to the data."""
    low, high = axes.dataLim.intervaly
    if low == high == 0:
        # A count of nothing: an axis around zero would show less than nothing.
        axes.set_ylim(0, 1)
    elif 0 <= low < 0.5 * high:
        axes.set_ylim(bottom=0)
