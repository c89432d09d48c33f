"""Figures of studies as descriptions that `charts.js` draws: estimates with their intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dumbbell.report.data import FigureData, Line
    from dumbbell.report.spec import Reference
    from dumbbell.stats import Estimate

_LOOKS = 7
"""Dashes and markers; lines are told apart by these and by colours."""

_CROSSES = (6, 5)
"""Markers of published points, upright and slanted in turn, as `charts.js` numbers them."""

_DASHES = 4
"""Of references."""


def described(figure: FigureData, code: str = "") -> dict[str, Any]:
    """Return what `charts.js` draws of a figure of a study.

    Parameters
    ----------
    figure
        The numbers.
    code
        Lines of Python that draw it.
    """
    spec = figure.spec
    positions = figure.positions
    x: dict[str, Any] = {
        "label": figure.x_label,
        "scale": "linear" if figure.categories else spec.x_scale,
        "categories": figure.categories,
    }
    if figure.categories:
        x["ticks"] = list(zip(positions, map(str, figure.x_values), strict=True))
    elif figure.ticks:
        x["ticks"] = [(value, f"{value:g}") for value in figure.ticks]
    grids: list[list[float]] = [positions]
    lines = [_line(figure, line) for line in figure.lines]
    for number, reference in enumerate(figure.references):
        entry, xs = _reference(reference, number, positions)
        lines.append(entry | {"x": len(grids)})
        grids.append(xs)
    return {
        "id": spec.id, "title": spec.title, "code": code, "x": x,
        "y": {"label": figure.y_label, "scale": spec.scale, "fit": "data"},
        "grids": grids, "lines": lines, "texts": [],
    }  # fmt: skip


def _line(figure: FigureData, line: Line) -> dict[str, Any]:
    def end(estimate: Estimate | None, which: int) -> float | None:
        value = estimate.interval[which] if estimate and estimate.interval else None
        return value if value is not None and math.isfinite(value) else None

    look = line.slot % _LOOKS
    return {
        "label": line.label, "slot": line.slot, "dash": look, "marker": look, "x": 0,
        "y": [estimate and estimate.value for estimate in line.estimates],
        "low": [end(estimate, 0) for estimate in line.estimates],
        "high": [end(estimate, 1) for estimate in line.estimates],
        "text": [estimate.text(figure.unit) if estimate else "no value" for estimate in line.estimates],
    }  # fmt: skip


def _reference(
    reference: Reference, number: int, positions: list[float]
) -> tuple[dict[str, Any], list[float]]:
    """Return a level or a published curve, and its values of x."""
    look: dict[str, Any] = {"label": reference.label, "source": reference.source, "slot": None}
    if not reference.x:
        ends = [min(positions, default=0.0), max(positions, default=1.0)]
        return look | {"dash": number % _DASHES, "y": [reference.y[0]] * 2}, ends
    look["y"] = list(reference.y)
    if reference.marks:
        look |= {"marks": True, "marker": _CROSSES[number % len(_CROSSES)]}
    else:
        look |= {"path": True, "dash": number % _DASHES}
    return look, list(reference.x)
