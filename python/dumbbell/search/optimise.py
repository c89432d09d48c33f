"""Places in the unit cube: a Sobol sequence, and CMA-ES from a place on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dumbbell.search.spec import Factor

Floats: TypeAlias = NDArray[np.float64]

POPULATION = 8
"""Places of a step of the local search. choice: a batch that keeps a few cores busy."""

_STEP = 0.15
"""The first standard deviation of the local search, as a share of each range. choice: near what was found."""


def sobol(dimensions: int, count: int, seed: int) -> Floats:
    """Return the first points of a scrambled Sobol sequence, shape (count, dimensions)."""
    from scipy.stats import qmc

    exponent = (count - 1).bit_length()
    return np.asarray(qmc.Sobol(dimensions, scramble=True, rng=seed).random_base2(exponent))[:count]


def improve(
    factors: Sequence[Factor],
    centre: Floats,
    steps: int,
    seed: int,
    costs_of: Callable[[Floats], Sequence[float]],
) -> None:
    """Improve on a place: CMA-ES with margin, in which whole numbers stay whole.

    Parameters
    ----------
    factors
        One for each dimension; those without numbers stay as they are.
    centre
        Where to begin, shape (factors,).
    steps
        How many, of :data:`POPULATION` places each.
    seed
        Of the random numbers.
    costs_of
        Takes places, shape (n, factors), and returns the cost of each, the lower the better.
    """
    numeric = [index for index, factor in enumerate(factors) if factor.numeric]
    if not numeric or not steps:
        return
    if len(numeric) == 1:
        # CMA-ES needs two dimensions: a grid around the best.
        near = np.linspace(-_STEP, _STEP, steps * POPULATION)
        places = np.tile(centre, (len(near), 1))
        places[:, numeric[0]] = np.clip(centre[numeric[0]] + near, 0, 1)
        costs_of(places)
        return
    from cmaes import CMAwM

    chosen = [factors[index] for index in numeric]
    optimizer = CMAwM(
        mean=centre[numeric],
        sigma=_STEP,
        bounds=np.tile([0.0, 1.0], (len(numeric), 1)),
        steps=np.array([1 / (factor.choices - 1) if factor.choices else 0.0 for factor in chosen]),
        seed=seed,
        population_size=POPULATION,
    )
    for _ in range(steps):
        asked = [optimizer.ask() for _ in range(POPULATION)]
        places = np.tile(centre, (POPULATION, 1))
        places[:, numeric] = [evaluated for evaluated, _ in asked]
        costs = costs_of(places)
        optimizer.tell([(told, cost) for (_, told), cost in zip(asked, costs, strict=True)])
