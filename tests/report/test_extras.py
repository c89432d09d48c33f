"""Tables and plots that a study makes itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from dumbbell.report import FigureError, FigureSpec, PlotSpec, TableData, TableSpec, write_report
from dumbbell.study import StudyResult


def make(result: StudyResult) -> TableData:
    return TableData(("what", "how <much>"), (("runs & all", f"{result.finished}"),))


def draw(_result: StudyResult) -> Figure:
    figure = Figure(figsize=(2, 2))
    figure.subplots()
    return figure


TABLE = TableSpec("sums", "Sums <of> all", make, "Of `runs`.")
PLOT = PlotSpec("shares", "Shares", draw, "The shares & the rest.")


def test_the_page_shows_tables_and_plots_before_the_figures(result: StudyResult, tmp_path: Path) -> None:
    figure = FigureSpec("fct", "Times", "load", "fct", at={"queue": "droptail"})
    path = tmp_path / "report.html"
    page = write_report(path, result, figures=[figure], tables=[TABLE], plots=[PLOT]).read_text()
    assert "Table 1. Sums &lt;of&gt; all" in page
    assert '<th scope="col">how &lt;much&gt;</th>' in page
    assert f'<th scope="row">runs &amp; all</th><td>{result.finished}</td>' in page
    assert '<a href="#tables">Table</a>' in page
    assert 'alt="The shares &amp; the rest."' in page
    assert page.index("Figure 1. Shares") < page.index("Figure 2. Times")
    assert (tmp_path / "figures" / "shares.pdf").is_file()


def test_the_page_stamps_plots_itself(result: StudyResult, tmp_path: Path) -> None:
    drawn: list[Figure] = []

    def keep(result: StudyResult) -> Figure:
        drawn.append(draw(result))
        return drawn[-1]

    for quick in (False, True):
        write_report(tmp_path / "report.html", result, plots=[replace(PLOT, draw=keep)], quick=quick)
    assert [figure.axes[0].get_title(loc="left") for figure in drawn] == ["", "QUICK"]


def test_a_page_without_figures_has_plots(result: StudyResult, tmp_path: Path) -> None:
    page = write_report(tmp_path / "report.html", result, plots=[PLOT]).read_text()
    assert '<a href="#figures">Figures</a>' in page
    assert "Figure 1. Shares" in page


def test_a_page_without_them_does_not_speak_of_them(result: StudyResult, tmp_path: Path) -> None:
    page = write_report(tmp_path / "report.html", result).read_text()
    assert "#tables" not in page
    assert 'id="figures"' not in page


def test_two_of_one_id_and_crooked_tables_are_refused(result: StudyResult, tmp_path: Path) -> None:
    twin = PlotSpec("sums", "Shares", draw, "The shares.")
    with pytest.raises(FigureError, match="plot 'sums': a table and a plot have this id; rename one"):
        write_report(tmp_path / "report.html", result, tables=[TABLE], plots=[twin])
    with pytest.raises(FigureError, match="1 cells under 2 columns"):
        TableData(("a", "b"), (("c",),))
