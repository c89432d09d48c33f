"""RCP end points: through emulated routers, in a flood of nonsense, and replayed."""

from __future__ import annotations

import contextlib
import random
import socket
import struct
import sys
import threading
import time
from pathlib import Path

import pytest

import dumbbell as db
from conftest import COMMAND_TIMEOUT, Cli
from dumbbell.live import receive, replay, run_flows

HEADER = struct.Struct(">HBBIIIQIIQQ")
NO_LIMIT = 2**64 - 1
SYN, DATA = 1, 5


def test_flows_pass_two_routers_and_their_logs_replay(cli: Cli, tmp_path: Path) -> None:
    inner = ["shell", "--cbr", "40Mbit/s", "--delay", "5ms", "--router", "rcp", "--"]
    python = [sys.executable, "-m", "dumbbell"]
    done = cli(
        "shell", "--cbr", "20Mbit/s", "--delay", "5ms", "--router", "rcp",
        "--server", f"exec {sys.executable} -m dumbbell recv -o received --events received.log", "--",
        *python, *inner, *python, "send", "--size", "200kB", "--count", "4", "--gap", "50ms", "-o", "sent",
        "--events", "sent.log",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    sent, received = db.load(tmp_path / "sent").flows, db.load(tmp_path / "received").flows
    assert len(sent) == len(received) == 4
    assert (received["delivered"] == 200_000).all()
    compared = 0
    for log, scenario in (("sent.log", tmp_path / "sent/scenario.toml"), ("received.log", None)):
        found = replay(tmp_path / log, db.Scenario.from_file(scenario) if scenario else None)
        assert found["difference"] is None
        compared += found["packets"]
    # 141 packets a flow and its SYN, and as many answers.
    assert compared >= 2 * 4 * 142


def test_the_flows_of_a_scenario_have_both_completion_times(tmp_path: Path) -> None:
    scenario = db.Scenario.from_dict(
        {
            "duration": "30s",
            "transport": "rcp",
            "topology": {
                "kind": "chain",
                "link": {"rate": "12Mbit/s", "delay": "10ms", "router": "rcp"},
            },
            "flows": [{"from": "node0", "to": "node1", "size": "100kB", "count": 3, "stagger": "500ms"}],
        }
    )
    run = run_flows(scenario)
    simulated = scenario.run()
    live, ours = run.results.flows, simulated.flows
    assert live["start"].tolist() == ours["start"].tolist()
    assert (live["completion_time"] < live["sender_completion_time"]).all()
    assert run.results.runs.row(0)["flows_completed"] == 3
    assert run.counts["receiver"]["malformed"] == 0
    assert run.results.links.row(0)["sent"] > 3 * 71
    # As of any run, the tables can be written and read.
    run.results.save(tmp_path / "out")
    read = db.load(tmp_path / "out")
    assert read.flows["completion_time"].tolist() == live["completion_time"].tolist()
    assert read.provenance == run.results.provenance == simulated.provenance


def test_a_flow_that_nobody_answers_fails_and_says_so(cli: Cli, tmp_path: Path) -> None:
    scenario = tmp_path / "flows.toml"
    scenario.write_text(
        """
duration = "10s"
transport = { kind = "rcp", syn_timeout = "50ms", retries = 2 }
[topology]
kind = "chain"
link = { router = "rcp" }
[[flows]]
from = "node0"
to = "node1"
size = "1kB"
"""
    )
    done = cli("send", scenario, "--to", "127.0.0.1:9", "-o", "out")
    assert done.returncode == 1
    assert "failed: 1 flows: unanswered" in done.stderr
    assert db.load(tmp_path / "out").flows["failure"].tolist() == ["unanswered"]


def test_a_receiver_takes_a_flood_of_nonsense() -> None:
    """A flood that waits for an answer now and then, so that the socket has room for all of it."""
    stopped = threading.Event()
    found: list[db.live.Endpoint] = []
    thread = threading.Thread(
        target=lambda: found.append(receive(52_431, same_clock=True, stopped=stopped.is_set))
    )
    thread.start()
    noise, port = random.Random(2), ("127.0.0.1", 52_431)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(0.1)

        def ask(kind: int, flow: int, data: bytes = b"") -> None:
            """Send a packet until it is answered."""
            now, flags = time.monotonic_ns(), int(kind == DATA)
            packet = HEADER.pack(0x5243, 0x10 | kind, flags, flow, 0, 0, NO_LIMIT, 0, 1, now, 0)
            deadline = time.monotonic() + COMMAND_TIMEOUT
            while time.monotonic() < deadline:
                client.sendto(packet + data, port)
                with contextlib.suppress(OSError):
                    while True:
                        answer = HEADER.unpack(client.recv(2000)[: HEADER.size])
                        if (answer[1] & 15, answer[3]) == (kind + 1, flow):
                            return

        ask(SYN, 7)
        for i in range(20_000):
            size = (0, 1, 47, 48, 49, 1400, 60_000)[i % 7]
            client.sendto(noise.randbytes(size) if i % 2 else b"\x52\x43\x15" + bytes(max(size - 3, 0)), port)
            if i % 7 == 6:
                ask(SYN, 8)
        ask(DATA, 7, bytes(100))
    stopped.set()
    thread.join(COMMAND_TIMEOUT)
    ends = found[0]
    # Half of it is noise, of which three in seven are too short to be anything.
    assert ends.counts["malformed"] > 4_000
    assert 100 in ends.results.flows["delivered"].tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["send"], "no receiver; give --to ADDRESS"),
        (["send", "--to", "no.such.host.invalid"], "give an address"),
        (["send", "--to", "127.0.0.1:99999"], "'99999' is not a port"),
        (["send", "--to", "[::1]:http"], "'http' is not a port"),
        (["send", "--to", "127.0.0.1", "--size", "many"], "size: "),
        (["send", "--to", "127.0.0.1", "--count", "0"], "--count"),
        (["recv", "--port", "0"], "--port"),
        (["replay", "nothing"], "nothing: "),
        (["replay", sys.executable], f"{sys.executable}: line 1: this is no log"),
    ],
)
def test_bad_input_is_one_line(cli: Cli, arguments: list[str], message: str) -> None:
    done = cli(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
