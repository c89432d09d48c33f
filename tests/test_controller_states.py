"""The states of congestion controllers in tables and traces."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import dumbbell as db

LOSSY = """
duration = "8s"
[topology]
kind = "dumbbell"
pairs = 2
bottleneck = { rate = "4Mbit/s", delay = "10ms", queue = { kind = "droptail", limit = "1bdp" } }
[[flows]]
from = "senders"
to = "receivers"
stagger = "1s"
"""


def lossy(controller: str, profile: str, recorded: bool) -> db.Results:
    """Two flows that overflow a queue."""
    settings = [f"transport.controller={controller}", f"transport.profile={profile}"]
    settings += [f"record.controllers={str(recorded).lower()}"]
    return db.Scenario.from_toml(LOSSY, settings).run()


@pytest.mark.parametrize("profile", ["linux", "rfc"])
@pytest.mark.parametrize("controller", ["newreno", "cubic", "vegas", "bbr", "bbr3"])
def test_recording_changes_nothing_and_changes_are_chained(controller: str, profile: str) -> None:
    plain, recorded = (lossy(controller, profile, on) for on in (False, True))
    for name in ("runs", "flows", "links", "samples"):
        ours, theirs = getattr(plain, name), getattr(recorded, name)
        for column in (column.name for column in ours.columns):
            assert np.array_equal(ours[column], theirs[column], equal_nan=ours[column].dtype.kind == "f"), (
                column
            )
    assert len(plain.controller_states) == len(plain.estimates) == 0
    states, estimates = recorded.controller_states, recorded.estimates
    for flow in (0, 1):
        of_flow = states["flow"] == flow
        before, after = states["previous"][of_flow], states["state"][of_flow]
        assert before[0] == ""
        assert list(before[1:]) == list(after[:-1])
        assert states["time"][of_flow][0] >= flow
        assert set(states["time"][of_flow]) <= set(estimates["time"][estimates["flow"] == flow])
    assert np.all(np.diff(states["time"]) >= 0)
    expected = (
        {"slow-start", "congestion-avoidance"}
        if controller in ("newreno", "cubic", "vegas")
        else {"Startup", "Drain"}
    )
    assert expected <= set(states["state"])
    assert {"cwnd", "inflight", "srtt"} <= set(estimates["estimate"])
    units = dict(zip(estimates["estimate"], estimates["unit"], strict=True))
    assert (units["cwnd"], units["pacing_rate"]) == ("B", "bit/s")


def told(path: Path) -> Iterator[tuple[str | None, str]]:
    """The states that a file of qlog tells: the one before, if any, and the new one."""
    for record in path.read_text().split("\x1e"):
        event = json.loads(record) if record.strip() else {}
        if event.get("name") == "quic:congestion_state_updated" and event["group_id"] == "0":
            yield event["data"].get("old"), event["data"]["new"]


def test_a_trace_names_the_states_of_a_controller(tmp_path: Path) -> None:
    scenario = db.Scenario.from_toml(LOSSY, ["transport.controller=bbr3", "duration=3s"])
    path = tmp_path / "trace.sqlog"
    scenario.write_trace({"qlog": path}, limit=None)
    states = list(told(path))
    assert states[0] == (None, "Startup")
    assert ("Startup", "Drain") in states
