"""What chapter 11 asks, answered from the runs: which parameters matter, and by how much."""

from __future__ import annotations

import numpy as np

from dumbbell.papers.trump_rbcc.effects import DRAWS
from dumbbell.papers.trump_rbcc.published import lost
from dumbbell.papers.trump_rbcc.tables import of_arm
from dumbbell.study import StudyResult

_CHANGES = (
    ("acknowledgements of 16 packets", "selacksize-16"),
    ("alpha = 0.125", "alpha-125"),
    ("alpha = 0.375", "alpha-375"),
    ("T = 1", "threshold-1"),
    ("T = 10", "threshold-10"),
    ("reverse updates", "revupdates"),
    ("rate quenches", "quench"),
    ("the recommended parameters", "recommended"),
)


def _ratio(result: StudyResult, arm: str) -> tuple[float, float, float]:
    """Return how many times the base's losses an arm has, with 95 % of a bootstrap over networks."""
    theirs, base = result.values("lost", "base")
    seeds, ours = result.values("lost", arm)
    _, left, right = np.intersect1d(seeds, theirs, return_indices=True)
    ours, base = ours[left], base[right]
    rng = np.random.default_rng(1)
    draws = rng.integers(base.size, size=(DRAWS, base.size))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = ours[draws].sum(1) / base[draws].sum(1)
        low, high = np.nanquantile(found, [0.025, 0.975])
        return float(ours.sum() / base.sum()), float(low), float(high)


def _answer(result: StudyResult) -> str:
    base = of_arm(result, "lost", "base")
    if not base.sum():
        return f"No network of {base.size} loses a packet with the base parameters."
    told = []
    for name, arm in _CHANGES:
        value, low, high = _ratio(result, arm)
        told.append(f"{name} {value:.2f} [{low:.2f}, {high:.2f}] (published {lost(arm) / lost('base'):.2f})")
    return (
        f"The base parameters lose {base.sum():.0f} packets in {base.size} networks. Other values lose so "
        f"many times as many (95 %, bootstrap over networks): {', '.join(told)}. trump-rbcc-joint varies all "
        "five parameters together and says where T and alpha should lie."
    )


ANSWERS = (_answer,)
