"""The study and the script of docs/studies.md work as they stand, and give the answer that it shows."""

from __future__ import annotations

import json
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
    check_claims(cli, tmp_path)
    (command,) = re.findall(r"^    \$ dumbbell (assert .*)$", GUIDE, re.MULTILINE)
    asserted = cli(*shlex.split(command))
    assert (asserted.returncode, asserted.stdout.count("passed")) == (0, 2), asserted.stdout + asserted.stderr
    (tmp_path / "ask.py").write_text(block("python"))
    done = subprocess.run(
        [sys.executable, "ask.py"], cwd=tmp_path, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"1\.\d+ \[1\.\d+, 1\.\d+\] \(n=8, 95 %\)\n", done.stdout), done.stdout


def check_claims(cli: Cli, folder: Path) -> None:
    """The claims and figures of the guide, appended to the study whose runs are there."""
    study = folder / "buffers.toml"
    study.write_text(block("toml") + block("toml", 1))
    told = cli("study", "run", "buffers.toml", "-o", "out/buffers")
    assert told.returncode == 0, told.stderr
    assert "0 runs made" in told.stdout
    assert "80 reused" in told.stdout
    out = folder / "out" / "buffers"
    found = json.loads((out / "claims.json").read_text(encoding="utf-8"))["claims"]
    assert {claim["id"]: claim["verdict"] for claim in found} == {
        "rises": "reproduced",
        "full-newreno": "not reproduced",
        "full-cubic": "reproduced",
    }
    for claim in found:
        assert f" {claim['id']} " in told.stdout
    page = (out / "report.html").read_text(encoding="utf-8")
    for text in (
        "Utilisation against the buffer",
        "98 % stand for busy",
        "dumbbell study run buffers.toml -o buffers",
    ):
        assert text in page
    assert {path.name for path in (out / "figures").iterdir()} == {
        "busy.pdf",
        "busy.png",
        "wait.pdf",
        "wait.png",
    }
    # The folder alone gives the same report, but for the command.
    assert cli("report", "out/buffers").returncode == 0
    assert "98 % stand for busy" in (out / "report.html").read_text(encoding="utf-8")
    typo = study.read_text().replace('axis = "buffer", arm = "newreno"', 'axis = "buffer", arm = "newren"')
    (folder / "typo.toml").write_text(typo)
    (command, error) = re.findall(r"^    \$ dumbbell (study run typo.*)\n    (.*)$", GUIDE, re.MULTILINE)[0]
    refused = cli(*shlex.split(command))
    assert (refused.returncode, refused.stderr) == (2, f"{error}\n")
    assert not (folder / "out" / "typo").exists()


def test_a_companion_of_the_guide_runs(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "buffers.toml").write_text(block("toml") + block("toml", 1))
    told = cli("study", "run", "buffers.toml", "--companion", "far", "--quick", "-o", "out/far")
    assert told.returncode == 0, told.stderr
    assert "12 of 12 runs finished (2 points x 2 arms x 3 seeds)" in told.stdout
    found = json.loads((tmp_path / "out" / "far" / "claims.json").read_text(encoding="utf-8"))
    assert found["note"].startswith("QUICK")
    assert [claim["id"] for claim in found["claims"]] == ["rises"]
    study = StudyResult.load(tmp_path / "out" / "far").study
    assert study.name == "buffers-far"
    assert study.scenario["topology"]["bottleneck"]["delay"] == "100ms"


def test_bins_of_flow_size_join_the_study() -> None:
    study = Study.from_dict({"name": "buffers"} | tomllib.loads(block("toml") + block("toml", 2)))
    assert len(study.runs()) == 80
    assert study.columns[-8:] == [f"{name}_{size}" for name in ("afct", "ideal") for size in (5, 8, 33, 318)]


def test_every_command_is_there(cli: Cli) -> None:
    commands = set(re.findall(r"^    \$ dumbbell (study \w+|\w+)", GUIDE, re.MULTILINE))
    assert len(commands) >= 8
    for command in commands:
        assert cli(*command.split(), "--help").returncode == 0
