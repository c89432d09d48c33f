"""The control of a study: a fluid network serves the arrivals of its runs."""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import numpy as np
import pytest

from dumbbell import Scenario, TheoryError, theory
from dumbbell.study import Metric, Study, StudyError, run_study, until
from dumbbell.study.fluid import Fluid
from dumbbell.study.plans import Plans
from dumbbell.study.until import outcome, read_until
from tests.study.conftest import STUDY, changed

SCENARIO = STUDY["scenario"]
POINT = {"load": 0.6}


def heavier(**changes: object) -> Study:
    """The small study with sizes that differ, and one metric."""
    sizes = {**SCENARIO["workloads"][0], "size": {"kind": "exponential", "mean": "20kB"}}
    return Study.from_dict(
        changed(scenario={**SCENARIO, "workloads": [sizes], "duration": "4s"}, seeds=40, **changes)
    )


@pytest.mark.parametrize("share", [1.0, 0.9])
def test_one_link_is_exact_processor_sharing(share: float) -> None:
    scenario = Scenario.from_dict(SCENARIO).with_seed(7)
    flows = scenario.run().flows
    order = np.argsort(flows["start"], kind="stable")
    starts, counted = flows["start"][order], flows["counted"][order]
    packets = np.ceil(flows["size"][order] / 1448)
    work = (flows["size"][order] + 52 * packets) * 8
    shared = theory.processor_sharing(starts, work, share * 2e6)
    times = shared + 1.5 * scenario.explain()["pairs"][0]["base_rtt"]
    [found] = scenario.fluid([7], share=share)
    assert found == pytest.approx(times[counted & (starts + times <= 2)], rel=1e-3)
    assert found.size > 3


def test_a_network_has_exact_max_min_sharing() -> None:
    size = {"kind": "exponential", "mean": "20kB"}
    cross, long = ({"kind": "poisson", "name": name, "rate": 20, "size": size} for name in ("cross", "long"))
    cross |= {"from": "cross-senders", "to": "cross-receivers"}
    long |= {"from": "senders", "to": "receivers"}
    topology = {
        "kind": "parking-lot",
        "hops": 2,
        "bottleneck": {"rate": "8Mbit/s"},
        "access": {"rate": "1Gbit/s"},
    }
    values = {"duration": "5s", "topology": topology, "transport": {"kind": "tcp"}}
    scenario = Scenario.from_dict({**values, "workloads": [cross, long], "seed": 3})
    flows = scenario.run().flows
    order = np.argsort(flows["start"], kind="stable")
    starts, sizes = flows["start"][order], flows["size"][order]
    # Routers are in a row: a pair that leaves router i for router i + 1 crosses link i.
    routers = {(f"router{i}", f"router{i + 1}"): i for i in range(2)}
    pairs = {
        (pair["path"][0], pair["path"][-1]): (
            [routers[step] for step in pairwise(pair["path"]) if step in routers],
            1.5 * pair["base_rtt"],
        )
        for pair in scenario.explain()["pairs"]
    }
    ways = list(pairs.values())
    names = zip(flows["source"][order].tolist(), flows["destination"][order].tolist(), strict=True)
    classes = [list(pairs).index(name) for name in names]
    work = (sizes + 52 * np.ceil(sizes / 1448)) * 8
    shared = theory.max_min_sharing(starts, work, classes, [links for links, _ in ways], [8e6, 8e6])
    times = shared + np.array([ways[index][1] for index in classes])
    [found] = scenario.fluid([3])
    assert len({tuple(links) for links, _ in ways}) == 3
    assert found == pytest.approx(times[starts + times <= 5], rel=1e-3)


def test_a_flow_without_end_takes_its_share() -> None:
    values = {**SCENARIO, "flows": [{"from": "senders", "to": "receivers"}]}
    [alone], [shared] = (Scenario.from_dict(v).fluid([1], "web") for v in (SCENARIO, values))
    assert shared.mean() > 1.5 * alone.mean()


def test_closed_loops_have_no_fluid() -> None:
    closed = {
        "kind": "on-close",
        "from": "senders",
        "to": "receivers",
        "size": {"kind": "fixed", "size": "9kB"},
    }
    with pytest.raises(TheoryError, match="when others end"):
        Scenario.from_dict({**SCENARIO, "workloads": [closed]}).fluid([1])


