"""Shells in virtual time: what packets meet on the link, and when."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from conftest import Cli
from dumbbell.live import endpoints, run_shell, scenario_of_link

pytestmark = pytest.mark.within

PYTHON = sys.executable

COARSE = 6
"""The number of `CLOCK_MONOTONIC_COARSE`: the time of the last tick."""


@pytest.mark.parametrize("queue", ["pie", "dualpi2"])
def test_laws_of_queues_move_at_the_same_times_of_a_flow(queue: str) -> None:
    # Both clocks, that of the law and that of the programs, begin at a multiple of the law's interval.
    scenario = scenario_of_link({"cbr": "12Mbit/s", "queue": queue})
    table = scenario.to_dict()["topology"]["link"]["queue"]
    interval = {"15ms": 15_000_000, "16ms": 16_000_000}[table["interval"]]
    started = run_shell(scenario, [PYTHON, "-c", ""]).fidelity["started"]
    assert round(started * 1e9) % interval == 0
    assert round(endpoints.PERIOD * 1e9) % interval == round(endpoints.FIRST * 1e9) % interval == 0


def test_timers_end_on_the_same_ticks_whenever_a_flow_begins(tmp_path: Path) -> None:
    # The first SYN of each connection is lost, and sent again after 250 ticks: at the next multiple of 8.
    drops = {"drop_list": [0, 2], "queue": "droptail"}
    scenario = scenario_of_link({"cbr": "12Mbit/s", "delay": "5ms", **drops})
    client = (
        "import socket, time\n"
        "from dumbbell.live.endpoints import beginning\n"
        "for _ in range(2):\n"
        "    begin = beginning(time.monotonic())\n"
        "    time.sleep(begin - time.monotonic())\n"
        "    end = socket.socket()\n"
        "    try:\n"
        "        end.connect(('100.64.0.1', 9))\n"
        "    except ConnectionRefusedError:\n"
        "        print(f'{time.monotonic() - begin:.3f}', flush=True, file=times)\n"
    )
    client = f"times = open({str(tmp_path / 'times')!r}, 'w')\n" + client
    assert run_shell(scenario, [PYTHON, "-c", client]).status == 0
    assert (tmp_path / "times").read_text().split() == ["1.034", "1.034"]


def test_counters_add_up_and_losses_are_the_links() -> None:
    scenario = scenario_of_link({"cbr": "12Mbit/s", "delay": "5ms", "loss": 1.0, "queue": "droptail"})
    send = "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
    send += "for _ in range(50): s.sendto(bytes(100), ('100.64.0.1', 9))\nimport time; time.sleep(0.3)"
    emulation = run_shell(scenario, [PYTHON, "-c", send])
    up, run = emulation.results.links.row(0), emulation.results.runs.row(0)
    assert emulation.status == 0
    assert up["dropped_random"] >= 50
    assert up["sent_bytes"] >= 50 * 128
    assert run["total_sent"] == run["total_delivered"] + run["total_dropped"] + run["packets_inside"]


def test_impairments_befall_real_packets(tmp_path: Path) -> None:
    impairments = [
        {"kind": "reordering", "probability": 0.2, "packets": 2},
        {"kind": "duplication", "probability": 0.3},
    ]
    scenario = scenario_of_link({"cbr": "12Mbit/s", "delay": "20ms", "impairments": impairments})
    receive = "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
    receive += "s.bind(('', 9999)); s.settimeout(2); numbers = []\n"
    receive += "try:\n  while True: numbers.append(int.from_bytes(s.recv(99), 'big'))\n"
    receive += "except TimeoutError: pass\n"
    receive += f"open({str(tmp_path / 'numbers')!r}, 'w').write(repr(numbers))"
    send = "import socket, time; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
    send += "for i in range(300): s.sendto(i.to_bytes(2, 'big'), ('100.64.0.1', 9999)); time.sleep(0.002)\n"
    send += "time.sleep(3)"
    (tmp_path / "receive.py").write_text(receive)
    log = tmp_path / "up.log"
    server = f"{PYTHON} {tmp_path / 'receive.py'}"
    emulation = run_shell(scenario, [PYTHON, "-c", send], server=server, uplink_log=log)
    up, run = emulation.results.links.row(0), emulation.results.runs.row(0)
    numbers = json.loads((tmp_path / "numbers").read_text())
    assert sorted(set(numbers)) == list(range(300))
    # Binomial(300, 0.3): standard deviation 8.
    assert 50 <= len(numbers) - 300 <= 130
    assert len(numbers) - 300 <= up["duplicated"]
    late = sum(number < max(numbers[:i]) for i, number in enumerate(numbers) if i)
    assert 20 <= late <= up["reordered"]
    out = run["total_delivered"] + run["total_dropped"] + run["packets_inside"]
    assert run["total_sent"] + run["total_duplicated"] == out
    # The log has each departure from the transmitter, in order of time and not before the arrival.
    events = [line.split() for line in log.read_text().splitlines() if not line.startswith("#")]
    times = [int(event[0]) for event in events]
    assert times == sorted(times)
    assert all(int(event[3]) <= 10 for event in events if event[1] == "-")


def test_a_flood_fills_the_queue_and_no_more() -> None:
    scenario = scenario_of_link(
        {"cbr": "12Mbit/s", "delay": "1ms", "queue": {"kind": "droptail", "limit": "20pkt"}}
    )
    # All at one time: a packet takes 0.9 ms.
    flood = "import socket, time; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); time.sleep(0.1)\n"
    flood += "for _ in range(500): s.sendto(bytes(1372), ('100.64.0.1', 9))\ntime.sleep(0.1)"
    up = run_shell(scenario, [PYTHON, "-c", flood]).results.links.row(0)
    # The queue, and the packet in transmission.
    assert up["dropped_overflow"] == 500 - 21
    assert up["queue_max"] <= 21


def test_a_tick_within_a_wait_is_no_wait_of_a_tick() -> None:
    # The clock moves by microseconds with each look of the busy process, so the other one wakes just before
    # a tick and runs just after it. The scheduler counts in ticks.
    client = "import os, socket, time\nif os.fork() == 0:\n"
    client += "  os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))\n"
    client += "  while True: time.monotonic()\n"
    client += "out = socket.socket(type=socket.SOCK_DGRAM); late = []\nfor _ in range(12):\n"
    client += f"  due = time.clock_gettime({COARSE}) + 0.008 - 2e-6; time.sleep(due - time.monotonic())\n"
    client += "  late.append(time.monotonic() - due); out.sendto(b'x', ('100.64.0.1', 9))\n"
    client += "assert max(late) < 1e-4, late"
    found = run_shell(scenario_of_link({"cbr": "10Mbit/s", "delay": "5ms"}), [PYTHON, "-c", client])
    assert (found.status, found.fidelity["reasons"]) == (0, [])
    assert found.fidelity["client"]["waits"]["max"] < 1e-3


@pytest.mark.ping
def test_the_times_of_nested_shells_add_up(cli: Cli) -> None:
    inner = ["shell", "--cbr", "50Mbit/s", "--delay", "10ms", "--"]
    command = [*inner, PYTHON, "-m", "dumbbell", *inner, "ping", "-q", "-c", "3", "-i", "0.1", "100.64.0.1"]
    done = cli(*command)
    assert done.returncode == 0, done.stderr
    # Two links of 50 Mbit/s each way, and what ping rounds.
    exact = 40 + 4 * 84 * 8 / 50e6 * 1e3
    (found,) = re.findall(r"= ([\d.]+)/[\d.]+/([\d.]+)/[\d.]+ ms", done.stdout)
    assert [float(each) for each in found] == pytest.approx([exact, exact], abs=2e-3)


def test_a_server_that_fails_at_once_makes_the_run_invalid() -> None:
    link = scenario_of_link({"cbr": "12Mbit/s", "delay": "10ms"})
    found = run_shell(link, [PYTHON, "-c", "print()"], server="exec nothing-of-this-name 2>/dev/null")
    reason = "server: its command ended with status 127 before the client's began"
    assert reason in found.fidelity["reasons"]
