"""Sizes with heavy tails: medians take the place of means whose intervals cannot be relied on, and say so."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from dumbbell.answers import Question, answer
from dumbbell.claims import Claim, Difference, Level, Ratio
from dumbbell.report import FigureSpec
from dumbbell.report.data import figure_data
from dumbbell.study import Study, StudyResult, run_study
from dumbbell.study.estimates import level
from dumbbell.study.plans import Plans
from dumbbell.study.tails import Tails
from tools.coverage import mean_sizes

PARETO = {"kind": "pareto", "shape": 1.2, "mean": "20kB"}


def study(size, seeds=8, load=0.3, **more):
    workload = {"kind": "poisson", "name": "web", "from": "senders", "to": "receivers", "load": load}
    scenario = {
        "duration": "4s",
        "drain": "4s",
        "transport": {"kind": "tcp", "profile": "rfc"},
        "topology": {"kind": "dumbbell", "pairs": 2, "bottleneck": {"rate": "5Mbit/s"}},
        "workloads": [workload | {"size": size}],
        "record": {"samples": False},
    }
    return Study.from_dict(
        {
            "name": "tails",
            "title": "Tails",
            "question": "?",
            "seeds": seeds,
            "scenario": scenario,
            "axes": [{"name": "load", "values": [0.2, 0.4], "set": "workloads[0].load={value}"}],
            "arms": [
                {"name": "drawn", "label": "Drawn"},
                {"name": "other", "label": "Other", "set": "transport.controller=newreno"},
                {"name": "equal", "label": "Equal", "set": "workloads[0].size={kind='fixed',size='20kB'}"},
            ],
            "metrics": [
                {
                    "name": "size",
                    "label": "mean size",
                    "unit": "kB",
                    "source": {"table": "flows", "column": "size", "factor": 1e-3},
                },
            ],
        }
        | more
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tails") / "out"
    run_study(study(PARETO), folder)
    return folder


@pytest.fixture(scope="module")
def result(folder):
    return StudyResult.load(folder)


def why(size, **more):
    made = study(size, **more)
    return Tails(made, Plans(made)).why_median("drawn", {"load": 0.4})


def test_the_law_decides():
    assert why(PARETO) == "sizes of web have a tail of index 1.2 and no variance"
    assert why({"kind": "pareto", "shape": 2.0, "mean": "20kB"}) is not None
    assert why({"kind": "pareto", "shape": 2.5, "mean": "20kB"}) is None
    assert why({"kind": "exponential", "mean": "20kB"}) is None
    cut = {"kind": "bounded-pareto", "shape": 1.1, "min": "1kB", "max": "1GB"}
    assert "sizes of web are so uneven (skewness 855) that a mean needs" in why(cut)
    # (skewness 20.0 over a half)^2.
    short = {"kind": "bounded-pareto", "shape": 1.1, "min": "1kB", "max": "1MB"}
    assert "needs 1,601 flows" in why(short)
    assert why(short, seeds=60) is None


def test_a_study_of_metrics_by_size_compares_flows_of_one_size():
    metric = {"name": "afct", "label": "time", "unit": "s", "source": {"column": "completion_time"}}
    chosen = study(PARETO, by_size={"packet": 1448, "up_to": [5, 10], "metrics": [metric]})
    sized = replace(chosen, axes=(*chosen.axes, chosen.by_size.axis), by_size=None)
    assert Tails(chosen, Plans(chosen)).why_median("drawn", {"load": 0.4})
    assert Tails(sized, Plans(sized)).why_median("drawn", {"load": 0.4, "flow_size": 5}) is None


def test_the_median_stands_for_the_seeds(result):
    where = ("drawn", {"load": 0.4})
    _, values = result.values("size", *where[:1], **where[1])
    estimate = level(result, "size", where)(0.95)
    assert estimate.value == np.median(values)
    assert estimate.interval == (values.min(), values.max())
    assert "median over seeds, for sizes of web have a tail of index 1.2" in estimate.note
    equal = level(result, "size", ("equal", {"load": 0.4}))(0.95)
    assert (equal.value, equal.note) == (20, "n=1, no interval")


def test_claims_are_judged_by_it(result):
    for rule in (
        Level("drawn", high=1e6),
        Ratio("drawn", "equal", high=1e6),
        Difference("drawn", "equal", high=1e6),
    ):
        judgement = Claim("x", "X.", "ours", "size", rule).judge(result)
        assert judgement.verdict == "reproduced"
        assert "median over seeds, for sizes of web" in judgement.evidence
        assert all("median" in finding.estimate.method for finding in judgement.details)


def test_the_table_says_so(folder, cli):
    shown = cli("study", "status", folder).stdout
    assert "Mean, ~ median [95 % interval] over seeds" in shown
    assert "~: sizes of web have a tail of index 1.2 and no variance" in shown
    rows = [line for line in shown.splitlines() if "Drawn" in line or "Equal" in line]
    assert ["~" in row for row in rows] == [True, False, True, False]


def test_the_answer_compares_medians(result):
    found = answer(result, [Question("size", "load", arms=("drawn", "equal"))])
    assert "of medians where sizes of web have a tail of index 1.2 and no variance, else of means," in str(
        found
    )


def test_the_answer_says_how_many_seeds_medians_need(result):
    found = answer(result, [Question("size", "load", arms=("drawn", "equal"))], confidence=1 - 1e-9)
    seeds = 1 + np.ceil(np.log2(len(result.points()) / 1e-9))
    assert f"medians need {seeds:.0f} seeds for intervals that hold together." in str(found)


def test_figures_draw_it(result):
    data = figure_data(result, FigureSpec("size", "Size", "load", "size"))
    drawn, _, equal = data.lines
    assert ["median" in estimate.method for estimate in (*drawn.estimates, *equal.estimates)] == [
        True, True, False, False,
    ]  # fmt: skip


def test_what_the_study_says_holds_as_often_as_it_says(result):
    """Run means of the law instead of the runs: the interval at a point holds what it is of."""
    draws = mean_sizes(1.2)(np.random.default_rng(5), 4000)
    truth, rows = float(np.median(draws)), result.table.num_rows
    hits = 0
    for sample in draws.reshape(-1, 8):
        column = pa.array(sample[np.searchsorted(range(1, 9), result.table["seed"])])
        table = result.table.set_column(result.table.column_names.index("size"), "size", column)
        low, high = level(replace(result, table=table), "size", ("drawn", {"load": 0.4}))(0.95).interval
        hits += low <= truth <= high
    # Of eight, the least and the largest: 1 - 2 / 2^8. A t interval of the mean holds the mean in 55 %.
    assert rows == 48
    assert hits >= 0.96 * 500
