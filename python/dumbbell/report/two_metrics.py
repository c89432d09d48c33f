"""Two metrics of a study against each other: the runs of each arm, and an ellipse of one deviation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dumbbell.errors import NothingToDrawError
from dumbbell.figures.trade_off import Cloud, draw_clouds, figure_of
from dumbbell.report.data import with_unit
from dumbbell.report.errors import FigureError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dumbbell.report.spec import Value
    from dumbbell.study import StudyResult


def trade_off(result: StudyResult, delay: str, rate: str, at: Mapping[str, Value] | None = None) -> Figure:
    """Draw a metric of throughput against one of delay at a point: an ellipse for each arm.

    Parameters
    ----------
    result
        Of the study.
    delay, rate
        Names of metrics.
    at
        The value of each axis that has several, by name.

    Raises
    ------
    FigureError
        If there is no such metric or point, or an axis is left open.
    NothingToDrawError
        If no run has both.

    Examples
    --------
    >>> from dumbbell.report import trade_off
    >>> trade_off(result, "delay", "goodput", {"load": 0.8})  # doctest: +SKIP
    """
    study = result.study
    known = {metric.name: metric for metric in study.metrics}
    for name in (delay, rate):
        if name not in known:
            raise FigureError(f"the study has no metric {name!r}; it has {', '.join(known)}")
    point = _point(result, at or {})
    clouds = []
    for arm in study.arms:
        x, y = (result.values(name, arm.name, **point)[1] for name in (delay, rate))
        ends = [result.possible(name, arm.name, **point) for name in (delay, rate)]
        clouds.append(Cloud(arm.label, x, y, *ends))
    if not any(cloud.x.size for cloud in clouds):
        raise NothingToDrawError("no run has both metrics at this point")
    labels = [with_unit(known[name].label, known[name].unit) for name in (delay, rate)]
    return figure_of(lambda axes: draw_clouds(axes, clouds, *labels))


def _point(result: StudyResult, at: Mapping[str, Value]) -> dict[str, Value]:
    """Return a point of the grid from the values of some axes."""
    axes = {axis.name: axis for axis in result.study.axes}
    for name, value in at.items():
        if name not in axes or value not in axes[name].values:
            values = ", ".join(map(str, axes[name].values)) if name in axes else ""
            remedy = f"use one of {values}" if values else f"it has {', '.join(axes) or 'no axis'}"
            raise FigureError(f"the study has no {name} = {value}; {remedy}")
    open_ = [name for name, axis in axes.items() if name not in at and len(axis.values) > 1]
    if open_:
        raise FigureError(f"axis {open_[0]!r} is open; give its value: {open_[0]}={axes[open_[0]].values[0]}")
    return {name: at.get(name, axis.values[0]) for name, axis in axes.items()}
