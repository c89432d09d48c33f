"""Runs keep to their limit of memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import dumbbell as db
import forks
from conftest import COMMAND_TIMEOUT
from dumbbell import _memory
from dumbbell.study import Study, StudyError, run_study

FLOOD = """
duration = "20s"
transport = { kind = "cbr", rate = "1Gbit/s" }
[topology]
kind = "chain"
hops = 1
link = { rate = "100Mbit/s", delay = "1ms", queue = "droptail" }
[[flows]]
from = "node0"
to = "node1"
"""


def dumbbell(*args: str, prefix: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command; what `prefix` does to a shell before, it meets from its own start on."""
    if not prefix:
        return forks.completed(args, Path.cwd(), COMMAND_TIMEOUT)
    command = ["bash", "-c", f'{prefix}exec "$0" "$@"', sys.executable, "-m", "dumbbell", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def flood(tmp_path: Path) -> Path:
    path = tmp_path / "flood.toml"
    path.write_text(FLOOD, encoding="utf-8")
    return path


def test_a_run_cut_short_says_why_and_keeps_its_results(flood: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ended = dumbbell("run", str(flood), "-o", str(out), "--memory", "20MB")
    assert ended.returncode == 2
    line = ended.stderr.strip()
    assert line.startswith("dumbbell: memory: the limit of 20MB is reached at ")
    assert "packets wait for node0->node1; give its queue a limit" in line
    assert line.endswith("--memory")
    assert "\n" not in line
    assert "cut short" in ended.stdout
    row = json.loads((out / "summary.json").read_text(encoding="utf-8"))["run"]
    assert row["ended"] == "memory"
    assert 0 < row["duration"] < 20
    results = db.load(out)
    assert results.links["sent"][0] > 0
    assert results.series("queue")
    assert dumbbell("plot", str(out), "--format", "png", "--only", "queue").returncode == 0
    shown = dumbbell("run", str(flood), "--memory", "20MB")
    assert shown.returncode == 2
    assert "Links" in shown.stdout


def test_an_address_space_of_the_user_s_choice_is_kept(flood: Path) -> None:
    ended = dumbbell("run", str(flood), "--set", "transport.rate=100Gbit/s", prefix="ulimit -v 1000000; ")
    assert ended.returncode == 2, ended.stderr[-300:]
    assert ended.stderr.startswith("dumbbell: memory: the limit of ")
    assert ended.stderr.count("\n") == 1


def test_memory_that_the_system_refuses_is_one_line(flood: Path) -> None:
    # A table doubles: neither the run nor Rust can do without.
    rows = (
        "topology.link.queue={ kind = 'droptail', limit = '2pkt' }",
        "record.drops=true",
        "duration=1000s",
    )
    settings = [word for row in rows for word in ("--set", row)]
    ended = dumbbell("run", str(flood), *settings, "--memory", "100GB", prefix="ulimit -v 600000; ")
    assert ended.returncode == 2, ended.stderr[-300:]
    assert ended.stderr.startswith("dumbbell: memory: the system refuses ")
    assert ended.stderr.count("\n") == 1


def test_memory_that_python_does_not_get_is_one_line() -> None:
    code = (
        "import sys, click\n"
        "from dumbbell.cli.boundary import exit_with\n"
        "sys.argv = ['dumbbell']\n"
        "exit_with(click.Command('large', callback=lambda: bytes(10**18)), 'dumbbell')\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.startswith("dumbbell: memory: the system refuses more")
    assert ended.stderr.count("\n") == 1


def test_a_size_that_is_none_is_refused_in_one_line(flood: Path) -> None:
    for size in ("much", "0B", "-1GB", "4"):
        ended = dumbbell("run", str(flood), "--memory", size)
        assert (ended.returncode, ended.stderr.count("\n")) == (2, 1), size
        assert ended.stderr.startswith("dumbbell: --memory: ")


def test_a_run_that_fits_does_not_depend_on_the_limit() -> None:
    scenario = db.Scenario.from_toml(FLOOD, ["duration=50ms"])
    small, large = scenario.run(memory=20_000_000), scenario.run()
    assert small.summary() == large.summary()
    assert small.runs.row(0)["ended"] == "duration"


def test_the_exception_holds_the_results() -> None:
    with pytest.raises(db.MemoryLimitError) as caught:
        db.Scenario.from_toml(FLOOD).run(memory=20_000_000)
    assert caught.value.results.runs.row(0)["ended"] == "memory"


def test_a_study_names_the_run_and_keeps_the_others(tmp_path: Path) -> None:
    import tomllib

    study = Study.from_dict(
        {
            "name": "flood",
            "scenario": tomllib.loads(FLOOD),
            "seeds": 1,
            "arms": [
                {"name": "calm", "set": "duration=1ms"},
                {"name": "flood", "set": "duration=20s"},
            ],
            "metrics": [{"name": "goodput", "source": {"table": "runs", "column": "goodput"}}],
        }
    )
    with pytest.raises(StudyError, match=r"the run with duration=20s, seed=1: memory: .*20MB.*kept"):
        run_study(study, tmp_path / "study", workers=2, memory=40_000_000)
    found = db.study.StudyResult.load(tmp_path / "study")
    assert found.finished == 1


def test_the_share_is_of_what_groups_and_limits_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_memory, "_OWN_GROUP", tmp_path / "cgroup")
    monkeypatch.setattr(_memory, "_GROUPS", tmp_path)
    (tmp_path / "cgroup").write_text("0::/jobs/mine\n", encoding="utf-8")
    group = tmp_path / "jobs" / "mine"
    group.mkdir(parents=True)
    (group / "memory.max").write_text("max\n", encoding="utf-8")
    (group / "memory.current").write_text("5000\n", encoding="utf-8")
    assert _memory.available() > 100_000_000
    (group.parent / "memory.max").write_text("100000000\n", encoding="utf-8")
    (group.parent / "memory.current").write_text("60000000\n", encoding="utf-8")
    assert _memory.available() == 40_000_000
    assert _memory.limit_of_run(at_a_time=2) == 15_000_000
    assert _memory.limit_of_run(9, at_a_time=2) == 4


def test_check_tells_before_what_a_run_would_take(flood: Path) -> None:
    shown = dumbbell("check", str(flood), "--set", "transport.rate=1Tbit/s", "--set", "duration=2h").stdout
    text = " ".join(shown.split())
    assert "packet-hops" in text
    assert "TB queue of node0->node1); an estimate" in text
    assert "note: that is more than the " in text
    calm = " ".join(dumbbell("check", str(flood), "--set", "transport.rate=1Mbit/s").stdout.split())
    assert "expected: about 1,700 packet-hops, less than a second to compute" in calm
    assert "note" not in calm
