"""Means, quantiles, differences and ratios, with intervals."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.stats
from numpy.typing import ArrayLike, NDArray

from dumbbell.stats.estimate import CONFIDENCE, Estimate
from dumbbell.stats.tail import heavy_tail

RESAMPLES = 9999
"""Bootstrap samples: one less than round, so that percentiles are samples (Davison & Hinkley 1997)."""

SEED = 1
"""Of the bootstrap, fixed so that the same data give the same interval."""

_T = "mean, Student's t interval"
_FIELLER = "ratio of paired means, Fieller's interval"

Numbers = NDArray[np.float64]


def mean(x: ArrayLike, confidence: float = CONFIDENCE) -> Estimate:
    """Return the mean of independent observations, one for each seed, with Student's t interval.

    Parameters
    ----------
    x
        Shape (seeds,); not-a-number counts as missing and is noted.
    confidence
        The level of the interval, between 0 and 1.
    """
    values, notes = _present(x)
    if warning := heavy_tail(values):
        notes.append(warning)
    return _t_interval(values, confidence, _T, notes)


def paired_difference(a: ArrayLike, b: ArrayLike, confidence: float = CONFIDENCE) -> Estimate:
    """Return the mean of ``a - b`` over pairs with Student's t interval.

    Parameters
    ----------
    a, b
        Shape (pairs,), matched: the same seeds in the same order. A pair with a not-a-number is missing and
        noted.
    confidence
        The level of the interval.
    """
    left, right, notes = _pairs(a, b)
    return _t_interval(left - right, confidence, "mean of paired differences, Student's t interval", notes)


def difference(a: ArrayLike, b: ArrayLike, confidence: float = CONFIDENCE) -> Estimate:
    """Return the difference of the means of independent samples with Welch's t interval.

    A sample of one observation says nothing of how it varies: it is then taken to vary as the other does.

    Parameters
    ----------
    a, b
        Shapes (n,) and (m,); not-a-number counts as missing and is noted. Their variances may differ
        (Welch, Biometrika 34, 1947).
    confidence
        The level of the interval.
    """
    (left, notes), (right, more) = _present(a), _present(b)
    notes += more
    n, m = left.size, right.size
    method = "difference of means, Welch's t interval"
    if not n or not m:
        return _alone(math.nan, 0, confidence, method, notes)
    value = float(left.mean() - right.mean())
    if n == m == 1:
        return _alone(value, 1, confidence, method, notes)
    if min(n, m) == 1:
        method = "difference of means, Student's t interval"
        notes.append("one observation on one side: it is taken to vary as the others do")
        variance, freedom = float((left if n > 1 else right).var(ddof=1)), max(n, m) - 1.0
        squares = (variance / n, variance / m)
    else:
        squares = (float(left.var(ddof=1)) / n, float(right.var(ddof=1)) / m)
        among = squares[0] ** 2 / (n - 1) + squares[1] ** 2 / (m - 1)
        freedom = sum(squares) ** 2 / among if among else 1.0
    if not sum(squares):
        notes.append("all values are equal")
    margin = float(scipy.stats.t.ppf((1 + confidence) / 2, freedom)) * math.sqrt(sum(squares))
    return Estimate(value, value - margin, value + margin, min(n, m), confidence, method, "; ".join(notes))


def paired_ratio(a: ArrayLike, b: ArrayLike, confidence: float = CONFIDENCE) -> Estimate:
    """Return the ratio of the means of matched `a` and `b` with Fieller's interval.

    The interval holds each ratio r for which a t test does not reject that ``a - r b`` has mean zero
    (Fieller, J. R. Stat. Soc. B 16(2), 1954). If the mean of `b` could be zero, it has no bounds.

    Parameters
    ----------
    a, b
        Shape (pairs,), matched. A pair with a not-a-number is missing and noted.
    confidence
        The level of the interval.
    """
    left, right, notes = _pairs(a, b)
    n = left.size
    over, under = (float(left.mean()), float(right.mean())) if n else (math.nan, math.nan)
    ratio = over / under if under else math.nan
    if n and not under:
        notes.append("the mean of the denominator is zero")
    if n < 2:
        return _alone(ratio, n, confidence, _FIELLER, notes)
    covariance = np.cov(left, right) / n
    t = float(scipy.stats.t.ppf((1 + confidence) / 2, n - 1)) ** 2
    # The bounds are the roots in r of (over - r under)^2 = t (v_aa - 2 r v_ab + r^2 v_bb).
    square = under**2 - t * covariance[1, 1]
    linear = over * under - t * covariance[0, 1]
    constant = over**2 - t * covariance[0, 0]
    if square <= 0:
        notes.append("the denominator could be zero: the ratio has no bounds")
        return Estimate(ratio, -math.inf, math.inf, n, confidence, _FIELLER, "; ".join(notes))
    root = math.sqrt(max(linear**2 - square * constant, 0.0))
    low, high = (linear - root) / square, (linear + root) / square
    return Estimate(ratio, float(low), float(high), n, confidence, _FIELLER, "; ".join(notes))


def median(x: ArrayLike, confidence: float = CONFIDENCE) -> Estimate:
    """Return the median with a bootstrap interval; see :func:`quantile`."""
    return quantile(x, 0.5, confidence)


def quantile(x: ArrayLike, q: float, confidence: float = CONFIDENCE) -> Estimate:
    """Return a quantile of independent observations with a bootstrap interval (BCa, Efron 1987).

    A bootstrap interval cannot reach beyond the observations, and these hold the quantile between them with
    probability ``1 - q^n - (1 - q)^n`` only; if that is less than `confidence`, the note says so.

    Parameters
    ----------
    x
        Shape (n,); not-a-number counts as missing and is noted.
    q
        Between 0 and 1, exclusive.
    confidence
        The level of the interval.
    """
    if not 0 < q < 1:
        raise ValueError(f"a quantile of order {q} does not exist; give a number between 0 and 1")
    method = f"{q:g}-quantile, BCa bootstrap interval of {RESAMPLES} samples"
    values, notes = _present(x)
    n = values.size
    value = float(np.quantile(values, q)) if n else math.nan
    if n < 2:
        return _alone(value, n, confidence, method, notes)
    best = 1 - q**n - (1 - q) ** n
    if best < confidence:
        notes.append(f"n={n} is too few: the interval holds the quantile with at most {100 * best:.0f} %")
    if values.min() == values.max():
        notes.append("all values are equal")
        return Estimate(value, value, value, n, confidence, method, "; ".join(notes))
    low, high = _bootstrap(values, lambda sample, axis: np.quantile(sample, q, axis=axis), confidence, "BCa")
    if not (math.isfinite(low) and math.isfinite(high)):
        # The correction does not exist when every bootstrap quantile lies on one side of the estimate.
        method = method.replace("BCa", "percentile")
        low, high = _bootstrap(
            values, lambda sample, axis: np.quantile(sample, q, axis=axis), confidence, "percentile"
        )
    return Estimate(value, low, high, n, confidence, method, "; ".join(notes))


def _bootstrap(
    values: Numbers, statistic: Callable[..., Any], confidence: float, method: str
) -> tuple[float, float]:
    with warnings.catch_warnings():
        # Degenerate samples give not-a-number, which the caller handles.
        warnings.simplefilter("ignore", (scipy.stats.DegenerateDataWarning, RuntimeWarning))
        interval = scipy.stats.bootstrap(
            (values,), statistic, n_resamples=RESAMPLES, confidence_level=confidence,
            method=method, rng=np.random.default_rng(SEED), batch=1000,
        ).confidence_interval  # fmt: skip
    return float(interval.low), float(interval.high)


def _t_interval(values: Numbers, confidence: float, method: str, notes: list[str]) -> Estimate:
    n = values.size
    value = float(values.mean()) if n else math.nan
    if n < 2:
        return _alone(value, n, confidence, method, notes)
    if values.min() == values.max():
        notes.append("all values are equal")
    margin = scipy.stats.t.ppf((1 + confidence) / 2, n - 1) * values.std(ddof=1) / math.sqrt(n)
    return Estimate(
        value, float(value - margin), float(value + margin), n, confidence, method, "; ".join(notes)
    )


def _alone(value: float, n: int, confidence: float, method: str, notes: list[str]) -> Estimate:
    """Return the estimate from one observation or none."""
    first = "n=1, no interval" if n == 1 else "n=0, no value"
    return Estimate(value, None, None, n, confidence, method, "; ".join([first, *notes]))


def _present(x: ArrayLike) -> tuple[Numbers, list[str]]:
    """Return the values that are there, and a note if some are not."""
    values = np.asarray(x, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"observations of shape {values.shape} are not one row of numbers")
    there = np.isfinite(values)
    missing = int(values.size - there.sum())
    return values[there], [f"{missing} of {values.size} values missing"] if missing else []


def _pairs(a: ArrayLike, b: ArrayLike) -> tuple[Numbers, Numbers, list[str]]:
    """Return the pairs that are whole, and a note if some are not."""
    left, right = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if left.shape != right.shape or left.ndim != 1:
        raise ValueError(f"observations of shapes {left.shape} and {right.shape} are not pairs")
    there = np.isfinite(left) & np.isfinite(right)
    missing = int(left.size - there.sum())
    notes = [f"{missing} of {left.size} pairs missing"] if missing else []
    return left[there], right[there], notes
