"""What is compared of ours and the kernel's, and how near they are."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from dumbbell.stats import CONFIDENCE, Estimate, difference, paired_difference

Summary = dict[str, Any]
"""What :meth:`Arm.summary` returns."""

WITHIN, OUTSIDE, UNDECIDED = "within", "outside", "undecided"

SAMPLES, PAIRS, REPEATS = "samples", "pairs", "repeats"
"""What the runs of two sides are: samples of their own; pairs, each with a seed that both sides draw by; or
repeats of the same run, whose number says nothing of another."""


@dataclass(frozen=True)
class Verdict:
    """Whether the means of two samples are within a bound of each other."""

    word: str
    """``within`` or ``outside``, if the whole interval of the difference is; else ``undecided``: the runs of
    one side differ among themselves by as much. Of repeats, the range of all differences decides."""
    difference: Estimate
    """The mean of ours less that of the kernel's; of repeats without an interval."""
    excess: float
    """The least difference that the interval or the range holds, in units of what is allowed."""


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

    def judge(self, ours: Sequence[float], kernel: Sequence[float], are: str = SAMPLES) -> Verdict | None:
        """Judge the means of one value for each run that has the quantity; ``None`` if none has.

        A single value on both sides is judged as it is. Of pairs, both sides have the same length.
        """
        if not ours and not kernel:
            return None
        if not ours or not kernel:
            return Verdict(OUTSIDE, difference(ours, kernel), math.inf)
        found, (low, high) = _apart(ours, kernel, are)
        kernel_mean = statistics.fmean(kernel)
        least, most = max(low, -high, 0.0), max(high, -low)
        excess = self.excess(kernel_mean + least, kernel_mean) or 0.0
        within = most <= self.allowed(kernel_mean)
        return Verdict(OUTSIDE if excess > 1 else WITHIN if within else UNDECIDED, found, excess)


def _apart(ours: Sequence[float], kernel: Sequence[float], are: str) -> tuple[Estimate, tuple[float, float]]:
    """How far apart two sides are, and between which differences the verdict lies."""
    if are == REPEATS:
        value = statistics.fmean(ours) - statistics.fmean(kernel)
        found = Estimate(value, None, None, 1, CONFIDENCE, "repeats of one run: no interval")
        return found, (min(ours) - max(kernel), max(ours) - min(kernel))
    found = (paired_difference if are == PAIRS else difference)(ours, kernel)
    return found, found.interval or (found.value, found.value)


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
    """Of the runs that have it; the same holds for ``kernel``. Empty where flows have not finished."""
    kernel: Sequence[float]
    verdict: Verdict | None
    """``None`` for a controller that only the kernel has, and where flows have not finished."""


def judged(ours: Sequence[Summary], kernel: Sequence[Summary], are: str = SAMPLES) -> list[Judged]:
    """Judge every quantity that any run has: the criteria, the goodput, and the share of each flow.

    Completion times are those of all flows in all runs. Where one has not finished, there is no mean: it
    would be one over other flows on each side.
    """
    of_all: list[tuple[Criterion, Callable[[Summary], float | None]]] = [
        (GOODPUT, lambda arm: float(arm["goodput"]) / 1e6),
        *((each, partial(quantity, name)) for name, each in CRITERIA.items() if name != "share"),
    ]
    of_all += [
        (Criterion(f"share of flow {flow}", CRITERIA["share"].share), partial(share, flow=flow))
        for flow in range(len(kernel[0]["flows"]))
    ]
    found: list[Judged] = []
    unfinished = any(arm["finished"] < arm["sized"] for arm in (*ours, *kernel))
    for criterion, of in of_all:
        if unfinished and criterion is CRITERIA["completion_time"]:
            continue
        both = [list(map(of, side)) for side in (ours, kernel)]
        left, right = ([value for value in side if value is not None] for side in both)
        if left or right:
            verdict = _judge(criterion, both[0], both[1], are) if ours else None
            found.append(Judged(criterion.title, left, right, verdict))
        if criterion is GOODPUT:
            found += _finished(ours, kernel)
    return found


def _finished(ours: Sequence[Summary], kernel: Sequence[Summary]) -> list[Judged]:
    """How many flows with a size finished."""
    sized = kernel[0]["sized"]
    counts = [[float(arm["finished"]) for arm in side] for side in (ours, kernel)]
    return (
        [Judged(f"finished, of {sized} flow{'s' * (sized > 1)}", counts[0], counts[1], None)] if sized else []
    )


def _judge(
    criterion: Criterion, ours: Sequence[float | None], kernel: Sequence[float | None], are: str
) -> Verdict | None:
    left, right = ([value for value in side if value is not None] for side in (ours, kernel))
    if are != PAIRS or not left or not right:
        return criterion.judge(left, right, are)
    pairs = [(a, b) for a, b in zip(ours, kernel, strict=True) if a is not None and b is not None]
    # Both sides have it, in no run together: nothing can be said.
    return criterion.judge([a for a, _ in pairs], [b for _, b in pairs], are)
