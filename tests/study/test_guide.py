"""The study and the script of docs/studies.md work as they stand, and give the answer that it shows."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

from dumbbell.study import Study, StudyResult
from tests.conftest import Cli

GUIDE = (Path(__file__).parents[2] / "docs" / "studies.md").read_text(encoding="utf-8")


def block(language: str, place: int = 0) -> str:
    texts: list[str] = re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)
    return texts[place]


def test_the_guide(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "buffers.toml").write_text(block("toml"))
    told = cli("study", "run", "buffers.toml", "-o", "out/buffers")
    assert told.returncode == 0, told.stderr
    assert "80 of 80 runs finished (5 points x 2 arms x 8 seeds)" in told.stdout
    assert (
        "CUBIC is better (higher) than NewReno at every value of buffer from 5 packets to 80 packets"
        in told.stdout
    )
    result = StudyResult.load(tmp_path / "out" / "buffers")
    for arm in ("newreno", "cubic"):
        used = [result.values("utilisation", arm, buffer=size)[1].mean() for size in (5, 20, 80)]
        assert used == sorted(used), "a larger buffer keeps the link busier"
    (command,) = re.findall(r"^    \$ dumbbell (assert .*)$", GUIDE, re.MULTILINE)
    asserted = cli(*shlex.split(command))
    assert (asserted.returncode, asserted.stdout.count("passed")) == (0, 2), asserted.stdout + asserted.stderr
    (tmp_path / "ask.py").write_text(block("python"))
    done = subprocess.run(
        [sys.executable, "ask.py"], cwd=tmp_path, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"1\.\d+ \[1\.\d+, 1\.\d+\] \(n=8, 95 %\)\n", done.stdout), done.stdout


def test_bins_of_flow_size_join_the_study() -> None:
    study = Study.from_dict({"name": "buffers"} | tomllib.loads(block("toml") + block("toml", 1)))
    assert len(study.runs()) == 80
    assert study.columns[-8:] == [f"{name}_{size}" for name in ("afct", "ideal") for size in (5, 8, 33, 318)]


def test_every_command_is_there(cli: Cli) -> None:
    commands = set(re.findall(r"^    \$ dumbbell (study \w+|\w+)", GUIDE, re.MULTILINE))
    assert len(commands) >= 8
    for command in commands:
        assert cli(*command.split(), "--help").returncode == 0
