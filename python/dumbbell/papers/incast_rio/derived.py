"""Metrics made from others."""

import numpy as np

from dumbbell.study import AT_LEAST_ZERO, Derived
from dumbbell.study.derived import Columns, Floats

DURATION = 120.0
"""Seconds."""

_PACKETS = 100
"""What each server has to send."""


def _elapsed(runs: Columns) -> Floats:
    """Return the time until the last server has finished, or that of the run."""
    return np.where(runs["completed"] == runs["servers"], runs["slowest"], DURATION)


def _throughput(runs: Columns) -> Floats:
    return 8 * runs["delivered"] / runs["elapsed"]


def _received(runs: Columns) -> Floats:
    return _PACKETS * runs["servers"] * runs["delivered"] / runs["offered"]


def _undelivered(runs: Columns) -> Floats:
    return _PACKETS * runs["servers"] - runs["received"]


def _missing(runs: Columns) -> Floats:
    return runs["sent"] - runs["crossed"]


def _marked(runs: Columns) -> Floats:
    return 100 * runs["arrived_protected"] / runs["arrived_all"]


def _protected(runs: Columns) -> Floats:
    """Return the share of yellow packets among those dropped; not-a-number where none was."""
    return 100 * runs["dropped_protected"] / np.where(runs["dropped"] > 0, runs["dropped"], np.nan)


def _early(runs: Columns) -> Floats:
    """Return by how much the first drop by the law precedes the first by a full queue.

    What does not happen happens at the end of the run; not-a-number where nothing is dropped.
    """
    law, overflow = runs["first_early"], runs["first_overflow"]
    none = np.isnan(law) & np.isnan(overflow)
    lead = np.nan_to_num(overflow, nan=DURATION) - np.nan_to_num(law, nan=DURATION)
    return np.where(none, np.nan, lead)


def _real(runs: Columns) -> Floats:
    """Return timeouts for a loss less spurious ones, for each server."""
    return (runs["timeouts"] - 2 * runs["spurious"]) / runs["servers"]


def _used(runs: Columns) -> Floats:
    """Return for how much of the time until all have finished the client's link was busy.

    Copies of packets that cross after that count too: so at most all of it.
    """
    return 100 * np.minimum(runs["busy"] / runs["elapsed"], 1.0)


def _repeated(runs: Columns) -> Floats:
    return 100 * runs["retransmissions"] / runs["sent"]


DERIVED = (
    Derived("elapsed", "time until all have finished", "s", _elapsed, better="lower", possible=(0, DURATION)),
    Derived(
        "throughput",
        "throughput (a): all bytes over the time",
        "kbit/s",
        _throughput,
        better="higher",
        possible=AT_LEAST_ZERO,
    ),
    Derived("received", "packets received", "", _received, better="higher", possible=AT_LEAST_ZERO),
    Derived(
        "undelivered",
        "packets that the client still lacks",
        "",
        _undelivered,
        better="lower",
        possible=AT_LEAST_ZERO,
    ),
    Derived(
        "missing",
        "packet loss: packets sent less packets received",
        "",
        _missing,
        better="lower",
        possible=AT_LEAST_ZERO,
    ),
    Derived("marked", "packets that arrive yellow", "%", _marked, possible=(0, 100)),
    Derived("protected_share", "yellow packets among those dropped", "%", _protected, possible=(0, 100)),
    Derived(
        "early_lead",
        "first drop by the law before the first by a full queue",
        "s",
        _early,
        possible=(-DURATION, DURATION),
    ),
    Derived("real_lead", "timeouts for a loss less spurious ones, per server", "", _real),
    Derived(
        "used", "client's link busy until all have finished", "%", _used, better="higher", possible=(0, 100)
    ),
    Derived(
        "repeated", "retransmissions among packets sent", "%", _repeated, better="lower", possible=(0, 100)
    ),
)
