"""Figures as descriptions that `charts.js` draws: the lines of a Matplotlib figure, as numbers.

So a figure of a page and its print have one source.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import to_hex

from dumbbell.figures.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from numpy.typing import NDArray

_MOST_POINTS = 2000
"""Of a line; of more, those of the least and the largest value of each part remain."""

_DIGITS = 6

_STEPS = {"steps-pre": -1, "steps-post": 1}
"""As uPlot has them."""

_SLOTS = {colour.lower(): slot for slot, colour in enumerate(COLOURS)}


def description(name: str, title: str, figure: Figure) -> dict[str, Any] | None:
    """Return what `charts.js` needs to draw a figure; ``None`` if it is not of lines over one pair of axes.

    Parameters
    ----------
    name
        The figure's id in the page.
    title
        Its heading.
    figure
        Drawn, not yet laid out.
    """
    if len(figure.axes) != 1:
        return None
    axes = figure.axes[0]
    lines = axes.get_lines()
    if not lines or axes.patches or axes.collections or axes.texts or axes.images:
        return None
    grids: list[list[float | None]] = []
    known: dict[bytes, int] = {}
    found: list[dict[str, Any]] = []
    for line in lines:
        x, y = _points(axes, line)
        key = x.tobytes()
        if key not in known:
            known[key] = len(grids)
            grids.append(_numbers(x))
        before = sum(bool(look["label"]) and look["slot"] is not None for look in found)
        found.append(_look(line, before) | {"x": known[key], "y": _numbers(y)})
    return {
        "id": name,
        "title": title,
        "x": {"label": axes.get_xlabel(), "scale": axes.get_xscale()},
        "y": {"label": axes.get_ylabel(), "scale": axes.get_yscale()},
        "grids": grids,
        "lines": found,
    }


def _points(axes: Axes, line: Line2D) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = (np.asarray(data, np.float64) for data in (line.get_xdata(), line.get_ydata()))
    if line.get_transform() != axes.transData:
        # Across the axes, whatever they show.
        return np.asarray(axes.get_xlim()), np.full(2, y[0])
    return _thinned(x, y)


def _thinned(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if len(x) <= _MOST_POINTS:
        return x, y
    known = np.nan_to_num(y)
    edges = np.linspace(0, len(x), _MOST_POINTS // 2 + 1).astype(int)
    parts = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    kept = {low + int(pick(known[low:high])) for low, high in parts for pick in (np.argmin, np.argmax)}
    rows = sorted(kept | {0, len(x) - 1})
    return x[rows], y[rows]


def _look(line: Line2D, before: int) -> dict[str, Any]:
    """Return the look of a line; its dashes follow the number of named lines before it."""
    label = str(line.get_label())
    named = not label.startswith("_")
    slot = _SLOTS.get(to_hex(line.get_color()))
    look: dict[str, Any] = {"label": label.strip() if named else "", "slot": slot, "dash": 0}
    if named and line.is_dashed():
        look["dash"] = max(before, 1)
    if line.get_drawstyle() in _STEPS:
        look["step"] = _STEPS[line.get_drawstyle()]
    if line.get_linestyle() == "None":
        look["marks"] = True
    elif named and line.get_linewidth() > 1:
        look["bold"] = True
    return look


def _numbers(values: NDArray[np.float64]) -> list[float | None]:
    """Return values with six digits; ``None`` for those that are none."""
    return [float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None for value in values.tolist()]
