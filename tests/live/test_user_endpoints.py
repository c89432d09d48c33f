"""TCP over UDP: our end points, under any controller, on real packets beside the simulation."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dumbbell as db
from conftest import Cli
from dumbbell.errors import DumbbellError
from dumbbell.live import LiveRun, compare, replay, run_flows
from dumbbell.live.lateness import late_runs

from .conftest import differences, pairs, valid_run

DROPTAIL = {"kind": "droptail", "limit": "1bdp"}


def scenario(controller: str, queue: dict[str, Any] = DROPTAIL, **flow: Any) -> db.Scenario:
    """One pair over 10 Mbit/s and 40 ms."""
    return db.Scenario.from_dict(
        {
            "duration": "4s",
            "transport": {"kind": "tcp", "controller": controller},
            "topology": {
                "kind": "dumbbell",
                "pairs": 1,
                "bottleneck": {"rate": "10Mbit/s", "delay": "15ms", "queue": queue},
                "access": {"rate": "1Gbit/s", "delay": "2500us"},
            },
            "flows": [{"from": "senders", "to": "receivers", **flow}],
        }
    )


def both(described: db.Scenario) -> tuple[LiveRun, db.Results, dict[str, Any], dict[str, Any]]:
    """The run on real packets, the simulation, and what the link counted in both."""
    live = valid_run(lambda: run_flows(described), lambda run: run.fidelity["valid"])
    simulated = described.run()
    link = simulated.links["link"].tolist().index(live.results.links["link"][0])
    return live, simulated, live.results.links.row(0), simulated.links.row(link)


@pytest.mark.quiet
@pytest.mark.parametrize(
    ("controller", "queue"),
    [
        ("cubic", DROPTAIL),  # a window, cut by losses
        ("copa", DROPTAIL),  # a window that delays steer, and pacing
        ("bbr3", DROPTAIL),  # a model of the path
        ("dctcp", {"kind": "threshold", "threshold": "20pkt", "limit": "200pkt"}),  # echoes of single marks
        ("prague", {"kind": "dualpi2"}),  # counters of marks, ECT(1)
    ],
)
def test_every_class_of_controllers_does_on_real_packets_what_it_does_in_simulation(
    controller: str, queue: dict[str, Any]
) -> None:
    described = scenario(controller, queue)
    live, simulated, real, ours = both(described)
    flow, link = live.results.flows.row(0), live.results.links["link"][0]
    assert (flow["transport"], flow["controller"]) == ("tcp", controller)
    # Prague over DualPI2 gets 8.86 to 8.90 Mbit/s, by when its first packets come: what is real is like one
    # of the simulated runs, whose packets are in time or as late as those of a valid run.
    runs = [simulated, *(late.run() for late in late_runs(described, link, 40))]
    found = [(run.flows["goodput"][0], sojourn(run, link)) for run in runs]
    # A packet of the link takes 1.2 ms, and the end points of a valid run wait for up to 1 ms.
    alike = [
        flow["goodput"] == pytest.approx(goodput, rel=0.03)
        and real["sojourn_mean"] == pytest.approx(mean, rel=0.15, abs=2.2e-3)
        for goodput, mean in found
    ]
    assert any(alike), (flow["goodput"], real["sojourn_mean"], found)
    assert (real["marked"] > 0) == (ours["marked"] > 0)
    assert sum(live.counts["sender"].values()) + sum(live.counts["receiver"].values()) == 0


def sojourn(results: db.Results, link: str) -> float:
    """Mean seconds that packets spend on a link."""
    return float(results.links["sojourn_mean"][results.links["link"].tolist().index(link)])


def test_packets_are_as_many_and_as_long_as_the_simulated_ones() -> None:
    described = scenario("newreno", size="100kB")
    live, simulated = run_flows(described), described.run()
    flow, expected = live.results.flows.row(0), simulated.flows.row(0)
    real = live.results.links.row(0)
    ours = simulated.links.row(simulated.links["link"].tolist().index(live.results.links["link"][0]))
    assert flow["delivered"] == expected["delivered"] == 100e3
    assert flow["retransmissions"] == real["dropped"] == 0
    assert flow["packets_sent"] == expected["packets_sent"] == ours["sent"]
    assert real["sent"] == ours["sent"]
    # A SYN has no options in the simulator.
    assert real["sent_bytes"] - ours["sent_bytes"] == 12


def test_what_was_sent_was_delivered_dropped_or_is_in_the_network() -> None:
    live = run_flows(scenario("cubic", count=2, stagger="200ms"))
    run, link = live.results.runs.row(0), live.results.links.row(0)
    assert run["packets_sent"] == run["packets_delivered"] + run["packets_dropped"] + run["packets_inside"]
    # All of it came from the senders, but for what the kernels say on their own.
    sent = sum(live.results.flows["packets_sent"].tolist())
    assert sent <= link["arrived"] + live.fidelity["uplink"]["lost_before"] <= sent + 10
    assert link["dropped"] > 0
    assert run["flows_started"] == 2


def test_series_of_both_ends_lie_over_those_of_the_simulation() -> None:
    assert differences(series_apart) == []


def series_apart() -> list[str]:
    """What of the series of a run on real packets is far from the simulated one."""
    found = valid_run(
        lambda: compare(scenario("newreno"), "newreno", endpoints="user"), lambda found: found.real.valid
    )
    assert found.simulated is not None
    assert found.endpoints == "user"
    real, ours = found.real.flows[0], found.simulated.flows[0]
    assert real.window[1][0] == ours.window[1][0] == 10
    assert real.first_cut is not None
    assert ours.first_cut is not None
    grown = [line.window[0][np.argmax(line.window[1] > 10)] for line in (real, ours)]
    pairs_of = {
        # The first window, and when it grew: a millisecond is a sample, and a program may be late by another.
        "growth": (*grown, 5e-3),
        "first cut": (real.first_cut[1], ours.first_cut[1], 1),
        "first drop": (found.real.first_drop, found.simulated.first_drop, 20e-3),
        "delivered": (real.delivered[1][-1], ours.delivered[1][-1], 0.05 * ours.delivered[1][-1]),
        "rtt": (found.real.rtt, found.simulated.rtt, 0.1 * found.simulated.rtt),
    }
    return [
        f"{name}: {is_real}, simulated {simulated}"
        for name, (is_real, simulated, most) in pairs_of.items()
        if not abs(is_real - simulated) <= most
    ]


def test_pairs_with_different_round_trip_times_are_refused() -> None:
    unequal = pairs("20ms", "80ms")
    with pytest.raises(DumbbellError, match="take the path of one pair, and the pairs of the scenario have"):
        compare(unequal, "cubic", endpoints="user")


def test_the_grid_has_the_end_points_of_the_kernel(cli: Cli) -> None:
    done = cli("compare-real", "--grid", "--endpoints", "user")
    assert done.returncode == 2
    assert "--endpoints: goes with FILE" in done.stderr


def test_queues_tell_the_flows_of_one_socket_apart() -> None:
    fair = {"kind": "fq-codel"}
    alike = run_flows(scenario("cubic", fair, count=4))
    rates = alike.results.flows["goodput"]
    assert sum(rates) ** 2 / (4 * sum(rates**2)) > 0.9


def test_logs_of_both_ends_replay_in_the_simulator(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "flows.toml").write_text(scenario("bbr3", size="300kB", count=2).to_toml())
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
        [*python, "send", "--transport", "tcp", "--to", f"127.0.0.1:{port}", "-o", "sent"], **folder
    )
    time.sleep(3)
    for end in (sender, receiver):
        end.send_signal(signal.SIGINT)
        assert end.wait(20) == 0
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
    values = scenario("cubic").to_dict()
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
