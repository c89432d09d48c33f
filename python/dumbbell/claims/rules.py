"""Rules that claims are made of.

Each rule judges one metric at points of a study; ``at`` chooses the points. If the study lacks a value, as a
quick study may, the claim is inconclusive. A rule that no data could refute raises an error when it is made.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Literal

from dumbbell import stats
from dumbbell.claims.claim import ClaimError, Judgement
from dumbbell.claims.decide import Probe, decide
from dumbbell.claims.points import (
    At,
    Place,
    arm_label,
    at_text,
    described,
    find_metric,
    places,
    series,
)
from dumbbell.study.estimates import Measure, difference, level, ratio

if TYPE_CHECKING:
    from dumbbell.stats import Estimate
    from dumbbell.study import Point, StudyResult

_ANYWHERE: At = {}


def _check_bounds(low: float, high: float) -> None:
    if math.isnan(low) or math.isnan(high) or low > high:
        raise ClaimError(f"bounds {low:g} to {high:g} hold nothing; put the lower first")
    if math.isinf(low) and math.isinf(high):
        raise ClaimError("without bounds no data could break the claim; give low, high or both")


def _bounds_text(low: float, high: float) -> str:
    if math.isinf(low):
        return f"at most {high:g}"
    return f"at least {low:g}" if math.isinf(high) else f"{low:g} to {high:g}"


def _nothing(_confidence: float) -> Estimate:
    return stats.mean([])


def _probes(
    result: StudyResult, at: At, quantity: str, unit: str, low: float, high: float,
    measure_at: Callable[[Point], Measure], strict: bool = False,
) -> list[Probe]:  # fmt: skip
    def probe(place: Place) -> Probe:
        measure = _nothing if place.point is None else measure_at(place.point)
        return Probe(place.where, quantity, unit, measure, low, high, strict)

    return [probe(place) for place in places(result, at)]


@dataclass(frozen=True)
class Level:
    """The mean of an arm lies within bounds, in the unit of the metric, at every point."""

    arm: str
    """Name of the arm."""
    low: float = -math.inf
    """The least mean allowed; minus infinity if any."""
    high: float = math.inf
    """The largest mean allowed; infinity if any."""
    at: At = field(default_factory=dict)
    """The points that it speaks of."""

    def __post_init__(self) -> None:
        _check_bounds(self.low, self.high)

    def __call__(self, result: StudyResult, metric: str) -> Judgement:
        """Judge."""

        def measure_at(point: Point) -> Measure:
            return level(result, metric, (self.arm, point))

        label, unit = arm_label(result, self.arm), find_metric(result, metric).unit
        return decide(_probes(result, self.at, label, unit, self.low, self.high, measure_at))

    def __str__(self) -> str:
        return f"mean of {self.arm} is {_bounds_text(self.low, self.high)}{at_text(self.at)}"


@dataclass(frozen=True)
class Ratio:
    """The mean of an arm, over that of another at the same seeds, lies within bounds at every point."""

    arm: str
    """Name of the arm above."""
    over: str
    """Name of the arm below."""
    low: float = -math.inf
    """The least ratio allowed; minus infinity if any."""
    high: float = math.inf
    """The largest ratio allowed; infinity if any."""
    at: At = field(default_factory=dict)
    """The points that it speaks of."""

    def __post_init__(self) -> None:
        _check_bounds(self.low, self.high)

    def __call__(self, result: StudyResult, metric: str) -> Judgement:
        """Judge."""

        def measure_at(point: Point) -> Measure:
            return ratio(result, metric, (self.arm, point), (self.over, point))

        quantity = f"{arm_label(result, self.arm)} / {arm_label(result, self.over)}"
        return decide(_probes(result, self.at, quantity, "", self.low, self.high, measure_at))

    def __str__(self) -> str:
        return f"{self.arm} / {self.over} is {_bounds_text(self.low, self.high)}{at_text(self.at)}"


def equivalent(arm: str, over: str, within: float, at: At = _ANYWHERE) -> Ratio:
    """Return the rule that two arms differ by less than a share of the second: 0.05 for 5 %.

    Parameters
    ----------
    arm, over
        Names of the two arms.
    within
        The share, between 0 and 1.
    at
        The points that it speaks of.

    Raises
    ------
    ClaimError
        If the share is not between 0 and 1.
    """
    if not 0 < within < 1:
        raise ClaimError(f"a share of {within:g} is no margin; give one between 0 and 1")
    return Ratio(arm, over, 1 - within, 1 + within, at)


@dataclass(frozen=True)
class Difference:
    """The mean of an arm, less that of another at the same seeds, lies within bounds at every point."""

    arm: str
    """Name of the arm."""
    minus: str
    """Name of the arm that is subtracted."""
    low: float = -math.inf
    """The least difference allowed; minus infinity if any."""
    high: float = math.inf
    """The largest difference allowed; infinity if any."""
    at: At = field(default_factory=dict)
    """The points that it speaks of."""

    def __post_init__(self) -> None:
        _check_bounds(self.low, self.high)

    def __call__(self, result: StudyResult, metric: str) -> Judgement:
        """Judge."""

        def measure_at(point: Point) -> Measure:
            return difference(result, metric, (self.arm, point), (self.minus, point))

        quantity = f"{arm_label(result, self.arm)} - {arm_label(result, self.minus)}"
        unit = find_metric(result, metric).unit
        return decide(_probes(result, self.at, quantity, unit, self.low, self.high, measure_at))

    def __str__(self) -> str:
        return f"{self.arm} - {self.minus} is {_bounds_text(self.low, self.high)}{at_text(self.at)}"


@dataclass(frozen=True)
class Order:
    """The arms stand in rising order of the metric at every point, each strictly below the next."""

    arms: tuple[str, ...]
    """Names of two or more arms, the lowest first."""
    at: At = field(default_factory=dict)
    """The points that it speaks of."""
    bounded: ClassVar[bool] = False
    """Whether it has a number that could be ours."""

    def __post_init__(self) -> None:
        if len(self.arms) < 2 or len(set(self.arms)) < len(self.arms):
            raise ClaimError(
                f"an order of {', '.join(self.arms) or 'nothing'} says nothing; name two or more arms"
            )

    def __call__(self, result: StudyResult, metric: str) -> Judgement:
        """Judge."""
        unit = find_metric(result, metric).unit
        probes = []
        for first, second in pairwise(self.arms):
            quantity = f"{arm_label(result, first)} - {arm_label(result, second)}"

            def measure_at(point: Point, a: str = first, b: str = second) -> Measure:
                return difference(result, metric, (a, point), (b, point))

            probes += _probes(result, self.at, quantity, unit, -math.inf, 0.0, measure_at, strict=True)
        return decide(probes)

    def __str__(self) -> str:
        return f"{' < '.join(self.arms)}{at_text(self.at)}"


@dataclass(frozen=True)
class Monotone:
    """The metric rises, or falls, from each value of an axis to the next."""

    axis: str
    """Name of the axis."""
    arm: str
    """Name of the arm."""
    direction: Literal["rises", "falls"]
    """Which way the metric goes as the axis rises."""
    at: At = field(default_factory=dict)
    """The points that it speaks of."""
    bounded: ClassVar[bool] = False
    """Whether it has a number that could be ours."""

    def __call__(self, result: StudyResult, metric: str) -> Judgement:
        """Judge."""
        label, unit = arm_label(result, self.arm), find_metric(result, metric).unit
        low, high = (0.0, math.inf) if self.direction == "rises" else (-math.inf, 0.0)
        probes = []
        for row in series(result, self.axis, self.at):
            for first, second in pairwise(row):
                rest = described(result, first, leave_out=self.axis)
                step = f"{label} from {self.axis} {first[self.axis]:g} to {second[self.axis]:g}"
                measure = difference(result, metric, (self.arm, second), (self.arm, first))
                probes.append(Probe(rest, step, unit, measure, low, high, strict=True))
        absent = [place for place in places(result, self.at) if place.point is None]
        probes += [Probe(place.where, label, unit, _nothing, low, high, strict=True) for place in absent]
        return decide(probes)

    def __str__(self) -> str:
        return f"{self.arm} {self.direction} with {self.axis}{at_text(self.at)}"


@dataclass(frozen=True)
class Crossing:
    """Two arms change order along an axis: one is below the other up to `low`, above it from `high` on."""

    axis: str
    """Name of the axis."""
    arm: str
    """Name of the arm that is below at first."""
    over: str
    """Name of the arm that is above at first."""
    low: float
    """Up to and with this value of the axis, `arm` is strictly below."""
    high: float
    """From and with this value on, `arm` is strictly above. What lies between is not judged."""
    at: At = field(default_factory=dict)
    """The points that it speaks of."""

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ClaimError(f"a crossing between {self.low:g} and {self.high:g}: put the lower first")

    def __call__(self, result: StudyResult, metric: str) -> Judgement:
        """Judge."""
        quantity = f"{arm_label(result, self.arm)} - {arm_label(result, self.over)}"
        unit = find_metric(result, metric).unit
        rows = series(result, self.axis, self.at)
        probes = []
        for row in rows:
            before = [point for point in row if float(point[self.axis]) <= self.low]
            after = [point for point in row if float(point[self.axis]) >= self.high]
            sides = (
                (before, -math.inf, 0.0, f"up to {self.low:g}"),
                (after, 0.0, math.inf, f"from {self.high:g} on"),
            )
            for points, low, high, span in sides:
                for point in points:
                    measure = difference(result, metric, (self.arm, point), (self.over, point))
                    probes.append(
                        Probe(described(result, point), quantity, unit, measure, low, high, strict=True)
                    )
                if not points:
                    where = f"{self.axis} {span}"
                    probes.append(Probe(where, quantity, unit, _nothing, low, high, strict=True))
        return decide(probes)

    def __str__(self) -> str:
        return (
            f"{self.arm} < {self.over} up to {self.axis} = {self.low:g}, "
            f"{self.arm} > {self.over} from {self.high:g} on{at_text(self.at)}"
        )
