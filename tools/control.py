"""Coverage of means with a control, by simulation of studies whose sizes have heavy tails.

``python -m tools.control`` prints the tables of docs/statistics.md: how often intervals hold the truth, with
the control and without, and what the control leaves of the variance.

A run is 100 flows on one link, Poisson arrivals at a load of 0.7 and Pareto sizes. Its controls are their
mean time and the longest under processor sharing, and the mean at nine tenths of the rate. A transport gives
each flow a part of the link's rate, a slow start and an error of its own, so that runs and controls agree as
they do in studies. A study draws its runs, and the controls of further seeds, from 20,000 runs, whose mean is
the truth.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dumbbell import stats, theory
from dumbbell.study import StopRule
from dumbbell.study.fluid import SLOWER
from dumbbell.study.stop import StopTracker

Draws = np.random.Generator
Floats = NDArray[np.float64]

POOL = 20_000
"""Runs that studies are drawn from."""

TRIALS = 1000
"""Studies of each case; a share of 95 % has a standard error of 0.7 % then."""

_FLOWS, _LOAD, _RTT = 100, 0.7, 2.0
"""Of a run: the time unit is that of a flow of mean size alone."""

_SEED = 37
"""Of all draws: another one than those by which the intervals were made."""

_BUDGET = 400
"""Seeds of a study with a stop rule, at most."""


@dataclass(frozen=True)
class Runs:
    """Runs of two transports, shape (runs,) each, and their controls, shape (runs, 3)."""

    first: Floats
    second: Floats
    control: Floats


@cache
def pool(shape: float, cut: float, count: int = POOL) -> Runs:
    """Return runs with Pareto sizes of mean 1 or a little less.

    Parameters
    ----------
    shape
        Of the law.
    cut
        The largest size, in means; infinite for none.
    count
        How many runs.
    """
    rng = np.random.default_rng([_SEED, int(100 * shape), count])
    made = np.array([_run(rng, shape, cut) for _ in range(count)])
    return Runs(made[:, 0], made[:, 1], made[:, 2:])


def _run(rng: Draws, shape: float, cut: float) -> tuple[float, ...]:
    sizes = np.minimum((shape - 1) / shape * rng.random(_FLOWS) ** (-1 / shape), cut)
    starts = np.cumsum(rng.exponential(1 / _LOAD, _FLOWS))
    shared = theory.processor_sharing(starts, sizes, 1.0)
    two = (_transport(rng, starts, sizes, 0.95, 0.1), _transport(rng, starts, sizes, 0.88, 0.2))
    slower = theory.processor_sharing(starts, sizes, SLOWER)
    return (*two, float(shared.mean()), float(shared.max()), float(slower.mean()))


def _transport(rng: Draws, starts: Floats, sizes: Floats, rate: float, error: float) -> float:
    """Return the mean time of the flows of a run under a transport that gets a part of the rate."""
    times = theory.processor_sharing(starts, sizes, rate)
    slow_start = _RTT * np.log2(1 + 10 * sizes)
    return float((times * rng.lognormal(0, error, sizes.size) + slow_start).mean())


@dataclass(frozen=True)
class Case:
    """An interval on studies of some law and number of seeds."""

    what: str
    law: str
    shape: float
    cut: float
    n: int
    estimate: Callable[[Draws, Runs, int], stats.Estimate]
    truth: Callable[[Runs], float]
    used: bool = True
    """False for what studies with a control do not print."""

    def covered(self, trials: int = TRIALS, count: int = POOL) -> tuple[int, float, float]:
        """Return how many of independent studies hold the truth, and their mean half-width and seeds."""
        runs = pool(self.shape, self.cut, count)
        truth = self.truth(runs)
        rng = np.random.default_rng([_SEED, self.n, *f"{self.what}, {self.law}".encode()])
        hits, widths, seeds = 0, [], []
        for _ in range(trials):
            found = self.estimate(rng, runs, self.n)
            low, high = found.interval or (np.inf, -np.inf)
            hits += low <= truth <= high
            widths.append((high - low) / 2)
            seeds.append(found.n)
        return hits, float(np.mean(widths)), float(np.mean(seeds))


def _study(rng: Draws, runs: Runs, n: int) -> tuple[NDArray[np.intp], Floats]:
    """Draw the runs of a study and the control of its further seeds."""
    return rng.integers(runs.first.size, size=n), _further(rng, runs, n)


def _further(rng: Draws, runs: Runs, n: int) -> Floats:
    return runs.control[rng.integers(runs.first.size, size=stats.FURTHER * n)]


def _plain(rng: Draws, runs: Runs, n: int) -> stats.Estimate:
    rows, _ = _study(rng, runs, n)
    return stats.mean(runs.first[rows])


def _controlled(rng: Draws, runs: Runs, n: int) -> stats.Estimate:
    rows, further = _study(rng, runs, n)
    return stats.controlled(runs.first[rows], runs.control[rows], further)


def _plain_difference(rng: Draws, runs: Runs, n: int) -> stats.Estimate:
    rows, _ = _study(rng, runs, n)
    return stats.paired_difference(runs.second[rows], runs.first[rows])


def _difference(rng: Draws, runs: Runs, n: int) -> stats.Estimate:
    rows, further = _study(rng, runs, n)
    return stats.controlled(runs.second[rows] - runs.first[rows], runs.control[rows], further)


def _until(rng: Draws, runs: Runs, n: int) -> stats.Estimate:
    """Draw seeds until the stop rule ends the study, at a width that takes about two first stages."""
    rows, further = _study(rng, runs, _BUDGET)
    width = 2.0 * _left(runs) / np.sqrt(2 * n)
    rule = StopRule("x", float(width), relative=False, minimum=n)

    def controls(_point: int, _arms: tuple[int, ...], length: int) -> tuple[Floats, Floats]:
        return runs.control[rows[:length]], further[: stats.FURTHER * length]

    tracker = StopTracker(rule, 1, 1, _BUDGET, controls)
    values = runs.first[rows]
    number = 0
    while number < tracker.expected:
        tracker.add(number, float(values[number]))
        number += 1
    control, more = controls(0, (0,), number)
    return stats.controlled(values[:number], control, more)


def _left(runs: Runs) -> float:
    """Return the standard deviation that the controls leave, the error of their own means included."""
    design = np.column_stack([np.ones(runs.first.size), runs.control])
    slopes = np.linalg.lstsq(design, runs.first, rcond=None)[0]
    explained = design @ slopes
    return float(np.sqrt((runs.first - explained).var() + explained.var() / stats.FURTHER))


LAWS = (
    ("Pareto 2.5", 2.5, np.inf),
    ("Pareto 2.2", 2.2, np.inf),
    ("Pareto 1.2, up to 100 means", 1.2, 100.0),
)


def cases() -> Iterator[Case]:
    """Yield every case."""
    for law, shape, cut in LAWS:
        for n in (40, 80):
            mean, apart = (lambda r: r.first.mean()), (lambda r: r.second.mean() - r.first.mean())
            yield Case("mean", law, shape, cut, n, _plain, mean, used=False)
            yield Case("mean, control", law, shape, cut, n, _controlled, mean)
            yield Case("paired difference", law, shape, cut, n, _plain_difference, apart, used=False)
            yield Case("paired difference, control", law, shape, cut, n, _difference, apart)
        yield Case("mean, control, stop rule", law, shape, cut, 40, _until, mean)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=TRIALS, help="studies of each case")
    trials = parser.parse_args().trials
    print("| interval | sizes | seeds | holds the truth | half-width |\n|---|---|---:|---:|---:|")
    for case in cases():
        covered, width, seeds = case.covered(trials)
        print(
            f"| {case.what} | {case.law} | {seeds:.3g} | {100 * covered / trials:.1f} % | {width:.3g} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
