"""The search itself, on made networks: what chance finds is dropped, what breaks shrinks as far as it can."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from dumbbell.attack import Attack, Network, parse_property, plausible
from dumbbell.attack import run as attack_run
from dumbbell.attack.network import distance
from dumbbell.attack.run import _Attacking
from dumbbell.judge import candidate_of
from dumbbell.study import Study

Model = Callable[[Network, int], float]
"""The goodput of a network at a seed, for a property that wants 5 Mbit/s."""


def network_of(settings: tuple[str, ...]) -> Network:
    """Return the values that settings were made of, as far as the models need them."""
    text = " ".join(settings)

    def number(pattern: str, otherwise: float = 0.0) -> float:
        found = re.search(pattern, text)
        return float(found[1]) if found else otherwise

    return {
        "rtt": number(r"rtts=\['(\d+)us'") / 1000,
        "jitter": number(r"spread = '(\d+)us'") / 1000,
        "rate": number(r"rate=([\d.]+)Mbit"),
    }


@dataclass
class Made:
    """What `_Attacking` reads of the result of a study."""

    table: pa.Table
    numbers: NDArray[np.float64]

    def matrix(self, _names: list[str]) -> NDArray[np.float64]:
        return self.numbers[:, None]


class Runs:
    """Makes results by a model instead of runs, and notes the seeds of each study."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.seeds: list[tuple[int, ...]] = []

    def __call__(self, study: Study) -> Any:
        self.seeds.append(study.seeds)
        (axis,) = study.axes
        rows = [
            {"arm": arm.name, "network": index, "seed": seed, "goodput": self.model(network_of(own), seed)}
            for arm in study.arms
            for index, own in enumerate(axis.settings)
            for seed in study.seeds
        ]
        return Made(pa.Table.from_pylist(rows), np.array([row["goodput"] for row in rows]))


@pytest.fixture(autouse=True)
def nothing_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A made network has no trace."""
    monkeypatch.setattr(attack_run, "read_mechanism", lambda *_: None)
    monkeypatch.setattr(_Attacking, "_recorded", lambda *_: None)


def attacked(model: Model, *bounds: str) -> tuple[Attack, Runs]:
    runs = Runs(model)
    attack = _Attacking(
        candidate_of("cubic"), parse_property("goodput >= 5"), plausible(bounds), runs, lambda *_: None, 32, 1
    )
    return attack.whole(), runs


def test_what_breaks_shrinks_to_its_edge() -> None:
    found, _ = attacked(lambda n, _: 1.0 if n["jitter"] >= 4 else 9.0)
    assert found.broken
    assert found.found is not None
    assert found.shrunk is not None
    for bound in found.bounds:
        if bound.name != "jitter":
            assert found.shrunk[bound.name] == bound.rest
    # Each pass halves three times; passes go on until nothing moves.
    assert 4 <= found.shrunk["jitter"] < 4.6 < found.found["jitter"]


def test_values_shrink_again_when_others_have() -> None:
    found, _ = attacked(lambda n, _: 1.0 if n["jitter"] >= 4 and (n["rtt"] > 60 or n["jitter"] < 6) else 9.0)
    assert found.shrunk is not None
    assert found.shrunk["rtt"] == 40
    assert 4 <= found.shrunk["jitter"] < 6


def test_passes_go_on_until_nothing_moves() -> None:
    """The rate waits for the round trip, which waits for the jitter: values are tried in the other order."""

    def model(network: Network, _seed: int) -> float:
        short, slow, calm = network["rtt"] <= 60, network["rate"] <= 20, network["jitter"] < 6
        return 1.0 if network["jitter"] >= 4 and (calm or not short) and (short or not slow) else 9.0

    found, _ = attacked(model)
    assert found.found is not None
    assert found.found["rtt"] > 60
    assert found.found["jitter"] > 6
    assert found.shrunk is not None
    assert (found.shrunk["rtt"], found.shrunk["rate"]) == (40, 10)


def test_what_chance_breaks_is_not_found() -> None:
    found, runs = attacked(lambda _, seed: 1.0 if seed == 1 else 9.0)
    assert not found.broken
    assert found.found is None
    assert max(map(max, runs.seeds)) < 1001


def test_a_value_without_its_interval_breaks_nothing() -> None:
    found, _ = attacked(lambda _, seed: 1.8 if seed % 2 else 8.0)
    assert found.worst < 0
    assert not found.broken
    assert found.found is None


def test_what_shrank_by_chance_goes_back() -> None:
    """At the seeds of shrinking little jitter is enough; at fresh ones it takes more."""
    found, runs = attacked(lambda n, seed: 1.0 if n["jitter"] >= (2 if seed < 1001 else 8) else 9.0)
    assert found.shrunk is not None
    assert found.shrunk["jitter"] >= 8
    looks = [seeds for seeds in runs.seeds if min(seeds) >= 1001]
    last = looks[-1]
    different = list(dict.fromkeys(looks))
    assert len(different) > 1
    used = [seed for seeds in different for seed in seeds]
    assert len(used) == len(set(used)), "a look has seeds of its own"
    assert found.margin is not None
    assert found.margin.confidence == pytest.approx(1 - 0.05 / 2 ** len(different))
    assert last == different[-1]


def test_searching_shrinking_and_judging_have_their_own_seeds() -> None:
    _, runs = attacked(lambda n, _: 1.0 if n["jitter"] >= 4 else 9.0)
    kinds = {len(seeds): set(seeds) for seeds in runs.seeds}
    assert sorted(kinds) == [1, 6, 10]
    one, six, ten = kinds[1], kinds[6], kinds[10]
    assert not one & six
    assert not (one | six) & ten


def test_needed_values_are_those_without_which_it_holds() -> None:
    found, _ = attacked(lambda n, _: 1.0 if n["jitter"] >= 4 and n["rtt"] >= 100 else 9.0)
    without = {change.split(" instead of")[0]: margin.value for change, margin in found.needed}
    assert without == pytest.approx({"base round-trip time 40 ms": 4 / 14, "jitter 0 ms": 4 / 14})


def test_the_local_search_goes_on_from_the_worst() -> None:
    def model(network: Network, _seed: int) -> float:
        return 4.5 + abs(network["jitter"] - 12.34) + abs(network["rtt"] - 88) / 30

    found, runs = attacked(model)
    assert len([seeds for seeds in runs.seeds if len(seeds) == 1]) > 1
    assert found.tried > 32
    assert found.worst < 0


def test_a_distance_counts_in_the_whole_range() -> None:
    bounds = plausible(("jitter=0..5",))
    rest = {bound.name: bound.rest for bound in bounds}
    assert distance(bounds, rest | {"jitter": 5.0}) == pytest.approx(4 / 25)
