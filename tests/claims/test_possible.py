"""Intervals do not leave the range that a quantity can have."""

import math
from dataclasses import replace

import pytest

from dumbbell.claims import Difference, Level, Ratio
from dumbbell.report import FigureSpec
from dumbbell.report.data import figure_data
from dumbbell.stats import mean
from dumbbell.study import Derived, Metric, derive
from dumbbell.study.estimates import difference, level
from dumbbell.study.metric import possible

INF = math.inf


@pytest.mark.parametrize(
    ("source", "ends"),
    [
        ({"table": "flows", "column": "completion_time"}, (0, INF)),
        ({"table": "links", "column": "loss", "link": "a->b", "factor": 100}, (0, 100)),
        ({"table": "runs", "column": "fairness"}, (0, 1)),
        ({"table": "runs", "column": "goodput", "factor": -1}, (-INF, 0)),
        ({"table": "states", "statistic": "saving", "link": "a->b", "factor": 100}, (0, 100)),
        ({"table": "states", "statistic": "share", "link": "a->b", "factor": 100}, (0, 100)),
        ({"function": "unknown", "fingerprint": ""}, (-INF, INF)),
        (len, (-INF, INF)),
    ],
)
def test_the_source_tells_the_range(source, ends):
    assert possible(Metric("m", "m", "", source)) == ends


def test_a_function_says_its_range():
    assert possible(Metric("m", "m", "", len, possible=(0, 5))) == (0, 5)


def test_an_interval_is_cut_there():
    wide = mean([0.0, 0.0, 3.0])
    assert wide.low < 0
    cut = wide.within(0, INF)
    assert (cut.value, cut.low, cut.high) == (wide.value, 0, wide.high)
    assert mean([1.0]).within(0, INF).interval is None


def test_figures_are_cut(made):
    result = made(lambda _arm, _load, seed: 8.0 if seed == 1 else 0.0)
    assert mean(result.values("delay", "a", load=0.2)[1]).low < 0
    spec = FigureSpec("delay", "Delay", "load", "delay")
    assert all(e.low == 0 for line in figure_data(result, spec).lines for e in line.estimates)


def test_claims_are_cut(made):
    result = made(lambda _arm, _load, seed: 8.0 if seed == 1 else 0.0)
    (first, *_) = Level("a", high=1)(result, "delay").details
    assert (first.estimate.low, first.estimate.value) == (0, 1)
    apart = made(lambda arm, _load, seed: 0.1 + 9.0 * (arm == "a") * (seed == 1))
    (first, *_) = Ratio("a", "b", high=100)(apart, "delay").details
    assert first.estimate.low == 0


def test_differences_of_what_has_two_ends_are_cut(made):
    result = made(lambda arm, _load, seed: 1.0 * (arm == "a") * (seed < 3))
    metrics = tuple(replace(metric, possible=(0, 1)) for metric in result.study.metrics)
    shares = replace(result, study=replace(result.study, metrics=metrics))
    wide = Difference("a", "b", high=0.9, at={"load": 0.2})
    assert decide_at(wide, result, 0.999).high > 1
    assert decide_at(wide, shares, 0.999).high == 1


def decide_at(rule, result, confidence):
    point = {"load": 0.2}
    return difference(result, "delay", (rule.arm, point), (rule.minus, point))(confidence)


@pytest.mark.parametrize(("most", "end"), [(1.0, 1.0), (1.0001, 1.0001), (1.01, INF)])
def test_a_share_may_be_a_packet_above_its_whole(made, most, end):
    """A packet that is on the link when the measured part ends counts whole; beyond that the end is wrong."""
    result = made(lambda _arm, _load, seed: most if seed % 2 else 0.6)
    metrics = tuple(replace(metric, possible=(0, 1)) for metric in result.study.metrics)
    shares = replace(result, study=replace(result.study, metrics=metrics))
    found = level(shares, "delay", ("a", {"load": 0.2}))(0.999).high
    assert found == end or (end == INF and found > 1.01)


def test_a_derived_metric_says_its_range(made):
    result = derive(
        made(lambda _arm, _load, seed: 8.0 if seed == 1 else 0.0),
        [Derived("twice", "twice", "s", lambda runs: 2 * runs["delay"], possible=(0, INF))],
    )
    spec = FigureSpec("twice", "Twice", "load", "twice")
    assert all(e.low == 0 for line in figure_data(result, spec).lines for e in line.estimates)
