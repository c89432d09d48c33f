"""The points of a study that a claim names, and their labels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from dumbbell.claims.claim import ClaimError

if TYPE_CHECKING:
    from dumbbell.study import Arm, Axis, Metric, Point, StudyResult

Value: TypeAlias = float | int | str

_Entry = TypeVar("_Entry", "Arm", "Axis", "Metric")

At: TypeAlias = Mapping[str, Value | Sequence[Value]]
"""A value, or several, for each axis that it names; every value of the others."""


@dataclass(frozen=True)
class Place:
    """A point that a claim speaks of, in the study or not."""

    where: str
    """``load = 0.8``; several axes are separated by commas."""
    point: Point | None
    """``None`` if the study does not have it."""


def places(result: StudyResult, at: At) -> list[Place]:
    """Return the points that `at` chooses, and those that it names but the study does not have.

    Raises
    ------
    ClaimError
        If the study has no such axis.
    """
    wanted = {name: _several(values) for name, values in at.items()}
    for name in wanted:
        find_axis(result, name)
    found = [
        Place(described(result, point), point)
        for point in result.points()
        if all(any(same(point[name], value) for value in values) for name, values in wanted.items())
    ]
    absent = [
        Place(_equals(result, name, value), None)
        for name, values in wanted.items()
        for value in values
        if not any(same(value, known) for known in find_axis(result, name).values)
    ]
    return found + absent


def series(result: StudyResult, axis: str, at: At) -> list[list[Point]]:
    """Return the points that `at` chooses in rows along an axis of numbers, each row in rising order.

    Raises
    ------
    ClaimError
        If the study has no such axis, or its values are not numbers.
    """
    if any(isinstance(value, str) for value in find_axis(result, axis).values):
        raise ClaimError(f"axis {axis!r} has names for values, which have no order; use an axis of numbers")
    rows: dict[tuple[Value, ...], list[Point]] = {}
    for place in places(result, at):
        if place.point is not None:
            others = tuple(value for name, value in place.point.items() if name != axis)
            rows.setdefault(others, []).append(place.point)
    return [sorted(row, key=lambda point: point[axis]) for row in rows.values()]


def described(result: StudyResult, point: Point, leave_out: str = "") -> str:
    """Write a point; axes of one value need no mention."""
    shown = [
        _equals(result, name, value)
        for name, value in point.items()
        if name != leave_out and len(find_axis(result, name).values) > 1
    ]
    return ", ".join(shown)


def find_axis(result: StudyResult, name: str) -> Axis:
    """Return an axis.

    Raises
    ------
    ClaimError
        If there is none of that name.
    """
    return _named("axis", name, result.study.axes)


def arm_label(result: StudyResult, name: str) -> str:
    """Return the label of an arm.

    Raises
    ------
    ClaimError
        If there is none of that name.
    """
    return _named("arm", name, result.study.arms).label


def find_metric(result: StudyResult, name: str) -> Metric:
    """Return a metric.

    Raises
    ------
    ClaimError
        If there is none of that name.
    """
    return _named("metric", name, result.study.metrics)


def _named(what: str, name: str, entries: Sequence[_Entry]) -> _Entry:
    for entry in entries:
        if entry.name == name:
            return entry
    known = ", ".join(entry.name for entry in entries) or "none"
    raise ClaimError(f"the study has no {what} {name!r}; it has {known}")


def same(a: Value, b: Value) -> bool:
    """Whether two values of an axis are the same; numbers may differ in the last digits."""
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return math.isclose(a, b, rel_tol=1e-9)


def at_text(at: At) -> str:
    """Write a choice of points: `` at load = 0.2, 0.4``; empty for all."""
    parts = [f"{name} = {', '.join(str(value) for value in _several(values))}" for name, values in at.items()]
    return f" at {' and '.join(parts)}" if parts else ""


def _several(values: Value | Sequence[Value]) -> tuple[Value, ...]:
    return (values,) if isinstance(values, (str, int, float)) else tuple(values)


def _equals(result: StudyResult, name: str, value: Value) -> str:
    axis = find_axis(result, name)
    number = value if isinstance(value, str) else f"{value:g}"
    return f"{axis.label} = {number}{f' {axis.unit}' if axis.unit else ''}"
