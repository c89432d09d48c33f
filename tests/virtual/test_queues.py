"""Queues and markers of the simulator on real packets, in virtual time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import dumbbell as db
from dumbbell.live import Emulation, run_shell, scenario_of_link

pytestmark = pytest.mark.within

LINK = {"cbr": "10Mbit/s", "delay": "5ms"}
SERVE = """
import select, socket
door, poll, ends = socket.create_server(("", 5001)), select.epoll(), {}
poll.register(door, select.EPOLLIN)
while True:
    for number, _ in poll.poll():
        if number == door.fileno():
            end, _ = door.accept()
            ends[end.fileno()] = end
            poll.register(end, select.EPOLLIN)
        elif not ends[number].recv(1 << 20):
            poll.unregister(number)
            ends.pop(number).close()
"""
SEND = """
import os, select, socket, sys, time
ends = [socket.create_connection((os.environ["DUMBBELL_SERVER"], 5001)) for _ in range(4)]
for end in ends:
    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")
    end.setblocking(False)
stops = time.monotonic() + float(sys.argv[1])
while (left := stops - time.monotonic()) > 0:
    for end in select.select([], ends, [], left)[1]:
        end.send(bytes(1 << 16))
"""


def four_flows(scenario: db.Scenario, seconds: float, folder: Path) -> Emulation:
    """Run four flows with ECN. Streams of iperf3 would spin, which takes long in virtual time."""
    for name, text in (("serve.py", SERVE), ("send.py", SEND)):
        (folder / name).write_text(text)
    ecn = "echo 1 > /proc/sys/net/ipv4/tcp_ecn"
    command = ["sh", "-c", f"{ecn}; exec {sys.executable} {folder / 'send.py'} {seconds}"]
    server = f"exec {sys.executable} {folder / 'serve.py'}"
    emulation = run_shell(scenario, command, server=server, network_administration=True)
    assert emulation.status == 0
    return emulation


def test_red_marks_ecn_capable_packets(tmp_path: Path) -> None:
    # The first windows of four flows stay below the average that forces drops.
    red = {
        "kind": "red", "min_threshold": "10pkt", "max_threshold": "100pkt", "limit": "500pkt",
        "weight": 0.02, "max_probability": 0.2, "gentle": True,
    }  # fmt: skip
    scenario = scenario_of_link({**LINK, "queue": red})
    up = four_flows(scenario, 3, tmp_path).results.links.row(0)
    assert up["marked"] > 10
    assert up["queue_average"] > 10
    # What cannot be marked, retransmissions and handshakes, may be dropped.
    assert up["dropped"] < up["marked"] / 5


@pytest.mark.iperf3
def test_rio_drops_what_a_token_bucket_does_not_protect() -> None:
    marker = "topology.link.marker={ kind = 'token-bucket', rate = '4Mbit/s', burst = '10kB' }"
    scenario = scenario_of_link({**LINK, "queue": "rio"}, [marker])
    # Datagrams of twice the rate of the link; with headers, 1228 bytes each.
    command = ["iperf3", "-c", "100.64.0.1", "-u", "-b", "20M", "-l", "1200", "-t", "2"]
    emulation = run_shell(scenario, command, server="exec iperf3 -s -1 >/dev/null 2>&1")
    assert emulation.status == 0
    classes = [emulation.results.classes.row(i) for i in range(2)]
    assert [row["class"] for row in classes] == [0, 1]
    protected, others = classes
    # 4 Mbit/s for two seconds and the burst; the handshake of iperf3 has a few packets more.
    sent = 20e6 * 2 / 8 / 1200
    expected = (4e6 * 2 / 8 + 10e3) / 1228
    assert protected["arrived"] + others["arrived"] == pytest.approx(sent, rel=0.02)
    assert protected["arrived"] == pytest.approx(expected, rel=0.03)
    assert protected["dropped"] == 0
    # The link passes 10 Mbit/s, and the queue is full in the end.
    passed = 10e6 * 2 / 8 / 1228
    assert others["dropped"] == pytest.approx(sent - passed, rel=0.1)


# Those that tell classes apart, and would find all packets in class 0.
NEED_CLASSES = {"rio": ["flows[0].class=1"], "wred": ["flows[0].class=1"]}


@pytest.mark.parametrize("kind", [member["name"] for member in db.registry()["families"]["queue"]])
def test_every_queue_carries_real_packets(kind: str, tmp_path: Path) -> None:
    queue = f"topology.link.queue={{ kind = '{kind}' }}"
    scenario = scenario_of_link(LINK, [queue, *NEED_CLASSES.get(kind, [])])
    emulation = four_flows(scenario, 1, tmp_path)
    up, down = emulation.results.links.row(0), emulation.results.links.row(1)
    # Data of a second at 10 Mbit/s, or at half of the 1 Mbit/s that shapers and policers have by default. At
    # least every second packet is acknowledged.
    assert up["sent"] > 40
    assert down["sent"] > 0.4 * up["sent"]
    assert up["sent"] + up["dropped"] <= up["arrived"]
    run = emulation.results.runs.row(0)
    assert run["packets_sent"] == run["packets_delivered"] + run["packets_dropped"] + run["packets_inside"]
