"""Queues and markers of the simulator on real packets."""

from __future__ import annotations

import pytest

import dumbbell as db
from dumbbell.errors import DumbbellError
from dumbbell.live import run_shell, scenario_of_link

SERVER = "exec iperf3 -s -1 >/dev/null 2>&1"
LINK = {"cbr": "10Mbit/s", "delay": "5ms"}
SEND = ["sh", "-c", "echo 1 > /proc/sys/net/ipv4/tcp_ecn; exec iperf3 -c 100.64.0.1 -t 3 -P 4 -C reno"]


@pytest.mark.iperf3
def test_red_marks_ecn_capable_packets() -> None:
    # The first windows of four flows stay below the average that forces drops.
    red = {
        "kind": "red", "min_threshold": "10pkt", "max_threshold": "100pkt", "limit": "500pkt",
        "weight": 0.02, "max_probability": 0.2, "gentle": True,
    }  # fmt: skip
    scenario = scenario_of_link({**LINK, "queue": red})
    emulation = run_shell(scenario, SEND, server=SERVER, network_administration=True)
    assert emulation.status == 0
    up = emulation.results.links.row(0)
    assert up["marked"] > 10
    assert up["queue_average"] > 10
    # What cannot be marked, retransmissions and handshakes, may be dropped.
    assert up["dropped"] < up["marked"] / 5


@pytest.mark.iperf3
def test_rio_drops_what_a_token_bucket_does_not_protect() -> None:
    marker = "topology.link.marker={ kind = 'token-bucket', rate = '4Mbit/s', burst = '10kB' }"
    scenario = scenario_of_link({**LINK, "queue": "rio"}, [marker])
    # Datagrams of twice the rate of the link.
    command = ["iperf3", "-c", "100.64.0.1", "-u", "-b", "20M", "-l", "1200", "-t", "2"]
    emulation = run_shell(scenario, command, server=SERVER)
    assert emulation.status == 0
    classes = [emulation.results.classes.row(i) for i in range(2)]
    assert [row["class"] for row in classes] == [0, 1]
    protected, others = classes
    # 4 of 20 Mbit/s, and of the rest 10 find no room.
    assert protected["arrived"] / (protected["arrived"] + others["arrived"]) == pytest.approx(0.2, abs=0.04)
    assert protected["dropped"] == 0
    assert others["dropped"] > 0.3 * others["arrived"]


def test_a_marker_that_goes_by_headers_of_simulated_packets_is_refused() -> None:
    marker = "topology.link.marker={ kind = 'head-tail', block = '64kB' }"
    scenario = scenario_of_link({**LINK, "queue": "rio"}, [marker])
    with pytest.raises(
        DumbbellError, match="goes by the TCP header of simulated packets, which real ones"
    ) as e:
        run_shell(scenario, ["true"])
    assert "\n" not in str(e.value)


# Those that tell classes apart, and would find all packets in class 0.
NEED_CLASSES = {"rio": ["flows[0].class=1"], "wred": ["flows[0].class=1"]}


@pytest.mark.iperf3
@pytest.mark.parametrize("kind", [member["name"] for member in db.registry()["families"]["queue"]])
def test_every_queue_carries_real_packets(kind: str) -> None:
    queue = f"topology.link.queue={{ kind = '{kind}' }}"
    scenario = scenario_of_link(LINK, [queue, *NEED_CLASSES.get(kind, [])])
    command = ["sh", "-c", SEND[-1].replace("-t 3", "-t 1")]
    emulation = run_shell(scenario, command, server=SERVER, network_administration=True)
    assert emulation.status == 0
    up, down = emulation.results.links.row(0), emulation.results.links.row(1)
    # Data and acknowledgements of a second at 10 Mbit/s, or at the default 1 Mbit/s of a shaper.
    assert up["sent"] > 60
    assert down["sent"] > 30
    assert up["sent"] + up["dropped"] <= up["arrived"]
    run = emulation.results.runs.row(0)
    assert run["packets_sent"] == run["packets_delivered"] + run["packets_dropped"] + run["packets_inside"]
