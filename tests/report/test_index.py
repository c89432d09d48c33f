"""The index at the head of a report."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dumbbell.claims import Claim, Level, judge
from dumbbell.report import FigureError, FigureSpec, IndexRow, write_report
from dumbbell.study import StudyResult

FIGURE = FigureSpec("fct", "Completion times", "load", "fct", at={"queue": "droptail"})
CLAIM = Claim("C1", "Flows take less than a day.", "our question", "fct", Level("newreno", high=86400))


def page(result: StudyResult, folder: Path, *index: IndexRow) -> str:
    judged = judge([CLAIM], result)
    return write_report(folder / "report.html", result, judged, [FIGURE], index=index).read_text()


def test_index_links_to_figures_and_claims(result: StudyResult, tmp_path: Path) -> None:
    row = IndexRow(
        "Figure 9", "Times & loads", ("f*",), ("C?",), ("other-study: loss", "third"), "As `printed`."
    )
    text = page(result, tmp_path, row)
    index = text[text.index('<h2 id="index">') : text.index('<h2 id="claims">')]
    assert '<a href="#figure-fct">Figure 1. Completion times</a>; ' in index
    assert re.search(r'<a href="#claim-C1">C1 ✓</a>; ', index)
    assert "<code>loss</code> of <code>dumbbell reproduce other-study</code>; " in index
    assert "<code>dumbbell reproduce third</code>. As <code>printed</code>." in index
    assert "Times &amp; loads" in index
    for anchor in re.findall(r'href="#([^"]+)"', index):
        assert f'id="{anchor}"' in text
    assert '<a href="#index">Index</a>' in text


def test_report_without_index_has_no_section(result: StudyResult, tmp_path: Path) -> None:
    assert 'id="index"' not in page(result, tmp_path)


@pytest.mark.parametrize(
    ("row", "what"),
    [(IndexRow("Figure 9", "", ("fcr",)), "fcr"), (IndexRow("Table 1", "", (), ("D*",)), "D*")],
)
def test_index_refuses_missing_targets(row: IndexRow, what: str, result: StudyResult, tmp_path: Path) -> None:
    with pytest.raises(
        FigureError, match=rf"index: '{row.printed}': the report has no .*{re.escape(repr(what))}"
    ):
        page(result, tmp_path, row)


def test_row_that_points_nowhere_is_refused() -> None:
    with pytest.raises(FigureError, match="'Figure 9' points nowhere"):
        IndexRow("Figure 9", "Times")
