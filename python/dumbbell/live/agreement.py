"""How near drawn cells are to the kernel's, controller by controller."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dumbbell.live.referee import COMPLETION, SHARE, Result
from dumbbell.stats import Estimate, mean, median, proportion


@dataclass(frozen=True)
class Agreement:
    """Of the cells of one controller, or of all. Every interval holds with 95 % on its own."""

    controller: str
    """``all`` for all."""
    cells: int
    completion: Estimate
    """The median over cells of the size of the relative difference of completion times."""
    signed: Estimate
    """The same with its sign: ours less the kernel's."""
    within: Estimate
    """The part of these cells whose difference is within the bound."""
    shares: Estimate
    """The part of flows without a size whose share of the link is within its bound. Flows of a cell depend on
    each other, so the interval counts cells."""
    ratio: Estimate
    """The mean logarithm, one value for each cell, of the share of its first flow without a size: ours as a
    multiple of the kernel's."""
    mean_within: Estimate
    """``within`` for means over the runs of each cell."""
    mean_shares: Estimate
    """``shares`` for means over the runs of each cell."""
    undecided: int
    """Shares of ``mean_shares`` whose interval holds the bound: more runs would decide."""
    flows: int
    """Flows that ``shares`` counts."""

    def to_dict(self) -> dict[str, Any]:
        """Return JSON types."""
        estimates = {
            name: getattr(self, name).to_dict()
            for name in ("completion", "signed", "within", "shares", "ratio", "mean_within", "mean_shares")
        }
        counts = {"cells": self.cells, "flows": self.flows, "undecided": self.undecided}
        return {"controller": self.controller, **counts, **estimates}


def agreements(results: Sequence[Result]) -> list[Agreement]:
    """Return what holds for all cells, and for those of each controller."""
    names = sorted({result.cell.controller for result in results})
    groups = {name: [each for each in results if each.cell.controller == name] for name in names}
    return [_agreement("all", results)] + [_agreement(*group) for group in groups.items()]


def _agreement(name: str, results: Sequence[Result]) -> Agreement:
    signed = [result.completion for result in results if result.completion is not None]
    shared = [result.shares for result in results if result.shares]
    flows = [share for cell in shared for share in cell]
    of_means = [result.mean_completion for result in results if result.mean_completion is not None]
    mean_flows = [share for result in results for share in result.mean_shares]
    near = sum(abs(each) <= COMPLETION for each in signed)
    # Of several flows the first alone: together they have the whole link.
    ratios = [math.log1p(cell[0]) if -1 < cell[0] < math.inf else math.nan for cell in shared]
    return Agreement(
        name,
        len(results),
        median([abs(each) for each in signed]).within(0, math.inf),
        median(signed).within(-1, math.inf),
        proportion(near, len(signed)),
        proportion(sum(abs(each) <= SHARE for each in flows), len(flows), len(shared)),
        mean(ratios),
        proportion(sum(abs(each.value) <= COMPLETION for each in of_means), len(of_means)),
        proportion(
            sum(abs(each.value) <= SHARE for each in mean_flows),
            len(mean_flows),
            sum(bool(result.mean_shares) for result in results),
        ),
        sum(_is_undecided(each) for each in mean_flows),
        len(flows),
    )


def _is_undecided(of: Estimate) -> bool:
    """Whether an interval holds one of the bounds of shares."""
    if of.low is None or of.high is None:
        return True
    return any(of.low < bound < of.high for bound in (-SHARE, SHARE))


def first_differences(results: Sequence[Result]) -> list[tuple[str, int, int]]:
    """Return what the first packet with data differs in, with the number of cells, and of those outside."""
    kinds = [("nothing" if each.data is None else each.data.what, bool(each.outside)) for each in results]
    counts, outside = Counter(what for what, _ in kinds), Counter(what for what, far in kinds if far)
    return [(what, count, outside[what]) for what, count in counts.most_common()]
