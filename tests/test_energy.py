"""Energy from the table of states against the energy that a run integrates."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import dumbbell as db
from dumbbell.study import Metric
from dumbbell.study.metric import evaluate

POLICIES = ("fixed", "practra", "alr", "buffer-and-burst", "sleep-and-scale")
MODELS: list[dict[str, Any]] = [
    {"scaling": scaling, "below": below, "voltage_range": phi, "static_share": static, "pause": pause}
    for (scaling, below, phi), static, pause in itertools.product(
        [("fs", "linear", 2.0), ("dvs", "linear", 2.0), ("dvs", "flat", 2.0), ("dvs", "flat", 4.0)],
        (0.0, 0.25, 0.5, 0.75, 1.0),
        ("max", "old", "new", "top"),
    )
] + [{"idle_share": 0.1, "sleep_share": 0.3, "static_share": 0.25, "full_power": 5.0}, {"idle_share": 0.8}]


def run(policy: Any, model: dict[str, Any], duration: str = "8s", **power: Any) -> db.Results:
    scenario = {
        "duration": duration,
        "warmup": "1s",
        "topology": {
            "kind": "dumbbell",
            "pairs": 2,
            "bottleneck": {"power": {"policy": policy, "model": model, **power}},
        },
        "workloads": [
            {"kind": "poisson", "from": "senders", "to": "receivers", "load": 0.5, "size": "campus-web"}
        ],
    }
    return db.Scenario.from_dict(scenario).run()


def own(results: db.Results) -> float:
    row = results.links["link"].tolist().index("left->right")
    return float(results.links["energy"][row])


@pytest.mark.parametrize("policy", POLICIES)
def test_energy_is_that_of_the_core_under_every_model(policy):
    plain = run(policy, {})
    assert db.energy(plain) == pytest.approx(own(plain), rel=1e-12)
    for model in MODELS:
        # Of the same states: power has no effect on what happens.
        assert db.energy(plain, model=model) == pytest.approx(own(run(policy, model)), rel=1e-12), model


@pytest.mark.parametrize(
    ("model", "savings"),
    [
        ({"scaling": "fs"}, (90, 67.5, 45, 22.5)),
        ({"scaling": "dvs"}, (97.5, 73.125, 48.75, 24.375)),
        ({"scaling": "dvs", "below": "flat"}, (87.5, 65.625, 43.75, 21.875)),
    ],
)
def test_ceilings_of_the_saving(model, savings):
    """The lowest of ten rates all run, for static shares 0, 1/4, 1/2 and 3/4: by hand."""
    results = run("fixed", {}, start="lowest")
    for share, saving in zip((0, 0.25, 0.5, 0.75), savings, strict=True):
        source = {
            "table": "states", "link": "left->right", "statistic": "saving", "factor": 100,
            "model": model | {"static_share": share},
        }  # fmt: skip
        assert evaluate(Metric("s", "s", "%", source), results) == pytest.approx(saving, rel=1e-12)


def test_no_saving_if_all_power_is_static():
    results = run("practra", {})
    assert db.energy(results, model={"static_share": 1.0}) == pytest.approx(7.0, rel=1e-9)


def test_saved_results_give_the_same(tmp_path):
    results = run("practra", {"scaling": "dvs"})
    results.save(tmp_path / "out")
    loaded = db.load(tmp_path / "out")
    assert db.energy(loaded) == db.energy(results)
    assert db.energy(loaded, model={"pause": "top"}) == db.energy(results, model={"pause": "top"})


def test_what_is_wrong_is_said(results):
    controlled = run("practra", {})
    with pytest.raises(db.ResultsError, match=r"energy: 'left' is no link .*; use 'left->right'"):
        db.energy(controlled, link="left")
    with pytest.raises(db.ResultsError, match="give its link power"):
        db.energy(results)
    with pytest.raises(db.ScenarioError, match=r"^model.static_share: 2 is not a probability"):
        db.energy(controlled, model={"static_share": 2})
    with pytest.raises(db.ScenarioError, match=r"^model.static: unknown key"):
        db.energy(controlled, model={"static": 2})
    with pytest.raises(db.ScenarioError, match=r"^model.static_share: an object of type object"):
        db.energy(controlled, model={"static_share": object()})
