"""Pairs with round-trip times of their own: an address of the client for each."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import dumbbell as db
from conftest import Cli
from dumbbell.live import run_shell

from .conftest import pairs

PING = "ping -n -c 40 -i 0.02 -I {address} {server}"


def pinged(out: Path, scenario: db.Scenario, addresses: list[str], server: str) -> list[float]:
    """The shortest round trip of each address in ms, with packets of all under way at once."""
    each = [
        f"{PING.format(address=address, server=server)} > {out / str(i)} &"
        for i, address in enumerate(addresses)
    ]
    assert run_shell(scenario, ["sh", "-c", " ".join([*each, "wait"])]).status == 0
    times = [re.findall(r"time=([\d.]+) ms", (out / str(i)).read_text()) for i in range(len(addresses))]
    assert [len(each) for each in times] == [40] * len(addresses)
    return [min(map(float, each)) for each in times]


@pytest.mark.ping
@pytest.mark.parametrize(
    ("family", "server"), [("DUMBBELL_CLIENTS", "100.64.0.1"), ("DUMBBELL_CLIENTS_V6", "fd64::1")]
)
def test_each_address_has_the_round_trip_time_of_its_pairs(tmp_path: Path, family: str, server: str) -> None:
    scenario = pairs("40ms", "20ms", "40ms", "80ms")
    (tmp_path / "say").write_text(f"echo ${family} > {tmp_path / 'addresses'}")
    run_shell(scenario, ["sh", str(tmp_path / "say")])
    addresses = (tmp_path / "addresses").read_text().split()
    assert len(addresses) == len(set(addresses)) == 3
    found = pinged(tmp_path, scenario, addresses, server)
    # A packet that comes alone is late by microseconds; on a busy machine, one in forty by less than 1 ms.
    for time, expected in zip(found, (40, 20, 80), strict=True):
        assert expected <= time < expected + 1
    # Who chooses no address has the first.
    script = f"ping -n -c 10 -i 0.02 {server} > {tmp_path / 'plain'}"
    run_shell(scenario, ["sh", "-c", script])
    times = sorted(map(float, re.findall(r"time=([\d.]+) ms", (tmp_path / "plain").read_text())))
    assert 40 <= times[0] < 41.5


@pytest.mark.ping
def test_a_shell_within_a_shell_has_addresses_too(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "inner.toml").write_text(pairs("20ms", "60ms").to_toml())
    ping = "for a in $DUMBBELL_CLIENTS; do ping -n -c 5 -i 0.05 -I $a 100.64.0.1; done"
    inner = [sys.executable, "-m", "dumbbell", "shell", str(tmp_path / "inner.toml"), "--", "sh", "-c", ping]
    done = cli("shell", "--cbr", "50Mbit/s", "--delay", "5ms", "--", *inner)
    times = [float(time) for time in re.findall(r"time=([\d.]+) ms", done.stdout)]
    assert len(times) == 10, done.stderr
    assert 30 <= min(times[:5]) < 40
    assert 70 <= min(times[5:]) < 80


def test_packets_are_counted_and_logged_when_they_meet_the_link(tmp_path: Path) -> None:
    send = "import os, socket, time\nends = []\n"
    send += "for address in os.environ['DUMBBELL_CLIENTS'].split():\n"
    send += "  ends.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)); ends[-1].bind((address, 0))\n"
    send += "for _ in range(100):\n  for end in ends: end.sendto(bytes(972), ('100.64.0.1', 9))\n"
    send += "  time.sleep(0.001)\n"
    send += "time.sleep(0.2)"
    log = tmp_path / "up.log"
    emulation = run_shell(pairs("20ms", "80ms"), [sys.executable, "-c", send], uplink_log=log)
    run, up = emulation.results.runs.row(0), emulation.results.links.row(0)
    assert up["arrived"] >= 200
    assert run["total_sent"] == run["total_delivered"] + run["total_dropped"] + run["packets_inside"]
    events = [line.split() for line in log.read_text().splitlines() if not line.startswith("#")]
    times = [int(event[0]) for event in events]
    assert times == sorted(times)
    # 972 bytes, headers and the prefix of the device.
    arrivals = [int(event[0]) for event in events if event[1:] == ["+", "1004"]]
    assert len(arrivals) == 200
    # Those of the far pair wait 15 ms more before the link, as behind its access link: 99 pauses and that, in
    # whole milliseconds. Until then only the near pair's arrive, at least a millisecond apart.
    assert arrivals[-1] - arrivals[0] >= 99 + 15 - 1
    assert sum(at - arrivals[0] < 14 for at in arrivals) <= 15
    # The log shows the wait in the queue alone.
    assert all(int(event[3]) <= 5 for event in events if event[1] == "-")
