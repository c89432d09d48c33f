"""What all cells with several flows say together: one run of the kernel decides little about one cell."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dumbbell.live.criteria import CRITERIA, OUTSIDE, UNDECIDED, WITHIN, Summary, values
from dumbbell.live.grid import Result
from dumbbell.stats import CONFIDENCE, Estimate, mean

_PERCENTILES = (10, 50, 90)


@dataclass(frozen=True)
class Group:
    """Cells that have something in common."""

    name: str
    ratio: Estimate
    """Of the kernel's share of flow 0 to ours: the mean logarithm, one value for each cell."""
    fairness: Estimate
    """The kernel's Jain index less ours: the mean, one value for each cell."""

    @property
    def word(self) -> str:
        """``within`` or ``outside`` the bound for one cell, if the whole interval of the ratio is."""
        bound = math.log1p(CRITERIA["share"].share)
        low, high = self.ratio.interval or (-math.inf, math.inf)
        if -bound <= low and high <= bound:
            return WITHIN
        return OUTSIDE if low > bound or high < -bound else UNDECIDED


@dataclass(frozen=True)
class Pooled:
    """All groups, and how far runs of the kernel can be told from ours."""

    groups: list[Group]
    percentiles: list[tuple[int, float, float]]
    """Of Jain's index: which, ours, the kernel's. Each cell weighs the same."""
    below: Estimate
    """The part of our runs in which flow 0 has less than in a run of the kernel, one value for each cell.

    It is a half in the mean if runs of both sides cannot be told apart.
    """
    beyond: Estimate
    """The part of the kernel's runs in which flow 0 has more than in all of ours, or less."""
    by_chance: float
    """The same if runs of both sides cannot be told apart: 2 of n + 1, where n of ours ran."""


def fairness(run: Summary) -> float:
    """Return Jain's index of the goodputs of all flows (Jain, Chiu and Hawe, DEC-TR-301, 1984)."""
    return jain([float(flow["goodput"]) for flow in run["flows"]])


def jain(rates: Sequence[float]) -> float:
    """Return Jain's index of rates, of which one at least is above 0."""
    return sum(rates) ** 2 / (len(rates) * sum(rate * rate for rate in rates))


def pooled(results: Sequence[Result]) -> Pooled | None:
    """Pool the cells with several flows; ``None`` if fewer than two have shares on both sides.

    The intervals of all groups hold together at 95 % (Bonferroni): those of each ratio and of each index.
    """
    several = [result for result in results if _shares(result)]
    if len(several) < 2:
        return None
    groups = {"all": several}
    for name_of in _GROUPED_BY:
        for name in sorted({name_of(result) for result in several}):
            groups[name] = [result for result in several if name_of(result) == name]
    groups = {name: cells for name, cells in groups.items() if len(cells) > 1}
    confidence = 1 - (1 - CONFIDENCE) / (2 * len(groups))
    ranks = [_ranks(result) for result in several]
    return Pooled(
        groups=[_group(name, cells, confidence) for name, cells in groups.items()],
        percentiles=_percentiles(several),
        below=mean([statistics.fmean(cell) for cell in ranks]).within(0, 1),
        beyond=mean([statistics.fmean(rank in (0.0, 1.0) for rank in cell) for cell in ranks]).within(0, 1),
        by_chance=statistics.fmean(2 / (len(result.ours) + 1) for result in several),
    )


_GROUPED_BY: tuple[Callable[[Result], str], ...] = (
    lambda result: result.cell.controller,
    lambda result: f"{result.cell.count} flows",
    lambda result: "CoDel" if result.cell.queue == "codel" else "DropTail",
    lambda result: f"{result.cell.rate:3} Mbit/s",
    lambda result: (
        "different round-trip times" if len(result.cell.round_trips) > 1 else "equal round-trip times"
    ),
)


def _shares(result: Result) -> bool:
    """True if flow 0 has a share in runs of both sides."""
    return all(any(values("share", side)) for side in (result.ours, result.kernel))


def _group(name: str, cells: Sequence[Result], confidence: float) -> Group:
    def of(side: Sequence[Summary]) -> tuple[float, float]:
        return statistics.fmean(values("share", side)), statistics.fmean(map(fairness, side))

    both = [(of(result.ours), of(result.kernel)) for result in cells]
    ratios = [math.log(kernel[0] / ours[0]) for ours, kernel in both]
    return Group(
        name.strip(),
        mean(ratios, confidence),
        mean([kernel[1] - ours[1] for ours, kernel in both], confidence).within(-1, 1),
    )


def _percentiles(cells: Sequence[Result]) -> list[tuple[int, float, float]]:
    def of(side: str) -> list[float]:
        runs = [[fairness(run) for run in getattr(result, side)] for result in cells]
        weighted = sorted((index, 1 / len(each) / len(runs)) for each in runs for index in each)
        below = np.cumsum([weight for _, weight in weighted])
        return [weighted[int(np.searchsorted(below[:-1], p / 100))][0] for p in _PERCENTILES]

    return list(zip(_PERCENTILES, of("ours"), of("kernel"), strict=True))


def _ranks(result: Result) -> list[float]:
    """For each run of the kernel, the part of ours in which flow 0 has less; of equal ones, half."""
    ours = np.array(values("share", result.ours))
    return [
        float(np.mean(ours < share) + np.mean(ours == share) / 2) for share in values("share", result.kernel)
    ]
