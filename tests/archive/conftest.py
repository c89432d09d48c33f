"""A small study and a run, made for real and packed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dumbbell as db
from dumbbell.archive import pack
from dumbbell.study import Study, StudyResult, run_study

STUDY: dict[str, Any] = {
    "name": "small",
    "title": "A small study",
    "question": "Which controller?",
    "scenario": {
        "duration": "3s",
        "transport": "tcp",
        "topology": {"kind": "dumbbell", "pairs": 2, "bottleneck": {"rate": "2Mbit/s", "queue": "droptail"}},
        "workloads": [
            {
                "kind": "poisson",
                "name": "web",
                "from": "senders",
                "to": "receivers",
                "load": 0.5,
                "size": {"kind": "exponential", "mean": "20kB"},
            }
        ],
    },
    "seeds": 4,
    "axes": [{"name": "load", "values": [0.3, 0.6], "set": "workloads[0].load={value}"}],
    "arms": [
        {"name": "newreno", "label": "NewReno", "set": "transport.controller=newreno"},
        {"name": "cubic", "label": "CUBIC", "set": "transport.controller=cubic"},
    ],
    "metrics": [
        {"name": "goodput", "unit": "bit/s", "source": {"table": "runs", "column": "goodput"}},
        {"name": "events", "source": {"table": "runs", "column": "packet_hops"}},
    ],
}

TRACE = "0.1,sender0,receiver0,20000\n0.5,sender0,receiver0,40000\n"


@pytest.fixture(scope="session")
def study_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study") / "out"
    run_study(Study.from_dict(STUDY), folder)
    return folder


@pytest.fixture(scope="session")
def study_result(study_folder: Path) -> StudyResult:
    return StudyResult.load(study_folder)


@pytest.fixture(scope="session")
def archive(study_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pack(study_folder, tmp_path_factory.mktemp("zip") / "study.zip")


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that reads a file."""
    base = tmp_path_factory.mktemp("run")
    (base / "flows.csv").write_text(TRACE)
    scenario = base / "traced.toml"
    scenario.write_text(
        """
        duration = "4s"
        topology = { kind = "dumbbell", pairs = 1 }
        workloads = [{ kind = "trace", name = "web", file = "flows.csv" }]
        """
    )
    return db.Scenario.from_file(scenario).run().save(base / "out")
