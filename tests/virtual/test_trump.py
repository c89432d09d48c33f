"""TRUMP in virtual time: what sources are told, and a run beside the simulation."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import pytest

import dumbbell as db
from conftest import Cli
from dumbbell.live import replay
from dumbbell.live.trump import measure, scenario

HEADER = struct.Struct(">HBBIffIfIIIIQ")
SETUP_ACK, ACK, QUENCH = 2, 4, 5
PYTHON = [sys.executable, "-m", "dumbbell"]


def told(log: Path) -> dict[int, list[tuple[int, float]]]:
    """What routers told each source, by the log of its events: the kind of packet, and the rate."""
    rates: dict[int, list[tuple[int, float]]] = {}
    for line in log.read_text().splitlines()[1:]:
        kind, _, flow, *rest = line.split(" ")
        if kind == "came":
            fields = HEADER.unpack(bytes.fromhex(rest[-1]))
            rates.setdefault(int(flow), []).append((fields[1] & 15, fields[7]))
    return rates


@pytest.mark.within
def test_sources_are_told_their_max_min_shares(cli: Cli, tmp_path: Path) -> None:
    # Far from the threshold: rates are those of the whole link. Here set-up packets lower the others.
    settings = ["nodes[0].agent.threshold=1000", "nodes[0].agent.quench_causes=setup"]
    described = scenario(8, settings=settings)
    (tmp_path / "flows.toml").write_text(described.to_toml())
    done = cli(
        "shell", "flows.toml", "-o", "out", "--server",
        f"exec {sys.executable} -m dumbbell recv flows.toml -o received --events received.log",
        "--", *PYTHON, "send", "flows.toml", "-o", "sent", "--events", "sent.log",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rates = told(tmp_path / "sent.log")
    # All for the first, halves with the second; the third wants 1 Mbit/s, and the fourth shares the rest.
    expected = {
        0: {8e6, 4e6, 3.5e6, 7e6 / 3},
        1: {4e6, 3.5e6, 7e6 / 3},
        2: {1e6},
        3: {7e6 / 3},
    }
    for flow, shares in expected.items():
        seen = [rate for _, rate in rates[flow]]
        for share in shares:
            near = sum(abs(rate / share - 1) < 2e-3 for rate in seen)
            assert near >= 10, f"flow {flow} was not told {share:g}: {sorted(set(seen))}"
    assert all(rate <= 8e6 * 1.001 for flow in rates.values() for _, rate in flow)
    # The second and the third message lower the first, and a router says so at once.
    assert any(kind == QUENCH for kind, _ in rates[0])
    for log, of in (("sent.log", described), ("received.log", None)):
        found = replay(tmp_path / log, of)
        assert found["difference"] is None
        assert found["flows"] == 4
    table = db.load(tmp_path / "out").allocations
    assert sorted(table["link"].tolist()) == ["left->*", "left->right", "right->*", "right->left"]


@pytest.mark.within
def test_real_packets_and_the_simulation_agree() -> None:
    beside = measure(8)
    assert beside.live.fidelity["valid"]
    flows = beside.flows()
    assert [row["flow"] for row in flows] == ["first", "second", "modest", "late"]
    for row in flows:
        assert row["real_over_simulated"] == pytest.approx(1, abs=0.01), row
    for row in beside.routers():
        visits = [row[f"{side}_hits"] + row[f"{side}_misses"] for side in ("real", "simulated")]
        assert visits[0] == pytest.approx(visits[1], rel=1e-3), row
        assert row["real_quenches"] == pytest.approx(row["simulated_quenches"], abs=1), row


@pytest.mark.within
def test_flows_pass_the_routers_of_two_shells(cli: Cli, tmp_path: Path) -> None:
    # Far from the threshold, so that rates are those of the whole link.
    calm = ["--agent", "rbcc", "--set", "nodes[0].agent.threshold=1000"]
    inner = ["shell", "--cbr", "20Mbit/s", "--delay", "5ms", *calm, "--"]
    done = cli(
        "shell", "--cbr", "10Mbit/s", "--delay", "5ms", *calm, "-o", "outer",
        "--server",
        f"exec {sys.executable} -m dumbbell recv --transport trump -o received --events received.log",
        "--", *PYTHON, *inner, *PYTHON, "send", "--transport", "trump", "--size", "300kB", "--count", "3",
        "--gap", "20ms", "-o", "sent", "--events", "sent.log",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    sent, received = db.load(tmp_path / "sent").flows, db.load(tmp_path / "received").flows
    assert (received["delivered"] == 300_000).all()
    assert len(sent) == len(received) == 3
    assert set(sent["transport"].tolist()) == {"trump"}
    rates = told(tmp_path / "sent.log")
    # The outer link is the narrow one. A set-up packet finds what the flows before it leave.
    assert rates[0][0] == (SETUP_ACK, pytest.approx(10e6, rel=2e-3))
    assert min(rate for _, rate in rates[0]) == pytest.approx(10e6 / 3, rel=2e-3)
    for log, of in (("sent.log", tmp_path / "sent/scenario.toml"), ("received.log", None)):
        assert replay(tmp_path / log, db.Scenario.from_file(of) if of else None)["difference"] is None


@pytest.mark.within
def test_acknowledgements_of_several_packets_and_reverse_updates(cli: Cli, tmp_path: Path) -> None:
    done = cli(
        "shell", "--cbr", "10Mbit/s", "--delay", "5ms", "--agent", "rbcc",
        "--set", "nodes[0].agent.revupdates=true", "-o", "out",
        "--server",
        f"exec {sys.executable} -m dumbbell recv --transport trump --set transport.selacksize=8 -o received",
        "--", *PYTHON, "send", "--transport", "trump", "--size", "500kB", "-o", "sent",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert db.load(tmp_path / "received").flows.row(0)["delivered"] == 500_000
    table = db.load(tmp_path / "out").allocations
    visits = {table["link"][i]: table["hits"][i] + table["misses"][i] for i in range(4)}
    packets = -(-500_000 // (1500 - 76))
    # Data and a set-up packet one way; an acknowledgement for eight of them, and the set-up's, the other way.
    assert visits["left->right"] == packets + 1
    assert visits["right->left"] <= packets // 8 + 3


def test_the_command_writes_exact_times(cli: Cli, tmp_path: Path) -> None:
    done = cli("trump-real", "--virtual", "-o", "out", "--rates", "8", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [(row["flow"], row["valid"]) for row in found["flows"]] == [
        (name, True) for name in ("first", "second", "modest", "late")
    ]
    for row in found["flows"]:
        assert row["real_over_simulated"] == pytest.approx(1, abs=0.01), row
    assert len(db.load(tmp_path / "out/8M/live").flows) == 4
