"""Papers with further studies, derived metrics and maps."""

import pytest

from dumbbell import papers
from dumbbell.study import StudyError

DERIVED = """
from dumbbell.study import Derived

def growth(runs, short):
    return runs["queue"] / short["queue"]

DERIVED = (Derived("growth", "queue over that of the short one", "", growth, reference="short"),)
"""

MAPS = """
from dumbbell.report import MapSpec

MAPS = (
    MapSpec(
        "best", "The better queue", "load", "price of a packet", (0.0, 9.0),
        lambda runs, price: 10 * runs["growth"] - price * runs["queue"], "score", ("short", "long"),
    ),
)
"""

COMPANION = """
[[companions]]
name = "sizes"
title = "Longer and longer"
axes = [{ name = "limit", values = [5, 10, 20], set = "topology.bottleneck.queue.limit={value}pkt" }]
arms = ["short"]
quick = { seeds = 2, axes = { limit = [5, 20] } }

[[companions.change.workloads]]
kind = "poisson"
name = "web"
from = "senders"
to = "receivers"
link = "left->right"
size = { kind = "exponential", mean = "8kB" }
load = 0.8

[[companions.figures]]
id = "queue"
title = "Queue against its limit"
x = "limit"
metric = "queue"

[[companions.claims]]
id = "more"
statement = "It holds more."
metric = "queue"
rule = { kind = "monotone", axis = "limit", arm = "short", direction = "rises" }
"""

STUDIES = """
from dataclasses import replace

from dumbbell.papers import Companion
from dumbbell.study import Metric

def packets(results):
    return float(results.links["arrived"].sum())

def counted(study):
    return replace(study, metrics=(*study.metrics, Metric("arrived", "packets", "", packets)))

STUDIES = (Companion("sizes", counted),)
"""


@pytest.fixture
def rich(folder):
    with (folder / "study.toml").open("a") as study:
        study.write(COMPANION)
    return folder


def test_derived_metrics_and_maps_are_in_the_report(rich, tmp_path):
    for name, text in (("derived.py", DERIVED), ("maps.py", MAPS)):
        (rich / name).write_text(text)
    found = papers.reproduce(papers.find_paper(rich), tmp_path / "out", quick=False)
    ratio = found.result.values("growth", "long", load=0.8)[1]
    alone, longer = (found.result.values("queue", arm, load=0.8)[1] for arm in ("short", "long"))
    assert (ratio == longer / alone).all()
    page = found.report.read_text()
    assert "Map 1. The better queue" in page
    assert (tmp_path / "out" / "figures" / "best.pdf").is_file()


def test_a_companion_is_a_study_of_its_own(rich, tmp_path):
    (companion,) = papers.find_paper(rich).companions()
    assert companion.name == "tiny-paper-sizes"
    assert companion.study().name == companion.name
    assert len(companion.study().points()) == 3
    assert companion.study().question == papers.find_paper(rich).study().question
    found = papers.reproduce(companion, tmp_path / "out")
    assert found.result.finished == 4
    assert [claim.id for claim, _ in found.judged] == ["more"]
    assert "dumbbell reproduce tiny-paper-sizes --quick" in found.report.read_text()


def test_what_its_quick_form_leaves_is_checked(rich):
    text = (rich / "study.toml").read_text()
    (rich / "study.toml").write_text(text.replace("limit = [5, 20]", "limit = [6]"))
    (companion,) = papers.find_paper(rich).companions()
    with pytest.raises(
        StudyError, match=r"quick.axes.limit: 6 is not a value of the axis 'limit'; give some of"
    ):
        companion.study(quick=True)


def test_python_adds_to_a_companion_of_the_file(rich):
    (rich / "studies.py").write_text(STUDIES)
    (companion,) = papers.find_paper(rich).companions()
    assert [metric.name for metric in companion.study().metrics] == ["queue", "arrived"]
    (rich / "studies.py").write_text(STUDIES.replace('"sizes"', '"size"'))
    with pytest.raises(papers.PaperError, match=r'no companion \'size\'; did you mean "sizes"\?'):
        papers.find_paper(rich).companions()
