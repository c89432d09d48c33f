"""Scenarios from Python: builders, dictionaries, files."""

from __future__ import annotations

import doctest
import sys
from pathlib import Path

import numpy as np
import pytest

import dumbbell as db
from conftest import SCENARIO


def built() -> db.Scenario:
    return db.scenario(
        name="small",
        seed=3,
        duration="8s",
        warmup="1s",
        topology=db.topology.dumbbell(
            pairs=2, bottleneck=db.network.bottleneck(rate="2Mbit/s", queue=db.queue.droptail(limit="8pkt"))
        ),
        flows=[db.flows(name="bulk", from_="senders", to="receivers", stagger="100ms")],
        workloads=[
            db.workload.poisson(
                name="web", from_="senders", to="receivers", load=0.4, size=db.size.exponential(mean="20kB")
            )
        ],
        record=db.record(drops=True),
    )


def test_builders_dictionaries_and_toml_say_the_same() -> None:
    from_toml = db.Scenario.from_toml(SCENARIO)
    assert built().plan_hash == from_toml.plan_hash
    assert db.Scenario.from_dict(from_toml.to_dict()).plan_hash == from_toml.plan_hash
    assert db.Scenario.from_toml(from_toml.to_toml()).plan_hash == from_toml.plan_hash


def test_numpy_scalars_and_paths_are_values(tmp_path: Path) -> None:
    sizes = tmp_path / "trace.csv"
    values = db.Scenario.from_toml(SCENARIO).to_dict()
    values["seed"] = np.int64(3)
    values["workloads"][0]["load"] = np.float64(0.4)
    assert db.Scenario.from_dict(values).plan_hash == db.Scenario.from_toml(SCENARIO).plan_hash
    values["workloads"] = [db.workload.trace(file=sizes)]
    with pytest.raises(db.ScenarioError, match=r"workloads\[0\]"):
        db.Scenario.from_dict(values)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"seed": 2**64}, "seed"),
        ({"seed": object()}, "seed"),
        ({"flows": [{"from": "senders", "to": {1: 2}}]}, "flows[0].to"),
        (
            {"topology": {"kind": "dumbbell", "bottleneck": {"rate": float("nan")}}},
            "topology.bottleneck.rate",
        ),
    ],
)
def test_what_is_wrong_with_a_dictionary_is_placed(change: dict[str, object], path: str) -> None:
    values = db.Scenario.from_toml(SCENARIO).to_dict() | change
    with pytest.raises(db.ScenarioError) as caught:
        db.Scenario.from_dict(values)
    assert caught.value.path == path
    assert caught.value.message
    assert caught.value.remedy
    assert str(caught.value) == f"{path}: {caught.value.message}; {caught.value.remedy}"


def test_the_examples_in_docstrings_run() -> None:
    for module in (db, sys.modules[db.Scenario.__module__]):
        tried = doctest.testmod(module)
        assert tried.attempted > 0
        assert tried.failed == 0


def test_a_file_gives_its_name_and_folder(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(SCENARIO.replace('name = "small"\n', ""))
    assert db.Scenario.from_file(file).name == "mine"
    assert db.Scenario.from_file(file, ['name="theirs"']).name == "theirs"


def test_explain_resolves_what_was_written() -> None:
    facts = built().explain()
    link = next(link for link in facts["links"] if link["name"] == "left->right")
    assert link["rate"] == 2e6
    assert link["buffer_packets"] == 8
    assert facts["pairs"][0]["base_rtt"] == pytest.approx(0.05)
    web = next(group for group in facts["groups"] if group["name"] == "web")
    assert web["offered"] == pytest.approx(0.4 * 2e6)
