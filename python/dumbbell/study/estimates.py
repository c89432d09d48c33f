"""How a metric is estimated over the seeds of a point.

By means, or by medians where :mod:`dumbbell.study.tails` says that means do not do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dumbbell import stats
from dumbbell.stats import Estimate
from dumbbell.study.metric import possible
from dumbbell.study.spec import Point

if TYPE_CHECKING:
    from dumbbell.study.result import StudyResult

Floats: TypeAlias = NDArray[np.float64]

Measure: TypeAlias = Callable[[float], Estimate]
"""Gives an estimate at a level of confidence."""

Where: TypeAlias = tuple[str, Point]
"""An arm and a point."""


def level(result: StudyResult, metric: str, where: Where) -> Measure:
    """Return how to estimate a metric of an arm at a point."""
    _, values = result.values(metric, where[0], **where[1])
    return _chosen(result, (where,), _range(result, metric), stats.mean, stats.median, values)


def difference(result: StudyResult, metric: str, a: Where, b: Where) -> Measure:
    """Return how to estimate the difference of a metric between `a` and `b`, paired by seed."""
    values = result.matched(metric, a, b)
    low, high = _range(result, metric)
    ends = (low - high, high - low)
    return _chosen(result, (a, b), ends, stats.paired_difference, stats.median_difference, *values)


def ratio(result: StudyResult, metric: str, a: Where, b: Where) -> Measure:
    """Return how to estimate the ratio of a metric in `a` to that in `b`, paired by seed."""
    values = result.matched(metric, a, b)
    low, high = _range(result, metric)
    ends = (0.0 if low >= 0 or high <= 0 else -math.inf, math.inf)
    return _chosen(result, (a, b), ends, stats.paired_ratio, stats.median_ratio, *values)


def _range(result: StudyResult, metric: str) -> tuple[float, float]:
    """Return the possible range; numbers by size are of a metric by size."""
    names = {entry.name: entry for entry in result.study.metrics}
    return possible(names[metric]) if metric in names else (-math.inf, math.inf)


def _chosen(
    result: StudyResult,
    places: tuple[Where, ...],
    ends: tuple[float, float],
    usual: Callable[..., Estimate],
    robust: Callable[..., Estimate],
    *values: Floats,
) -> Measure:
    """Return the usual estimate, or the robust one if a place needs it, within the possible range."""
    reasons = (result.why_median(arm, **point) for arm, point in places)
    reason = next(filter(None, reasons), None)
    chosen, note = (usual, "") if reason is None else (robust, f"median over seeds, for {reason}")
    return lambda confidence: chosen(*values, confidence).within(*ends).noting(note)
