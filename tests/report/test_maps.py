"""Maps: the best arm of each cell, how sure that is, and what the page shows."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dumbbell.report import FigureError, FigureSpec, MapSpec, draw_map, map_data, write_report
from dumbbell.study import StudyResult


def by_cost(runs: Any, price: float) -> Any:
    """Rule out what loses more than the price allows; prefer short times."""
    return -runs["fct"] if np.mean(runs["loss"]) <= price else np.full_like(runs["fct"], math.nan)


def spec(**changes: Any) -> MapSpec:
    options: dict[str, Any] = {
        "id": "best", "title": "Best <arm>", "x": "load", "y_label": "loss allowed", "y_values": (-1.0, 1.0),
        "score": by_cost, "score_label": "score", "arms": ("newreno", "cubic", "reno"),
        "at": {"queue": "droptail"},
    }  # fmt: skip
    return MapSpec(**(options | changes))


def test_the_best_arm_is_that_of_the_highest_mean(result: StudyResult) -> None:
    data = map_data(result, spec())
    assert data.x_values == (0.2, 0.4, 0.6, 0.8, 0.9)
    assert data.cells[0] == (None,) * 5
    for load, cell in zip(data.x_values, data.cells[1], strict=True):
        means = {
            arm: result.values("fct", arm, load=load, queue="droptail")[1].mean()
            for arm in ("newreno", "cubic", "reno")
        }
        assert cell is not None
        best = min(means, key=lambda arm: means[arm])
        assert cell.label == result.study.arm(best).label
        assert cell.score.value == pytest.approx(-means[best])


def test_a_choice_between_equals_is_not_sure(result: StudyResult) -> None:
    # The second seed decides the sign of the difference: it is as likely above as below.
    equal = spec(score=lambda runs, _: np.arange(runs["fct"].size) % 2 + 0 * runs["fct"])
    assert not any(cell.sure for row in map_data(result, equal).cells for cell in row if cell)
    apart = spec(score=lambda runs, _: runs["fct"], arms=("newreno",))
    assert all(cell.sure for row in map_data(result, apart).cells for cell in row if cell)


def test_the_page_shows_the_map_and_its_data(result: StudyResult, tmp_path: Path) -> None:
    page = write_report(tmp_path / "report.html", result, maps=[spec()]).read_text()
    assert "Map 1. Best &lt;arm&gt;" in page
    assert '<a href="#maps">Map</a>' in page
    assert (tmp_path / "figures" / "best.png").is_file()
    assert draw_map(map_data(result, spec()), "QUICK").axes[0].get_title(loc="left") == "QUICK"


def test_what_the_study_does_not_have_is_refused(result: StudyResult, tmp_path: Path) -> None:
    for changes, words in (
        ({"x": "laod"}, "has no axis 'laod'"),
        ({"arms": ("vegas",)}, "has no arm 'vegas'"),
        ({"at": {}}, "axis 'queue' is open"),
    ):
        with pytest.raises(FigureError, match=words):
            map_data(result, spec(**changes))
    figure = FigureSpec("best", "The same id", "load", "fct", at={"queue": "droptail"})
    with pytest.raises(FigureError, match="map 'best': a figure and a map have this id"):
        write_report(tmp_path / "report.html", result, figures=[figure], maps=[spec()])
