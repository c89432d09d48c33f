"""TCP over UDP, our end points on real packets: their logs, signals, and what is refused."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import dumbbell as db
from conftest import COMMAND_TIMEOUT, Cli
from dumbbell.errors import DumbbellError
from dumbbell.live import compare, replay
from real import one_pair, pairs
from test_interrupts import cpu


def test_pairs_with_different_round_trip_times_are_refused() -> None:
    unequal = pairs("20ms", "80ms")
    with pytest.raises(DumbbellError, match="take the path of one pair, and the pairs of the scenario have"):
        compare(unequal, "cubic", endpoints="user")


def test_the_grid_has_the_end_points_of_the_kernel(cli: Cli) -> None:
    done = cli("compare-real", "--grid", "--endpoints", "user")
    assert done.returncode == 2
    assert "--endpoints: goes with FILE" in done.stderr


def test_logs_of_both_ends_replay_in_the_simulator(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "flows.toml").write_text(one_pair("bbr3", size="300kB", count=2).to_toml())
    python = f"{sys.executable} -m dumbbell"
    done = cli(
        "shell", "flows.toml", "--server", f"exec {python} recv flows.toml -o received --events received.log",
        "--", *python.split(), "send", "flows.toml", "-o", "sent", "--events", "sent.log",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (db.load(tmp_path / "received").flows["delivered"] == 300e3).all()
    for log, of in (("sent.log", db.Scenario.from_file(tmp_path / "flows.toml")), ("received.log", None)):
        found = replay(tmp_path / log, of)
        assert found["difference"] is None
        assert found["flows"] == 2


def test_an_interrupted_sender_keeps_its_rows(tmp_path: Path) -> None:
    python = [sys.executable, "-m", "dumbbell"]
    port = _free_port()
    folder = {"cwd": tmp_path}
    receiver = subprocess.Popen(
        [*python, "recv", "--transport", "tcp", "--port", str(port), "-o", "received"], **folder
    )
    sender = subprocess.Popen(
        [*python, "send", "--transport", "tcp", "--set", "transport.profile=rfc", "--to", f"127.0.0.1:{port}",
         "-o", "sent"], **folder,
    )  # fmt: skip
    # Loading takes less. Then packets flow, by the RFCs as fast as both ends can.
    while not all(cpu(end.pid) > 1 for end in (sender, receiver)):
        time.sleep(0.05)
    for end in (sender, receiver):
        end.send_signal(signal.SIGINT)
        assert end.wait(COMMAND_TIMEOUT) == 0
    sent, received = (db.load(tmp_path / name).flows.row(0) for name in ("sent", "received"))
    assert sent["packets_sent"] > 0
    assert received["delivered"] > 0


def test_a_port_in_use_is_one_line(cli: Cli) -> None:
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as taken:
        taken.bind(("::", 0))
        port = taken.getsockname()[1]
        done = cli("recv", "--transport", "tcp", "--port", str(port))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert f"port {port}: " in done.stderr


def test_nobody_at_the_port_is_one_line(cli: Cli) -> None:
    done = cli("send", "--transport", "tcp", "--size", "1kB", "--to", f"127.0.0.1:{_free_port()}")
    assert done.returncode == 2
    assert "nobody listens at this port" in done.stderr


@pytest.mark.parametrize(
    ("transport", "message"),
    [
        (
            {"kind": "tcp", "controller": "hpcc"},
            'the controller "hpcc", and HPCC has no form in datagrams; use a controller that asks no routers',
        ),
        (
            {"kind": "tcp", "fin": False},
            "`fin = false`, and a receiver over UDP knows by it where a flow ends",
        ),
        (
            {"kind": "tcp", "handshake": False},
            "`handshake = false`, and a receiver over UDP knows by it where",
        ),
        ({"kind": "tfrc"}, '"tfrc", which has no end points over UDP; give `transport = "tcp"`'),
    ],
)
def test_what_has_no_end_points_over_udp_is_one_line(transport: dict[str, Any], message: str) -> None:
    values = one_pair("cubic").to_dict()
    flows = [{**values["flows"][0], "transport": transport}]
    bottleneck = {**values["topology"]["bottleneck"], "router": "hpcc"}
    topology = {**values["topology"], "bottleneck": bottleneck}
    if transport.get("controller") != "hpcc":
        topology = values["topology"]
    described = db.Scenario.from_dict({**values, "flows": flows, "topology": topology})
    with pytest.raises(DumbbellError) as error:
        db.live.send(described, "127.0.0.1")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_an_unknown_controller_is_one_line(cli: Cli) -> None:
    done = cli("send", "--transport", "tcp", "--to", "127.0.0.1", "--set", "transport.controller=bbr4")
    assert done.returncode == 2
    assert 'did you mean "bbr"?' in done.stderr or 'did you mean "bbr3"?' in done.stderr
    assert done.stderr.count("\n") == 1


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.bind(("127.0.0.1", 0))
        return int(end.getsockname()[1])
