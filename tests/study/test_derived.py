"""Derived metrics: from the columns of runs, and of the reference at the same point and seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from dumbbell.study import Derived, Study, StudyError, StudyResult, derive
from dumbbell.study.derived import Columns, Floats
from dumbbell.study.plans import sharing_plans


@pytest.fixture
def result(study: Study) -> StudyResult:
    """Made up from seed, load and arm; one run of the reference is missing, some gave no value."""
    rows = [
        {"run_id": f"{seed}{arm}{load}", "arm": arm, "seed": seed, "load": load}
        | {
            "fct": None if (arm, seed) == ("cubic", 2) else load * seed * (2 if arm == "cubic" else 1),
            "loss": 0.0,
        }
        for seed in (3, 1, 2)
        for load in (0.6, 0.3)
        for arm in ("cubic", "newreno")
        if (arm, seed, load) != ("newreno", 3, 0.6)
    ]
    table = pa.Table.from_pylist(rows)
    return StudyResult(replace(study, seeds=(1, 2, 3)), table, 12, "0.0.0")


def test_of_the_runs_own_columns(result: StudyResult) -> None:
    found = derive(
        result, [Derived("scaled", "scaled", "s", lambda runs: runs["fct"] / runs["load"], better="lower")]
    )
    seeds, values = found.values("scaled", "newreno", load=0.3)
    assert values.tolist() == pytest.approx(seeds.tolist())
    assert found.study.metric("scaled").better == "lower"
    assert np.isnan(found.values("scaled", "cubic", load=0.3)[1]).sum() == 1


def test_against_the_reference_at_the_same_seed(result: StudyResult) -> None:
    ratio = Derived("ratio", "ratio", "", lambda runs, base: runs["fct"] / base["fct"], reference="newreno")
    percent = Derived("percent", "percent", "%", lambda runs: 100 * runs["ratio"])
    found = derive(result, [ratio, percent])
    for load, missing in ((0.3, {2}), (0.6, {2, 3})):
        seeds, values = found.values("percent", "cubic", load=load)
        assert set(seeds[np.isnan(values)].tolist()) == missing
        assert (values[~np.isnan(values)] == 200).all()
    assert (found.values("ratio", "newreno", load=0.3)[1] == 1).all()


def test_division_by_nothing_is_no_value(result: StudyResult) -> None:
    found = derive(result, [Derived("rate", "rate", "", lambda runs: 1 / runs["loss"])])
    assert found.table["rate"].null_count == found.table.num_rows


@pytest.mark.parametrize(
    ("derived", "message"),
    [
        (Derived("fct", "", "", lambda runs: runs["loss"]), "has a column of this name"),
        (Derived("x", "", "", lambda runs: runs["los"]), "no metric 'los'; it has load, fct, loss"),
        (
            Derived("x", "", "", lambda runs, _: runs["fct"], reference="reno"),
            "no arm 'reno'; it has newreno",
        ),
    ],
)
def test_what_cannot_be_is_refused(result: StudyResult, derived: Derived, message: str) -> None:
    with pytest.raises(StudyError, match=message):
        derive(result, [derived])


def test_a_function_changes_no_columns_but_its_own(result: StudyResult) -> None:
    def spoil(runs: Columns, base: Columns) -> Floats:
        for columns in (runs, base):
            columns["fct"][:] = 0.0
        return runs["load"] + base["load"]

    plain = Derived("plain", "plain", "s", lambda runs: runs["fct"])
    spoiled = Derived("spoiled", "spoiled", "", spoil, reference="cubic")
    found = derive(result, [spoiled, plain])
    assert found.table["plain"].equals(found.table["fct"])
    assert found.table["fct"].equals(result.table["fct"])


def test_results_with_more_metrics_know_the_plans(
    result: StudyResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = result.points()[0]
    assert result.possible("fct", "cubic", **point) == (0.0, np.inf)
    assert result.why_median("cubic", **point) is None
    planned: list[object] = []
    monkeypatch.setattr(Study, "plan", lambda _study, settings: planned.append(settings))
    found = derive(result, [Derived("scaled", "scaled", "s", lambda runs: 2 * runs["fct"])])
    assert found.why_median("cubic", **point) is None
    assert planned == []
    # Of another scenario they are not these.
    other = replace(result.study, scenario=result.study.scenario | {"duration": "9s"})
    with pytest.raises(AttributeError):
        replace(result, study=sharing_plans(other, result.study)).why_median("cubic", **point)
    assert len(planned) == 1
