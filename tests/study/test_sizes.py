"""Metrics by size: from flows to bins, through the store, to figures and claims."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dumbbell import Scenario, theory
from dumbbell.claims import Claim, Level
from dumbbell.report import FigureSpec, Measured, Reference, figure_data, write_report
from dumbbell.study import Derived, Study, StudyError, StudyResult, derive, run_study
from dumbbell.study.query import query
from tests.study.conftest import changed

PACKET = 1000
UP_TO = [5, 6, 8, 20, 1000]
SHARING = {"capacity": 2000.0, "added": 0.05}

METRICS: list[dict[str, Any]] = [
    {"name": "mean", "unit": "s", "source": {"column": "completion_time"}},
    {"name": "middle", "unit": "s", "source": {"column": "completion_time", "statistic": "p50"}},
    {"name": "typical", "source": {"column": "completion_time", "each": "median", "statistic": "min"}},
    {
        "name": "worst",
        "source": {"column": "completion_time", "each": "max", "statistic": "max", "factor": 1e3},
    },
    {"name": "early", "source": {"column": "completion_time", "finished_by": 4, "statistic": "max"}},
    {"name": "known", "source": {"column": "size", "each": "count", "statistic": "sum"}},
    {"name": "ideal", "source": {"sharing": SHARING}},
    {"name": "capped", "source": {"sharing": SHARING | {"cap": 100.0}, "each": "min", "statistic": "min"}},
]


def values(**changes: Any) -> dict[str, Any]:
    by_size = {"packet": PACKET, "up_to": UP_TO, "group": "web", "metrics": METRICS} | changes
    given = changed(by_size=by_size)
    given["scenario"] |= {"duration": "8s", "warmup": "1s"}
    given["scenario"]["topology"]["bottleneck"]["rate"] = "20Mbit/s"
    size = {"kind": "pareto", "mean": "10kB", "shape": 1.5, "ceil": f"{PACKET}B"}
    given["scenario"]["workloads"][0]["size"] = size
    return given


@pytest.fixture(scope="module")
def sized() -> Study:
    return Study.from_dict(values())


@pytest.fixture(scope="module")
def result(sized: Study, tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    return run_study(sized, tmp_path_factory.mktemp("sizes") / "out")


def by_hand(study: Study) -> tuple[Any, Any, Any, Any]:
    """Starts, packets, completion times and whether they count, of the first run."""
    run = study.runs()[0]
    flows = Scenario.from_dict(study.scenario, run.settings).run().flows
    packets = flows["size"] // PACKET
    return flows["start"], packets, flows["completion_time"], flows["counted"].astype(bool)


def test_bins_by_hand(sized: Study, result: StudyResult) -> None:
    start, packets, times, counted = by_hand(sized)
    sharing = theory.processor_sharing(start, packets, 2000.0) + 0.05
    capped = theory.processor_sharing(start, packets, 2000.0, 100.0) + 0.05
    found = {
        name: result.by_size.table[name].to_pylist()[: len(UP_TO)] for name in result.by_size.study.columns
    }
    assert sum(found["known"]) == (counted & (packets <= UP_TO[-1])).sum() > 100
    for index, (low, high) in enumerate([(1, 5), (6, 6), (7, 8), (9, 20), (21, 1000)]):
        inside = counted & (packets >= low) & (packets <= high)
        ended = inside & ~np.isnan(times)
        sizes = np.unique(packets[ended])
        averages = [times[ended & (packets == size)].mean() for size in sizes]
        assert found["mean"][index] == pytest.approx(np.mean(averages))
        assert found["middle"][index] == pytest.approx(np.median(averages))
        assert found["typical"][index] == pytest.approx(
            min(np.median(times[ended & (packets == size)]) for size in sizes)
        )
        assert found["worst"][index] == pytest.approx(1e3 * times[ended].max())
        early = ended & (start + times <= 4)
        assert found["early"][index] == pytest.approx(
            max(times[early & (packets == size)].mean() for size in np.unique(packets[early]))
        )
        assert found["known"][index] == inside.sum()
        there = np.unique(packets[inside])
        assert found["ideal"][index] == pytest.approx(
            np.mean([sharing[inside & (packets == size)].mean() for size in there])
        )
        assert found["capped"][index] == pytest.approx(capped[inside].min())


def test_a_bin_stands_at_the_geometric_mean_of_its_ends(sized: Study) -> None:
    assert sized.by_size is not None
    assert sized.by_size.axis.values == (5, 6, 7, 13, 145)


def test_the_folder_gives_the_same_back(sized: Study, result: StudyResult, tmp_path: Path) -> None:
    run_study(sized, tmp_path / "out")
    again = StudyResult.load(tmp_path / "out")
    assert again.study.by_size == sized.by_size
    assert again.table.equals(result.table)
    rows = query(tmp_path / "out", "select avg(known_5) as known from runs")
    assert rows["known"].to_pylist() == [np.mean(result.table["known_5"].to_numpy())]


def test_other_bins_are_other_runs(sized: Study) -> None:
    other = Study.from_dict(values(up_to=[5, 1000]))
    assert {run.id for run in sized.runs()}.isdisjoint(run.id for run in other.runs())


def test_derived_by_size_see_bins_and_metrics_of_runs(result: StudyResult) -> None:
    slow = Derived(
        "slowdown",
        "slowdown",
        "",
        lambda runs: (runs["mean"] - runs["fct"]) / runs["flow_size"],
        by_size=True,
    )
    gain = Derived(
        "gain", "gain", "", lambda runs, base: runs["mean"] / base["mean"], "newreno", by_size=True
    )
    last = Derived("last", "last", "s", lambda runs: runs["mean"][:, -1])
    found = derive(result, [slow, gain, last])
    mean = result.by_size.values("mean", "cubic", load=0.6, flow_size=145)[1]
    fct = result.values("fct", "cubic", load=0.6)[1]
    assert found.by_size.values("slowdown", "cubic", load=0.6, flow_size=145)[1] == pytest.approx(
        (mean - fct) / 145
    )
    base = result.by_size.values("mean", "newreno", load=0.6, flow_size=145)[1]
    assert found.by_size.values("gain", "cubic", load=0.6, flow_size=145)[1] == pytest.approx(mean / base)
    assert found.values("last", "cubic", load=0.6)[1] == pytest.approx(mean)
    with pytest.raises(StudyError, match="has a column of this name"):
        derive(found, [slow])
    with pytest.raises(StudyError, match="no metrics by size"):
        derive(replace(result, study=replace(result.study, by_size=None)), [gain])


def test_claims_and_figures_over_sizes(result: StudyResult, tmp_path: Path) -> None:
    claim = Claim(
        "c", "Short flows are quick.", "test", "mean", Level("cubic", high=1, at={"flow_size": (5, 6)})
    )
    judgement = claim.judge(result)
    assert judgement.verdict == "reproduced"
    assert len(judgement.details) == 2 * 2
    spec = FigureSpec(
        "sizes", "By size", "flow_size", "mean", at={"load": 0.6}, x_scale="log", x_range=(6, 100),
        references=(
            Reference("a", (0.1, 0.2, 0.3), (5, 6, 7), marks=True),
            Reference("b", (0.1, 0.2), (1, 2)),
            Measured("ideal", "ideal", "newreno"),
        ),
    )  # fmt: skip
    data = figure_data(result, spec)
    assert data.x_values == (6, 7, 13)
    marks, ideal = data.references
    assert (marks.x, marks.y, marks.marks) == ((6, 7), (0.2, 0.3), True)
    sharing = [
        result.by_size.values("ideal", "newreno", load=0.6, flow_size=size)[1].mean() for size in (6, 7, 13)
    ]
    assert ideal.y == pytest.approx(sharing)
    page = write_report(tmp_path / "report.html", result, figures=[spec]).read_text()
    assert "in 5 bins of flow size" in page


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"packet": 0}, "by_size.packet: 0 are not bytes"),
        ({"up_to": [5, 5]}, "by_size.up_to: not whole numbers above zero that rise"),
        ({"up_to": []}, "by_size.up_to: not whole numbers"),
        ({"group": 3}, "by_size.group: an integer stands where a string is needed"),
        ({"groups": "web"}, 'by_size.groups: unknown key; did you mean "group"?'),
        ({"metrics": []}, "by_size.metrics: nothing is measured"),
        ({"metrics": [METRICS[0] | {"name": "fct"}]}, "by_size.metrics[0].name: a second 'fct'"),
        ({"metrics": [METRICS[0] | {"name": "flow_size"}]}, "by_size: a second 'flow_size'"),
    ],
)
def test_what_is_wrong_with_bins(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(StudyError) as caught:
        Study.from_dict(values(**change))
    assert any(problem in line for line in caught.value.problems), caught.value.problems


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (None, "source: missing table; add `source = ...`"),
        ({}, "needs either `column` or `sharing`"),
        ({"column": "completion_time", "sharing": SHARING}, "needs either"),
        ({"column": "completion_tme"}, 'did you mean "completion_time"?'),
        ({"column": "completion_time", "each": "p50"}, 'source.each: "p50" is not one of mean, median'),
        (
            {"column": "completion_time", "statistic": "median"},
            'source.statistic: "median" is not one of',
        ),
        (
            {"column": "completion_time", "finished_by": 0},
            "finished_by: 0 is not above zero; give seconds",
        ),
        ({"column": "completion_time", "by": 1}, "source.by: unknown key; use one of column, sharing"),
        ({"sharing": {"cap": 1}}, "sharing.capacity: missing number"),
        ({"sharing": {"capacity": -1}}, "sharing.capacity: -1 is not above zero; give a number above zero"),
        (
            {"sharing": {"capacity": 1, "rate": 1}},
            "sharing.rate: unknown key; use one of capacity",
        ),
    ],
)
def test_what_is_wrong_with_sources(source: Any, problem: str) -> None:
    metric = copy.deepcopy(METRICS[0])
    metric["source"] = source
    with pytest.raises(StudyError) as caught:
        Study.from_dict(values(metrics=[metric]))
    assert any(problem in line for line in caught.value.problems), caught.value.problems


def test_the_group_is_one_of_the_scenario() -> None:
    with pytest.raises(
        StudyError, match=r"by_size\.group: the scenario has no group 'wbe'; did you mean \"web\"\?"
    ):
        Study.from_dict(values(group="wbe")).runs()


def test_names_that_stand_twice_are_told_before_anything_runs(sized: Study) -> None:
    with pytest.raises(StudyError, match="a second 'load'; choose another name"):
        replace(sized, metrics=(replace(sized.metrics[0], name="load"),)).runs()


def test_a_study_may_measure_by_size_alone() -> None:
    given = values()
    del given["metrics"]
    assert Study.from_dict(given).columns[:2] == ["mean_5", "mean_6"]
