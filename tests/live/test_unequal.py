"""Flows whose round-trip times differ: how they are described, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dumbbell as db
from conftest import Cli
from dumbbell.errors import DumbbellError
from dumbbell.live import compare, with_flows
from real import pairs


def test_round_trip_times_are_given_to_flows_in_turn() -> None:
    scenario = with_flows(pairs("20ms"), 3, "500ms", "100kB", ["30ms", "60ms"])
    flows = scenario.run().flows
    found = [(row["source"], row["start"], row["size"]) for row in map(flows.row, range(len(flows)))]
    assert found == [("sender0", 0.0, 1e5), ("sender1", 0.5, 1e5), ("sender0", 1.0, 1e5)]
    assert [
        flow["rtt_min"] > least for flow, least in zip(map(flows.row, range(2)), (0.030, 0.060), strict=True)
    ]
    assert flows.row(1)["rtt_min"] == pytest.approx(0.060, abs=2e-3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rtt", "20ms,80ms", "--flows", "1"], "--rtt: 2 round-trip times for 1 flow; give"),
        (["--rtt", "20ms,5ms"], "topology.rtts[1]: 5ms is shorter than the bottleneck's 10ms both ways"),
        (["--rtt", "20ms,soon"], 'topology.rtts[1]: "soon" is not a duration'),
        (["--controllers", "cubic, bbr,cubic"], "--controllers: cubic stands there twice; name each once"),
        (["--grid", "--rtt", "20ms"], "--rtt: goes with FILE, and --grid has links and flows of"),
        (["--grid", "--set", "seed=2"], "--set: goes with FILE, and --grid has"),
        (["--grid", "--controllers", "bbr"], "--controllers: goes with FILE, and --grid has"),
        (["--controllers", "swift"], "--controllers: 'swift' is not a controller of the kernel; use one of"),
    ],
)  # fmt: skip
def test_bad_round_trip_times_are_one_line(cli: Cli, tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "two.toml").write_text(pairs("20ms", "80ms").to_toml())
    file = [] if "--grid" in words else [str(tmp_path / "two.toml")]
    done = cli("compare-real", *file, *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_only_a_dumbbell_has_round_trip_times() -> None:
    chain: dict[str, Any] = {
        "duration": "1s",
        "topology": "chain",
        "flows": [{"from": "node0", "to": "node1"}],
    }
    with pytest.raises(DumbbellError, match=r"^--rtt: the topology is 'chain', .*; give a scenario with "):
        with_flows(db.Scenario.from_dict(chain), rtts=["20ms"])


def test_a_flow_that_does_not_cross_the_link_is_refused() -> None:
    values = pairs("20ms", "80ms").to_dict()
    with pytest.raises(
        DumbbellError, match=r"^flow 1 from sender1 to receiver1 does not cross .*; leave it out"
    ):
        compare(db.Scenario.from_dict(values), "cubic", "sender0->left")
