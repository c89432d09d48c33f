"""Metrics: each kind of source against the tables themselves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import dumbbell as db
from dumbbell.study import Metric, StudyError
from dumbbell.study.metric import evaluate


def value(results: db.Results, **source: Any) -> float:
    return evaluate(Metric("x", "x", "", source), results)


def test_runs_and_links(results: db.Results) -> None:
    assert value(results, table="runs", column="goodput") == results.runs["goodput"][0]
    row = results.links["link"].tolist().index("left->right")
    loss = value(results, table="links", link="left->right", column="loss", factor=100)
    assert loss == 100 * results.links["loss"][row] > 0


@pytest.mark.parametrize(
    ("statistic", "function"),
    [
        ("mean", np.mean),
        ("sum", np.sum),
        ("max", np.max),
        ("min", np.min),
        ("p90", lambda x: np.quantile(x, 0.9)),
    ],
)
def test_flows(results: db.Results, statistic: str, function: Any) -> None:
    flows = results.flows
    times = flows["completion_time"]
    chosen = times[(flows["group"] == "web") & flows["counted"] & ~np.isnan(times)]
    source = {"table": "flows", "column": "completion_time", "group": "web", "statistic": statistic}
    assert value(results, **source) == pytest.approx(function(chosen), rel=1e-12)
    assert value(results, **source | {"statistic": "count"}) == len(chosen)
    everything = value(results, **source | {"statistic": "count", "counted": False})
    assert everything == int(((flows["group"] == "web") & ~np.isnan(times)).sum()) > len(chosen)


def test_transfers() -> None:
    rounds = {"kind": "rounds", "from": "senders", "to": "receivers", "size": "64kB", "rounds": 5}
    scenario = {
        "duration": "1s", "warmup": "1ms", "topology": {"kind": "star", "senders": 3}, "workloads": [rounds],
    }  # fmt: skip
    results = db.Scenario.from_dict(scenario).run()
    source = {"table": "transfers", "column": "completion_time", "group": "workload0"}
    # Five rounds of three, and the first began in the warm-up.
    assert value(results, **source | {"statistic": "count"}) == 12
    assert value(results, **source | {"statistic": "count", "counted": False}) == 15
    counted = results.transfers["completion_time"][results.transfers["counted"]]
    assert value(results, **source) == pytest.approx(counted.mean(), rel=1e-12)


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
    results = db.Scenario.from_dict(scenario).run()
    of_class = {"table": "classes", "link": "left->right", "column": "dropped"}
    dropped = [value(results, **of_class, **{"class": number}) for number in (0, 1)]
    assert min(dropped) > 0
    assert value(results, **of_class) == sum(dropped) == results.links["dropped"][0]
    # A link that tells no classes apart.
    assert math.isnan(value(results, **of_class | {"link": "right->left"}))

    times, reasons = results.drops["time"], results.drops["reason"]
    first = {"table": "drops", "column": "time", "statistic": "min", "link": "left->right"}
    for reason in ("law", "overflow"):
        assert value(results, **first, reason=reason) == times[reasons == reason].min()
    assert value(results, **first) == times[0]
    assert value(results, **first | {"statistic": "count"}, **{"class": 1}) == dropped[1]
    assert value(results, **first | {"statistic": "count", "link": "right->left"}) == 0
    assert math.isnan(value(results, **first, reason="too-big"))


def test_no_flow_no_value(results: db.Results) -> None:
    # The long flows have no end.
    source = {"table": "flows", "column": "completion_time", "group": "bulk"}
    assert math.isnan(value(results, **source))
    assert value(results, **source, statistic="count") == 0
    # A group of which no flow has started.
    assert math.isnan(value(results, table="flows", column="goodput", group="none"))


def test_function(results: db.Results) -> None:
    assert evaluate(Metric("n", "n", "", lambda r: len(r.flows)), results) == len(results.flows)


def test_a_function_that_is_only_a_name_is_refused(results: db.Results) -> None:
    with pytest.raises(StudyError, match="was a function"):
        value(results, function="f", fingerprint="0")


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
    shares = [value(results, **source, state=state) for state in ("busy", "idle", "pause", "sleep", "waking")]
    assert sum(shares) == pytest.approx(1, abs=1e-12)
    assert shares[2] == pytest.approx(states["time"][states["state"] == "pause"].sum() / 8, rel=1e-9)
    assert shares[3] == 0 < shares[2] < shares[0]
    at_rates = [value(results, **source, rate=1e6 * level, factor=100) for level in range(1, 11)]
    assert sum(at_rates) == pytest.approx(100, abs=1e-9)
    assert value(results, **source, rate=1e6, state="pause") < at_rates[0] / 100
    model = {"scaling": "dvs", "static_share": 0.25}
    saving = value(results, table="states", link="left->right", statistic="saving", model=model)
    assert saving == pytest.approx(1 - db.energy(results, model=model) / 8, rel=1e-12)


def test_no_power_control_no_share(results: db.Results) -> None:
    source = {"table": "states", "link": "left->right"}
    assert math.isnan(value(results, **source, statistic="share", state="busy"))
    assert math.isnan(value(results, **source, statistic="saving"))
