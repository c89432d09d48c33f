"""How much of what differs over a grid of parameters each parameter explains, alone and with another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dumbbell.study import StudyResult

Floats = NDArray[np.float64]

DRAWS = 400
"""Of the bootstrap over networks."""


@dataclass(frozen=True)
class Share:
    """The part of the variance over the grid that one term explains."""

    term: tuple[int, ...]
    """The factors, by their place in the grid: one, or two for an interaction."""
    value: float
    low: float
    """The 2.5th percentile of the bootstrap; :attr:`high` is the 97.5th."""
    high: float


def grid(result: StudyResult, metric: str) -> Floats:
    """Return a metric of every combination and network, shape (axes of the study ..., arms, networks).

    A run that is not there is not-a-number.
    """
    study = result.study
    shape = (*(len(axis.values) for axis in study.axes), len(study.arms), len(study.seeds))
    found = np.full(shape, np.nan)
    place = {seed: number for number, seed in enumerate(study.seeds)}
    for point in study.points():
        at = tuple(axis.values.index(point[axis.name]) for axis in study.axes)
        for number, arm in enumerate(study.arms):
            seeds, values = result.values(metric, arm.name, **point)
            found[(*at, number)][[place[int(seed)] for seed in seeds]] = values
    return found


def _variances(cells: Floats, terms: Sequence[tuple[int, ...]]) -> Floats:
    """Return the variance over a full grid of each term and, last, of all: analysis of variance, balanced."""
    every = range(cells.ndim)
    effects: dict[tuple[int, ...], Floats] = {(): np.full((1,) * cells.ndim, cells.mean())}
    for size in (1, 2):
        for term in combinations(every, size):
            rest = tuple(axis for axis in every if axis not in term)
            mean = cells.mean(axis=rest, keepdims=True)
            below = [part for count in range(size) for part in combinations(term, count)]
            effects[term] = mean - sum(effects[part] for part in below)
    return np.array([*(float((effects[term] ** 2).mean()) for term in terms), float(cells.var())])


def terms_of(factors: int) -> list[tuple[int, ...]]:
    """Return all factors and all pairs of them."""
    return [term for size in (1, 2) for term in combinations(range(factors), size)]


def shares(values: Floats, response: str, seed: int = 1) -> list[Share]:
    """Return what each factor and each pair explains, the largest first.

    Parameters
    ----------
    values
        From :func:`grid`.
    response
        What becomes of the networks: ``sum``, the logarithm of the sum and one, or ``median``.
    seed
        Of the bootstrap.
    """
    networks = values.shape[-1]
    terms = terms_of(values.ndim - 1)
    rng = np.random.default_rng(seed)
    draws = [np.arange(networks), *rng.integers(networks, size=(DRAWS, networks))]
    found = []
    for draw in draws:
        chosen = values[..., draw]
        cells = np.log10(1 + np.nansum(chosen, -1)) if response == "sum" else np.nanmedian(chosen, -1)
        *parts, whole = _variances(cells, terms)
        found.append(np.array(parts) / whole if whole > 0 else np.zeros(len(terms)))
    low, high = np.quantile(found[1:], [0.025, 0.975], axis=0)
    told = [Share(term, found[0][i], low[i], high[i]) for i, term in enumerate(terms)]
    return sorted(told, key=lambda share: -share.value)


def best(values: Floats, seed: int = 1) -> tuple[tuple[int, ...], NDArray[np.bool_]]:
    """Return the combination with the least sum over the networks, and which may be as good.

    A combination may be as good if, over the same networks, the bootstrap's interval of its sum less the
    least one reaches zero. The intervals hold together (Bonferroni).
    """
    sums = np.nansum(values, -1)
    at = np.unravel_index(int(np.argmin(sums)), sums.shape)
    apart = values - values[at]
    rng = np.random.default_rng(seed)
    networks = values.shape[-1]
    level = 0.05 / max(sums.size - 1, 1)
    # As many draws as the level needs: ten beyond the quantile.
    draws = rng.multinomial(networks, np.full(networks, 1 / networks), size=round(10 / level))
    totals = np.nan_to_num(apart).reshape(-1, networks) @ draws.T
    alike = np.quantile(totals, level, axis=1) <= 0
    return tuple(map(int, at)), alike.reshape(sums.shape)
