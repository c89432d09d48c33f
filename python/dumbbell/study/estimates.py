"""How a metric is estimated over the seeds of a point.

By means, or by medians where :mod:`dumbbell.study.tails` says that means do not do. Every interval that a
study shows is made here, because it must not leave the possible range of its quantity.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dumbbell import stats
from dumbbell.stats import Estimate
from dumbbell.study.spec import Point

Floats: TypeAlias = NDArray[np.float64]

Measure: TypeAlias = Callable[[float], Estimate]
"""Gives an estimate at a level of confidence."""

Where: TypeAlias = tuple[str, Point]
"""An arm and a point."""

Ends: TypeAlias = tuple[float, float]
"""The least and the largest value there can be."""


class Measured(Protocol):
    """What estimates need of :class:`dumbbell.study.StudyResult`."""

    def values(self, metric: str, arm: str, **point: Any) -> tuple[NDArray[np.int64], Floats]:
        """Return seeds and values."""

    def matched(self, metric: str, a: Where, b: Where) -> tuple[Floats, Floats]:
        """Return the values of two arms and points, paired by seed."""

    def possible(self, metric: str, arm: str, **point: Any) -> Ends:
        """Return the least and the largest value there can be."""

    def control(self, metric: str, *places: Where) -> tuple[Floats, Floats] | None:
        """Return the control of a mean or of a difference, for its runs and for further seeds."""

    def why_median(self, arm: str, **point: Any) -> str | None:
        """Return why medians stand for means; ``None`` where they do not."""


_SLACK = 1e-3
"""A packet that is on the link when the measured part ends counts whole: a share may be a little above 1."""


def level(result: Measured, metric: str, where: Where) -> Measure:
    """Return how to estimate a metric of an arm at a point."""
    _, values = result.values(metric, where[0], **where[1])

    def usual(x: Floats, confidence: float) -> Estimate:
        control = result.control(metric, where)
        return stats.mean(x, confidence) if control is None else stats.controlled(x, *control, confidence)

    return _chosen(result, (where,), _range(result, metric, where, values), usual, stats.median, values)


def difference(result: Measured, metric: str, a: Where, b: Where) -> Measure:
    """Return how to estimate the difference of a metric between `a` and `b`, paired by seed."""
    values = result.matched(metric, a, b)
    (low_a, high_a), (low_b, high_b) = map(_range, [result] * 2, [metric] * 2, (a, b), values)
    ends = (low_a - high_b, high_a - low_b)

    def usual(x: Floats, y: Floats, confidence: float) -> Estimate:
        control = result.control(metric, a, b)
        if control is None:
            return stats.paired_difference(x, y, confidence)
        return stats.controlled(x - y, *control, confidence)

    return _chosen(result, (a, b), ends, usual, stats.median_difference, *values)


def ratio(result: Measured, metric: str, a: Where, b: Where) -> Measure:
    """Return how to estimate the ratio of a metric in `a` to that in `b`, paired by seed."""
    values = result.matched(metric, a, b)
    (low_a, high_a), (low_b, high_b) = map(_range, [result] * 2, [metric] * 2, (a, b), values)
    one_sign = min(low_a, low_b) >= 0 or max(high_a, high_b) <= 0
    ends = (0.0 if one_sign else -math.inf, math.inf)
    return _chosen(result, (a, b), ends, stats.paired_ratio, stats.median_ratio, *values)


def middle(result: Measured, metric: str, where: Where) -> Measure:
    """Return how to estimate the median of a metric of an arm at a point."""
    _, values = result.values(metric, where[0], **where[1])
    return _within(_range(result, metric, where, values), stats.median, values)


def scored(values: Floats, possible: Ends) -> Measure:
    """Return how to estimate the mean of numbers made from runs, one each, that can lie between two ends."""
    return _within(_shown(possible, values), stats.mean, values)


def _range(result: Measured, metric: str, where: Where, values: Floats) -> Ends:
    return _shown(result.possible(metric, where[0], **where[1]), values)


def _shown(possible: Ends, values: Floats) -> Ends:
    """Return a possible range without the ends that a run has passed by more than a packet."""
    there = values[np.isfinite(values)]
    low, high = possible
    slack = _SLACK * max((abs(end) for end in possible if math.isfinite(end)), default=0.0)
    least, most = there.min(initial=low), there.max(initial=high)
    return -math.inf if least < low - slack else least, math.inf if most > high + slack else most


def _within(ends: Ends, how: Callable[..., Estimate], *values: Floats) -> Measure:
    return lambda confidence: how(*values, confidence).within(*ends)


def _chosen(
    result: Measured,
    places: tuple[Where, ...],
    ends: Ends,
    usual: Callable[..., Estimate],
    robust: Callable[..., Estimate],
    *values: Floats,
) -> Measure:
    """Return the usual estimate, or the robust one if a place needs it, within the possible range."""
    reasons = (result.why_median(arm, **point) for arm, point in places)
    reason = next(filter(None, reasons), None)
    if reason is None:
        return _within(ends, usual, *values)
    measure = _within(ends, robust, *values)
    return lambda confidence: measure(confidence).noting(f"median over seeds, for {reason}")
