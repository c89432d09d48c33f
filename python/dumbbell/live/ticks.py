"""Ticks of the kernel's timers, for both sides of a comparison."""

from __future__ import annotations

import time
from collections.abc import Mapping

from dumbbell import _native
from dumbbell._scenario import Scenario
from dumbbell.live import endpoints

_COARSE = 6
"""CLOCK_MONOTONIC_COARSE of Linux: it advances with the kernel's timers, HZ times a second."""


def of_kernel() -> float:
    """Return the tick of the timers of the kernel that runs (s)."""
    return time.clock_getres(_COARSE)


def ticking(scenario: Scenario, tick: float) -> Scenario:
    """Return a scenario whose TCPs count by ticks as long as those of a kernel, and whose SYNs are as long.

    Timers of ``sack_compression`` have no slack, as :data:`dumbbell.live.kernel.SETTINGS` asks of a kernel.

    Parameters
    ----------
    scenario
        TCPs in it that find losses by time, and controllers of theirs with a clock that ticks.
    tick
        In s.
    """
    values, text = scenario.to_dict(), f"{tick * 1e6:g}us"
    users = [values, *values["flows"], *values["workloads"]]
    for transport in (user.get("transport") for user in users):
        if transport and transport.get("loss_detection") == "rack":
            transport["timer_tick"] = text
            transport["syn_options"] = True
            transport["sack_compression_slack"] = "0s"
            controller = transport["controller"]
            if isinstance(controller, dict) and "tick" in controller:
                controller["tick"] = text
    return Scenario.from_dict(values)


def started(
    scenario: Scenario, seen: Mapping[int, float] | None = None, in_virtual_time: bool | None = None
) -> Scenario:
    """Return a scenario whose flows start as late as those of programs.

    Clocks of whole milliseconds and ticks then show the same on both sides.

    Parameters
    ----------
    scenario
        Its listed flows start at times of their own.
    seen
        When the first packets of flows were seen (s), by number: these start then.
    in_virtual_time
        Whether the programs ran in virtual time; by default, whether this one does.
    """
    in_virtual_time = _native.is_virtual() if in_virtual_time is None else in_virtual_time
    seen, late = seen or {}, endpoints.START[in_virtual_time]
    if not late and not seen:
        return scenario
    values = scenario.to_dict()
    for number, flow in enumerate(values["flows"]):
        start = seen.get(number, _native.parse_time(flow["start"], "start") + late)
        flow["start"] = f"{start * 1e9:.0f}ns"
    return Scenario.from_dict(values)
