"""A run of BBR version 3 on the path of ``base.toml``, and what its controller did."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import dumbbell as db

BASE = Path(__file__).parent / "base.toml"
SMSS = 1448.0
"""Payload of a segment in bytes: 1500 less the headers of IPv4 and TCP with timestamps."""
PAYLOAD = SMSS / 1500.0
"""The share of the link's bits that are payload, which is what the controller counts."""


@dataclass(frozen=True)
class Change:
    """A change of state."""

    time: float
    previous: str
    state: str
    reason: str


@dataclass(frozen=True)
class Recorded:
    """What the controller of flow 0 did."""

    results: db.Results
    changes: tuple[Change, ...]
    estimates: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]

    def entered(self, state: str, after: float = 0.0) -> Change:
        """The first change to a state after a time."""
        found = [change for change in self.changes if change.state == state and change.time > after]
        assert found, f"{state} is not entered after {after} s: {self.changes}"
        return found[0]

    def left(self, state: str, after: float = 0.0) -> Change:
        """The first change from a state after a time."""
        found = [change for change in self.changes if change.previous == state and change.time > after]
        assert found, f"{state} is not left after {after} s: {self.changes}"
        return found[0]

    def at(self, name: str, time: float) -> float:
        """The latest value up to a time; NaN where there is no bound."""
        times, values = self.estimates[name]
        return float(values[np.searchsorted(times, time, side="right") - 1])

    def between(self, name: str, start: float, end: float) -> NDArray[np.float64]:
        """The values from one time to another."""
        times, values = self.estimates[name]
        return values[(times >= start) & (times <= end)]

    def times(self, start: float, end: float) -> NDArray[np.float64]:
        """When values were written down, from one time to another: once a round, and at changes of state."""
        times, _ = self.estimates["cwnd"]
        return times[(times >= start) & (times <= end)]


@cache
def run(*settings: str) -> Recorded:
    """Run the path with other settings."""
    results = db.Scenario.from_file(BASE, settings).run()
    states, values = results.controller_states, results.estimates
    changes = zip(*(states[name] for name in ("time", "previous", "state", "reason")), strict=True)
    names, times, numbers = values["estimate"], values["time"], values["value"]
    estimates = {str(name): (times[names == name], numbers[names == name]) for name in np.unique(names)}
    return Recorded(
        results, tuple(Change(float(t), str(p), str(s), str(r)) for t, p, s, r in changes), estimates
    )
