"""The tournament: who takes part, and what harm is."""

import numpy as np
import pytest

from dumbbell import _native
from dumbbell.papers import find_paper
from dumbbell.papers.tournament import entrants
from dumbbell.papers.tournament.measures import MEASURES, Place, harm
from dumbbell.papers.tournament.plots import half, written
from dumbbell.stats import mean
from dumbbell.study import Study
from tests.papers.test_papers import made_up

PAPER = find_paper("tournament")


@pytest.fixture(scope="module")
def bare():
    return Study.from_file(PAPER.folder / "study.toml")


@pytest.mark.parametrize("family", ["controller", "queue"])
def test_every_registered_algorithm_takes_part_or_is_explained(bare, family):
    playing, left_out = (entrants.controllers if family == "controller" else entrants.queues)(bare)
    registered = [name for name, _, _ in dict(_native.algorithms())[family]]
    assert sorted([*playing, *left_out]) == sorted(registered)
    assert all(left_out.values())


def test_the_study_grows_with_the_registry(bare, monkeypatch):
    names = {
        "controller": ["cubic", "xcp", "unheard-of"],
        "queue": ["droptail", "rio"],
        "router": ["rcp", "xcp"],
    }
    known = [(family, [(name, "", "") for name in members]) for family, members in names.items()]
    monkeypatch.setattr(entrants, "_members", lambda family: [name for name, _, _ in dict(known)[family]])
    grown = entrants.with_all(bare)
    assert [(arm.name, arm.settings[1:]) for arm in grown.arms] == [
        ("cubic", ()),
        ("xcp", ("topology.bottleneck.router=xcp",)),
    ]
    assert grown.axis("queue").values == ("droptail",)
    assert "unheard-of" in entrants.controllers(bare)[1]["unheard-of"]
    assert "marker" in entrants.queues(bare)[1]["rio"]


def test_every_run_uses_the_cellular_walk_once(bare):
    walk = entrants.cellular()
    assert walk == entrants.cellular()
    assert walk.count("rate = ") == 99
    axis = entrants.with_all(bare).axis("link")
    assert [walk in settings for settings in axis.settings] == [value == "cellular" for value in axis.values]


def test_harm_is_what_cubic_loses_of_what_it_has_alone():
    study = PAPER.study(quick=True)
    columns = [metric.name for metric in study.metrics]
    against = np.array([point["against"] for point in study.points()])

    def value(arm, place, column, noise):
        if columns[column] == "own":
            return np.where(against[place] == "nobody", 20.0, 1.0)
        beside = (columns[column] == "other") & (against[place] == "cubic")
        return np.where(beside, 5.0 + arm + noise, 1.0)

    result = made_up(study, value, seeds=3)
    arms = study.arms[:2]
    of_cubic, of_next = (harm(result, arm.name, Place("wired", "droptail")) for arm in arms)
    beside = [
        result.values("other", arm.name, queue="droptail", link="wired", against="cubic")[1] for arm in arms
    ]
    assert of_cubic == pytest.approx(100 - 5 * beside[0])
    assert of_next == pytest.approx(100 - 5 * beside[1])
    assert len(of_cubic) == len(of_next) == 3


def test_cells_are_short():
    share, wait, index, _ = MEASURES
    cells = [written(share, mean([value])) for value in (97.23, 4.26, 0.256, 0.0, np.nan)]
    assert cells == ["97", "4.3", "0.26", "0", "-"]
    # Two digits that count in a data centre too, and no index that looks rounder than its neighbour.
    assert [written(wait, mean([value])) for value in (0.0312, 0.00317)] == ["0.031", "0.0032"]
    assert [written(index, mean([value])) for value in (0.999, 0.984)] == ["1.00", "0.98"]
    assert half(share, mean([97.0])) == half(share, mean([97.0, 97.001])) == ""
    assert half(share, mean([90.0, 100.0])).startswith(" ±6")
    assert half(share, mean([-30.0, 30.1])) == " ±382"
