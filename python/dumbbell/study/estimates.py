"""How a metric is estimated over the seeds of a point.

By means, or by medians where :mod:`dumbbell.study.tails` says that means do not do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from dumbbell import stats
from dumbbell.stats import Estimate
from dumbbell.study.spec import Point

if TYPE_CHECKING:
    from dumbbell.study.result import StudyResult

Measure: TypeAlias = Callable[[float], Estimate]
"""Gives an estimate at a level of confidence."""

Where: TypeAlias = tuple[str, Point]
"""An arm and a point."""


def level(result: StudyResult, metric: str, where: Where) -> Measure:
    """Return how to estimate a metric of an arm at a point."""
    _, values = result.values(metric, where[0], **where[1])
    return _chosen(result, (where,), stats.mean, stats.median, values)


def difference(result: StudyResult, metric: str, a: Where, b: Where) -> Measure:
    """Return how to estimate the difference of a metric between `a` and `b`, paired by seed."""
    values = result.matched(metric, a, b)
    return _chosen(result, (a, b), stats.paired_difference, stats.median_difference, *values)


def ratio(result: StudyResult, metric: str, a: Where, b: Where) -> Measure:
    """Return how to estimate the ratio of a metric in `a` to that in `b`, paired by seed."""
    values = result.matched(metric, a, b)
    return _chosen(result, (a, b), stats.paired_ratio, stats.median_ratio, *values)


def _chosen(result: StudyResult, places: tuple[Where, ...], usual: Any, robust: Any, *values: Any) -> Measure:
    reasons = (result.why_median(arm, **point) for arm, point in places)
    reason = next(filter(None, reasons), None)
    if reason is None:
        return partial(usual, *values)

    def measure(confidence: float) -> Estimate:
        found: Estimate = robust(*values, confidence)
        return found.noting(f"median over seeds, for {reason}")

    return measure
