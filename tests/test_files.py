"""Files that have no end, or no content, are refused in one line."""

from __future__ import annotations

import os
import resource
import subprocess
from pathlib import Path

import pytest

import forks
from conftest import COMMAND_TIMEOUT
from dumbbell._files.read import read_text
from dumbbell.study import Study, StudyError

SCENARIO = """
duration = "1s"
topology = {{ kind = "chain", hops = 1{link} }}
flows = [{{ from = "node0", to = "node1"{flow} }}]
{more}
"""


def dumbbell(*args: str) -> subprocess.CompletedProcess[str]:
    """Run the command with a memory that one endless file would fill."""
    return forks.completed(args, Path.cwd(), COMMAND_TIMEOUT, limits={resource.RLIMIT_AS: 4_000_000_000})


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def refused(ended: subprocess.CompletedProcess[str]) -> str:
    assert ended.returncode == 2, ended.stderr[-500:]
    assert ended.stderr.count("\n") == 1
    assert ended.stderr.startswith("dumbbell: ")
    assert len(ended.stderr) < 1500
    return ended.stderr


@pytest.mark.parametrize("name", ["/dev/zero", "pipe", "folder", "/dev/null"])
def test_what_is_no_file_is_no_scenario_and_no_study(name: str, pipe: Path) -> None:
    path = str(pipe.parent if name == "folder" else pipe if name == "pipe" else name)
    assert "it is not a file" in refused(dumbbell("run", path))
    assert "it is not a file" in refused(dumbbell("study", "run", path, "-o", str(pipe.parent / "out")))
    assert "it is not a file" in refused(dumbbell("replay", path))


@pytest.mark.parametrize(
    "places",
    [
        {"link": ', link = {{ rate = "1Mbit/s", trace = {{ file = "{}" }} }}'},
        {"flow": ', transport = "replay", packets = "{}"'},
        {"more": 'workloads = [{{ kind = "trace", file = "{}" }}]'},
        {
            "more": 'workloads = [{{ kind = "poisson", from = "node0", to = "node1", load = 0.1, '
            'size = {{ kind = "empirical", file = "{}", unit = "1B", interpolation = "step" }} }}]'
        },
    ],
)
@pytest.mark.parametrize("name", ["/dev/zero", "pipe"])
def test_what_is_no_file_is_no_trace(places: dict[str, str], name: str, pipe: Path) -> None:
    file = pipe.parent / "scenario.toml"
    filled = {"link": "", "flow": "", "more": ""} | {key: text.format(name) for key, text in places.items()}
    file.write_text(SCENARIO.format(**filled), encoding="utf-8")
    assert "it is not a file" in refused(dumbbell("check", str(file)))


def test_a_scenario_of_many_megabytes_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "scenario.toml"
    file.write_text("# much\n" * 3_000_000, encoding="utf-8")
    assert "it has more than the limit of 16.777216MB" in refused(dumbbell("run", str(file)))


def test_files_of_proc_look_empty_and_are_read_whole() -> None:
    assert read_text("/proc/self/status").startswith("Name:")


def test_the_scenario_and_the_parts_of_a_study_are_files(pipe: Path) -> None:
    values = {
        "name": "study",
        "scenario": str(pipe),
        "seeds": 1,
        "metrics": [{"name": "goodput", "source": {"table": "runs", "column": "goodput"}}],
    }
    with pytest.raises(StudyError, match="it is not a file"):
        Study.from_dict(values)
    scenario = {
        "duration": "1s",
        "topology": {"kind": "chain", "hops": 1},
        "flows": [{"from": "node0", "to": "node1"}],
    }
    with pytest.raises(StudyError, match="it is not a file"):
        Study.from_dict(values | {"scenario": scenario, "include": [str(pipe)]})


@pytest.mark.parametrize("text", ["x = " + "[" * 100_000, "x = " + "{a=" * 100_000, "a." * 50_000 + "a = 1"])
def test_text_that_nests_without_end_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "deep.toml"
    file.write_text(text, encoding="utf-8")
    refused(dumbbell("run", str(file)))
    refused(dumbbell("study", "run", str(file), "-o", str(tmp_path / "out")))
