"""The page docs/speed.md, and what it is made of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.measure import Run
from peers import htsim, speed
from peers.speed_page import DATA, PAGE, render


@pytest.fixture
def data() -> dict[str, Any]:
    measured: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    return measured


def test_the_page_shows_what_was_measured(data: dict[str, Any]) -> None:
    assert PAGE.read_text(encoding="utf-8") == render(data), "run python -m peers.speed"


def test_every_cost_of_the_bench_is_on_the_page(data: dict[str, Any]) -> None:
    expected = {(cost.by, cost.name) for cost in speed.rows()}
    assert {(row["by"], row["name"]) for row in data["costs"]} == expected
    assert set(data["instructions"]) == {f"{by}: {name}" for by, name in expected}


def test_many_flows_and_many_links_are_on_the_page_as_whole_runs(data: dict[str, Any]) -> None:
    names = ["1,000", "100,000", "20,002, dumbbell"]
    assert [cost.name for cost in speed.entire()] == names
    assert [row["name"] for row in data["whole"]] == names
    data["whole"] = [
        {
            "by": "links",
            "name": "20,002, dumbbell",
            "time": "2s",
            "hops": 4_000_000,
            "seconds": [0.5, 0.2, 0.4],
        }
    ]
    row = "| 20,002 links, dumbbell | 2s | 4.0 | 0.40 (0.20-0.50) | 100.0 (50.0-125.0) |"
    assert row in render(data).splitlines()


def test_whole_runs_keep_set_up_and_slow_start(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def simulate(_program: str, _scenario: Path, settings: list[str]) -> Run:
        asked.append(settings)
        return Run({"packet_hops": 1000}, 0.25)

    monkeypatch.setattr("bench.costs.simulate", simulate)
    found = speed.whole_runs("engine", 2)
    assert [row["seconds"] for row in found] == [[0.25, 0.25]] * 3
    assert [row["hops"] for row in found] == [1000] * 3
    # Each once for a repeat, in turn, and for all of its time: nothing is taken off.
    assert asked == [cost.lasting(cost.time) for cost in speed.entire()] * 2


def test_without_htsim_its_figures_stay_and_say_when(data: dict[str, Any]) -> None:
    assert "htsim was not there" not in render(data)
    works = data["works"].items()
    now = {name: {kind: {"dumbbell": of["dumbbell"]} for kind, of in w.items()} for name, w in works}
    speed.keep_htsim(now, data["works"])
    assert all(kind["htsim"] for work in now.values() for kind in work.values())
    data["dates"]["works"] = "2099-01-02"
    assert f"its figures are those of {data['dates']['htsim']}" in render(data)
    del data["dates"]["htsim"]
    assert "htsim was not there." in render(data)


def test_another_folder_is_not_htsim(tmp_path: Path) -> None:
    told = htsim.unfit(tmp_path)
    assert told == f"{tmp_path}: is not csg-htsim; give the folder that holds its sim/tcp.h"
