"""Every parameter of a study, who set it, and the algorithms in use."""

from __future__ import annotations

from dumbbell.report import Parameter, parameters
from dumbbell.report.parameter import spread, study_algorithms
from dumbbell.study import StudyResult


def _by_path(result: StudyResult) -> dict[str, Parameter]:
    return {
        place.path: place
        for place in parameters(result.study, {"topology.bottleneck": "section 4", "duration": "table 1"})
    }


def test_who_set_it(result: StudyResult) -> None:
    places = _by_path(result)
    expected = {
        "duration": ("study", "table 1"),
        "topology.bottleneck.rate": ("study", "section 4"),
        "topology.bottleneck.queue.kind": ("axis", "axis: queue"),
        "workloads[0].load": ("axis", "axis: offered load"),
        "transport.controller.kind": ("arm", "set by the arm"),
        "transport.initial_window": ("study", "set by the study"),
        "seed": ("seed", "one replication each"),
        "topology.bottleneck.mtu": ("default", "RFC 894: the Ethernet payload"),
    }
    assert {path: (places[path].origin, places[path].source) for path in expected} == expected


def test_values_that_differ_by_arm(result: StudyResult) -> None:
    places = _by_path(result)
    assert places["transport.controller.kind"].values == (
        ("NewReno", "newreno"),
        ("CUBIC", "cubic"),
        ("Reno <& friends>", "reno"),
    )
    decrease = places["transport.controller.decrease"]
    assert dict(decrease.values) == {"NewReno": "0.5", "CUBIC": "0.7"}
    assert "CUBIC: RFC 9438" in decrease.source
    assert places["transport.controller.scale"].values == (("CUBIC", "0.4"),)


def test_values_of_an_axis(result: StudyResult) -> None:
    places = _by_path(result)
    assert places["workloads[0].load"].values == (("", "0.2, 0.4, 0.6, 0.8, 0.9"),)
    assert places["topology.bottleneck.queue.target"].values == (("queue codel", "5ms"),)


def test_every_algorithm_once(result: StudyResult) -> None:
    found = [(algorithm.family, algorithm.name) for algorithm in study_algorithms(result.study)]
    assert found == sorted(set(found))
    assert {
        ("controller", "cubic"),
        ("queue", "codel"),
        ("queue", "droptail"),
        ("size", "campus-web"),
    } <= set(found)


def test_long_lists_are_cut() -> None:
    assert spread(["1", "2", "3"]) == "1, 2, 3"
    assert spread([str(number) for number in range(9)]) == "0, 1, …, 8 (9 values)"
