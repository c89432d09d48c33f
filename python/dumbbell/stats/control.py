"""Means with control variates: numbers of each run that go up and down with the first one, and are cheap.

The mean of a control over many further runs is known much better than its mean over these runs. What the
controls of these runs are above that is luck of the draw, and the regression of the first number on them
takes that luck out (Lavenberg & Welch, Management Science 27(3), 1981; with estimated means of the controls,
Pasupathy, Schmeiser, Taaffe & Wang, IIE Transactions 44(5), 2012).

The coefficients for each run are fitted to all others (Avramidis & Wilson, Operations Research 41(4), 1993,
call it splitting): so they do not depend on the run, and the estimate has no bias, whatever the law.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dumbbell.stats.estimate import CONFIDENCE, Estimate
from dumbbell.stats.intervals import mean, quantile_of_t

FEWEST = 40
"""Runs; with fewer, intervals of skewed data hold the truth too seldom (docs/statistics.md shows it)."""

FURTHER = 20
"""Further runs of the controls for each run: their mean varies little then."""

_TAIL = 1.5
"""By which the excess kurtosis of 40 runs is too small (choice: docs/statistics.md has the coverage)."""

Numbers = NDArray[np.float64]


def controlled(
    x: ArrayLike, controls: ArrayLike, further: ArrayLike, confidence: float = CONFIDENCE
) -> Estimate:
    """Return the mean of independent observations with the luck of their controls taken out.

    The degrees of freedom of Student's t follow the kurtosis of what is left (O'Neill, The American
    Statistician 68(4), 2014): a variance is known less well where few runs make it.

    Parameters
    ----------
    x
        Shape (seeds,): observations, or differences of matched ones. Not-a-number counts as missing.
    controls
        Shape (seeds, k): the controls of each, the one that tells most first.
    further
        Shape (m, k): the controls of further seeds, none of which is among these.
    confidence
        The level of the interval.

    Returns
    -------
    Estimate
        The plain mean with a note if there are fewer than 40 observations, or a control does not vary.
    """
    values, known, more = (np.asarray(given, np.float64) for given in (x, controls, further))
    there = ~(np.isnan(values) | np.isnan(known).any(axis=1))
    more = more[~np.isnan(more).any(axis=1)]
    n, missing = int(there.sum()), int(values.size - there.sum())
    # Where all tell the same, as in a network that is nearly idle, the first ones do.
    counts = range(known.shape[1], 0, -1) if n >= FEWEST and len(more) >= n else ()
    each = (_left(values[there], known[there, :count], more[:, :count]) for count in counts)
    found = next(filter(None, each), None)
    if found is None:
        return mean(values, confidence).noting("no control: too few runs, or their arrivals are alike")
    left, slopes = found
    shared = float(slopes @ np.atleast_2d(np.cov(more[:, : slopes.size].T)) @ slopes) / len(more)
    square = float(left.var(ddof=1)) / n + shared
    value = float(left.mean())
    margin = quantile_of_t(_freedom(left, slopes.size), confidence) * math.sqrt(square)
    plain = float(values[there].var(ddof=1)) / n
    notes = [f"controls leave {square / plain:.2g} of the variance"]
    if missing:
        notes.append(f"{missing} of {missing + n} missing")
    method = "mean with control variates, Student's t interval"
    return Estimate(value, value - margin, value + margin, n, confidence, method, "; ".join(notes))


def _left(values: Numbers, known: Numbers, more: Numbers) -> tuple[Numbers, Numbers] | None:
    """Return observations without the luck of their controls, shape (n,), and the slopes, shape (k,).

    ``None`` where the controls tell of no slopes. For each run the slopes are those of the regression over
    all others, by the formula of leaving one out.
    """
    n = values.size
    scale = known.std(axis=0)
    if not (scale > 1e-9 * np.abs(known).max(axis=0)).all():
        return None
    centred = (known - more.mean(axis=0)) / scale
    design = np.column_stack([np.ones(n), centred])
    basis, triangle = np.linalg.qr(design)
    leverage = (basis**2).sum(axis=1)
    if np.abs(np.diag(triangle)).min() < 1e-6 or leverage.max() > 1 - 1e-9:
        return None
    fitted = np.linalg.solve(triangle, basis.T @ values)
    residuals = (values - design @ fitted) / (1 - leverage)
    # Column i: what run i moves the coefficients by, for each unit of its residual.
    moves = np.linalg.solve(triangle, basis.T)
    slopes = fitted[1:, None] - moves[1:] * residuals
    return values - (centred * slopes.T).sum(axis=1), fitted[1:] / scale


def _freedom(left: Numbers, controls: int) -> float:
    """Return the degrees of freedom of the variance of what is left."""
    n = left.size
    centred = left - left.mean()
    square = float((centred**2).mean())
    peaked = float((centred**4).mean()) / square**2 - 3 if square else 0.0
    # Without bias for normal data; heavy tails need more.
    excess = _TAIL * (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * peaked + 6)
    return 2 / (2 / (n - 1 - controls) + max(excess, 0.0) / n)
