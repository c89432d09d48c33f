"""Incast on real packets: runs that are kept, the page, and the command."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from matplotlib.axes import Axes

from dumbbell.errors import DumbbellError
from dumbbell.live import incast, incast_page

PLAIN, FINE = incast.ARMS


def summary(goodput: float = 50e6, timeouts: float = 1.0) -> dict[str, Any]:
    counts = {"timeouts": timeouts, "probes": 3.0, "resent": 40.0}
    return {"rounds": 20, "goodput": goodput, **counts, "tick": 4e-3}


def test_rounds_of_the_simulator_are_what_its_transfers_say() -> None:
    cell = incast.Cell(PLAIN, 100, 4)
    (run,) = incast.simulate(cell, 4e-3, 1)
    # 1 MB at 100 Mbit/s takes 80 ms, with headers 83.
    assert run["rounds"] == pytest.approx(incast.DURATION / 0.086, abs=2)
    assert run["goodput"] == pytest.approx(93e6, rel=0.03)


class Kernel:
    """Stands in for the kernel: runs one after the other, and counts them."""

    def __init__(self, *runs: tuple[dict[str, Any], tuple[str, ...]]) -> None:
        self.given, self.runs = runs, 0

    def __call__(self, _: incast.Cell) -> tuple[dict[str, Any], tuple[str, ...]]:
        self.runs += 1
        found = self.given[min(self.runs, len(self.given)) - 1]
        if not found:
            raise KeyboardInterrupt
        return found


def test_runs_are_kept_and_a_killed_command_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [incast.Cell(PLAIN, 100, n) for n in (1, 2)]
    killed = Kernel((summary(), ()), ())  # type: ignore[arg-type]
    monkeypatch.setattr(incast, "run_kernel", killed)
    with pytest.raises(KeyboardInterrupt):
        incast.measure(cells, tmp_path, 1, print)
    going_on = Kernel((summary(), ("late",)), (summary(), ()))
    monkeypatch.setattr(incast, "run_kernel", going_on)
    incast.measure(cells, tmp_path, 1, print)
    assert going_on.runs == 2, "the first cell was kept, and an invalid run of the second was repeated"
    kept = json.loads((tmp_path / "cubic-100M-x2.json").read_text())
    assert (len(kept["runs"]), kept["invalid"]) == (1, ["late"])


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", '{"runs": [7], "invalid": []}',
        json.dumps({"runs": [{**summary(), "kernel": 6}], "invalid": []}),
        json.dumps({"runs": [{**summary(), "kernel": "6", "goodput": "x"}], "invalid": []}),
        json.dumps({"runs": [{**summary(), "kernel": "6", "goodput": math.inf}], "invalid": []}),
    ],
)  # fmt: skip
def test_a_file_that_is_no_cell_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    cell = incast.Cell(PLAIN, 100, 1)
    (tmp_path / f"{cell.name}.json").write_text(text)
    with pytest.raises(DumbbellError, match="remove the file, and it is run again") as error:
        incast.results([cell], tmp_path)
    assert "\n" not in str(error.value)


def test_the_page_marks_what_differs_and_what_is_undecided(tmp_path: Path) -> None:
    def of(*values: float) -> list[dict[str, Any]]:
        return [summary(goodput=value * 1e6) | {"kernel": "6.18 <b>"} for value in values]

    near, far, wide = (
        incast.Result(incast.Cell(PLAIN, 100, n), of(50, 51, 52), of(*kernel))
        for n, kernel in ((1, (50, 51, 52)), (2, (80, 81, 82)), (4, (30, 50, 70)))
    )
    left_out = [(incast.Cell(FINE, 100, 4), "uplink: | *late*")]
    incast_page.write(tmp_path, [near, far, wide], left_out, "dumbbell incast-real")
    page = (tmp_path / "page.md").read_text()
    rows = [line.split(" | ")[4] for line in page.splitlines() if line.startswith("| CUBIC | 100")]
    assert rows[0].startswith("51 / 51, +0 +-")
    assert rows[1].startswith("**51 / 81, -30 +-")
    assert rows[2].endswith("(?)")
    assert "<b>" not in page
    assert "- rto-100M-x4: uplink:    late" in page
    assert (tmp_path / "incast.png").stat().st_size > 1000


def test_intervals_of_goodput_end_at_the_line_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[str, Any, Any]] = []
    errorbar = Axes.errorbar

    def recorded(axes: Axes, x: Any, y: Any, errors: Any, **look: Any) -> Any:
        drawn.append((axes.get_ylabel(), y, errors))
        return errorbar(axes, x, y, errors, **look)

    monkeypatch.setattr(Axes, "errorbar", recorded)
    runs = [summary(goodput=value) | {"kernel": "6.18"} for value in (60e6, 97e6)]
    incast_page.draw([incast.Result(incast.Cell(PLAIN, 100, 2), runs, runs)])
    # Two runs so far apart have an interval from below zero to above 300 Mbit/s.
    goodput = drawn[:2]
    assert len(drawn) == 4
    for _, y, (below, above) in goodput:
        assert y[0] + above[0] == pytest.approx(100 * 1460 / 1500)
        assert y[0] - below[0] == pytest.approx(0)


def test_the_command_answers_in_json_what_the_kept_runs_came_to(tmp_path: Path) -> None:
    folder = tmp_path / "cells"
    folder.mkdir()
    cell = incast.Cell(PLAIN, 100, 2)
    runs = [summary(goodput=value) | {"kernel": "6.18"} for value in (70e6, 80e6)]
    (folder / f"{cell.name}.json").write_text(json.dumps({"runs": runs, "invalid": []}))
    chosen = [sys.executable, "-m", "dumbbell", "incast-real", "-o", str(tmp_path), "--servers", "2"]
    words = [*chosen, "--runs", "1", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    row = next(row for row in found["cells"] if row["cell"] == cell.name)
    assert (row["tcp"], row["rate"], row["servers"], row["kernel_runs"]) == (PLAIN.label, 100, 2, 2)
    goodput = row["goodput"]
    assert goodput["kernel"] == pytest.approx(75e6)
    assert goodput["difference"] == pytest.approx(goodput["ours"] - goodput["kernel"])
    assert goodput["verdict"] in ("within", "undecided", "outside")
    assert row["probes"]["ours"] is None
    assert set(found["left_out"]) <= {f"rto-{cell.name.removeprefix('cubic-')}"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--servers", "many"), "--servers: 'many' are no numbers from 1 to 100; give 1,8,32"),
        (("--servers", "0,3"), "--servers: '0,3' are no numbers"),
        (("-o", "{tmp}"), "this is no folder of incast-real; give a new folder to -o"),
    ],
)
def test_wrong_options_are_one_line(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    command = [sys.executable, "-m", "dumbbell", "incast-real", "-o", str(tmp_path / "out")]
    command += [word.format(tmp=tmp_path) for word in words]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert found.returncode == 2
    assert message in found.stderr
    assert found.stderr.count("\n") == 1
