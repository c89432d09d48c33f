"""Papers with more than one study, derived metrics and maps."""

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

STUDIES = """
from dataclasses import replace

from dumbbell.claims import Claim, Monotone
from dumbbell.papers import Companion
from dumbbell.report import FigureSpec
from dumbbell.study import Axis

VALUES = (5, 10, 20)

def sizes(study):
    settings = tuple((f"topology.bottleneck.queue.limit={value}pkt",) for value in VALUES)
    axis = Axis("limit", "limit", "packets", VALUES, settings)
    scenario = study.scenario | {"workloads": [study.scenario["workloads"][0] | {"load": 0.8}]}
    return replace(study, title="Longer and longer", scenario=scenario, axes=(axis,), arms=study.arms[:1])

STUDIES = (
    Companion(
        "sizes", sizes, {"seeds": 2, "axes": {"limit": [5, 20]}},
        (FigureSpec("queue", "Queue against its limit", "limit", "queue"),),
        (Claim("more", "It holds more.", "our question", "queue", Monotone("limit", "short", "rises")),),
    ),
)
"""


@pytest.fixture
def rich(folder):
    for name, text in (("derived.py", DERIVED), ("maps.py", MAPS), ("studies.py", STUDIES)):
        (folder / name).write_text(text)
    return folder


def test_derived_metrics_and_maps_are_in_the_report(rich, tmp_path):
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
    found = papers.reproduce(companion, tmp_path / "out")
    assert found.result.finished == 4
    assert [claim.id for claim, _ in found.judged] == ["more"]
    assert "dumbbell reproduce tiny-paper-sizes --quick" in found.report.read_text()


def test_what_its_quick_form_leaves_is_checked(rich):
    (rich / "studies.py").write_text(STUDIES.replace('"limit": [5, 20]', '"limit": [6]'))
    (companion,) = papers.find_paper(rich).companions()
    with pytest.raises(StudyError, match=r"tiny-paper-sizes, quick: axes.limit: \[6\] are not values"):
        companion.study(quick=True)
