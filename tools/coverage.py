"""Coverage: how often the intervals that `dumbbell` prints hold the truth, by simulation.

``python -m tools.coverage`` prints the table of docs/statistics.md. Every case draws samples whose true value
is known, and counts the intervals of 95 % that hold it.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy.stats
from numpy.typing import NDArray

from dumbbell import stats
from dumbbell.archive.verify import CONFIDENCE, predicted
from dumbbell.stats import Estimate
from dumbbell.study import StopRule
from dumbbell.study.stop import StopTracker

Draws = np.random.Generator
Floats = NDArray[np.float64]

FLOWS = 100
"""Flows of a run in the cases of heavy tails."""

TRIALS = 2000
"""A share of 95 % has a standard error of 0.5 % then."""


@dataclass(frozen=True)
class Case:
    """A kind of interval, and the samples that it is made of."""

    kind: str
    data: str
    n: int
    """Observations of a sample, or pairs."""
    holds: Callable[[Draws, int], bool]
    """Draws a sample of `n`: does its interval hold the truth?"""
    level: float = 0.95
    """What the interval must reach; below the nominal level only where theory says so."""
    exact: bool = False
    """Whether theory says that it reaches no more than that either."""
    used: bool = True
    """False for what the study does not use on such data, shown to tell why."""

    def covered(self, trials: int = TRIALS) -> int:
        """Return how many intervals of independent samples hold the truth."""
        rng = np.random.default_rng([self.n, *f"{self.kind}, {self.data}".encode()])
        return sum(self.holds(rng, self.n) for _ in range(trials))

    def credible(self, covered: int, trials: int = TRIALS, error: float = 1e-4) -> bool:
        """Whether so many of the trials agree with the level, by a binomial test."""
        low = float(scipy.stats.binom.cdf(covered, trials, self.level)) > error
        high = not self.exact or float(scipy.stats.binom.sf(covered - 1, trials, self.level)) > error
        return low and high


def _of(
    estimate: Callable[..., Estimate], truth: float, *draws: Callable[[Draws, int], Floats]
) -> Callable[[Draws, int], bool]:
    """Return whether the interval of an estimate holds the truth, one sample from each of `draws`."""

    def holds(rng: Draws, n: int) -> bool:
        interval = estimate(*(draw(rng, n) for draw in draws)).interval
        return interval is not None and interval[0] <= truth <= interval[1]

    return holds


def _normal(mean: float, deviation: float) -> Callable[[Draws, int], Floats]:
    return lambda rng, n: rng.normal(mean, deviation, n)


def _exponential(rng: Draws, n: int) -> Floats:
    return rng.exponential(1, n)


def _paired(
    estimate: Callable[[Floats, Floats], Estimate], truth: float, a: float, b: float
) -> Callable[[Draws, int], bool]:
    """Return the same for two arms of these means that have half of their variance in common."""

    def holds(rng: Draws, n: int) -> bool:
        common, own = rng.normal(0, 0.3, n), rng.normal(0, 0.3, (2, n))
        low, high = estimate(a + common + own[0], b + common + own[1]).interval or (math.inf, -math.inf)
        return low <= truth <= high

    return holds


def pareto(rng: Draws, shape: float, size: tuple[int, ...]) -> Floats:
    """Draw from the Pareto law of mean 1."""
    return np.asarray((shape - 1) / shape * rng.random(size) ** (-1 / shape))


def mean_sizes(shape: float) -> Callable[[Draws, int], Floats]:
    """Draw runs: the mean of the Pareto sizes of the flows of each."""
    return lambda rng, n: pareto(rng, shape, (n, FLOWS)).mean(axis=1)


def _trials(part: float) -> Callable[[Draws, int], Floats]:
    return lambda rng, n: (rng.random(n) < part).astype(float)


def _part(hits: Floats) -> Estimate:
    return stats.proportion(int(hits.sum()), hits.size)


def _part_of_groups(hits: Floats) -> Estimate:
    return stats.proportion(5 * int(hits.sum()), 5 * hits.size, hits.size)


def _one_more(rng: Draws, n: int) -> bool:
    return predicted(rng.normal(3, 1, n), rng.normal(3, 1))


def _after_stop(rng: Draws, n: int) -> bool:
    """Draw seeds until the stop rule ends the point."""
    tracker, values = StopTracker(StopRule("x", 0.05, minimum=n), 1, 1, 500), rng.normal(1, 0.2, 500)
    number = 0
    while number < tracker.expected:
        tracker.add(number, values[number])
        number += 1
    low, high = stats.mean(values[:number]).interval or (math.inf, -math.inf)
    return low <= 1 <= high


def cases() -> Iterator[Case]:
    """Yield every kind of interval, on data that suit it, and on data that do not."""
    t, ranks = "mean, Student's t", "median, order statistics"
    for n in (5, 20):
        yield Case(t, "normal", n, _of(stats.mean, 3, _normal(3, 1)), exact=True)
        # Of skew distributions the t interval falls short (Johnson, JASA 73(363), 1978).
        yield Case(t, "exponential", n, _of(stats.mean, 1, _exponential), 0.88)
        proportions = _of(stats.mean, 0.1, lambda rng, n: rng.binomial(6, 0.1, n) / 6)
        yield Case(t, "proportions: of 6 draws, one in ten", n, proportions, 0.9)
        common = "normal, half in common"
        difference = _paired(stats.paired_difference, 2, 4, 2)
        yield Case("paired difference, Student's t", common, n, difference, exact=True)
        yield Case("paired ratio, Fieller", common, n, _paired(stats.paired_ratio, 0.5, 2, 4), exact=True)
        welch = _of(stats.difference, 2, _normal(3, 1), _normal(1, 4))
        # Welch's degrees of freedom are an approximation.
        yield Case("difference, Welch", "normal, one side four times as wide", n, welch, 0.94)
        yield Case("one more run, Student's t", "normal", n, _one_more, CONFIDENCE, exact=True)
    alone = _of(stats.difference, 2, lambda rng, _: rng.normal(3, 1, 1), _normal(1, 1))
    yield Case("difference, Student's t", "normal, one against six", 6, alone, exact=True)
    for n in (10, 40):
        # It looks two or three times (Chow & Robbins, Ann. Math. Stat. 36(2), 1965, have 95 % in the limit).
        yield Case(f"{t}, after a stop rule", "normal", n, _after_stop, 0.93)
    for n in (6, 10, 20):
        yield Case(ranks, "exponential", n, _of(stats.median, math.log(2), _exponential))
        yield Case(ranks, "Cauchy", n, _of(stats.median, 0, lambda rng, n: rng.standard_cauchy(n)))
    for q, n in ((0.9, 60), (0.99, 20)):
        of_q = _of(lambda x, q=q: stats.quantile(x, q), -math.log(1 - q), _exponential)
        yield Case(f"{q:g}-quantile, order statistics", "exponential", n, of_q)
    for n, part in ((20, 0.9), (40, 0.95)):
        yield Case("part, Wilson", f"{100 * part:g} % of trials", n, _of(_part, part, _trials(part)))
    alike = "90 % of groups, 5 trials of a group alike"
    yield Case("part, Wilson, by groups", alike, 20, _of(_part_of_groups, 0.9, _trials(0.9)))
    for shape in (1.2, 1.5):
        runs = mean_sizes(shape)
        data = f"mean size of {FLOWS} flows, Pareto {shape:g}"
        typical = float(np.median(runs(np.random.default_rng(0), 50_000)))
        for n in (10, 40):
            yield Case(t, data, n, _of(stats.mean, 1, runs), used=False)
            yield Case(ranks, data, n, _of(stats.median, typical, runs))
            yield Case("median of paired differences", data, n, _of(stats.median_difference, 0, runs, runs))
            yield Case("median of paired ratios", data, n, _of(stats.median_ratio, 1, runs, runs))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=TRIALS, help="samples of each case")
    trials = parser.parse_args().trials
    print("| interval | data | n | holds the truth | must |\n|---|---|---:|---:|---:|")
    for case in cases():
        covered = case.covered(trials)
        must = f"{100 * case.level:g} %" if case.used else "not used"
        wrong = " (!)" if case.used and not case.credible(covered, trials) else ""
        print(f"| {case.kind} | {case.data} | {case.n} | {100 * covered / trials:.1f} %{wrong} | {must} |")


if __name__ == "__main__":
    main()
