"""Figures for print."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dumbbell.figures.style import HEIGHT
from dumbbell.report.data import figure_data
from dumbbell.report.spec import FigureSpec, Scale
from dumbbell.report.static import _MARKERS, draw
from dumbbell.stats import Estimate
from dumbbell.study import StudyResult

SPEC = FigureSpec("f", "", "load", "fct", at={"queue": "codel"})


@pytest.mark.parametrize(
    ("label", "lines"),
    [
        ("", 1),
        ("loss", 1),
        ("99th percentile of completion time (s)", 2),
        ("mean over all flows of the time between the first packet sent and the last acknowledged (s)", 4),
    ],
)
def test_label_is_no_longer_than_its_axis(result: StudyResult, label: str, lines: int) -> None:
    figure = draw(replace(figure_data(result, SPEC), y_label=label))
    figure.draw_without_rendering()
    (axes,) = figure.axes
    assert axes.get_ylabel().replace("\n", " ") == label
    assert axes.get_ylabel().count("\n") == lines - 1
    assert axes.yaxis.label.get_window_extent().height <= axes.bbox.height
    (legend,) = figure.legends
    assert not axes.yaxis.label.get_window_extent().overlaps(legend.get_window_extent())


def test_stamp_stands_across_the_top(result: StudyResult) -> None:
    (axes,) = draw(figure_data(result, SPEC), "INCOMPLETE: 3 of 8 runs").axes
    assert axes.get_title(loc="left") == "INCOMPLETE: 3 of 8 runs"


def test_axis_of_zeros_starts_at_zero(result: StudyResult) -> None:
    data = figure_data(result, SPEC)
    nothing = Estimate(0.0, 0.0, 0.0, 3, 0.95, "all values are equal")
    lines = tuple(replace(line, estimates=(nothing,) * len(line.estimates)) for line in data.lines)
    (axes,) = draw(replace(data, lines=lines)).axes
    assert axes.get_ylim() == (0, 1)


def test_ticks_of_whole_numbers_are_whole(result: StudyResult) -> None:
    data = figure_data(result, SPEC)

    def fractions(values: tuple[float, ...]) -> bool:
        (axes,) = draw(replace(data, x_values=values)).axes
        return any(tick % 1 for tick in axes.get_xticks())

    places = tuple(np.linspace(1, 4, len(data.x_values)).tolist())
    assert fractions(places)
    assert not fractions(tuple(map(int, places)))


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_ticks_are_at_the_values_where_labels_have_room(result: StudyResult, scale: Scale) -> None:
    spec = replace(SPEC, x_scale=scale)
    data = replace(figure_data(result, spec), x_values=(3, 5, 7, 10, 14))
    (axes,) = draw(data).axes
    assert axes.get_xticks().tolist() == data.ticks == [3, 5, 7, 10, 14]
    assert [label.get_text() for label in axes.get_xticklabels()][-1] == "14"
    # Labels would cover each other: the axis finds ticks itself.
    crowded = replace(data, x_values=(1.0, 1.0000000001, 1.02, 1.03, 1.2))
    assert crowded.ticks == []
    assert draw(crowded).axes[0].get_xticks().tolist() != list(crowded.x_values)


@pytest.mark.parametrize("length", [3, 15, 35])
@pytest.mark.parametrize("lines", [2, 11])
def test_names_of_lines_are_within_the_figure(result: StudyResult, length: int, lines: int) -> None:
    data = figure_data(result, SPEC)
    named = [replace(data.lines[0], label=f"{i:02} {'w' * length}", slot=i) for i in range(lines)]
    figure = draw(replace(data, lines=tuple(named)))
    figure.draw_without_rendering()
    (legend,), (axes,) = figure.legends, figure.axes
    assert legend.get_window_extent().x1 <= figure.bbox.x1
    assert axes.bbox.height >= 0.45 * HEIGHT * figure.dpi
    looks = {(line.get_color(), line.get_marker()) for line in axes.lines if line.get_marker() in _MARKERS}
    assert len(looks) == lines
