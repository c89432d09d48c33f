"""TRUMP over UDP through emulated RBCC routers: what sources are told, and a run beside the simulation."""

from __future__ import annotations

import csv
import json
import struct
import sys
from pathlib import Path

import pytest

import dumbbell as db
from conftest import Cli
from dumbbell.live import replay
from dumbbell.live.trump import Beside, measure, scenario
from tests.live.conftest import valid_run

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


def test_real_packets_and_the_simulation_agree() -> None:
    beside = valid_run(lambda: measure(8), lambda run: run.live.fidelity["valid"])
    check(beside)


def check(beside: Beside) -> None:
    flows = beside.flows()
    assert [row["flow"] for row in flows] == ["first", "second", "modest", "late"]
    for row in flows:
        # Programs of a busy machine are late; a source that is told a wrong rate is off by a third or more.
        assert 0.97 <= row["real_over_simulated"] <= 1.15, row
    for row in beside.routers():
        visits = [row[f"{side}_hits"] + row[f"{side}_misses"] for side in ("real", "simulated")]
        assert visits[0] == pytest.approx(visits[1], rel=0.01), row
        assert row["simulated_quenches"] == 0 or row["real_quenches"] > 0, row


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


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_the_command_writes_both_sides(cli: Cli, tmp_path: Path, form: tuple[str, ...]) -> None:
    done = cli("trump-real", "-o", "out", "--rates", "16", "--no-quench", *form)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "out/routers.csv").open() as file:
        routers = list(csv.DictReader(file))
    assert [(row["router"], row["to"]) for row in routers] == [
        ("left", "right"), ("left", "hosts"), ("right", "left"), ("right", "hosts")
    ]  # fmt: skip
    assert all(row["real_quenches"] == row["simulated_quenches"] == "0" for row in routers)
    assert len(db.load(tmp_path / "out/16M/live").flows) == 4
    if not form:
        assert "Routers: real, simulated" in done.stdout
        return
    found = json.loads(done.stdout)
    assert [{key: str(value) for key, value in row.items()} for row in found["routers"]] == routers
    assert [row["flow"] for row in found["flows"]] == ["first", "second", "modest", "late"]
    assert all(isinstance(row["valid"], bool) for row in found["flows"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["shell", "--cbr", "1Mbit/s", "--agent", "rbbc", "--", "true"], 'did you mean "rbcc"?'),
        (
            ["shell", "--cbr", "1Mbit/s", "--agent", "source-quench", "--", "true"],
            "source quench has no wire form",
        ),
        (
            ["shell", "--cbr", "1Mbit/s", "--agent", "rbcc", "--set", "nodes[0].agent.alpha=0", "--", "true"],
            "alpha: 0 is no factor that leaves bandwidth; give a number above 0, at most 1",
        ),
        (
            [
                "shell",
                "--cbr",
                "1Mbit/s",
                "--agent",
                "rbcc",
                "--set",
                "nodes[0].agent.threshold=0",
                "--",
                "true",
            ],
            "threshold: a single packet that waits would be above it; give 1 or more",
        ),
        (
            ["recv", "--transport", "trump", "--set", "transport.selacksize=17"],
            "selacksize: an acknowledgement cannot report 17 packets; give a number from 1 to 16",
        ),
        (
            ["send", "--transport", "trump", "--to", "127.0.0.1", "--set", "transport.selacksize=0"],
            "selacksize: an acknowledgement cannot report 0 packets; give a number from 1 to 16",
        ),
        (["send", "--transport", "tfrc", "--to", "127.0.0.1"], "--transport"),
        (["recv", "two.toml", "--transport", "trump"], "--transport: there is a scenario already"),
        (["shell", "apart.toml", "--", "true"], 'there is no way from "a" to "d"'),
        (["send", "apart.toml", "--to", "127.0.0.1"], 'there is no way from "a" to "d"'),
        (["trump-real", "-o", "x", "--rates", "eight"], "--rates: 'eight' are no numbers"),
        (["trump-real", "-o", "x", "--rates", "0"], "--rates: '0'"),
        (["trump-real", "-o", "x", "--rates", "8,2,8.0"], "--rates: 8 stands there twice; name each once"),
        (["rcp-real", "-o", "x", "--routers", "0"], "--routers: '0': a chain has 1 to 5 routers; give 2,3"),
        (["rcp-real", "-o", "x", "--routers", "2,9"], "--routers: '2,9': a chain has 1 to 5 routers"),
        (["rcp-real", "-o", "x", "--routers", "2,2"], "--routers: 2 stands there twice; name each once"),
        (["rcp-host", "-o", "x", "--sizes", "0"], "--sizes: 0: headers alone take 76 B of a packet; give 77"),
        (["rcp-host", "-o", "x", "--sizes", "100,65522"], "--sizes: 65522: beyond the MTU of the devices"),
        (["rcp-host", "-o", "x", "--sizes", "small"], "--sizes: 'small' are no numbers of bytes"),
        (["rcp-host", "-o", "x", "--rates", "10,0"], "--rates: '10,0': a source wants 0.01 to 100000 Mbit/s"),
        (["rcp-host", "-o", "x", "--rates", "nan"], "--rates: 'nan': a source wants 0.01 to 100000 Mbit/s"),
        (["rcp-real", "-o", "x", "--rates", "12,12"], "--rates: 12 stands there twice; name each once"),
        (["send", "mixed.toml", "--to", "127.0.0.1"], '"tfrc", which has no end points over UDP'),
    ],
)
def test_bad_input_is_one_line(cli: Cli, tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "apart.toml").write_text(
        """
duration = "1s"
transport = "trump"
nodes = [{ name = "b", agent = "rbcc" }]
flows = [{ from = "a", to = "d" }]
[topology]
kind = "graph"
nodes = ["a", "b", "c", "d"]
links = [{ from = "a", to = "b", rate = "1Mbit/s" }, { from = "c", to = "d", rate = "1Mbit/s" }]
"""
    )
    (tmp_path / "mixed.toml").write_text(
        """
duration = "1s"
topology = "dumbbell"
transport = "tfrc"
flows = [{ from = "senders", to = "receivers", size = "1kB" }]
"""
    )
    done = cli(*arguments)
    assert done.returncode == 2
    assert message in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1 or "--transport" in message
