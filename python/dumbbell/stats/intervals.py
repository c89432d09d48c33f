"""Means, quantiles, differences and ratios, with intervals."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dumbbell.stats.estimate import CONFIDENCE, Estimate
from dumbbell.stats.tail import heavy_tail

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
    margin = quantile_of_t(freedom, confidence) * math.sqrt(sum(squares))
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
    t = quantile_of_t(n - 1, confidence) ** 2
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
    """Return the median with the interval of :func:`quantile`.

    Parameters
    ----------
    x
        Shape (n,); not-a-number counts as missing and is noted.
    confidence
        The level of the interval.
    """
    return quantile(x, 0.5, confidence)


def median_difference(a: ArrayLike, b: ArrayLike, confidence: float = CONFIDENCE) -> Estimate:
    """Return the median of ``a - b`` over pairs with the interval of :func:`quantile`.

    Parameters
    ----------
    a, b
        Shape (pairs,), matched. A pair with a not-a-number is missing and noted.
    confidence
        The level of the interval.
    """
    left, right, notes = _pairs(a, b)
    return _ranked(left - right, 0.5, confidence, "median of paired differences", notes)


def median_ratio(a: ArrayLike, b: ArrayLike, confidence: float = CONFIDENCE) -> Estimate:
    """Return the median of ``a / b`` over pairs with the interval of :func:`quantile`.

    Parameters
    ----------
    a, b
        Shape (pairs,), matched. A pair with a not-a-number, or of zeros, is missing and noted.
    confidence
        The level of the interval.
    """
    left, right, notes = _pairs(a, b)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = left / right
    there = ~np.isnan(ratios)
    if not there.all():
        notes.append(f"{int(ratios.size - there.sum())} of {ratios.size} pairs are zeros")
    return _ranked(ratios[there], 0.5, confidence, "median of paired ratios", notes)


def proportion(hits: int, trials: int, groups: int | None = None, confidence: float = CONFIDENCE) -> Estimate:
    """Return the part of trials that are hits, with Wilson's score interval, which never leaves [0, 1].

    Wilson, Journal of the American Statistical Association 22(158), 1927.

    Parameters
    ----------
    hits, trials
        How many; at most as many hits as trials.
    groups
        Where trials of one group may depend on each other: how many groups there are. They then count as the
        independent observations, as if all trials of a group were alike; the interval is too wide otherwise.
    confidence
        The level of the interval.

    Raises
    ------
    ValueError
        If the numbers are impossible.
    """
    n = trials if groups is None else groups
    if not 0 <= hits <= trials or not 0 <= n <= trials or (trials and not n):
        raise ValueError(f"{hits} hits of {trials} trials in {n} groups are impossible")
    method = "part, Wilson's interval"
    if not n:
        return _alone(math.nan, 0, confidence, method, [])
    # Takes a tenth of a second to load.
    from scipy.special import ndtri

    part, square = hits / trials, float(ndtri((1 + confidence) / 2)) ** 2
    middle = (part + square / (2 * n)) / (1 + square / n)
    margin = math.sqrt(square * (part * (1 - part) / n + square / (4 * n * n))) / (1 + square / n)
    return Estimate(part, middle - margin, middle + margin, n, confidence, method).within(0, 1)


def quantile(x: ArrayLike, q: float, confidence: float = CONFIDENCE) -> Estimate:
    """Return a quantile of independent observations with an interval between two of them.

    Whatever the distribution, it holds the quantile with `confidence` or more: how many observations lie
    below the quantile is binomial (David & Nagaraja, Order Statistics, 2003, section 7.1). With too few
    observations it has one end, or none.

    Parameters
    ----------
    x
        Shape (n,); not-a-number counts as missing and is noted.
    q
        Between 0 and 1, exclusive.
    confidence
        The level of the interval.

    Raises
    ------
    ValueError
        If `q` is not between 0 and 1.
    """
    if not 0 < q < 1:
        raise ValueError(f"a quantile of order {q} does not exist; give a number between 0 and 1")
    values, notes = _present(x)
    return _ranked(values, q, confidence, "median" if q == 0.5 else f"{q:g}-quantile", notes)


def _ranked(values: Numbers, q: float, confidence: float, what: str, notes: list[str]) -> Estimate:
    """Return a quantile with the interval of order statistics."""
    n, method = values.size, f"{what}, interval of order statistics"
    ranked = np.sort(values)
    value = _between(ranked, q) if n else math.nan
    if n < 2:
        return _alone(value, n, confidence, method, notes)
    # Of n observations, at most `low` lie below the quantile with less than half of the error, at most `high`
    # with all but half of it.
    error = (1 - confidence) / 2
    low, high = (_quantile_of_binomial(part, n, q) for part in (error, 1 - error))
    if low == 0 or high >= n:
        needed = math.ceil(math.log(error) / math.log(max(q, 1 - q)))
        notes.append(f"n={n} is too few: an interval with two ends needs {needed}")
    if low == 0 and high >= n:
        return Estimate(value, None, None, n, confidence, method, "; ".join(notes))
    if ranked[0] == ranked[-1]:
        notes.append("all values are equal")
    ends = (float(ranked[low - 1]) if low else -math.inf, float(ranked[high]) if high < n else math.inf)
    return Estimate(value, *ends, n, confidence, method, "; ".join(notes))


def _quantile_of_binomial(part: float, n: int, q: float) -> int:
    """Return the least number of hits in `n` trials with a chance of `part` or more of no more than that."""
    # Takes a tenth of a second to load, and the distributions of scipy.stats half a second.
    from scipy.special import bdtr

    # Nothing is left beyond 20 standard deviations.
    reach = 20 * math.sqrt(n * q * (1 - q)) + 1
    first = max(0, math.floor(n * q - reach))
    return first + int(np.searchsorted(bdtr(np.arange(first, min(n, n * q + reach)), n, q), part))


def _between(ranked: Numbers, q: float) -> float:
    """Return a quantile by linear interpolation between order statistics, of which some may be infinite."""
    below, part = divmod((ranked.size - 1) * q, 1)
    low, high = ranked[int(below)], ranked[math.ceil(below + part)]
    return float(low if low == high else (1 - part) * low + part * high)


def _t_interval(values: Numbers, confidence: float, method: str, notes: list[str]) -> Estimate:
    n = values.size
    value = float(values.mean()) if n else math.nan
    if n < 2:
        return _alone(value, n, confidence, method, notes)
    if values.min() == values.max():
        notes.append("all values are equal")
    margin = quantile_of_t(n - 1, confidence) * values.std(ddof=1) / math.sqrt(n)
    return Estimate(
        value, float(value - margin), float(value + margin), n, confidence, method, "; ".join(notes)
    )


def quantile_of_t(freedom: float, confidence: float) -> float:
    """Return the quantile of Student's t distribution that a two-sided interval reaches to."""
    # Takes a tenth of a second to load.
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + confidence) / 2))


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
