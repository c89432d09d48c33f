"""The study of the classical results about incast."""

import time

import pytest

from dumbbell import Scenario, papers
from dumbbell.study.metric import evaluate


@pytest.fixture(scope="module")
def study():
    return papers.find_paper("incast-classic").study()


def measured(study, arm, metric="goodput", **point):
    """What one run of an arm gives at a point."""
    settings = [text for axis in study.axes for text in axis.settings[axis.values.index(point[axis.name])]]
    results = Scenario.from_dict(study.scenario, [*study.arm(arm).settings, *settings, "seed=1"]).run()
    return evaluate(study.metric(metric), results)


def test_many_servers_collapse_and_finer_timers_repair_it(study):
    assert measured(study, "newreno", servers=1) > 900
    assert measured(study, "newreno", servers=16) < 150
    assert measured(study, "rto-200us", servers=16) > 800


def test_linux_of_today_collapses_too(study):
    assert measured(study, "linux", servers=1) > 900
    assert measured(study, "linux", servers=32) < 300
    assert measured(study, "linux-5ms", servers=32) > 600


@pytest.mark.full
def test_quick_is_quick_and_full_gives_the_verdicts(tmp_path):
    paper = papers.find_paper("incast-classic")
    start = time.process_time()
    assert papers.reproduce(paper, tmp_path / "out").result.complete
    # A minute on two cores, whatever else they do; all of it in seven.
    assert time.process_time() - start < 2 * 60
    full = papers.reproduce(paper, tmp_path / "out", quick=False)
    assert time.process_time() - start < 2 * 420
    assert {claim.id for claim, judgement in full.judged if judgement.verdict != "reproduced"} == set()
