"""TCP over UDP in virtual time: our end points on real packets, under any controller, and ours simulated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dumbbell as db
from dumbbell.live import LiveRun, compare, run_flows
from real import DROPTAIL, one_pair

pytestmark = pytest.mark.within

PACKET = 1.2e-3
"""What a packet of 1500 bytes takes on the link (s)."""


def both(described: db.Scenario) -> tuple[LiveRun, dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The run on real packets, the simulated flow, and what the link counted in both."""
    live, simulated = run_flows(described), described.run()
    assert live.fidelity["valid"], live.fidelity["reasons"]
    link = simulated.links["link"].tolist().index(live.results.links["link"][0])
    return live, simulated.flows.row(0), live.results.links.row(0), simulated.links.row(link)


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
def test_a_controller_does_on_real_packets_what_it_does_in_ours(
    controller: str, queue: dict[str, Any]
) -> None:
    live, expected, real, ours = both(one_pair(controller, queue))
    flow = live.results.flows.row(0)
    assert (flow["transport"], flow["controller"]) == ("tcp", controller)
    assert flow["goodput"] == pytest.approx(expected["goodput"], rel=0.01)
    assert real["sojourn_mean"] == pytest.approx(ours["sojourn_mean"], abs=PACKET)
    assert (real["marked"] > 0) == (ours["marked"] > 0)
    assert sum(live.counts["sender"].values()) + sum(live.counts["receiver"].values()) == 0


def test_packets_are_as_many_and_as_long_as_the_simulated_ones() -> None:
    live, expected, real, ours = both(one_pair("newreno", size="100kB"))
    flow = live.results.flows.row(0)
    assert flow["delivered"] == expected["delivered"] == 100e3
    assert flow["retransmissions"] == real["dropped"] == 0
    assert flow["packets_sent"] == expected["packets_sent"] == ours["sent"]
    assert real["sent"] == ours["sent"]
    # A SYN has no options in the simulator.
    assert real["sent_bytes"] - ours["sent_bytes"] == 12


def test_sent_packets_are_delivered_dropped_or_in_the_network() -> None:
    live = run_flows(one_pair("cubic", count=2, stagger="200ms"))
    run, link = live.results.runs.row(0), live.results.links.row(0)
    assert run["packets_sent"] == run["packets_delivered"] + run["packets_dropped"] + run["packets_inside"]
    # All of it came from the senders, but for what the kernels say on their own.
    sent = sum(live.results.flows["packets_sent"].tolist())
    assert sent <= link["arrived"] + live.fidelity["uplink"]["lost_before"] <= sent + 10
    assert link["dropped"] > 0
    assert run["flows_started"] == 2


def test_series_of_both_ends_lie_over_those_of_the_simulation() -> None:
    found = compare(one_pair("newreno"), "newreno", endpoints="user")
    assert found.simulated is not None
    assert (found.endpoints, found.real.reasons) == ("user", ())
    real, ours = found.real.flows[0], found.simulated.flows[0]
    assert real.window[1][0] == ours.window[1][0] == 10
    assert real.first_cut is not None
    assert ours.first_cut is not None
    # The first window, and when it grew: a millisecond is a sample, on both sides.
    grown = [line.window[0][np.argmax(line.window[1] > 10)] for line in (real, ours)]
    assert grown[0] == pytest.approx(grown[1], abs=2e-3)
    assert real.first_cut[1] == ours.first_cut[1]
    assert found.real.first_drop == pytest.approx(found.simulated.first_drop, abs=PACKET)
    assert real.delivered[1][-1] == pytest.approx(ours.delivered[1][-1], rel=0.01)
    assert found.real.rtt == pytest.approx(found.simulated.rtt, rel=0.02)


def test_queues_tell_the_flows_of_one_socket_apart() -> None:
    live = run_flows(one_pair("cubic", {"kind": "fq-codel"}, count=4))
    rates = live.results.flows["goodput"]
    assert sum(rates) ** 2 / (4 * sum(rates**2)) > 0.99
