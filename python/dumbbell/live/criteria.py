"""What is compared of ours and the kernel's, and how near they are."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from dumbbell.stats import Estimate, difference

Summary = dict[str, Any]
"""What :meth:`Arm.summary` returns."""

WITHIN, OUTSIDE, UNDECIDED = "within", "outside", "undecided"


@dataclass(frozen=True)
class Verdict:
    """Whether the means of two samples are within a bound of each other."""

    word: str
    """``within`` or ``outside``, if the whole interval of the difference is; else ``undecided``: the runs of
    one side differ among themselves by as much."""
    difference: Estimate
    """The mean of ours less that of the kernel's."""
    excess: float
    """The least difference that the interval holds, in units of what is allowed."""


@dataclass(frozen=True)
class Criterion:
    """One quantity, and how far ours may be from the kernel's: as a share, or by a count."""

    title: str
    share: float
    count: float = 0.0

    def allowed(self, kernel: float) -> float:
        """Return how far ours may be from a value of the kernel's."""
        return max(self.share * abs(kernel), self.count)

    def excess(self, ours: float | None, kernel: float | None) -> float | None:
        """Return the difference in units of what is allowed; ``None`` if neither side has the quantity."""
        if ours is None and kernel is None:
            return None
        if ours is None or kernel is None:
            return math.inf
        allowed, apart = self.allowed(kernel), abs(ours - kernel)
        return apart / allowed if allowed else (math.inf if apart else 0.0)

    def judge(self, ours: Sequence[float], kernel: Sequence[float]) -> Verdict | None:
        """Judge the means of one value for each run that has the quantity; ``None`` if none has.

        A single value on both sides is judged as it is.
        """
        if not ours and not kernel:
            return None
        found = difference(ours, kernel)
        if not ours or not kernel:
            return Verdict(OUTSIDE, found, math.inf)
        kernel_mean = statistics.fmean(kernel)
        low, high = found.interval or (found.value, found.value)
        least, most = max(low, -high, 0.0), max(high, -low)
        excess = self.excess(kernel_mean + least, kernel_mean) or 0.0
        within = most <= self.allowed(kernel_mean)
        return Verdict(OUTSIDE if excess > 1 else WITHIN if within else UNDECIDED, found, excess)


CRITERIA = {
    "completion_time": Criterion("completion s", 0.15),
    "first_drop": Criterion("first drop s", 0.10),
    "first_cut": Criterion("first cut, segments", 0.10),
    "retransmissions": Criterion("resent", 0.30, 10),
    "timeouts": Criterion("timeouts", 0.0),
    "share": Criterion("share of flow 0", 0.10),
}


GOODPUT = Criterion("goodput Mbit/s", 0.05)
"""Of all flows: as near as completion times in the median cell are wanted to be."""


def values(name: str, runs: Sequence[Summary]) -> list[float]:
    """Return one quantity of those runs that have it."""
    return [value for arm in runs if (value := quantity(name, arm)) is not None]


def quantity(name: str, arm: Summary) -> float | None:
    """Return one quantity of a summary."""
    if name == "first_cut":
        cut = arm["flows"][0]["first_cut"]
        return cut and float(cut[1])
    if name == "share":
        return share(arm, 0)
    return None if arm[name] is None else float(arm[name])


def share(arm: Summary, flow: int) -> float | None:
    """Return the part of the goodput of all flows that one has; ``None`` for a flow alone."""
    total = sum(each["goodput"] for each in arm["flows"])
    return arm["flows"][flow]["goodput"] / total if len(arm["flows"]) > 1 and total else None


@dataclass(frozen=True)
class Judged:
    """One quantity in several runs of both sides."""

    title: str
    ours: Sequence[float]
    """Of the runs that have it; the same holds for ``kernel``."""
    kernel: Sequence[float]
    verdict: Verdict | None
    """``None`` for a controller that only the kernel has."""


def judged(ours: Sequence[Summary], kernel: Sequence[Summary]) -> list[Judged]:
    """Judge every quantity that any run has: the criteria, the goodput, and the share of each flow."""
    of_all: list[tuple[Criterion, Callable[[Summary], float | None]]] = [
        (GOODPUT, lambda arm: float(arm["goodput"]) / 1e6),
        *((each, partial(quantity, name)) for name, each in CRITERIA.items() if name != "share"),
    ]
    of_all += [
        (Criterion(f"share of flow {flow}", CRITERIA["share"].share), partial(share, flow=flow))
        for flow in range(len(kernel[0]["flows"]))
    ]
    found = []
    for criterion, of in of_all:
        left, right = ([value for arm in side if (value := of(arm)) is not None] for side in (ours, kernel))
        if left or right:
            verdict = criterion.judge(left, right) if ours else None
            found.append(Judged(criterion.title, left, right, verdict))
    return found
