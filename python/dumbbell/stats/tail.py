"""Heavy tails: a mean that depends on a few observations, so that its interval is not reliable."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

_FEWEST_FOR_HILL = 100
"""With fewer observations the tail holds fewer than ten, and Hill's estimate says nothing."""

_FEWEST_FOR_SHARE = 4
"""Of three observations one is often half the total by chance alone."""

_ONE_SIDED_95 = 1.645
"""The 95 % point of the standard normal distribution."""


@dataclass(frozen=True)
class Tail:
    """How heavy the upper tail of positive observations is."""

    n: int
    """Observations, zeros among them."""
    index: float | None
    """Hill's estimate of the tail index; ``None`` with fewer than 100 positive ones. At 2 or less the
    variance, at 1 or less the mean, is infinite."""
    index_high: float | None
    """Its upper 95 % bound: ``index (1 + 1.645 / sqrt(k))`` for the k largest observations."""
    largest: int
    """How many observations `share` is of: one in a hundred, at least one."""
    share: float
    """The part of the total that lies in the largest observations, 0 to 1."""


def tail(x: ArrayLike) -> Tail:
    """Measure the upper tail.

    Hill's estimator (Ann. Statist. 3(5), 1975) over the ``sqrt(n)`` largest of n positive observations
    (choice: the tail grows in number and shrinks in proportion as n grows, which consistency asks for).

    Parameters
    ----------
    x
        Any shape; values below zero and not-a-numbers do not count.
    """
    values = np.asarray(x, dtype=np.float64).ravel()
    values = np.sort(values[values >= 0])[::-1]
    n, positive = values.size, int(np.count_nonzero(values))
    largest = max(1, n // 100)
    share = float(values[:largest].sum() / values.sum()) if positive else 0.0
    if positive < _FEWEST_FOR_HILL:
        return Tail(n, None, None, largest, share)
    k = math.isqrt(positive)
    excess = float(np.log(values[:k] / values[k]).mean())
    index = 1 / excess if excess > 0 else math.inf
    return Tail(n, index, index * (1 + _ONE_SIDED_95 / math.sqrt(k)), largest, share)


def heavy_tail(x: ArrayLike) -> str | None:
    """Return a warning if the mean of observations, none negative, hangs on a few of them, else ``None``.

    Warns if the tail index is below 2 with 95 % confidence, so that the variance is infinite and a t
    interval is too short; or if the largest hundredth (at least one) of four or more observations holds
    half of the total.

    Parameters
    ----------
    x
        Shape (n,), none negative.
    """
    found = tail(x)
    if found.index is not None and found.index_high is not None and found.index_high < 2:
        return (
            f"heavy tail: index {found.index:.2f} (Hill) is below 2, so the variance is infinite "
            "and the interval is too short"
        )
    if found.n >= _FEWEST_FOR_SHARE and found.share > 0.5:
        count = "the largest observation holds" if found.largest == 1 else f"the {found.largest} largest hold"
        return f"heavy tail: {count} {100 * found.share:.0f} % of the total of {found.n}"
    return None
