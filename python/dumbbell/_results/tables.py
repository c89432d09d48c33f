"""The tables that a run leaves behind.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from dataclasses import dataclass

from dumbbell._results.table import Table


@dataclass(frozen=True, repr=False)
class Tables:
    """The tables of a run, in the order of their declaration."""

    runs: Table
    """One row per run."""
    flows: Table
    """One row per flow."""
    links: Table
    """One row per directed link."""
    allocations: Table
    """One row per link whose router allocates its bandwidth to flows (whole run)."""
    samples: Table
    """One row per sampled value: a time series in long form."""
    quantiles: Table
    """One row per quantile of a distribution of times: one-way delays of sampled flows with `record.delays`,
    times at links with `record.sojourns`."""
    controller_states: Table
    """One row per change of state of a congestion controller, with `record.controllers` (whole run)."""
    estimates: Table
    """One row per value that a congestion controller goes by, at each change of its state and of its count of
    round trips, with `record.controllers` (whole run)."""
    drops: Table
    """One row per dropped packet (whole run)."""
    states: Table
    """One row per state of a port under power control and rate in it, over the measured part of the run."""
    arrivals: Table
    """One row per packet that arrived at a recorded link, dropped ones too (whole run)."""
    transfers: Table
    """One row per transfer of a session: what a closed-loop workload sent, on a flow of its own or on one
    that stays open."""
    classes: Table
    """One row per traffic class that a link can see, of links whose queue tells classes apart or that have a
    marker."""
