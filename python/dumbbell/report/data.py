"""The numbers of a figure: an estimate with an interval for each arm at each value of the axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dumbbell import stats
from dumbbell.report.errors import FigureError
from dumbbell.report.spec import FigureSpec, Measured, Reference, Value
from dumbbell.study.estimates import level, middle, ratio

if TYPE_CHECKING:
    from dumbbell.stats import Estimate
    from dumbbell.study import Axis, Metric, StudyResult


_CHARACTERS = 40
"""Of labels side by side, on an axis of the smallest figure."""


@dataclass(frozen=True)
class Line:
    """One arm."""

    arm: str
    label: str
    slot: int
    """Position in the study: the arm has the same colour and dashes in every figure."""
    estimates: tuple[Estimate | None, ...]
    """One for each value of the axis; ``None`` where no run has a value."""


@dataclass(frozen=True)
class FigureData:
    """What to draw."""

    spec: FigureSpec
    x_name: str
    """The label of the axis."""
    x_label: str
    """The same with the unit."""
    x_values: tuple[Value, ...]
    """Numbers in order, or names as the study lists them."""
    y_name: str
    """The label of the metric, or of the ratio."""
    y_label: str
    """The same with the unit."""
    unit: str
    """Of the values; empty for ratios and counts."""
    lines: tuple[Line, ...]
    references: tuple[Reference, ...]
    """Those of the figure, measured ones with their values."""

    @property
    def categories(self) -> bool:
        """Whether the values of the axis are names, and not numbers."""
        return any(isinstance(value, str) for value in self.x_values)

    @property
    def positions(self) -> list[float]:
        """Where the values of the axis stand: names at 0, 1, 2."""
        if self.categories:
            return [float(index) for index in range(len(self.x_values))]
        return [float(value) for value in self.x_values]

    @property
    def ticks(self) -> list[float]:
        """The values of the axis, where their labels have room; empty where the axis finds ticks itself."""
        if self.categories or len(self.x_values) < 2:
            return []
        places = [math.log(x) if self.spec.x_scale == "log" else x for x in self.positions]
        room = (1 + max(len(f"{value:g}") for value in self.positions)) / _CHARACTERS
        gaps = [after - before for before, after in pairwise(places)]
        return self.positions if min(gaps) >= room * (places[-1] - places[0]) else []


def figure_data(result: StudyResult, spec: FigureSpec) -> FigureData:
    """Return the numbers of a figure.

    Raises
    ------
    FigureError
        If the study has no such axis, metric or arm, or the figure leaves another axis open.
    """
    result = result.having(spec.metric)
    study = result.study
    axis = _named(spec, "axis", spec.x, study.axes)
    metric = _named(spec, "metric", spec.metric, study.metrics)
    arms = [_named(spec, "arm", name, study.arms) for name in spec.arms] or list(study.arms)
    if spec.relative_to:
        base = _named(spec, "arm", spec.relative_to, study.arms)
        arms = [arm for arm in arms if arm.name != base.name]
    at = _others(spec, study.axes)
    values = tuple(axis.values)
    if not any(isinstance(value, str) for value in values):
        low, high = spec.x_range or (-math.inf, math.inf)
        values = tuple(value for value in sorted(values) if low <= value <= high)
        if not values:
            raise FigureError(f"figure {spec.id!r}: no value of {spec.x} is within its range; widen it")
    lines = []
    for arm in arms:
        estimates = tuple(_estimate(result, spec, arm.name, {**at, axis.name: value}) for value in values)
        lines.append(Line(arm.name, arm.label, list(study.arms).index(arm), estimates))
    unit = "" if spec.relative_to else metric.unit if spec.unit is None else spec.unit
    y_name = f"{metric.label} / {base.label}" if spec.relative_to else metric.label
    x_label, y_label = with_unit(axis.label, axis.unit), with_unit(y_name, unit)
    references = tuple(
        found
        for entry in spec.references
        if (found := _reference(result, spec, entry, [{**at, axis.name: value} for value in values]))
    )
    return FigureData(spec, axis.label, x_label, values, y_name, y_label, unit, tuple(lines), references)


def only_values(result: StudyResult, arm: str) -> list[tuple[Metric, Estimate]]:
    """Return every metric that has a value in an arm of a study without axes, which has no figures."""
    found = (
        (metric, _estimate(result, FigureSpec("value", "", "", metric.name), arm, {}))
        for metric in result.study.metrics
    )
    return [(metric, estimate) for metric, estimate in found if estimate is not None]


def with_unit(label: str, unit: str) -> str:
    """Write a label with its unit, if it has one."""
    return f"{label} ({unit})" if unit else label


def _named(spec: FigureSpec, what: str, name: str, entries: Sequence[Any]) -> Any:
    for entry in entries:
        if entry.name == name:
            return entry
    known = ", ".join(entry.name for entry in entries) or "none"
    raise FigureError(f"figure {spec.id!r}: the study has no {what} {name!r}; it has {known}")


def _others(spec: FigureSpec, axes: Sequence[Axis]) -> dict[str, Value]:
    """Return the point on the axes that the figure does not show."""
    point: dict[str, Value] = {}
    for name, value in spec.at.items():
        axis = _named(spec, "axis", name, axes)
        if name == spec.x or value not in axis.values:
            raise FigureError(
                f"figure {spec.id!r}: at {name} = {value}: not a value of another axis; correct it"
            )
        point[name] = value
    for axis in axes:
        if axis.name not in (spec.x, *point):
            if len(axis.values) > 1:
                raise FigureError(f"figure {spec.id!r}: axis {axis.name!r} is open; give its value in `at`")
            point[axis.name] = axis.values[0]
    return point


def _reference(
    result: StudyResult, spec: FigureSpec, entry: Reference | Measured, points: Sequence[dict[str, Value]]
) -> Reference | None:
    """Return a reference as far as it lies within the figure; ``None`` if nothing does."""
    low, high = spec.x_range or (-math.inf, math.inf)
    if isinstance(entry, Reference):
        kept = [(x, y) for x, y in zip(entry.x, entry.y, strict=False) if low <= x <= high]
        if not entry.x or len(kept) == len(entry.x):
            return entry
        return replace(entry, x=tuple(x for x, _ in kept), y=tuple(y for _, y in kept)) if kept else None
    _named(spec, "metric", entry.metric, result.study.metrics)
    _named(spec, "arm", entry.arm, result.study.arms)
    means = [level(result, entry.metric, (entry.arm, point))(stats.CONFIDENCE).value for point in points]
    there = [
        (float(point[spec.x]), mean * spec.factor)
        for point, mean in zip(points, means, strict=True)
        if math.isfinite(mean)
    ]
    xs, ys = (tuple(pair[side] for pair in there) for side in (0, 1))
    return Reference(entry.label, ys, xs, "this study") if there else None


def _estimate(result: StudyResult, spec: FigureSpec, arm: str, point: dict[str, Value]) -> Estimate | None:
    if spec.relative_to:
        estimate = ratio(result, spec.metric, (arm, point), (spec.relative_to, point))(stats.CONFIDENCE)
    elif spec.statistic == "median":
        estimate = middle(result, spec.metric, (arm, point))(stats.CONFIDENCE)
    else:
        estimate = level(result, spec.metric, (arm, point))(stats.CONFIDENCE)
    return _scaled(estimate, spec.factor) if math.isfinite(estimate.value) else None


def _scaled(estimate: Estimate, factor: float) -> Estimate:
    low, high = estimate.interval or (None, None)
    return replace(
        estimate,
        value=estimate.value * factor,
        low=None if low is None else low * factor,
        high=None if high is None else high * factor,
    )
