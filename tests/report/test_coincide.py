"""Lines of a figure that lie on each other."""

from __future__ import annotations

from dataclasses import replace

from dumbbell.report.coincide import coincidences
from dumbbell.report.data import FigureData, Line, figure_data
from dumbbell.report.spec import FigureSpec
from dumbbell.study import StudyResult

SPEC = FigureSpec("f", "", "load", "fct", at={"queue": "codel"})


def lines(result: StudyResult, spec: FigureSpec = SPEC, **values: list[float | None]) -> FigureData:
    """The figure with these lines."""
    data = figure_data(result, spec)
    some = next(estimate for estimate in data.lines[0].estimates if estimate)
    made = [
        Line(name, name, slot, tuple(None if y is None else replace(some, value=y) for y in ys))
        for slot, (name, ys) in enumerate(values.items())
    ]
    return replace(data, lines=tuple(made))


def test_equal_lines_are_named_together(result: StudyResult) -> None:
    ys: list[float | None] = [1.0, 2.0, 3.0, 4.0, 5.0]
    found = coincidences(lines(result, a=ys, b=[1.0, 2.0, 3.0, 4.0, 5.5], c=ys))
    assert found == ["On each other, equal at every point: a; c."]


def test_lines_closer_than_a_marker_are_named(result: StudyResult) -> None:
    ys: list[float | None] = [1.0, 2.0, 3.0, 4.0, 5.0]
    assert coincidences(lines(result, a=ys, b=[*ys[:4], 5.05])) == []
    assert coincidences(lines(result, a=ys, b=[*ys[:4], 5.03])) == [
        "On each other, within 1 % of the height: a; b."
    ]


def test_a_logarithmic_figure_compares_ratios(result: StudyResult) -> None:
    near: dict[str, list[float | None]] = {
        "a": [1.0, 2.0, 3.0, 4.0, 1000.0],
        "b": [1.1, 2.0, 3.0, 4.0, 1000.0],
    }
    assert len(coincidences(lines(result, **near))) == 1
    assert coincidences(lines(result, replace(SPEC, scale="log"), **near)) == []


def test_a_line_with_fewer_points_is_another_line(result: StudyResult) -> None:
    ys: list[float | None] = [1.0, 2.0, 3.0, 4.0, 5.0]
    assert coincidences(lines(result, a=ys, b=[*ys[:4], None])) == []
    assert coincidences(lines(result, a=[None] * 5, b=[None] * 5)) == []
