"""Queues and markers of the simulator on real packets: one that passes them, and what is refused."""

from __future__ import annotations

import pytest

from dumbbell.errors import DumbbellError
from dumbbell.live import run_shell, scenario_of_link

SERVER = "exec iperf3 -s -1 >/dev/null 2>&1"
LINK = {"cbr": "10Mbit/s", "delay": "5ms"}


@pytest.mark.iperf3
def test_a_queue_carries_real_packets() -> None:
    scenario = scenario_of_link({**LINK, "queue": "fq-codel"})
    command = ["iperf3", "-c", "100.64.0.1", "-n", "100K"]
    emulation = run_shell(scenario, command, server=SERVER)
    assert emulation.status == 0
    up, run = emulation.results.links.row(0), emulation.results.runs.row(0)
    # The first window; the server of iperf3 does not wait for the last bytes.
    assert up["sent"] >= 10
    assert up["sent"] + up["dropped"] <= up["arrived"]
    assert run["packets_sent"] == run["packets_delivered"] + run["packets_dropped"] + run["packets_inside"]


def test_a_marker_by_simulated_headers_is_refused() -> None:
    marker = "topology.link.marker={ kind = 'head-tail', block = '64kB' }"
    scenario = scenario_of_link({**LINK, "queue": "rio"}, [marker])
    with pytest.raises(
        DumbbellError, match="goes by the TCP header of simulated packets, which real ones"
    ) as e:
        run_shell(scenario, ["true"])
    assert "\n" not in str(e.value)
