"""Ticks of the kernel's timers, for both sides of a comparison."""

from __future__ import annotations

import time

from dumbbell._scenario import Scenario

_COARSE = 6
"""CLOCK_MONOTONIC_COARSE of Linux: it advances with the kernel's timers, HZ times a second."""


def of_kernel() -> float:
    """Return the tick of the timers of the kernel that runs (s)."""
    return time.clock_getres(_COARSE)


def ticking(scenario: Scenario, tick: float) -> Scenario:
    """Return a scenario whose TCPs count by ticks as long as those of a kernel, and whose SYNs are as long.

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
            controller = transport["controller"]
            if isinstance(controller, dict) and "tick" in controller:
                controller["tick"] = text
    return Scenario.from_dict(values)
