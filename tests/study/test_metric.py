"""Metrics: each kind of source against the tables themselves."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dumbbell as db
from dumbbell import _native
from dumbbell._scenario import run_seeds
from dumbbell.errors import ScenarioError
from dumbbell.study import Metric, StudyError
from dumbbell.study.metric import evaluate, in_python
from tests.conftest import SCENARIO

SMALL = db.Scenario.from_toml(SCENARIO)
"""Whose results the tests share."""


def value(scenario: db.Scenario, **source: Any) -> float:
    """Return what a study makes of a run without Python."""
    metrics = _native.Metrics([source], False)
    [([number], results)], failure = run_seeds([(scenario, scenario.seed)], metrics=metrics)
    assert results is failure is None, "nobody needs the tables"
    return number


def in_tables(results: db.Results, **source: Any) -> float:
    return evaluate(Metric("x", "x", "", source), results)


def test_runs_and_links(results: db.Results) -> None:
    assert value(SMALL, table="runs", column="goodput") == results.runs["goodput"][0]
    row = results.links["link"].tolist().index("left->right")
    loss = value(SMALL, table="links", link="left->right", column="loss", factor=100)
    assert loss == 100 * results.links["loss"][row] > 0
    assert math.isnan(value(SMALL, table="links", link="none", column="loss"))


def test_tables_are_kept_for_what_python_evaluates(results: db.Results) -> None:
    sources = [{"table": "runs", "column": "goodput"}, None]
    [(numbers, kept)], failure = run_seeds([(SMALL, SMALL.seed)], metrics=_native.Metrics(sources, True))
    assert failure is None
    assert kept is not None
    assert kept.flows == results.flows
    assert numbers[0] == results.runs["goodput"][0]
    assert math.isnan(numbers[1])


def test_results_at_hand_give_the_same(results: db.Results, tmp_path: Path) -> None:
    results.save(tmp_path / "out")
    loaded = db.load(tmp_path / "out")
    sources: list[dict[str, Any]] = [
        {"table": "flows", "column": "completion_time", "group": "web", "statistic": "p95"},
        {"table": "links", "link": "left->right", "column": "loss"},
        {"table": "drops", "column": "time", "link": "left->right", "reason": "overflow"},
    ]
    for source in sources:
        expected = value(SMALL, **source)
        assert in_tables(results, **source) == in_tables(loaded, **source) == expected > 0


def test_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"no column of numbers .nonsense."):
        _native.Metrics([{"table": "runs", "column": "nonsense"}], False)


@pytest.mark.parametrize(
    ("statistic", "function"),
    [
        ("mean", np.mean),
        ("sum", np.sum),
        ("max", np.max),
        ("min", np.min),
        ("p50", np.median),
        *((f"p{share}", lambda x, q=share / 100: np.quantile(x, q)) for share in (90, 95, 99)),
    ],
)
def test_flows(results: db.Results, statistic: str, function: Any) -> None:
    flows = results.flows
    times = flows["completion_time"]
    chosen = times[(flows["group"] == "web") & flows["counted"] & ~np.isnan(times)]
    source = {"table": "flows", "column": "completion_time", "group": "web", "statistic": statistic}
    assert value(SMALL, **source) == function(chosen), "to the last bit"
    assert value(SMALL, **source | {"statistic": "count"}) == len(chosen)
    everything = value(SMALL, **source | {"statistic": "count", "counted": False})
    assert everything == int(((flows["group"] == "web") & ~np.isnan(times)).sum()) > len(chosen)


def test_transfers() -> None:
    rounds = {"kind": "rounds", "from": "senders", "to": "receivers", "size": "64kB", "rounds": 5}
    scenario = {
        "duration": "1s", "warmup": "1ms", "topology": {"kind": "star", "senders": 3}, "workloads": [rounds],
    }  # fmt: skip
    planned = db.Scenario.from_dict(scenario)
    source = {"table": "transfers", "column": "completion_time", "group": "workload0"}
    # Five rounds of three, and the first began in the warm-up.
    assert value(planned, **source | {"statistic": "count"}) == 12
    assert value(planned, **source | {"statistic": "count", "counted": False}) == 15
    results = planned.run()
    counted = results.transfers["completion_time"][results.transfers["counted"]]
    assert value(planned, **source) == counted.mean()


def test_classes_and_drops() -> None:
    classes = [
        {"min_threshold": "4pkt", "max_threshold": "9pkt", "max_probability": 0.1},
        {"min_threshold": "2pkt", "max_threshold": "6pkt", "max_probability": 0.2},
    ]
    queue = {"kind": "rio", "classes": classes, "limit": "5pkt", "weight": 0.2}
    bottleneck = {"rate": "5Mbit/s", "queue": queue, "reverse": {"queue": "droptail"}}
    scenario = {
        "duration": "5s",
        "topology": {"kind": "dumbbell", "bottleneck": bottleneck},
        "transport": {"kind": "tcp", "profile": "rfc"},
        "flows": [
            {"from": "senders", "to": "receivers", "count": 2, "class": 0},
            {"from": "senders", "to": "receivers", "count": 2, "class": 1},
        ],
        "record": {"drops": True},
    }  # fmt: skip
    planned = db.Scenario.from_dict(scenario)
    results = planned.run()
    of_class = {"table": "classes", "link": "left->right", "column": "dropped"}
    dropped = [value(planned, **of_class, **{"class": number}) for number in (0, 1)]
    assert min(dropped) > 0
    assert value(planned, **of_class) == sum(dropped) == results.links["dropped"][0]
    # A link that tells no classes apart.
    assert math.isnan(value(planned, **of_class | {"link": "right->left"}))

    times, reasons = results.drops["time"], results.drops["reason"]
    first = {"table": "drops", "column": "time", "statistic": "min", "link": "left->right"}
    for reason in ("law", "overflow"):
        assert value(planned, **first, reason=reason) == times[reasons == reason].min()
    assert value(planned, **first) == times[0]
    assert value(planned, **first | {"statistic": "count"}, **{"class": 1}) == dropped[1]
    assert value(planned, **first | {"statistic": "count", "link": "right->left"}) == 0
    assert math.isnan(value(planned, **first, reason="too-big"))


def test_no_flow_no_value() -> None:
    # The long flows have no end.
    source = {"table": "flows", "column": "completion_time", "group": "bulk"}
    assert math.isnan(value(SMALL, **source))
    assert value(SMALL, **source, statistic="count") == 0
    assert str(value(SMALL, **source, statistic="sum")) == "0.0", "not minus zero"
    # A group of which no flow has started.
    assert math.isnan(value(SMALL, table="flows", column="goodput", group="none"))


def test_function(results: db.Results) -> None:
    assert evaluate(Metric("n", "n", "", lambda r: len(r.flows)), results) == len(results.flows)


def test_a_function_that_is_only_a_name_is_refused() -> None:
    with pytest.raises(StudyError, match="was a function"):
        in_python(Metric("x", "x", "", {"function": "f", "fingerprint": "0"}))


def test_states() -> None:
    power = {"policy": "practra", "start": "lowest"}
    scenario = {
        "duration": "8s",
        "topology": {"kind": "dumbbell", "pairs": 1, "bottleneck": {"power": power}},
        "flows": [{"from": "senders", "to": "receivers"}],
    }
    results = db.Scenario.from_dict(scenario).run()
    states = results.states
    source = {"table": "states", "link": "left->right", "statistic": "share"}
    shares = [
        in_tables(results, **source, state=state) for state in ("busy", "idle", "pause", "sleep", "waking")
    ]
    assert sum(shares) == pytest.approx(1, abs=1e-12)
    assert shares[2] == pytest.approx(states["time"][states["state"] == "pause"].sum() / 8, rel=1e-9)
    assert shares[3] == 0 < shares[2] < shares[0]
    at_rates = [in_tables(results, **source, rate=1e6 * level, factor=100) for level in range(1, 11)]
    assert sum(at_rates) == pytest.approx(100, abs=1e-9)
    assert in_tables(results, **source, rate=1e6, state="pause") < at_rates[0] / 100
    model = {"scaling": "dvs", "static_share": 0.25}
    saving = in_tables(results, table="states", link="left->right", statistic="saving", model=model)
    assert saving == pytest.approx(1 - db.energy(results, model=model) / 8, rel=1e-12)


def test_no_power_control_no_share(results: db.Results) -> None:
    source = {"table": "states", "link": "left->right"}
    assert math.isnan(in_tables(results, **source, statistic="share", state="busy"))
    assert math.isnan(in_tables(results, **source, statistic="saving"))
