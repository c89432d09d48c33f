"""The kernel's TCP through a link: throughput, marks, and agreement with our controllers."""

from __future__ import annotations

import json

import pytest

from dumbbell.live import compare, run_shell, scenario_of_link

pytestmark = pytest.mark.iperf3

SERVER = "exec iperf3 -s -1 >/dev/null 2>&1"


def test_kernel_tcp_fills_a_link() -> None:
    scenario = scenario_of_link(
        {"cbr": "48Mbit/s", "delay": "5ms", "queue": {"kind": "droptail", "limit": "100pkt"}}
    )
    emulation = run_shell(scenario, ["iperf3", "-c", "100.64.0.1", "-t", "3", "-J"], server=SERVER)
    assert emulation.status == 0
    up = emulation.fidelity["uplink"]
    assert up["busy_rate_achieved"] >= 0.97 * 48e6
    assert up["lost_before"] == 0


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
    found = compare(scenario, "cubic")
    assert found.kernel.goodput == pytest.approx(found.simulated.goodput, rel=0.05), json.dumps(str(found))
