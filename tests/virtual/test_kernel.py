"""The kernel's TCP through a link: throughput, marks, starts, and agreement with our controllers."""

from __future__ import annotations

import pytest

import dumbbell as db
from dumbbell.errors import DumbbellError
from dumbbell.live import Arm, compare, run_shell, scenario_of_link
from dumbbell.live.compare import prepared, simulated_arms
from dumbbell.live.criteria import OUTSIDE, judged
from dumbbell.live.kernel import Flow, run_kernel
from real import pairs, path

pytestmark = pytest.mark.within

TICK = 0.004
"""Timers of the kernel end on one (s)."""

SERVER = "exec iperf3 -s -1 >/dev/null 2>&1"


@pytest.mark.iperf3
def test_kernel_tcp_fills_a_link() -> None:
    scenario = scenario_of_link(
        {"cbr": "48Mbit/s", "delay": "5ms", "queue": {"kind": "droptail", "limit": "100pkt"}}
    )
    command = ["iperf3", "-c", "100.64.0.1", "-t", "3", "-J"]
    emulation = run_shell(scenario, command, server=SERVER)
    assert (emulation.status, emulation.fidelity["reasons"]) == (0, [])
    up = emulation.fidelity["uplink"]
    # In three seconds of packets of 0.25 ms, some may be on their way at either end.
    assert up["busy_rate_achieved"] == pytest.approx(48e6, rel=1e-3)
    assert up["lost_before"] == 0


@pytest.mark.iperf3
def test_codel_marks_ecn_capable_packets() -> None:
    scenario = scenario_of_link({"cbr": "10Mbit/s", "delay": "5ms", "queue": "codel"})
    command = ["sh", "-c", "echo 1 > /proc/sys/net/ipv4/tcp_ecn; exec iperf3 -c 100.64.0.1 -t 3 -C reno"]
    emulation = run_shell(scenario, command, server=SERVER, network_administration=True)
    up = emulation.results.links.row(0)
    assert emulation.status == 0
    assert up["marked"] > 0
    assert up["dropped"] == 0, "what can be marked is not dropped"


def kernel_run(scenario: db.Scenario, controller: str = "cubic") -> Arm:
    """A run of the kernel."""
    real = compare(scenario, controller).real
    assert real.valid, real.reasons
    return real


def far_from_the_start(
    scenario: db.Scenario,
    profile: str,
    kernel: Arm,
    controller: str = "cubic",
    link: str = "node0->node1",
) -> list[str]:
    """What of ours differs by more than the bounds, and by more than runs differ among themselves."""
    runs = 10 if len(kernel.flows) > 1 else 1
    ours = simulated_arms(prepared(scenario, controller, profile), link, runs)
    found = judged([arm.summary() for arm in ours], [kernel.summary()])
    return [
        f"{each.title}: {each.ours}, kernel {each.kernel}"
        for each in found
        if each.verdict and each.verdict.word == OUTSIDE
    ]


@pytest.mark.parametrize(
    ("scenario", "flows"),
    [
        (path("12Mbit/s", "20ms", "2s", size="1MB"), 1),
        (path("50Mbit/s", "25ms", "2500ms", count=2, stagger="1s"), 2),
    ],
)
def test_flows_do_what_the_kernels_do_from_the_first_packet(scenario: db.Scenario, flows: int) -> None:
    kernel = kernel_run(scenario)
    assert len(kernel.flows) == flows
    assert far_from_the_start(scenario, "linux", kernel) == []
    # The bounds tell two TCPs apart: that of the RFCs has no HyStart, its slow start overflows the queue.
    assert len(far_from_the_start(scenario, "rfc", kernel)) >= 3


def test_the_first_window_finds_the_same_queue_as_the_kernel() -> None:
    # Ten segments, a queue of nine and one in transmission: all fit if the handshake's packet has left. Its
    # transmission takes 42 us, and the application writes 1 us after it: the last segment is dropped.
    scenario = path("10Mbit/s", "5ms", "500ms", size="100kB")
    assert far_from_the_start(scenario, "linux", kernel_run(scenario)) == []


def test_kernel_flows_start_and_end_as_in_the_scenario() -> None:
    scenario = path("20Mbit/s", "5ms", "1s", count=2, stagger="300ms", size="100kB")
    found = compare(scenario, "newreno")
    assert found.simulated is not None
    assert [flow.start for flow in found.real.flows] == pytest.approx([0, 0.3], abs=1e-4)
    for flow, ours in zip(found.real.flows, found.simulated.flows, strict=True):
        assert flow.delivered[1][-1] == flow.size == 100e3
        assert flow.completion_time == pytest.approx(ours.completion_time, abs=TICK)
        assert flow.goodput == pytest.approx(8e5 / flow.completion_time)


def test_kernel_connections_have_the_rtt_of_their_pair() -> None:
    scenario = pairs("20ms", "80ms")
    run = run_kernel(scenario, [Flow(0.0, 1e4, 0), Flow(0.5, 1e4, 1), Flow(1.0, 1e4, 1)], "cubic")
    # The first value is that of the handshake: two packets of 60 bytes at 50 Mbit/s.
    handshakes = [connection.rtt[1][0] for connection in run.connections]
    exact = [round_trip + 2 * 60 * 8 / 50e6 for round_trip in (0.020, 0.080, 0.080)]
    assert handshakes == pytest.approx(exact, abs=5e-6)


@pytest.mark.parametrize("controller", ["cubic", "newreno"])
def test_flows_with_unequal_round_trips_do_what_the_kernels_do(controller: str) -> None:
    scenario, equal = pairs("20ms", "80ms", stagger="500ms"), pairs("20ms", "20ms", stagger="500ms")
    kernel = kernel_run(scenario, controller)
    assert far_from_the_start(scenario, "linux", kernel, controller, "left->right") == []
    # The bounds tell paths apart: the flow with the short path has far more than with equal ones.
    far = far_from_the_start(equal, "linux", kernel, controller, "left->right")
    assert any("share" in each for each in far)


def test_a_controller_that_the_kernel_refuses_is_one_line() -> None:
    scenario = path("20Mbit/s", "5ms", "1s")
    with pytest.raises(DumbbellError, match=r"refuses 'vegas-of-nobody' in a new namespace .*modprobe"):
        run_kernel(scenario, [Flow(0.0, 1e4)], "vegas-of-nobody")
