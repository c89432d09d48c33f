"""What a score means, in words: for people, and for the next prompt of a program that writes laws."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dumbbell._printing import significant
from dumbbell.arena.networks import Group, Quantity, distribution
from dumbbell.arena.scoring import Mark, Row, Score

_TOLD = 0.1
"""The difference between halves of a group that is worth a word (choice)."""

_WORDS = {
    "throughput": "the share of the link's capacity that the candidate's flows get",
    "latency": "the base round-trip time as a share of that with the mean wait in the queue",
    "coexistence": "the part of an equal share that the least flow has, or what short flows keep of speed",
}


def feedback(score: Score) -> str:
    """Return a paragraph on what decides a `score`, where it is lost, and what it does to CUBIC."""
    told = [
        f"{score.entrant.command} on {score.set} ({len(score.rows)} networks): "
        + ", ".join(f"{name} {mark.value:.3f}" for name, mark in score.marks.items())
        + ". Each score is the least lower end of the 95 % intervals of its groups, from 0 to 1."
    ]
    told += [_mark(score, mark) for mark in score.marks.values()]
    told.append(_harm(score))
    worst = "; ".join(f"{row.network.name} ({row.network.text()}): {_values(row)}" for row in score.worst(3))
    told.append(f"The worst networks are {worst}.")
    return " ".join(told)


def _mark(score: Score, mark: Mark) -> str:
    rows = [row for row in score.rows if row.network.group is mark.group]
    text = (
        f"{mark.name.capitalize()}, {_WORDS[mark.name]}, is decided {_where(mark.group)}: "
        f"mean {mark.estimate.short()}."
    )
    return text + _cause(rows, mark.name)


def _where(group: Group) -> str:
    return f"by the group {group.name} ({group.title})"


def _cause(rows: Sequence[Row], name: str) -> str:
    """Return which quantity parts good networks of a group from bad ones most, if one does."""
    found: list[tuple[float, Quantity, float, float, float]] = []
    values = np.array([row.values[name] for row in rows])
    for quantity in distribution().quantities:
        if quantity.scale == "words":
            continue
        places = np.array([float(row.network.values[quantity.name]) for row in rows])
        middle = float(np.median(places))
        above = places > middle
        if above.any() and not above.all():
            low, high = float(values[~above].mean()), float(values[above].mean())
            found.append((abs(high - low), quantity, middle, low, high))
    size, quantity, middle, low, high = max(found, key=lambda entry: entry[0])
    if size < _TOLD:
        return ""
    unit = f" {quantity.unit}" if quantity.unit else ""
    return (
        f" It is {significant(high, 2)} where {quantity.label} is above {significant(middle, 3)}{unit}, and "
        f"{significant(low, 2)} elsewhere."
    )


def _harm(score: Score) -> str:
    group, estimate = max(score.harm, key=lambda entry: entry[1].value)
    if score.cap == 1:
        return (
            "No harm to CUBIC above that of CUBIC is sure; the largest mean is "
            f"{estimate.short()} in the group {group.name}."
        )
    group, estimate = max(score.harm, key=lambda entry: entry[1].low or 0.0)
    return (
        f"It harms CUBIC more than CUBIC does: by {estimate.short()} in the group {group.name}. That caps "
        f"all scores at {score.cap:.3f}."
    )


def _values(row: Row) -> str:
    return ", ".join(f"{name} {significant(value, 2)}" for name, value in row.values.items())
