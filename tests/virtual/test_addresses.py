"""Pairs with round-trip times of their own: an address of the client for each."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from conftest import Cli
from dumbbell.live import run_shell
from real import pairs

pytestmark = pytest.mark.within

PING = "ping -q -n -c 40 -i 0.02 -I {address} {server}"
RATE = 50e6
"""Of the link in `pairs` (bit/s)."""

PRINTED = 2e-3
"""What ping rounds, and looks at the clock (ms)."""


def round_trips(text: str) -> tuple[float, float]:
    """The shortest and the longest round trip that ping has printed, in ms."""
    (found,) = re.findall(r"= ([\d.]+)/[\d.]+/([\d.]+)/[\d.]+ ms", text)
    return float(found[0]), float(found[1])


@pytest.mark.ping
@pytest.mark.parametrize(
    ("family", "server", "headers"),
    [("DUMBBELL_CLIENTS", "100.64.0.1", 28), ("DUMBBELL_CLIENTS_V6", "fd64::1", 48)],
)
def test_each_address_has_the_round_trip_of_its_pairs(
    tmp_path: Path, family: str, server: str, headers: int
) -> None:
    scenario = pairs("40ms", "20ms", "40ms", "80ms")
    (tmp_path / "say").write_text(f"echo ${family} > {tmp_path / 'addresses'}")
    run_shell(scenario, ["sh", str(tmp_path / "say")])
    addresses = (tmp_path / "addresses").read_text().split()
    assert len(addresses) == len(set(addresses)) == 3
    each = [
        f"{PING.format(address=address, server=server)} > {tmp_path / str(i)} &"
        for i, address in enumerate(addresses)
    ]
    assert run_shell(scenario, ["sh", "-c", " ".join([*each, "wait"])]).status == 0
    packet = (56 + headers) * 8 / RATE * 1e3
    for i, expected in enumerate((40, 20, 80)):
        shortest, longest = round_trips((tmp_path / str(i)).read_text())
        # Alone on the way, or each way behind those of the two others.
        assert expected + 2 * packet - PRINTED < shortest
        assert longest < expected + 6 * packet + PRINTED


@pytest.mark.ping
def test_a_program_that_chooses_no_address_has_the_first(tmp_path: Path) -> None:
    script = f"ping -q -n -c 10 -i 0.02 100.64.0.1 > {tmp_path / 'plain'}"
    assert run_shell(pairs("40ms", "20ms"), ["sh", "-c", script]).status == 0
    exact = 40 + 2 * 84 * 8 / RATE * 1e3
    for found in round_trips((tmp_path / "plain").read_text()):
        assert found == pytest.approx(exact, abs=PRINTED)


@pytest.mark.ping
def test_a_shell_within_a_shell_has_addresses_too(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "inner.toml").write_text(pairs("20ms", "60ms").to_toml())
    ping = "for a in $DUMBBELL_CLIENTS; do ping -q -n -c 5 -i 0.1 -I $a 100.64.0.1; done"
    inner = [sys.executable, "-m", "dumbbell", "shell", str(tmp_path / "inner.toml"), "--", "sh", "-c", ping]
    done = cli("shell", "--cbr", "50Mbit/s", "--delay", "5ms", "--", *inner)
    assert done.returncode == 0, done.stderr
    of_first, of_second = done.stdout.split("statistics")[1:]
    # Two links of 50 Mbit/s each way.
    packets = 4 * 84 * 8 / RATE * 1e3
    for text, delays in ((of_first, 30), (of_second, 70)):
        for found in round_trips(text):
            assert found == pytest.approx(delays + packets, abs=PRINTED)


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
    # Those of the far pair wait 15 ms more before the link, as behind its access link: 99 pauses and that.
    # Until then only the near pair's arrive, one a millisecond. The log has whole milliseconds.
    assert arrivals[-1] - arrivals[0] in (99 + 15, 99 + 16)
    assert sum(at - arrivals[0] < 14 for at in arrivals) in (14, 15)
    # The log shows the wait in the queue alone: of two packets of 160 us.
    assert all(int(event[3]) <= 1 for event in events if event[1] == "-")
