"""Traces of real packets in virtual time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dumbbell.live import run_shell, scenario_of_link

pytestmark = pytest.mark.within


def test_marks_are_told(tmp_path: Path) -> None:
    queue = {"kind": "codel", "ecn": True, "target": "1ms", "interval": "10ms"}
    scenario = scenario_of_link({"cbr": "5Mbit/s", "delay": "10ms", "queue": queue})
    lines = tmp_path / "lines"
    datagrams = """
import os, socket, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
out.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 2)
for _ in range(60):
    out.sendto(bytes(1000), (os.environ["DUMBBELL_SERVER"], 9))
time.sleep(0.4)
"""
    emulation = run_shell(scenario, [sys.executable, "-c", datagrams], traces={"lines": lines})
    marked = sum(line.split()[1:3] == ["marked", "node0->node1"] for line in lines.read_text().splitlines())
    assert marked == emulation.results.links.row(0)["marked"] > 0
