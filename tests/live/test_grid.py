"""The grid "our TCP beside the kernel's": its cells, runs that are kept, and the page."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dumbbell import Scenario
from dumbbell.errors import DumbbellError
from dumbbell.live import Arm, FlowRun, grid, grid_page
from dumbbell.live.cells import COUNTS, QUEUES, RATES, ROUND_TRIPS, SIZES, Cell, cells
from dumbbell.live.compare import prepared, simulated_arms
from dumbbell.live.lateness import late_runs
from dumbbell.live.pooled import fairness, pooled

CELL = Cell("cubic", 10, (10,), "1bdp", "10kB")


def arm(completion_time: float | None = 0.05, valid: bool = True, retransmissions: int = 0) -> Arm:
    nothing = np.empty(0)
    flow = FlowRun(
        0.0, 10e3, completion_time, 1e6, retransmissions, 0, (nothing, nothing), (nothing, nothing)
    )
    reasons = () if valid else ("uplink: | *late*",)
    return Arm([flow], 1e6, 0.0, 0.0, 0.01, 0.0, nothing, (nothing, nothing), valid, reasons)


class Kernel:
    """Stands in for the kernel: runs one after the other, and counts them."""

    def __init__(self, *arms: Arm) -> None:
        self.arms, self.runs = arms, 0

    def __call__(self, *_: Any) -> tuple[Arm, str]:
        self.runs += 1
        return self.arms[min(self.runs, len(self.arms)) - 1], "node0->node1"


def test_the_cells_cover_what_the_page_says() -> None:
    every = cells()
    names = {cell.name for cell in every}
    assert len(names) == len(every)
    for part in (*QUEUES, *(f"{rate}M" for rate in RATES), *(f"{trip}ms" for trip in ROUND_TRIPS)):
        assert any(f"-{part}-" in name for name in names), part
    for load in (*SIZES, *(f"x{count}" for count in COUNTS)):
        assert any(name.endswith(f"-{load}") for name in names), load
    unequal = cells("*-20+80ms-*")
    assert len(unequal) == 24
    assert {cell.count for cell in unequal} == {2, 4}
    quick = cells(quick=True)
    assert 18 <= len(quick) <= 24
    assert {cell.name for cell in quick} < names
    assert {cell.controller for cell in cells("newreno-*")} == {"newreno"}
    for cell in (quick[0], quick[-1], unequal[-1]):
        found = cell.scenario().run()
        assert len(found.flows) == len(cell.flows) == cell.count
        assert cell.link in found.links["link"].tolist()
        for flow, row in zip(cell.flows, map(found.flows.row, range(cell.count)), strict=True):
            assert row["start"] == flow.start
            assert row["source"] == ("node0" if len(cell.round_trips) == 1 else f"sender{flow.address}")
            assert row["rtt_min"] >= cell.round_trips[flow.address] * 1e-3


def test_runs_are_kept_and_invalid_ones_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = Kernel(arm(valid=False), arm())
    monkeypatch.setattr(grid, "kernel_arm", kernel)
    grid.measure([CELL], tmp_path, 1)
    assert kernel.runs == 2
    grid.measure([CELL], tmp_path, 1)
    assert kernel.runs == 2, "what is there is not run again"
    grid.measure([CELL], tmp_path, 3)
    assert kernel.runs == 4
    found, left_out = grid.results([CELL], tmp_path)
    assert [len(result.kernel) for result in found] == [3]
    assert left_out == []


def test_a_cell_without_a_valid_run_is_left_out_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = Kernel(arm(valid=False))
    monkeypatch.setattr(grid, "kernel_arm", kernel)
    grid.measure([CELL], tmp_path, 2)
    assert kernel.runs == 3
    found, left_out = grid.results([CELL], tmp_path)
    assert (found, left_out) == ([], [(CELL, "uplink: | *late*")])
    grid_page.write(tmp_path, found, left_out, "dumbbell")
    assert f"- {CELL.name}: uplink:    late" in (tmp_path / "page.md").read_text()


def test_a_killed_grid_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Cell("cubic", 50, (10,), "1bdp", "10kB")

    class Killed(Kernel):
        def __call__(self, *given: Any) -> tuple[Arm, str]:
            if self.runs == 1:
                raise KeyboardInterrupt
            return super().__call__(*given)

    killed = Killed(arm())
    monkeypatch.setattr(grid, "kernel_arm", killed)
    with pytest.raises(KeyboardInterrupt):
        grid.measure([CELL, other], tmp_path, 1)
    kernel = Kernel(arm())
    monkeypatch.setattr(grid, "kernel_arm", kernel)
    grid.measure([CELL, other], tmp_path, 1)
    assert kernel.runs == 1
    # Of several runs of a cell, those that ended are kept.
    monkeypatch.setattr(grid, "kernel_arm", Killed(arm()))
    with pytest.raises(KeyboardInterrupt):
        grid.measure([CELL], tmp_path, 3)
    kernel = Kernel(arm())
    monkeypatch.setattr(grid, "kernel_arm", kernel)
    grid.measure([CELL], tmp_path, 3)
    assert kernel.runs == 1


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", '{"runs": 3, "invalid": []}', '{"runs": [{"flows": []}], "invalid": []}',
        "[" * 100_000,
        '{"runs": [7], "invalid": []}', '{"runs": [{"kernel": "6", "flows": [7]}], "invalid": []}',
        '{"runs": [{"kernel": "6", "flows": [{"first_cut": ["x", "y"]}]}], "invalid": []}',
    ],
)  # fmt: skip
def test_a_file_that_is_no_cell_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / f"{CELL.name}.json").write_text(text)
    with pytest.raises(DumbbellError, match=r"no runs of the cell; remove the file") as error:
        grid.results([CELL], tmp_path)
    assert "\n" not in str(error.value)


def test_the_page_lists_the_worst_cell_first(tmp_path: Path) -> None:
    worse = Cell("cubic", 50, (10,), "1bdp", "10kB")
    ours, near, far = arm(0.05).summary(), arm(0.052).summary(), arm(0.09, retransmissions=30).summary()
    for each in (near, far):
        each["kernel"] = "6.18 <b>"
    results = [grid.Result(worse, [ours], [far]), grid.Result(CELL, [ours], [near])]
    answer = grid_page.write(tmp_path, results, [], "dumbbell compare-real --grid")
    page = (tmp_path / "page.md").read_text()
    rows = [line for line in page.splitlines() if line.startswith("| cubic")]
    assert [row.split(" | ")[0] for row in rows] == [f"| {worse.name}", f"| {CELL.name}"]
    assert "**0.05 / 0.09**" in rows[0]
    assert "**0 / 30**" in rows[0]
    assert "**" not in rows[1]
    assert "<b>" not in page
    assert ("cells with completion within 15 %", "1 of 2, 50 %", "90 %") in answer
    assert len((tmp_path / "table.csv").read_text().splitlines()) == 3


def test_a_difference_within_the_kernels_runs_is_named() -> None:
    ours = arm(0.05).summary()
    runs = [arm(time).summary() for time in (0.04, 0.09, 0.09)]
    assert "own runs differ as much (completion s)" in grid.Result(CELL, [ours], runs).reason
    runs = [arm(time).summary() for time in (0.08, 0.09, 0.09)]
    assert "own runs" not in grid.Result(CELL, [ours], runs).reason
    assert grid.Result(Cell("cubic", 10, (100,), "1bdp", "10kB"), [ours], runs).reason == "", "nobody knows"


def test_an_unfinished_flow_is_as_late_as_its_run() -> None:
    # The run of 10 kB over 10 Mbit/s lasts 5.024 s.
    on_time, unfinished = arm(0.05).summary(), arm(None).summary()
    assert CELL.duration == pytest.approx(5.024)
    late = grid.Result(CELL, [on_time], [on_time, unfinished, unfinished]).excess["completion_time"]
    assert late == pytest.approx((5.024 - 0.05) / (0.15 * 5.024))
    early = grid.Result(CELL, [unfinished], [on_time]).excess["completion_time"]
    assert early == pytest.approx((5.024 - 0.05) / (0.15 * 0.05))
    assert grid.Result(CELL, [arm(5.0).summary()], [unfinished]).outside == []
    assert grid.Result(CELL, [unfinished], [unfinished]).excess["completion_time"] is None
    assert grid.Result(CELL, [on_time], [on_time, on_time, unfinished]).excess["completion_time"] == 0


def shared(share: float) -> dict[str, Any]:
    """A run of two flows, of which the first has this share."""
    both = arm().flows * 2
    flows = [replace(flow, goodput=part * 1e6) for flow, part in zip(both, (share, 1 - share), strict=True)]
    return {**replace(arm(), flows=flows).summary(), "kernel": "6.18"}


@pytest.mark.parametrize(
    ("ours", "kernel", "word"),
    [
        ([0.50, 0.52, 0.51], [0.51, 0.50, 0.52], "within"),
        ([0.60, 0.61, 0.62], [0.50, 0.51, 0.52], "outside"),
        ([0.50, 0.80, 0.60], [0.50, 0.51, 0.52], "undecided"),
        ([0.60, 0.61, 0.62], [0.50], "outside"),
        ([0.50, 0.70, 0.60], [0.50], "undecided"),
        ([0.60], [0.50], "outside"),
    ],
)
def test_shares_are_judged_by_the_spread_of_the_runs(
    tmp_path: Path, ours: list[float], kernel: list[float], word: str
) -> None:
    cell = Cell("cubic", 50, (40,), "1bdp", None, 2)
    result = grid.Result(cell, list(map(shared, ours)), list(map(shared, kernel)))
    assert result.share is not None
    assert result.share.word == word
    assert ("share" in result.outside) == (word == "outside")
    answer = grid_page.write(tmp_path, [result], [], "dumbbell")
    assert any(f"1 {word}" in each.found for each in answer)
    row = next(line for line in (tmp_path / "page.md").read_text().splitlines() if cell.name in line)
    assert f"{np.mean(ours):.3f} / {np.mean(kernel):.3f} ({len(kernel)})" in row
    assert ("?" in row) == (word == "undecided")
    assert ("**" in row) == (word == "outside")


def grid_of(kernel: list[float]) -> list[grid.Result]:
    """Cells with two flows; ours vary from 0.4 to 0.6, the kernel ran once in each."""
    names = [
        Cell(c, r, (t,), q, None, 2)
        for c in ("cubic", "newreno")
        for r in (10, 50)
        for t in (10, 40)
        for q in ("1bdp", "codel")
    ]
    ours = [shared(share) for share in np.linspace(0.4, 0.6, 10)]
    return [grid.Result(cell, ours, [shared(share)]) for cell, share in zip(names, kernel, strict=True)]


def test_cells_of_which_none_is_decided_decide_together(tmp_path: Path) -> None:
    # Each run of the kernel alone might be one of ours.
    spread = [0.41, 0.43, 0.45, 0.46, 0.47, 0.48, 0.49, 0.50, 0.50, 0.51, 0.52, 0.53, 0.54, 0.55, 0.57, 0.59]
    alike = grid_of(spread)
    assert {result.share and result.share.word for result in alike} == {"undecided"}
    found = pooled(alike)
    assert found is not None
    everything = found.groups[0]
    assert (everything.name, everything.word, everything.ratio.n) == ("all", "within", 16)
    assert {group.name for group in found.groups} >= {"cubic", "2 flows", "CoDel", "DropTail", "10 Mbit/s"}
    low, high = found.below.interval or (1, 0)
    assert low < 0.5 < high
    # Ours are the same runs, shifted: every single verdict stands, and the cells together find it.
    moved = grid_of([share + 0.09 for share in spread])
    assert [result.share and result.share.word for result in moved].count("undecided") > 8
    told = pooled(moved)
    assert told is not None
    assert told.groups[0].word == "outside" or (told.groups[0].ratio.low or 0) > 0.05
    assert (told.below.low or 0) > 0.5
    grid_page.write(tmp_path, alike, [], "dumbbell")
    page = (tmp_path / "page.md").read_text()
    assert "| all | 16 | " in page
    assert "Bonferroni" in page


def test_intervals_of_groups_are_wider_the_more_groups_there_are() -> None:
    spread = [0.41, 0.43, 0.45, 0.46, 0.47, 0.48, 0.49, 0.50, 0.50, 0.51, 0.52, 0.53, 0.54, 0.55, 0.57, 0.59]
    few, many = pooled(grid_of(spread)[:2]), pooled(grid_of(spread))
    assert few is not None
    assert many is not None
    assert few.groups[0].ratio.confidence < many.groups[0].ratio.confidence
    assert many.groups[0].ratio.confidence == pytest.approx(1 - 0.05 / (2 * len(many.groups)))
    assert pooled(grid_of(spread)[:1]) is None


def test_jains_index_counts_flows_and_each_cell_weighs_the_same() -> None:
    assert fairness(shared(0.5)) == pytest.approx(1)
    assert fairness(shared(1.0)) == pytest.approx(0.5)
    even, alone = [shared(0.5)], [shared(1.0)]
    cell = Cell("cubic", 50, (40,), "1bdp", None, 2)
    found = pooled([grid.Result(cell, even, even * 9), grid.Result(cell, even, alone)])
    assert found is not None
    assert found.percentiles == [(10, 1, 0.5), (50, 1, 0.5), (90, 1, 1)]
    assert found.groups[0].fairness.value == pytest.approx(-0.25)


def test_runs_that_packets_reach_late_differ_as_the_kernels_do() -> None:
    cell = Cell("newreno", 50, (40,), "1bdp", None, 2)
    given = prepared(cell.scenario(), cell.controller, "linux")
    for late in late_runs(given, cell.link, 2):
        links = late.explain()["links"]
        assert [link["impairments"] for link in links] == [["exponential jitter of 80us"]] * 2
    runs = list(simulated_arms(given, cell.link, 8))
    # Not their goodputs: two runs may deliver as many whole segments.
    assert len({str(run.summary()) for run in runs}) == 8
    found = [Arm.summary(run)["flows"][0]["goodput"] for run in runs]
    # The kernel's own runs gave 0.55 four times, and 0.83.
    assert np.std(found) > 0.05 * np.mean(found)
    alone = [run.summary() for _ in range(2) for run in simulated_arms(given, cell.link, 1)]
    assert alone[0] == alone[1]


def test_lateness_finds_the_link_among_those_of_any_topology() -> None:
    middle = {"from": "a", "to": "b", "rate": "10Mbit/s", "delay": "0s"}
    links = [middle | {"to": "x"}, middle | {"from": "x"}]
    scenario = Scenario.from_dict(
        {
            "duration": "1s",
            "topology": {"kind": "graph", "nodes": ["a", "b", "x"], "links": links},
            "flows": [{"from": "a", "to": "b"}],
        }
    )
    (late,) = late_runs(scenario, "x->b", 1)
    found = {link["name"]: bool(link["impairments"]) for link in late.explain()["links"]}
    assert found == {"a->x": False, "x->a": False, "x->b": True, "b->x": True}


def dumbbell(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dumbbell", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_the_command_runs_a_cell_and_resumes(tmp_path: Path) -> None:
    words = ("compare-real", "--grid", "--cells", CELL.name, "-o", str(tmp_path / "out"))
    first = dumbbell(*words)
    assert first.returncode == 0, first.stderr
    assert "cells with timeouts equal" in first.stdout
    kept = json.loads((tmp_path / "out" / "cells" / f"{CELL.name}.json").read_text())
    if not kept["runs"]:
        pytest.skip(f"the machine is too busy: {kept['invalid'][-1]}")
    again = dumbbell(*words)
    assert again.returncode == 0
    assert "valid" not in again.stderr, "nothing is run again"
    assert again.stdout == first.stdout
    found = json.loads(dumbbell(*words, "--json").stdout)
    answer = [f"{each['what']}: {each['found']} (wanted: {each['wanted']})" for each in found["answer"]]
    assert answer == first.stdout.splitlines()
    (cell,) = found["cells"]
    assert (cell["cell"], cell["kernel_runs"]) == (CELL.name, len(kept["runs"]))
    assert cell["completion_time_kernel"] == kept["runs"][0]["completion_time"]
    assert found["left_out"] == {}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "no scenario; give a file, or --grid"),
        (("two.toml", "--grid"), "--grid: the grid has its own links"),
        (("--grid", "--cells", "vegas-*"), "--cells: no cell is called 'vegas-*'; try"),
        (("two.toml", "--quick"), "--cells belongs to --grid and --draw, --quick to --grid; leave them out"),
        (("--grid", "-o", "{tmp}"), "this is no folder of a grid; give a new folder to -o"),
    ],
)
def test_options_that_do_not_belong_together_are_one_line(
    tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    found = dumbbell("compare-real", *(word.format(tmp=tmp_path) for word in words))
    assert found.returncode == 2
    assert message in found.stderr
    assert found.stderr.count("\n") == 1
