"""The page docs/speed.md, and what it is made of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

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
