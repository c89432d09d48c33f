"""``kill -9`` at any moment: nothing finished is lost, nothing counts twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dumbbell.errors import FolderError
from dumbbell.study import Study, StudyResult, run_study
from tests.conftest import COMMAND_TIMEOUT
from tests.study.conftest import STUDY, changed, content, shards, write_study

MOST_KILLS = 80
"""A busy machine gets little done between two kills: it needs more of them, and later ones."""

LONG = changed(seeds=125, scenario=STUDY["scenario"] | {"duration": "500s"})
"""500 runs of some 20 ms."""


def durable(folder: Path) -> set[str]:
    try:
        return set(StudyResult.load(folder).table["run_id"].to_pylist())
    except FolderError:
        return set()


@pytest.mark.parametrize(("kills", "steps"), [(8, 3), pytest.param(20, 6, marks=pytest.mark.full)])
def test_kills_change_nothing(tmp_path: Path, kills: int, steps: int) -> None:
    study = Study.from_dict(LONG)
    file, folder = tmp_path / "study.toml", tmp_path / "killed"
    write_study(file, LONG)
    command = [sys.executable, "-m", "dumbbell", "study", "run", os.fspath(file), "-o", os.fspath(folder)]
    chance = random.Random(20)
    there: set[str] = set()
    progress = []
    vain = 0
    for kill in range(MOST_KILLS):
        if kill >= kills and len(set(progress)) >= steps:
            break
        with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
            assert process.stderr is not None
            if kill % 4:
                # Most kills hit running work, the others the start.
                process.stderr.readline()
            time.sleep(chance.uniform(0, 0.3 * (1 + vain)))
            before = durable(folder)
            killed = process.poll() is None
            os.kill(process.pid, signal.SIGKILL)
        after = durable(folder)
        assert there <= before <= after, "a finished run was lost"
        vain = 0 if after - there else vain + 1
        there = after
        progress.append(len(there))
        assert killed, f"the study was over before kill {kill}: {progress}"
    assert 0 < progress[-1] < 500, progress
    assert len(set(progress)) >= steps, "the kills should hit a study that goes on"

    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"500 runs, {progress[-1]} reused" in finished.stderr
    run_study(study, tmp_path / "undisturbed")
    assert content(folder) == content(tmp_path / "undisturbed")
    # Merged at the end, both come to one shard, whose name is the checksum of its bytes.
    assert [p.name for p in shards(folder)] == [p.name for p in shards(tmp_path / "undisturbed")]
    assert not list(folder.rglob(".*.part"))


def test_interrupt_keeps_what_is_finished(tmp_path: Path) -> None:
    file, folder = tmp_path / "study.toml", tmp_path / "out"
    write_study(file, LONG)
    command = [sys.executable, "-m", "dumbbell", "study", "run", os.fspath(file), "-o", os.fspath(folder)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        process.stderr.readline()
        end = time.monotonic() + COMMAND_TIMEOUT
        while not shards(folder) and time.monotonic() < end:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        told = process.stderr.read()
        assert process.wait() == 130
    kept = len(durable(folder))
    assert 0 < kept < 500
    assert "the same command goes on from there" in told
    assert told.splitlines()[-1] == "dumbbell: interrupted"
