"""One run on several threads: `--threads`, `Scenario.run(threads=...)`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

import dumbbell as db
from dumbbell import _threads
from dumbbell.cli import cli
from dumbbell.errors import DumbbellError

SCENARIOS = Path(__file__).parents[1] / "scenarios"
W4S = SCENARIOS / "w4s-long-fat.toml"
INCAST = SCENARIOS / "w3-incast-rounds.toml"
SHORT = ("duration=1s", "warmup=200ms")


def test_the_tables_do_not_depend_on_the_threads() -> None:
    scenario = db.Scenario.from_file(W4S, SHORT)
    assert scenario.threads(2) == (2, None)
    one, two = scenario.run(threads=1), scenario.run(threads=2)
    assert one.runs.row(0) == two.runs.row(0)
    for name in ("flows", "links"):
        table = getattr(one, name).to_pandas()
        assert table.equals(getattr(two, name).to_pandas()), name


def test_a_run_that_stays_on_one_thread_says_why() -> None:
    done = CliRunner().invoke(cli, ["run", str(INCAST), "--threads", "2", "--set", "duration=100ms"])
    assert done.exit_code == 0, done.output
    assert "note: 1 of 2 threads: a run with a closed loop, whose next transfer begins" in done.stderr


@pytest.mark.parametrize("threads", [0, 65])
def test_a_number_of_threads_that_is_none_is_refused_in_one_line(threads: int) -> None:
    with pytest.raises(DumbbellError, match=f"{threads} threads; give a number from 1 to 64"):
        db.Scenario.from_file(W4S, SHORT).run(threads=threads)


def test_cores_that_others_use_are_not_idle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    told = tmp_path / "loadavg"
    monkeypatch.setattr(_threads, "_LOADAVG", told)
    for running, idle in [(1, 4), (2, 3), (4, 1), (9, 1)]:
        told.write_text(f"0.20 0.18 0.12 {running}/80 11206\n")
        assert _threads.idle_cores() == idle
    told.unlink()
    assert _threads.idle_cores() == 4
