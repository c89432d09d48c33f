"""The kernel's TCP through a link: throughput, marks, and agreement with our controllers."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import dumbbell as db
from dumbbell.errors import DumbbellError
from dumbbell.live import Arm, Comparison, compare, run_shell, scenario_of_link
from dumbbell.live.kernel import Flow, run_kernel

from .conftest import valid_run

SERVER = "exec iperf3 -s -1 >/dev/null 2>&1"


@pytest.mark.iperf3
def test_kernel_tcp_fills_a_link() -> None:
    scenario = scenario_of_link(
        {"cbr": "48Mbit/s", "delay": "5ms", "queue": {"kind": "droptail", "limit": "100pkt"}}
    )
    command = ["iperf3", "-c", "100.64.0.1", "-t", "3", "-J"]
    emulation = valid_run(
        lambda: run_shell(scenario, command, server=SERVER), lambda emulation: emulation.fidelity["valid"]
    )
    assert emulation.status == 0
    up = emulation.fidelity["uplink"]
    assert up["busy_rate_achieved"] >= 0.97 * 48e6
    assert up["lost_before"] <= 1e-4 * emulation.results.links.row(0)["arrived"]


@pytest.mark.iperf3
def test_codel_marks_ecn_capable_packets() -> None:
    scenario = scenario_of_link({"cbr": "10Mbit/s", "delay": "5ms", "queue": "codel"})
    command = ["sh", "-c", "echo 1 > /proc/sys/net/ipv4/tcp_ecn; exec iperf3 -c 100.64.0.1 -t 3 -C reno"]
    emulation = run_shell(scenario, command, server=SERVER, network_administration=True)
    up = emulation.results.links.row(0)
    assert emulation.status == 0
    assert up["marked"] > 0
    assert up["dropped"] == 0, "what can be marked is not dropped"


def path(rate: str, delay: str, duration: str, **flow: object) -> db.Scenario:
    """Flows over a link with a buffer of one bandwidth-delay product."""
    link = {"rate": rate, "delay": delay, "queue": {"kind": "droptail", "limit": "1bdp"}}
    flows = [{"from": "node0", "to": "node1", **flow}]
    return db.Scenario.from_dict(
        {"duration": duration, "topology": {"kind": "chain", "link": link}, "flows": flows}
    )


def compared(scenario: db.Scenario, profile: str = "linux") -> tuple[Arm, list[Arm]]:
    """Ours, and three runs of the kernel: a pause of the machine during slow start changes what it does."""

    def run() -> Comparison:
        return compare(scenario, "cubic", profile=profile)

    found = [valid_run(run, lambda found: found.kernel.valid) for _ in range(3)]
    assert found[0].simulated is not None
    return found[0].simulated, [each.kernel for each in found]


def median(arms: list[Arm], of: Callable[[Arm], float | None]) -> float:
    return float(np.median([math.nan if (value := of(arm)) is None else value for arm in arms]))


def first_cut(arm: Arm) -> float | None:
    cut = arm.flows[0].first_cut
    return cut and cut[1]


def close_from_the_start(ours: Arm, kernel: list[Arm]) -> list[str]:
    """What differs by more than the bounds: windows and times by a tenth, losses by 30 % or ten packets."""
    bounds: list[tuple[str, Callable[[Arm], float | None], float, float]] = [
        ("goodput", lambda arm: arm.goodput, 0.05, 0),
        ("first drop", lambda arm: arm.first_drop, 0.10, 0),
        ("first cut", first_cut, 0.10, 0),
        ("drops", lambda arm: len(arm.drops), 0.30, 10),
        ("retransmissions", lambda arm: arm.retransmissions, 0.30, 10),
        ("timeouts", lambda arm: arm.timeouts, 0, 0),
    ]
    return [
        f"{name}: {of(ours)}, kernel {median(kernel, of)}"
        for name, of, relative, absolute in bounds
        if of(ours) != pytest.approx(median(kernel, of), rel=relative, abs=absolute, nan_ok=False)
    ]


def test_one_flow_does_what_the_kernels_does_from_its_first_packet() -> None:
    scenario = path("12Mbit/s", "20ms", "2s", size="1MB")
    ours, kernel = compared(scenario)
    assert close_from_the_start(ours, kernel) == []
    assert ours.completion_time == pytest.approx(median(kernel, lambda arm: arm.completion_time), rel=0.05)
    # The bounds tell two TCPs apart: without HyStart the first window overflows the queue.
    other, _ = compared(scenario, "rfc")
    assert len(close_from_the_start(other, kernel)) >= 3


def test_the_first_window_finds_the_queue_as_empty_as_the_kernels_does() -> None:
    # Ten segments, a queue of nine and one in transmission: all fit if the handshake's packet has left. Its
    # transmission takes 42 us, and the application writes 80 us after it.
    ours, kernel = compared(path("10Mbit/s", "5ms", "500ms", size="100kB"))
    assert close_from_the_start(ours, kernel) == []


@pytest.mark.parametrize(("count", "stagger"), [(2, "1s"), (4, "500ms")])
def test_flows_that_start_one_after_the_other_do_what_the_kernels_do(count: int, stagger: str) -> None:
    ours, kernel = compared(path("50Mbit/s", "25ms", "2500ms", count=count, stagger=stagger))
    assert len(ours.flows) == len(kernel[0].flows) == count
    assert close_from_the_start(ours, kernel) == []
    share = median(kernel, lambda arm: arm.flows[0].goodput / arm.goodput)
    assert ours.flows[0].goodput / ours.goodput == pytest.approx(share, rel=0.10)


def test_the_kernels_flows_have_the_starts_and_sizes_of_the_scenario() -> None:
    scenario = path("20Mbit/s", "5ms", "1s", count=2, stagger="300ms", size="100kB")
    found = compare(scenario, "newreno").kernel
    assert [flow.start for flow in found.flows] == pytest.approx([0, 0.3], abs=0.05)
    for flow in found.flows:
        assert flow.delivered[1][-1] == flow.size == 100e3
        assert flow.completion_time is not None
        assert 0.04 < flow.completion_time < 0.5
        assert flow.goodput == pytest.approx(8e5 / flow.completion_time)


def test_a_controller_that_the_kernel_refuses_is_one_line() -> None:
    scenario = path("20Mbit/s", "5ms", "1s")
    with pytest.raises(DumbbellError, match=r"refuses 'vegas-of-nobody' in a new namespace .*modprobe"):
        run_kernel(scenario, [Flow(0.0, 1e4)], "vegas-of-nobody")


def test_a_controller_of_the_kernel_alone_runs_alone() -> None:
    if "bbr" not in Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text():
        pytest.skip("the kernel has no bbr")
    scenario = scenario_of_link(
        {"cbr": "20Mbit/s", "delay": "10ms", "queue": {"kind": "droptail", "limit": "1bdp"}},
        ["duration=3s", "warmup=1s"],
    )
    found = compare(scenario, "bbr")
    assert found.simulated is None
    assert 10e6 < found.kernel.goodput < 20e6
