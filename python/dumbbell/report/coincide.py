"""Lines of a figure that lie on each other: a reader sees one of them."""

from __future__ import annotations

import math

from dumbbell.report.data import FigureData, Line

_APART = 0.01
"""Of the height of the data: less than half of a marker."""


def coincidences(data: FigureData) -> list[str]:
    """Return a sentence for each group of lines that lie on each other at every value of the axis."""
    height = _height(data)
    left = [line for line in data.lines if any(line.estimates)]
    found = []
    while left:
        first, *others = left
        group = [line for line in others if _furthest(data, first, line) <= _APART * height]
        left = [line for line in others if line not in group]
        if group:
            equal = all(_furthest(data, first, line) == 0 for line in group)
            labels = [line.label for line in (first, *group)]
            how = "equal at every point" if equal else f"within {100 * _APART:g} % of the height"
            found.append(f"On each other, {how}: {'; '.join(labels)}.")
    return found


def _heights(data: FigureData, line: Line) -> list[float | None]:
    """Return where the points of a line stand, on the scale of the figure."""
    if data.spec.scale == "linear":
        return [estimate.value if estimate else None for estimate in line.estimates]
    return [
        math.log(estimate.value) if estimate and estimate.value > 0 else None for estimate in line.estimates
    ]


def _height(data: FigureData) -> float:
    points = [y for line in data.lines for y in _heights(data, line) if y is not None]
    return max(points) - min(points) if points else 0.0


def _furthest(data: FigureData, a: Line, b: Line) -> float:
    """Return how far apart two lines get; infinity where only one has a point."""
    gaps = [
        math.inf if (one is None) != (other is None) else abs((one or 0.0) - (other or 0.0))
        for one, other in zip(_heights(data, a), _heights(data, b), strict=True)
    ]
    return max(gaps)
