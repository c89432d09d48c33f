"""The kernel's TCP through a link: throughput, marks, and agreement with our controllers."""

from __future__ import annotations

from pathlib import Path

import pytest

from dumbbell.live import compare, run_shell, scenario_of_link

from .conftest import valid_run

pytestmark = pytest.mark.iperf3

SERVER = "exec iperf3 -s -1 >/dev/null 2>&1"


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


def test_codel_marks_ecn_capable_packets() -> None:
    scenario = scenario_of_link({"cbr": "10Mbit/s", "delay": "5ms", "queue": "codel"})
    command = ["sh", "-c", "echo 1 > /proc/sys/net/ipv4/tcp_ecn; exec iperf3 -c 100.64.0.1 -t 3 -C reno"]
    emulation = run_shell(scenario, command, server=SERVER, network_administration=True)
    up = emulation.results.links.row(0)
    assert emulation.status == 0
    assert up["marked"] > 0
    assert up["dropped"] == 0, "what can be marked is not dropped"


def test_our_cubic_is_close_to_the_kernels() -> None:
    scenario = scenario_of_link(
        {"cbr": "20Mbit/s", "delay": "10ms", "queue": {"kind": "droptail", "limit": "1bdp"}},
        ["duration=8s", "warmup=2s"],
    )
    found = valid_run(lambda: compare(scenario, "cubic"), lambda found: found.kernel.valid)
    assert found.simulated is not None
    assert found.kernel.goodput == pytest.approx(found.simulated.goodput, rel=0.03)
    assert found.kernel.queueing_delay == pytest.approx(found.simulated.queueing_delay, rel=0.15)


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
