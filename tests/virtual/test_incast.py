"""Incast in virtual time: rounds of the kernel's TCP beside ours, and the command."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from dumbbell.live import incast

PLAIN, FINE = incast.ARMS


def kernel(cell: incast.Cell) -> dict[str, Any]:
    found, reasons = incast.run_kernel(cell)
    assert not reasons
    return found


@pytest.mark.within
def test_two_servers_fill_the_port_in_the_kernel_as_in_ours() -> None:
    cell = incast.Cell(PLAIN, 50, 2)
    found = kernel(cell)
    assert found["rounds"] >= 15
    # 48.3 Mbit/s are what headers leave of 50; a round trip of each round is lost.
    assert 45e6 < found["goodput"] < 48.3e6
    for run in incast.simulate(cell, found["tick"], 3):
        assert run["goodput"] == pytest.approx(found["goodput"], rel=0.02)


@pytest.mark.within
def test_few_servers_at_1_gbit_lose_as_many_packets(monkeypatch: pytest.MonkeyPatch) -> None:
    # Bursts reach the port at once, probes end on ticks, and CUBIC aims once a tick, which is 40 round trips.
    # Without ticks ours sends 13 segments again in a round, the kernel 40; of 20 rounds 34 to 46.
    monkeypatch.setattr(incast, "DURATION", 1.5)
    cell = incast.Cell(PLAIN, 1000, 4)
    found = kernel(cell)
    assert found["tick"] > 0
    ours = incast.simulate(cell, found["tick"], 10)
    assert statistics.fmean(run["resent"] for run in ours) == pytest.approx(found["resent"], rel=0.3)


@pytest.mark.within
def test_many_servers_collapse_and_a_short_timeout_repairs_it() -> None:
    if len(incast.cells([1], 50)) < len(incast.ARMS):
        pytest.skip("this kernel has no net.ipv4.tcp_rto_min_us: it came with Linux 6.11")
    # 64 servers: one packet of each does not fit into the port and the path.
    plain, fine = (incast.Cell(arm, 100, 64) for arm in (PLAIN, FINE))
    collapsed, repaired = kernel(plain), kernel(fine)
    assert collapsed["timeouts"] > 1
    assert collapsed["goodput"] < 60e6
    assert repaired["goodput"] > 1.3 * collapsed["goodput"]
    assert all(run["goodput"] < 60e6 for run in incast.simulate(plain, collapsed["tick"], 3))


@pytest.mark.within
def test_the_order_of_requests_decides_what_the_kernel_gets() -> None:
    # At once, the first keep windows that the last have no room for.
    plain, at_once = (incast.Cell(PLAIN, 100, 20, at_once) for at_once in (False, True))
    assert (plain.name, plain.jitter) == ("cubic-100M-x20", 1e-3)
    assert (at_once.name, at_once.jitter) == ("cubic-100M-x20-at-once", 0.0)
    assert kernel(at_once)["timeouts"] < 0.5 * kernel(plain)["timeouts"]


def test_the_command_keeps_what_the_kernel_did(cli: Cli, tmp_path: Path) -> None:
    words = ("incast-real", "--virtual", "-o", "out", "--servers", "2", "--runs", "1", "--json")
    done = cli(*words)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["left_out"] == {}
    assert [(row["cell"], row["kernel_runs"]) for row in found["cells"]] == [
        ("cubic-100M-x2", 1), ("rto-100M-x2", 1)
    ]  # fmt: skip
    for row in found["cells"]:
        assert row["goodput"]["ours"] == pytest.approx(row["goodput"]["kernel"], rel=0.02)
    assert (tmp_path / "out/page.md").is_file()
    again = cli(*words)
    assert again.stdout == done.stdout
