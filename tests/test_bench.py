"""What `make bench` and `make speed` run, before anybody waits for it."""

from __future__ import annotations

import pytest

from bench.costs import BASES, COSTS, THREADED, Cost, at_once
from bench.run import SETUPS, Figure
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
