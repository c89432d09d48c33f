"""Where the warm-up of a series ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

_BATCH = 5
"""MSER-5 of White, Cobb and Spratt (Winter Simulation Conference 2000)."""

_FEWEST_BATCHES = 4
"""Fewer leave nothing to choose from in the first half."""


@dataclass(frozen=True)
class Cut:
    """What to leave out at the start of a series."""

    index: int
    """How many observations to leave out."""
    mean: float
    """The mean of the rest."""
    steady: bool
    """Whether a steady part was found: the best cut lies before the middle."""


def warmup(x: ArrayLike, batch: int = _BATCH) -> Cut:
    """Find the cut with the least marginal standard error of the mean of what remains (MSER).

    The series is averaged in batches; of the cuts in its first half, the one that minimises
    ``sum (y - mean)^2 / m^2`` over the m batches that remain is taken. A minimum at the middle means that the
    series has no steady part yet: run longer.

    Parameters
    ----------
    x
        A series over time, shape (n,), evenly spaced.
    batch
        Observations in a batch.

    Raises
    ------
    ValueError
        If the series has fewer than four batches, or holds a value that is not finite.
    """
    series = np.asarray(x, dtype=np.float64)
    if series.ndim != 1 or batch < 1 or series.size < _FEWEST_BATCHES * batch:
        raise ValueError(
            f"a series of shape {series.shape} is too short for a warm-up cut; "
            f"give at least {_FEWEST_BATCHES * batch} values"
        )
    if not np.isfinite(series).all():
        raise ValueError("a series with values that are not finite has no warm-up cut; leave them out")
    batches = series.size // batch
    means = series[: batches * batch].reshape(batches, batch).mean(axis=1)
    last = batches // 2
    # Of each tail of the series: the sum of squares about its mean, from cumulative sums taken from the end.
    # With the mean of the whole left in, the difference of two large sums would lose the digits that matter.
    centred = means - means.mean()
    left = np.arange(batches, 0, -1)
    total, squares = np.cumsum(centred[::-1])[::-1], np.cumsum(centred[::-1] ** 2)[::-1]
    errors = (np.maximum(squares - total**2 / left, 0.0) / left.astype(np.float64) ** 2)[: last + 1]
    cut = int(errors.argmin())
    return Cut(cut * batch, float(series[cut * batch :].mean()), cut < last)
