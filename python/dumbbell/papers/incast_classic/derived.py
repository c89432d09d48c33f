"""Metrics made from others."""

import numpy as np

from dumbbell.study import AT_LEAST_ZERO, Derived
from dumbbell.study.derived import Columns, Floats


def _per_transfer(runs: Columns) -> Floats:
    return runs["timeouts"] / runs["transfers"]


_KINDS = ("full_window", "tail", "resent", "spurious_timeouts")


def _lead(kind: str, runs: Columns) -> Floats:
    """Return the timeouts of a kind less those of the other kinds, for each transfer."""
    others = sum(runs[other] for other in _KINDS if other != kind)
    return (runs[kind] - others) / runs["transfers"]


def _full_window_lead(runs: Columns) -> Floats:
    return _lead("full_window", runs)


def _tail_lead(runs: Columns) -> Floats:
    return _lead("tail", runs)


def _spurious(runs: Columns) -> Floats:
    return runs["spurious_timeouts"] / runs["transfers"]


def _share(kind: str, runs: Columns) -> Floats:
    """Return the share of a kind, in per cent; not-a-number without a timeout."""
    timeouts = runs["timeouts"]
    return 100 * runs[kind] / np.where(timeouts > 0, timeouts, np.nan)


def _full_window(runs: Columns) -> Floats:
    return _share("full_window", runs)


def _tail(runs: Columns) -> Floats:
    return _share("tail", runs)


def _resent(runs: Columns) -> Floats:
    return _share("resent", runs)


DERIVED = (
    Derived(
        "per_transfer", "timeouts per transfer", "", _per_transfer, better="lower", possible=AT_LEAST_ZERO
    ),
    Derived(
        "spurious", "spurious timeouts per transfer", "", _spurious, better="lower", possible=AT_LEAST_ZERO
    ),
    Derived(
        "full_window_lead",
        "timeouts of full windows less other kinds",
        "",
        _full_window_lead,
    ),
    Derived("tail_lead", "timeouts of tails less other kinds", "", _tail_lead),
    Derived("full_window_share", "timeouts of full windows", "%", _full_window, possible=(0, 100)),
    Derived("resent_share", "timeouts of retransmissions", "%", _resent, possible=(0, 100)),
    Derived("tail_share", "timeouts of tails", "%", _tail, possible=(0, 100)),
)
