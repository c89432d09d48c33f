"""Exact sharing along a chain: at every moment each flow has its max-min fair rate.

With one link this is processor sharing, as :func:`dumbbell.theory.processor_sharing` has it.
"""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]


def max_min(counts: Sequence[int], capacities: Sequence[float]) -> list[float]:
    """Return the max-min fair rate of a flow of each class (Bertsekas & Gallager, Data Networks, 6.5.2).

    Parameters
    ----------
    counts
        Flows of each class: those of class `i` cross the links from `i` on.
    capacities
        Of the links, in any unit.

    Returns
    -------
    list
        In that unit, 0 for a class without flows.
    """
    rates = [0.0] * len(counts)
    left = list(capacities)
    growing = [i for i, count in enumerate(counts) if count]
    level = 0.0
    while growing:
        crossing = [sum(counts[i] for i in growing if i <= link) for link in range(len(left))]
        steps = [room / flows if flows else math.inf for room, flows in zip(left, crossing, strict=True)]
        step = min(steps)
        level += step
        left = [room - step * flows for room, flows in zip(left, crossing, strict=True)]
        # The last link that is full stops all classes that enter before it.
        full = max(link for link, own in enumerate(steps) if own == step)
        for i in [i for i in growing if i <= full]:
            rates[i] = level
            growing.remove(i)
    return rates


def sharing(starts: ArrayLike, work: ArrayLike, classes: ArrayLike, capacities: Sequence[float]) -> Floats:
    """Return the time that each flow takes where all have their max-min fair rates at every moment.

    Flows of a class have one rate, so each class has a virtual time of its own.

    Parameters
    ----------
    starts
        When flows arrive, shape (flows,), in rising order, in s.
    work
        How much each sends, shape (flows,), in any unit.
    classes
        Of each flow the first link that it crosses, shape (flows,).
    capacities
        Of the links, in that unit per s.

    Returns
    -------
    ndarray
        Shape (flows,), in s.
    """
    begins, sizes = np.asarray(starts, np.float64), np.asarray(work, np.float64)
    firsts = np.asarray(classes, np.int64).tolist()
    ends = np.full(begins.shape, np.nan)
    served = [0.0] * len(capacities)
    waiting: list[list[tuple[float, int]]] = [[] for _ in capacities]
    now, arrival = 0.0, 0
    while arrival < len(begins) or any(waiting):
        rates = max_min([len(flows) for flows in waiting], capacities)
        leaves = [
            now + max(flows[0][0] - served[i], 0.0) / rates[i] if flows else math.inf
            for i, flows in enumerate(waiting)
        ]
        until = min(leaves)
        comes = float(begins[arrival]) if arrival < len(begins) else math.inf
        then = min(until, comes)
        served = [done + rate * (then - now) for done, rate in zip(served, rates, strict=True)]
        now = then
        if until <= comes:
            first = leaves.index(until)
            ends[heapq.heappop(waiting[first])[1]] = now
        else:
            first = firsts[arrival]
            heapq.heappush(waiting[first], (served[first] + float(sizes[arrival]), arrival))
            arrival += 1
    return ends - begins