def test_arms_share_a_control() -> None:
    study = heavier()
    fluid = Fluid(study, Plans(study))
    of = [fluid.of(study.metrics[0], arm.name, POINT) for arm in study.arms]
    assert of[0] is of[1] is not None
    assert fluid.of(study.metrics[0], "cubic", {"load": 0.3}) is not of[0]


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        (Metric("x", "x", "", lambda _: 1.0), "is a function"),
        (
            Metric("x", "x", "", {"table": "links", "link": "left->right", "column": "loss"}),
            "mean completion",
        ),
        (
            Metric("x", "x", "", {"table": "flows", "column": "completion_time", "statistic": "p99"}),
            "mean completion",
        ),
    ],
)
def test_other_metrics_have_no_control(metric: Metric, reason: str) -> None:
    study = heavier()
    fluid = Fluid(study, Plans(study))
    assert reason in (fluid.why_not(metric, "cubic", POINT) or "")


def test_forty_seeds_have_a_control_and_fewer_none() -> None:
    study = heavier()
    assert study.controlled
    assert not dataclasses.replace(study, control="none").controlled
    assert not dataclasses.replace(study, seeds=study.seeds[:39]).controlled


def test_controls_are_of_two_networks() -> None:
    study = heavier()
    control = Fluid(study, Plans(study)).of(study.metrics[0], "cubic", POINT)
    means = control.of(study.seeds)
    scenario = Scenario.from_dict(study.scenario, ["workloads[0].load=0.6"])
    for column, share, number in ((0, 1.0, np.mean), (1, 1.0, np.max), (2, 0.9, np.mean)):
        times = scenario.fluid(study.seeds, share=share)
        assert means[:, column] == pytest.approx([number(each) for each in times])


def test_a_control_narrows_means_and_one_key_turns_it_off(tmp_path) -> None:
    study = heavier(axes=[])
    narrow = run_study(study, tmp_path / "study")
    wide = dataclasses.replace(narrow, study=dataclasses.replace(study, control="none"))
    from dumbbell.study.estimates import level

    left, plain = (level(each, "fct", ("cubic", {}))(0.95) for each in (narrow, wide))
    assert left.half_width < 0.7 * plain.half_width
    assert "controls leave" in left.note
    assert narrow.controls
    assert wide.controls is None
    assert level(narrow, "loss", ("cubic", {}))(0.95) == level(wide, "loss", ("cubic", {}))(0.95)


def test_until_reaches_the_width_and_says_what_it_saved(tmp_path) -> None:
    study = until(dataclasses.replace(heavier(axes=[]), arms=heavier().arms[:1]), 0.05)
    assert study.stop.of == "means"
    result = run_study(study, tmp_path / "study")
    assert result.complete
    assert 40 <= result.expected < 1000
    [line] = outcome(result)
    assert line.startswith("half-width of 5 % reached at 1 of 1 points")
    assert "saved" in line
    again = run_study(study, tmp_path / "study")
    assert again.table.equals(result.table)


def test_until_says_what_it_did_not_reach(tmp_path) -> None:
    study = read_until(heavier(axes=[]), "width=0.01%,seeds=41")
    assert study.stop.of == "differences"
    head, line = outcome(run_study(study, tmp_path / "study"))
    assert "reached at 0 of 1 points" in head
    assert "saved" not in head
    assert "not reached: half-width" in line
    assert "it needs some" in line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("width", "is no width"),
        ("width=0%", "is not above zero"),
        ("width=2%,seeds=10", "fewer than the 40"),
        ("width=2%,seeds=999999", "1,000,000 at most"),
    ],
)
def test_goals_that_cannot_be_are_one_line(text: str, message: str) -> None:
    with pytest.raises(StudyError, match=message) as error:
        read_until(heavier(), text)
    assert len(error.value.problems) == 1


def test_sizes_without_variance_have_no_width() -> None:
    sizes = {**SCENARIO["workloads"][0], "size": {"kind": "pareto", "mean": "20kB", "shape": 1.5}}
    study = Study.from_dict(changed(scenario={**SCENARIO, "workloads": [sizes]}))
    with pytest.raises(StudyError, match="no variance") as error:
        until(study, 0.02)
    assert len(error.value.problems) == 1
