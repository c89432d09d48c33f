"""The grid, the ids, and the check of every point before anything runs."""

from __future__ import annotations

import numpy as np
import pytest

from dumbbell.study import Axis, Study, StudyError
from dumbbell.study.plan import StudyPlan
from dumbbell.study.queue import Share
from tests.study.conftest import changed


def test_runs_come_seed_by_seed(study: Study) -> None:
    runs = study.runs()
    assert [run.seed for run in runs] == [1] * 4 + [2] * 4 + [3] * 4 + [4] * 4 + [5] * 4
    assert [(run.point["load"], run.arm) for run in runs[:4]] == [
        (0.3, "newreno"), (0.3, "cubic"), (0.6, "newreno"), (0.6, "cubic"),
    ]  # fmt: skip
    assert runs[3].settings == ("workloads[0].load=0.6", "transport.controller=cubic", "seed=1")


def test_ids_come_from_plan_seed_metrics_and_code() -> None:
    def ids(version: str = "1", **changes: object) -> set[str]:
        return set(StudyPlan(Study.from_dict(changed(**changes)), version).catalogue["run_id"].to_pylist())

    own = ids()
    assert len(own) == 20
    assert own == ids(title="Other words", question="Why?")
    assert own < ids(seeds=6)
    assert own < ids(axes=[{"name": "load", "values": [0.3, 0.6, 0.9], "set": "workloads[0].load={value}"}])
    assert not own & ids(version="2")
    assert not own & ids(metrics=[{"name": "x", "source": {"table": "runs", "column": "goodput"}}])
    assert own == ids(arms=[
        {"name": "renamed", "set": "transport.controller=newreno"},
        {"name": "cubic", "set": 'transport.controller={ kind = "cubic" }'},
    ])  # fmt: skip


def test_catalogue_lists_the_runs(study: Study) -> None:
    plan = StudyPlan(study)
    rows = plan.catalogue.to_pylist()
    assert [{"run_id": run.id, "arm": run.arm, "seed": run.seed, **run.point} for run in plan.runs()] == rows


def test_all_invalid_points_are_told_at_once() -> None:
    axes = [
        {"name": "load", "values": [0.5, 20.0], "set": "workloads[0].load={value}"},
        {"name": "limit", "values": ["5pkt", "-1pkt"], "set": "topology.bottleneck.queue.limit={value}"},
    ]
    arms = [
        {"name": "good", "set": "transport.controller=cubic"},
        {"name": "bad", "set": "transport.controller=qubic"},
    ]
    with pytest.raises(StudyError) as caught:
        Study.from_dict(changed(axes=axes, arms=arms)).runs()
    qubic = 'transport.controller: "qubic" is not a controller; did you mean "cubic"?'
    minus = 'topology.bottleneck.queue.limit: "-1pkt" is negative; leave out the minus sign'
    assert caught.value.problems[:4] == (
        f"load=0.5, limit=5pkt, arm bad: {qubic}",
        f"load=20.0, limit=5pkt, arm bad: {qubic}",
        f"load=0.5, limit=-1pkt, arm good, bad: {minus}",
        f"load=20.0, limit=-1pkt, arm good, bad: {minus}",
    )
    assert caught.value.problems[4].startswith("load=20.0, limit=5pkt, arm good: workloads[0].load: 20 ")
    assert len(caught.value.problems) == 5


def test_a_setting_takes_the_values_of_other_axes() -> None:
    axes = [
        {"name": "delay", "values": [10, 20], "set": "topology.bottleneck.delay={value}ms"},
        {"name": "rate", "values": [2, 4, 5], "set": "topology.bottleneck.rate={value}Mbit/s"},
    ]
    arms = [
        {"name": "a", "set": ["topology.access.delay={delay/rate}ms", "topology.access.rate={rate}0Mbit/s"]}
    ]
    values = changed(axes=axes, arms=arms)
    last = Study.from_dict(values).runs()[-1]
    assert last.point == {"delay": 20, "rate": 5}
    assert last.settings[2:4] == ("topology.access.delay=4.0ms", "topology.access.rate=50Mbit/s")
    assert Study.from_dict(Study.from_dict(values).to_dict()).runs()[-1] == last
    for wrong, problem in {
        "{rat}": "{rat}: the study has no axis 'rat'; did you mean \"rate\"?",
        "{rate/dela}": "{rate/dela}: the study has no axis 'dela'",
        "{delay/word}": "over near is no number; use axes of numbers other than zero",
    }.items():
        word = {"name": "word", "values": ["near"], "settings": [[]]}
        arms = [{"name": "a", "set": f"topology.access.delay={wrong}ms"}]
        with pytest.raises(StudyError) as caught:
            Study.from_dict(changed(axes=[*axes, word], arms=arms)).runs()
        assert all(problem in line for line in caught.value.problems), caught.value.problems


def test_drops_that_are_not_recorded_are_asked_for() -> None:
    metrics = [{"name": "first", "source": {"table": "drops", "column": "time", "statistic": "min"}}]
    with pytest.raises(StudyError, match=r"metrics.first: drops are not recorded; add record.drops = true"):
        Study.from_dict(changed(metrics=metrics)).runs()


def test_a_mistake_of_every_point_is_told_once() -> None:
    metrics = [{"name": "loss", "source": {"table": "links", "link": "left->rigth", "column": "loss"}}]
    with pytest.raises(StudyError) as caught:
        Study.from_dict(changed(metrics=metrics)).runs()
    assert caught.value.problems == (
        "scenario: metrics.loss: the scenario has no link 'left->rigth'; did you mean \"left->right\"?",
    )


@pytest.mark.parametrize("stop", [None, {"metric": "fct", "relative": 0.1, "minimum": 2}])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
def test_shares_are_a_partition(count: int, stop: object) -> None:
    plan = StudyPlan(Study.from_dict(changed(stop=stop)))
    masks = [Share(index, count).mask(plan) for index in range(1, count + 1)]
    assert np.array_equal(np.sum(masks, axis=0), np.ones(len(plan)))
    if stop is None:
        sizes = [int(mask.sum()) for mask in masks]
        assert max(sizes) - min(sizes) <= len(plan.study.seeds)


def test_an_axis_from_templates_is_that_of_a_study_file() -> None:
    """Ids of runs are made from these texts: they must not change."""
    axis = Axis.of("size", "size", "kB", (0.5, 4, "all"), "a={value}kB", "b.c={value}")
    assert axis.settings == (("a=0.5kB", "b.c=0.5"), ("a=4kB", "b.c=4"), ("a=allkB", "b.c=all"))
    assert axis.values == (0.5, 4, "all")
    assert Axis.of("none", "none", "", (1, 2)).settings == ((), ())
