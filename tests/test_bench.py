"""What `make bench` and `make speed` run, before anybody waits for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import costs, run
from bench.costs import BASES, COSTS, THREADED, Cost, at_once
from bench.measure import SCENARIOS, Run
from bench.run import BRIEF, SETUPS, Figure
from dumbbell import Scenario


@pytest.mark.parametrize("cost", [*BASES.values(), *COSTS], ids=lambda cost: f"{cost.by}: {cost.name}")
def test_flows_of_every_cost_start_before_it_counts(cost: Cost) -> None:
    def lasts(duration: str) -> float:
        return float(Scenario.from_file(cost.scenario, cost.lasting(duration)).explain()["duration"])

    assert lasts(cost.counted_since or cost.since) < lasts(cost.counted) < lasts(cost.time)
    assert lasts(cost.since) < lasts(cost.time)
    assert cost.by in BASES


def test_rows_have_names_of_their_own() -> None:
    names = [cost.bench for cost in COSTS if cost.bench] + [*THREADED]
    assert len(set(names)) == len(names) >= 10
    assert len({(cost.by, cost.name) for cost in (*BASES.values(), *COSTS)}) == len(BASES) + len(COSTS)


def test_every_cost_and_every_set_up_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def count(_program: str, scenario: Path, settings: list[str]) -> tuple[int, int]:
        # What is counted is a scenario that can run.
        Scenario.from_file(scenario, settings).explain()
        asked.append(scenario.stem)
        return 1000 * len(asked) ** 2, 10 * len(asked)

    monkeypatch.setattr(run, "instructions", count)
    monkeypatch.setattr(costs, "instructions", count)
    monkeypatch.setattr(run, "CORES", 1)
    names = [figure.name for figure in run.counted("engine")]
    assert len(set(names)) == len(names)
    assert {run.row(cost) for cost in COSTS} <= {name.rpartition(", ")[0] for name in names}
    assert all(f"{cost.bench}, set-up M instructions" in names for cost in SETUPS)
    assert all(f"{name} instructions/packet-hop" in names for name in run.USUAL)


def test_only_some_rows_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "instructions", lambda *_: (1000, 10))
    monkeypatch.setattr(costs, "instructions", lambda *_: pytest.fail("nobody asked for a row of the page"))
    found = [figure.name for figure in run.counted("engine", "W4S inst")]
    assert found == ["W4S instructions/packet-hop"]
    assert [figure.name for figure in run.profiles("engine", "W2 linux")] == [
        "W2 linux instructions/packet-hop"
    ]


def test_instructions_are_recorded_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "RECORD", tmp_path / "record.txt")
    run.record([Figure("W1 speed", 30.0), Figure("W1 instructions", 400.0)])
    there = run.RECORD.read_text().splitlines()
    run.record([Figure("W1 instructions", 380.0), Figure("XCP instructions", 800.0)], alone=True)
    assert run.RECORD.read_text().splitlines()[1] == there[1], "times are of that machine"
    assert run.recorded() == {"W1 speed": 30.0, "W1 instructions": 380.0, "XCP instructions": 800.0}


def test_the_yardstick_is_the_geometric_mean_over_shipped_scenarios(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def simulate(_program: str, scenario: Path, settings: list[str]) -> Run:
        assert settings == BRIEF.get(scenario.stem, [])
        asked.append(scenario.stem)
        # Two runs of 50 and 200 ns, the others of 100.
        return Run({"packet_hops": 1000}, {1: 5e-5, 2: 2e-4}.get(len(asked), 1e-4))

    monkeypatch.setattr(run, "simulate", simulate)
    assert run.yardstick("engine") == pytest.approx(100.0)
    assert len(asked) == len(list(SCENARIOS.glob("*.toml"))) == len(set(asked))


def test_an_aim_that_is_not_reached_fails_nothing() -> None:
    assert not Figure("20,002 links, ns over W4S's", 3.5, aim=1.5).missed()
    assert Figure("a bound", 3.5, must=1.5).missed()


def test_instructions_are_bound_by_what_was_recorded() -> None:
    figure = Figure("W1 instructions/packet-hop", 408.0, counted=True)
    assert not figure.missed()
    assert not figure.missed(400.0)
    assert figure.missed(399.0)
    assert not Figure("W1 speed, M packet-hops/s", 30.0, larger_is_better=True).missed(60.0)


@pytest.mark.parametrize("cost", SETUPS, ids=lambda cost: cost.bench)
def test_a_set_up_is_over_before_a_packet_arrives(cost: Cost) -> None:
    about = Scenario.from_file(cost.scenario, at_once(cost)).explain()
    assert cost.bench
    assert len(about["links"]) > 5000
    assert about["duration"] < min(link["delay"] for link in about["links"])
