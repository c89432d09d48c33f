"""The study of DCTCP over two bottlenecks."""

from pathlib import Path

import pytest

from dumbbell import Scenario, papers
from dumbbell.study.metric import evaluate

SCENARIO = Path(__file__).parents[2] / "scenarios" / "dctcp-multihop.toml"

PUBLISHED = {"s1": 46.0, "s2": 475.0, "s3": 54.0}
"""Alizadeh et al., SIGCOMM 2010, figure 17, in Mbit/s."""

NS3 = {"s1": 23.0, "s2": 471.0, "s3": 74.0}
"""What the example of ns-3 gives."""


def rates(*settings):
    study = papers.find_paper("dctcp-multihop").study()
    results = Scenario.from_dict(study.scenario, ["duration=600ms", "warmup=200ms", *settings]).run()
    return {name: evaluate(study.metric(name), results) for name in PUBLISHED}


def test_rates_are_within_a_tenth_and_nearer_than_ns3():
    found = rates()
    assert found == pytest.approx(PUBLISHED, rel=0.1)
    for name in ("s1", "s3"):
        assert abs(found[name] - PUBLISHED[name]) < 0.2 * abs(NS3[name] - PUBLISHED[name])


def test_both_links_are_full():
    found = rates()
    assert 10 * found["s1"] + 20 * found["s2"] == pytest.approx(10_000, rel=0.01)
    assert 10 * found["s1"] + 10 * found["s3"] == pytest.approx(1000, rel=0.01)


def test_the_scenario_is_that_of_the_study():
    study, scenario = papers.find_paper("dctcp-multihop").study(), Scenario.from_file(SCENARIO)
    described = {
        key: value for key, value in scenario.to_dict().items() if key not in {"name", "description"}
    }
    of_study = Scenario.from_dict(study.scenario).to_dict()
    assert described == {key: of_study[key] for key in described}
