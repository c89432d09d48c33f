"""What the tests of studies share: a small study, and ways to compare what studies leave behind."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from dumbbell.study import Study, StudyResult
from dumbbell.study.files import encode

STUDY: dict[str, Any] = {
    "name": "small",
    "title": "Web traffic on a small dumbbell",
    "scenario": {
        "duration": "2s",
        "warmup": "500ms",
        "transport": {"kind": "tcp"},
        "topology": {
            "kind": "dumbbell",
            "pairs": 2,
            "bottleneck": {"rate": "2Mbit/s", "queue": {"kind": "droptail", "limit": "20pkt"}},
        },
        "workloads": [
            {
                "kind": "poisson",
                "name": "web",
                "from": "senders",
                "to": "receivers",
                "link": "left->right",
                "load": 0.5,
                "size": {"kind": "fixed", "size": "20kB"},
            }
        ],
        "record": {"samples": False},
    },
    "seeds": 5,
    "axes": [{"name": "load", "values": [0.3, 0.6], "set": "workloads[0].load={value}"}],
    "arms": [
        {"name": "newreno", "set": "transport.controller=newreno"},
        {"name": "cubic", "set": "transport.controller=cubic"},
    ],
    "metrics": [
        {
            "name": "fct",
            "unit": "s",
            "better": "lower",
            "source": {"table": "flows", "column": "completion_time", "group": "web"},
        },
        {"name": "loss", "source": {"table": "links", "link": "left->right", "column": "loss"}},
    ],
}


def changed(**changes: Any) -> dict[str, Any]:
    """The small study with some keys changed; ``None`` removes one."""
    values = copy.deepcopy(STUDY) | changes
    return {key: value for key, value in values.items() if value is not None}


def content(folder: Path) -> bytes:
    """The table of a complete study, sorted, as bytes."""
    result = StudyResult.load(folder)
    assert result.complete
    return encode(result.table.sort_by("run_id"))


def shards(folder: Path) -> list[Path]:
    return sorted(folder.glob("results/*/shards/*.parquet"))


@pytest.fixture
def study() -> Study:
    return Study.from_dict(STUDY)


@pytest.fixture
def study_file(tmp_path: Path) -> Path:
    """The small study as a file, its scenario in another."""
    path = tmp_path / "study.toml"
    write_study(path, STUDY)
    return path


def write_study(path: Path, values: dict[str, Any]) -> None:
    """Write a study as TOML, whose inline tables are nearly JSON."""
    lines = [f"{key} = {_toml(value)}" for key, value in values.items()]
    path.write_text("\n".join(lines) + "\n")


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(v)}" for key, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)
