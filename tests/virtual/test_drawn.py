"""Cells that are drawn, in virtual time: every controller of the kernel, and equal boots."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

from conftest import Cli
from dumbbell import _native
from dumbbell.live import packets, ticks
from dumbbell.live.compare import prepared
from dumbbell.live.drawn import CONTROLLERS, LINK, cells

from .conftest import left_of

DRAWN = ("compare-real", "--draw", "275", "--seed", "1", "--cells", "0274-*", "--virtual")
"""Eight flows of DCTCP over a slow link with DualPI2: some 600 packets."""


def kernels(folder: Path) -> dict[str, bytes]:
    """What a folder has of the kernel's runs."""
    return {path.name: path.read_bytes() for path in (folder / "kernels").rglob("*.*") if path.is_file()}


def test_a_drawn_cell_is_the_same_in_two_boots(cli: Cli, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        done = cli(*DRAWN, "-o", folder)
        assert done.returncode == 0, done.stderr
    one, two = kernels(tmp_path / "one"), kernels(tmp_path / "two")
    assert sorted(one) == ["0274-dctcp-dualpi2-x8.json", "0274-dctcp-dualpi2-x8.parquet"]
    assert one == two
    page = (tmp_path / "one/page.md").read_text()
    assert "1 cells VIRTUAL: Linux 6." in page
    (file,) = (tmp_path / "one/kernels").rglob("*.parquet")
    found = packets.load(file)
    marked = sum(p.fate == "marked" for (_, data), each in found.items() if data for p in each)
    echoed = sum("E" in p.flags for (_, data), each in found.items() if not data for p in each)
    # The receiver echoes each mark once (RFC 8257 section 3.2), not until the sender answers (RFC 3168).
    assert marked >= 5
    assert abs(echoed - marked) <= 1


def test_a_cell_resumes_and_begins_as_ours(cli: Cli, tmp_path: Path) -> None:
    words = ["--draw", "3", "--seed", "1", "--controllers", "cubic", "--cells", "0001-*", "-o", "out"]
    done = cli("compare-real", *words, "--virtual")
    assert done.returncode == 0, done.stderr
    assert "INVALID" not in done.stderr
    again = cli("compare-real", *words, "--virtual", "--json")
    (side,) = json.loads(again.stdout)["kernels"]
    assert "1 of 1 cells were there" in again.stderr
    (cell,) = side["cells"]
    assert cell["cell"] == "0001-cubic-droptail-x1"
    # The handshake and the first window are the same on both sides.
    first = cell["first_data"]
    assert first is None or first["place"] >= 12, cell["first_data_packet"]
    assert not list((tmp_path / "out/kernels" / side["kernel"]).glob("*trace*"))


def test_an_interrupted_draw_says_what_is_kept(tmp_path: Path) -> None:
    words = ["compare-real", "--draw", "40", "--seed", "1", "--virtual", "-o", "out"]
    command = [sys.executable, "-m", "dumbbell", *words]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("1 of 40: ")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=10)
    assert process.returncode == 128 + signal.SIGINT
    *_, kept, last = said.splitlines()
    assert kept.endswith(" of 40 cells are finished and kept, the same command goes on from there")
    assert last == "dumbbell: interrupted"
    assert not left_of(process.pid)
    assert list((tmp_path / "out/kernels").rglob("*.json"))


def test_what_is_under_way_is_not_missing_at_the_far_end(cli: Cli) -> None:
    # Packets wait from the start of a stretch of little more than a second on, and each is 57 ms on the way.
    words = ["--draw", "108", "--seed", "32529486", "--cells", "0107-*", "-o", "out"]
    done = cli("compare-real", *words, "--virtual")
    assert done.returncode == 0, done.stderr
    assert "1 of 1: 0107-highspeed-fq-codel-x6, valid" in done.stderr


def test_paced_packets_leave_on_the_nanosecond(cli: Cli, tmp_path: Path) -> None:
    # BBR paces from the second round on. Each nanosecond by which the link is late comes back in each round.
    done = cli(
        "compare-real", "--draw", "71", "--seed", "471260271", "--cells", "0070-*", "--virtual", "-o", "out"
    )
    assert done.returncode == 0, done.stderr
    (file,) = (tmp_path / "out/kernels").rglob("*.parquet")
    seen = packets.load(file)
    (cell,) = cells(71, 471260271, list(CONTROLLERS), "0070-*")
    given = ticks.ticking(prepared(cell.scenario(), cell.ours, "linux", 10, True), 0.004)
    given = ticks.started(given, packets.starts(seen), True)
    ours = packets.simulated(given, LINK, _native.emulated(given._native, LINK)["back"])[0, True]
    sides = list(zip(ours, seen[0, True], strict=False))[12:150]
    assert len(sides) > 100
    assert all(abs(a.time - b.time) < 3e-9 for a, b in sides), [
        round((b.time - a.time) * 1e9) for a, b in sides
    ]
