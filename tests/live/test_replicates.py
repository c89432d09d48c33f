"""What counts as a replicate of a comparison, which link is emulated, and flows that do not finish."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conftest import Cli
from dumbbell.cli.live import _means, _notes
from dumbbell.errors import ScenarioError
from dumbbell.live import Arm, Comparison, FlowRun, run_shell
from dumbbell.live.criteria import OUTSIDE, PAIRS, REPEATS, UNDECIDED, WITHIN, Criterion, judged
from real import lossy

NOTHING = np.empty(0)


def arm(*times: float | None) -> Arm:
    """Flows of 1 kB; without a time, one that has not finished."""
    flows = [FlowRun(0.0, 1e3, time, 1e6, 0, 0, (NOTHING, NOTHING), (NOTHING, NOTHING)) for time in times]
    return Arm(flows, 1e6, 0.0, 0.0, 0.01, 0.0, NOTHING, (NOTHING, NOTHING))


def test_pairs_are_judged_by_their_differences() -> None:
    near = Criterion("", 0.1)
    ours, kernel = [1.0, 2.0, 3.0, 4.0], [1.01, 2.02, 3.01, 4.02]
    found = near.judge(ours, kernel, PAIRS)
    assert found is not None
    assert found.word == WITHIN
    assert found.difference.half_width == pytest.approx(0.0092, abs=1e-4)
    apart = near.judge(ours, kernel)
    assert apart is not None
    assert apart.word == UNDECIDED, "the same numbers as two samples"


@pytest.mark.parametrize(
    ("ours", "kernel", "word"),
    [
        ([1.00, 1.01], [1.02, 1.03], WITHIN),
        ([1.00, 1.01], [1.20, 1.21], OUTSIDE),
        ([1.00, 1.15], [1.02, 1.03], UNDECIDED),
    ],
)
def test_repeats_have_a_range_and_no_interval(ours: list[float], kernel: list[float], word: str) -> None:
    found = Criterion("", 0.1).judge(ours, kernel, REPEATS)
    assert found is not None
    assert (found.word, found.difference.interval) == (word, None)


def test_a_scenario_that_draws_nothing_has_no_intervals(cli: Cli, tmp_path: Path) -> None:
    scenario = lossy("20Mbit/s", "1Gbit/s", loss=0.0).to_toml()
    (tmp_path / "plain.toml").write_text(scenario)
    words = ["plain.toml", "--controllers", "cubic", "--duration", "0.3", "--runs", "2"]
    done = cli("compare-real", *words, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [row["low"] for row in found["means"]] == [None] * len(found["means"])
    assert any("draws nothing (cubic): its runs are repeats" in note for note in found["notes"])
    assert "note: the scenario draws nothing" in done.stderr


def test_invalid_runs_are_in_no_mean() -> None:
    good, bad = arm(0.5), replace(arm(2.0), valid=False)
    runs = [Comparison("cubic", good, good), Comparison("cubic", good, good), Comparison("cubic", good, bad)]
    means = {row["quantity"]: row for row in _means([runs])}
    assert means["completion s"]["kernel"] == 0.5
    assert _notes([runs])[-1] == "1 of 3 runs (cubic) are INVALID: no mean has them"
    assert _means([[Comparison("cubic", good, bad)] * 2]) == []


def test_a_path_that_no_single_link_stands_for_is_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "fast.toml").write_text(lossy("200Mbit/s", "100Mbit/s").to_toml())
    done = cli("compare-real", "fast.toml", "--controllers", "cubic", "--duration", "0.3")
    assert done.returncode == 2
    assert done.stderr == (
        'dumbbell: link "left->right": real packets pass one link, here "sender0->left", and would not meet '
        "`loss = 0.03` of this one; describe all at one link, or choose one: `--at LINK` says what is "
        "missing\n"
    )
    with pytest.raises(ScenarioError, match=r"would not meet `loss = 0\.03`"):
        run_shell(lossy("200Mbit/s", "100Mbit/s"), ["true"])


def test_a_link_chosen_by_name_notes_what_is_missing(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "fast.toml").write_text(lossy("200Mbit/s", "100Mbit/s").to_toml())
    words = ["fast.toml", "--controllers", "cubic", "--duration", "0.3", "--at", "left->right"]
    done = cli("compare-real", *words, "-o", "out")
    assert done.returncode == 0, done.stderr
    note = (
        'not on real packets: link "sender0->left" and 1 more: `rate = "100Mbit/s"`, below the 200Mbit/s of '
        '"left->right"'
    )
    assert "Real packets pass left->right" in done.stdout
    assert f"note: {note}" in done.stdout
    found = json.loads((tmp_path / "out/comparison.json").read_text())["cubic"]
    assert found["link"] == "left->right"
    assert note in found["notes"]
    shell = cli("shell", "fast.toml", "--at", "left->right", "--", "true")
    assert 'note: packets did not meet link "sender0->left" and 1 more: `rate' in shell.stderr


def test_a_flow_that_has_not_finished_leaves_no_mean() -> None:
    some = arm(0.5, None, 0.7)
    assert (some.finished, some.sized, some.completion_time) == (2, 3, None)
    assert arm(0.5, 0.7).completion_time == pytest.approx(0.6)
    ours, kernel = [arm(0.5, 0.6, 0.7).summary()] * 2, [some.summary(), arm(0.5, 0.6, 0.7).summary()]
    rows = {row.title: row for row in judged(ours, kernel, REPEATS)}
    assert "completion s" not in rows
    finished = rows["finished, of 3 flows"]
    assert (finished.ours, finished.kernel, finished.verdict) == ([3.0, 3.0], [2.0, 3.0], None)
    unsized = [replace(flow, size=None, completion_time=None) for flow in some.flows]
    endless = [replace(some, flows=unsized).summary()] * 2
    assert not any(row.title.startswith("finished") for row in judged(endless, endless))
