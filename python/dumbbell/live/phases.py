"""The phases in which the kernel's cycles of BBR began, found from its packets.

BBR draws them (Linux net/ipv4/tcp_bbr.c, bbr_reset_probe_bw_mode), and a kernel does not tell its random
numbers. Each is one of seven, and shows in the times of the packets that follow. So both sides can have the
same: where a flow first differs, its next phase is the one with which it agrees longest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from dumbbell import _native
from dumbbell._scenario import Scenario
from dumbbell.live.packets import Apart, Packets, first_difference, simulated

PHASES = (0, 2, 3, 4, 5, 6, 7)
"""Where a cycle may begin: in the phase of 1.25, or in one of 1."""

_TOLERANCE = 60e-6
"""Seconds that packets of both sides may be apart: less than the time of a full one at 100 Mbit/s."""

_HIDDEN = 3
"""Phases of a flow, one after the other, that packets need not show: while BBR takes the path for one with a
policer, it paces as fast in all."""

_AHEAD = 1.5
"""Seconds that simulations go on beyond the first packet that differs: one with the phase of the kernel
agrees for longer than others after that."""


def paired(given: Scenario, seen: Packets, link: str) -> Scenario:
    """Return a scenario whose flows under BBR begin their cycles in the phases of the kernel's.

    Parameters
    ----------
    given
        With a transport for each of its flows. Without BBR it comes back as it is.
    seen
        The kernel's packets.
    link
        Where they were seen.
    """
    values = given.to_dict()
    if not all(flow["transport"]["controller"].get("kind") == "bbr" for flow in values["flows"]):
        return given
    duration = float(given.explain()["duration"])
    back = _native.emulated(given._native, link)["back"]

    def agreement(phases: Sequence[Sequence[int]], until: float) -> Apart | None:
        until = min(until, duration)
        run = _with(given, phases, until)
        kernel = {of: [packet for packet in each if packet.time < until] for of, each in seen.items()}
        return first_difference(simulated(run, link, back), kernel, until, _TOLERANCE, data_only=True)

    return _with(given, found([[] for _ in values["flows"]], agreement, duration), duration)


def found(
    phases: list[list[int]],
    agreement: Callable[[Sequence[Sequence[int]], float], Apart | None],
    duration: float,
) -> list[list[int]]:
    """Return the phases of each flow, as far as packets tell them.

    Parameters
    ----------
    phases
        Of each flow, those that are known.
    agreement
        Takes the phases of each flow and a time (s), and returns the first packet before it that differs.
    duration
        Of the run (s).
    """
    until = _AHEAD
    while True:
        first = agreement(phases, until)
        if first is None:
            if until >= duration:
                return phases
            until *= 2
            continue
        until = first.time + _AHEAD
        better = _better(phases, first, agreement, until)
        if better is None:
            return phases
        phases = better


def _better(
    phases: list[list[int]],
    first: Apart,
    agreement: Callable[[Sequence[Sequence[int]], float], Apart | None],
    until: float,
) -> list[list[int]] | None:
    """Return the phases with which the flow that differs first agrees longest; ``None`` if there are none.

    Where its next phase makes it agree no longer, that phase was right as it was drawn, or does not show.
    """
    for _ in range(_HIDDEN + 1):
        tried = [
            [[*known, phase] if flow == first.flow else known for flow, known in enumerate(phases)]
            for phase in PHASES
        ]
        apart = [agreement(each, until) for each in tried]
        agree = [math.inf if each is None else each.time for each in apart]
        phases = tried[agree.index(max(agree))]
        if max(agree) > first.time:
            return phases
    return None


def _with(given: Scenario, phases: Sequence[Sequence[int]], duration: float) -> Scenario:
    values = given.to_dict()
    for flow, known in zip(values["flows"], phases, strict=True):
        flow["transport"]["controller"]["phases"] = list(known)
    return Scenario.from_dict({**values, "duration": f"{duration:g}s"})
