"""Comparisons in virtual time: losses of each pair, the link that is emulated, unfinished flows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dumbbell as db
from conftest import Cli
from dumbbell.live import compare, compare_runs
from real import lossy

pytestmark = pytest.mark.within


def test_each_pair_of_runs_draws_losses_of_its_own() -> None:
    found = compare_runs(lossy("20Mbit/s", "1Gbit/s"), "cubic", runs=3)
    assert [each.seed for each in found] == [8, 9, 10]
    assert found[0].drawn == ("loss of left->right",)
    ours = np.array([each.simulated.first_drop for each in found if each.simulated])
    for i, each in enumerate(found):
        assert each.real.first_drop is not None
        # The same packet is the first to be lost on both sides, and another one in other pairs.
        assert np.argmin(np.abs(ours - each.real.first_drop)) == i, (ours, each.real.first_drop)


def test_a_connection_that_never_opens_is_no_fault() -> None:
    found = compare(lossy("20Mbit/s", "1Gbit/s", loss=0.0, drop_list=[0]), "cubic")
    assert found.simulated is not None
    assert (found.real.goodput, found.simulated.goodput) == (0.0, 0.0)
    assert len(found.real.drops) == len(found.simulated.drops) == 1


def test_of_equally_fast_links_the_one_that_loses_is_emulated() -> None:
    found = compare(lossy("20Mbit/s", "20Mbit/s"), "cubic")
    assert found.link == "left->right"
    assert found.real.loss > 0.01


def test_drops_at_other_links_of_the_simulation_are_noted() -> None:
    values = lossy("20Mbit/s", "1Gbit/s", loss=0.0).to_dict()
    values["topology"]["access"]["queue"] = {"kind": "droptail", "limit": "3pkt"}
    found = compare(db.Scenario.from_dict(values), "cubic")
    assert found.simulated is not None
    (note,) = found.notes
    assert note.startswith("simulated only: ")
    assert note.endswith(" packets dropped at sender0->left")


def test_unfinished_flows_are_counted_in_the_table(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(lossy("20Mbit/s", "1Gbit/s", loss=0.0).to_toml())
    words = ["two.toml", "--controllers", "cubic", "--duration", "0.5", "--flows", "2", "--stagger", "450ms"]
    done = cli("compare-real", *words, "--size", "300kB")
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if line.strip().startswith("cubic")][:2]
    assert all("1 of 2 finished" in row for row in rows), rows
