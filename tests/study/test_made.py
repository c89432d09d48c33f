"""Studies made in Python: what a study file would refuse is refused before anything runs."""

from dataclasses import replace

import pytest

import dumbbell as db
from dumbbell.study import Arm, Axis, Derived, Metric, StopRule, Study, StudyError, run_study

SOURCE = {"table": "runs", "column": "goodput"}


def made(**changes):
    parts = {
        "name": "made",
        "title": "Made",
        "question": "?",
        "scenario": {
            "duration": "1s",
            "topology": {"kind": "dumbbell", "pairs": 1},
            "flows": [{"from": "senders", "to": "receivers"}],
        },
        "base_dir": ".",
        "axes": (Axis.of("rate", "rate", "Mbit/s", (1, 2), "topology.bottleneck.rate={value}Mbit/s"),),
        "arms": (Arm("base", "Base"),),
        "seeds": (1, 2),
        "metrics": (Metric("goodput", "goodput", "bit/s", SOURCE),),
    }
    return Study(**(parts | changes))


@pytest.mark.parametrize(
    "make",
    [
        lambda name: Arm(name, "label"),
        lambda name: Axis.of(name, "label", "", (1,), "seed={value}"),
        lambda name: Metric(name, "label", "", SOURCE),
        lambda name: Derived(name, "label", "", len),
    ],
)
@pytest.mark.parametrize("name", ["w.002-droptail", "", "2nd", "a b", "x" * 201, None, 3])
def test_names_are_checked_when_they_are_made(make, name):
    with pytest.raises(StudyError):
        make(name)
    assert make("w-002_droptail").name == "w-002_droptail"


def test_the_message_is_that_of_the_study_file():
    with pytest.raises(StudyError) as caught:
        Arm("w.002-droptail", "DropTail")
    values = made().to_dict()
    values["arms"][0]["name"] = "w.002-droptail"
    with pytest.raises(StudyError) as of_file:
        Study.from_dict(values)
    assert str(caught.value) == str(of_file.value).replace("arms[0].name", "arm")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "two words"}, "name: "),
        ({"arms": (Arm("a", "x" * 300),)}, "arms[0].label: 300 characters"),
        ({"arms": (Arm("a", "A", ("nothing",)),)}, "arms[0].set"),
        ({"arms": (Arm("a", "A"), Arm("a", "B"))}, "arms[1].name: a second 'a'"),
        ({"seeds": (1, 1)}, "seeds"),
        ({"metrics": (Metric("seed", "seed", "", SOURCE),)}, "'seed' is a column of every study"),
        ({"metrics": (Metric("g", "g", "", {"table": "runs", "column": "godput"}),)}, "metrics[0].source"),
        ({"metrics": (Metric("g", "g", "", SOURCE, possible=(2, 1)),)}, "no value lies between 2 and 1"),
        ({"stop": StopRule("delay", 0.1)}, "stop.metric: 'delay' is not a metric"),
        ({"stop": StopRule("goodput", 0.1, minimum=1)}, "stop.minimum"),
    ],
)
def test_nothing_runs_that_could_not_be_opened(changes, message, tmp_path):
    study = made(**changes)
    with pytest.raises(StudyError) as caught:
        run_study(study, tmp_path / "out")
    assert message in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_what_runs_opens_again(tmp_path):
    metrics = (
        Metric("share", "share", "", lambda results: results.runs.row(0)["goodput"] / 2e6, possible=(0, 1)),
        Metric("goodput", "goodput", "bit/s", SOURCE, possible=(0, 5e6)),
        Metric("open", "open", "bit/s", SOURCE),
    )
    study = made(metrics=metrics)
    made_here = run_study(study, tmp_path / "out")
    opened = db.study.StudyResult.load(tmp_path / "out")
    assert opened.table.equals(made_here.table)
    assert [metric.possible for metric in opened.study.metrics] == [(0, 1), (0, 5e6), None]


def test_a_range_makes_no_other_run():
    bare, ranged = (
        made(metrics=(Metric("goodput", "goodput", "bit/s", SOURCE, possible=ends),))
        for ends in (None, (0, 5e6))
    )
    assert [run.id for run in bare.runs()] == [run.id for run in ranged.runs()]


def test_unknown_parts_are_told_with_those_there_are():
    study = made()
    for look, message in (
        (study.arm, "the study 'made' has no arm 'bse'; did you mean \"base\"?"),
        (study.axis, "the study 'made' has no axis 'bse'; use one of rate"),
        (study.metric, "the study 'made' has no metric 'bse'; use one of goodput"),
    ):
        with pytest.raises(db.UnknownNameError) as caught:
            look("bse")
        assert str(caught.value) == message
        assert isinstance(caught.value, KeyError)


def test_unknown_points_are_told_with_those_there_are(tmp_path):
    result = run_study(replace(made(), seeds=(1,)), tmp_path / "out")
    for look, message in (
        (lambda: result.values("goodput", "base", rate=3), "axis 'rate' has no value 3; it has 1, 2"),
        (
            lambda: result.values("goodput", "base"),
            "nothing is not a point; give a value for each axis: rate",
        ),
        (lambda: result.values("gooput", "base", rate=1), "no metric 'gooput'; did you mean \"goodput\"?"),
        (lambda: result.values("goodput", "bass", rate=1), "no arm 'bass'; did you mean \"base\"?"),
        (lambda: result.by_size, "no metrics by size; add by_size"),
    ):
        with pytest.raises(db.UnknownNameError, match=r".") as caught:
            look()
        assert message in str(caught.value)
