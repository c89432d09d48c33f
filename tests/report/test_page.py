"""The text of reports: complete, escaped, stamped, self-contained, the same each time."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dumbbell.report import FigureError, FigureSpec, default_figures, write_report
from dumbbell.study import StudyResult


@pytest.fixture(scope="module")
def written(
    tmp_path_factory: pytest.TempPathFactory, result: StudyResult, judgements: Any, specs: Any
) -> Path:
    options: dict[str, Any] = {
        "answer": "No: <slower> at every load.",
        "sources": {"topology": "Example (2012), section 4.1"},
        "bibliography": {"E12": "Example & Co, 2012"},
        "command": "dumbbell study run study.toml -o out",
    }
    folder = tmp_path_factory.mktemp("written")
    return write_report(folder / "report.html", result, judgements, specs, **options)


@pytest.fixture(scope="module")
def page(written: Path) -> str:
    return written.read_text()


def test_says_everything_asked_of_it(page: str, result: StudyResult) -> None:
    for text in (
        result.study.title,
        result.study.question,
        "No: &lt;slower&gt; at every load.",
        "CUBIC is at least 10 % slower at low load.",
        "not reproduced",
        "inconclusive",
        "Fieller",
        "Example (2012), section 4.1",
        "<dt>Bound</dt><dd>The bound is ours: our question.</dd>",
        "RFC 6298",
        "<dt>[E12]</dt><dd>Example &amp; Co, 2012</dd>",
        "240 of 240",
        "dumbbell study run study.toml -o out",
    ):
        assert text in page, text


def test_the_answer_names_the_better_arm_and_how_sure_that_is(page: str) -> None:
    answer = page[page.index('id="answer"') : page.index('id="claims"')]
    assert "<strong>Mean completion time at queue droptail:</strong> NewReno is best (lowest) " in answer
    # Five loads, two arms beside the best.
    assert "hold together with 95 %, each with 99.5 % (Bonferroni). 10 comparisons" in answer


def test_every_parameter_of_every_run_is_there(page: str) -> None:
    # `target` belongs to a queue that only the second value of an axis brings in.
    for path in ("transport.rto_min", "topology.bottleneck.queue.limit", "topology.bottleneck.queue.target"):
        assert f"<code>{path}</code>" in page


def test_labels_are_escaped(page: str) -> None:
    assert "Reno &lt;&amp; friends&gt;" in page
    assert "<& friends>" not in page.replace("\\u003c", "")
    data = re.search(r'<script type="application/json" id="figures-data">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    assert "<" not in data[1]
    assert json.loads(data[1])[0]["lines"][2]["label"] == "Reno <& friends>"


def test_asks_nothing_of_the_network(page: str) -> None:
    outside = re.findall(r"""(?:src|href|action)=["']?([^"'> ]+)""", page)
    assert {link for link in outside if re.match(r"(?:[a-z]+:)?//|[a-z]+:", link)} <= {
        link for link in outside if link.startswith("data:")
    }
    assert "@import" not in page
    assert "default-src 'none'" in page


def test_is_light(page: str) -> None:
    assert len(page) < 400_000


def test_same_result_same_bytes(tmp_path: Path, result: StudyResult, judgements: Any, specs: Any) -> None:
    files = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_report(tmp_path / name / "report.html", result, judgements, specs)
        found = [path for path in (tmp_path / name).rglob("*") if path.is_file()]
        files.append({path.relative_to(tmp_path / name): path.read_bytes() for path in found})
    assert files[0] == files[1]
    # The page, the runs, the manifest, and each figure as PNG and PDF.
    assert len(files[0]) == 3 + 2 * len(specs)


def test_data_beside_it(page: str, written: Path, result: StudyResult) -> None:
    assert pq.read_table(written.parent / "data" / "runs.parquet").equals(result.table)
    for link in re.findall(r'href="((?:figures|data)/[^"]+)"', page):
        assert (written.parent / link).stat().st_size > 0


def test_incomplete_and_quick_are_stamped_everywhere(
    tmp_path: Path, incomplete: StudyResult, specs: Any
) -> None:
    page = write_report(tmp_path / "report.html", incomplete, (), specs, quick=True).read_text()
    assert "<strong>INCOMPLETE</strong> 101 of 240 runs are finished." in page
    assert "<strong>QUICK</strong>" in page
    # On each figure and on the table behind it.
    assert page.count("INCOMPLETE: 101 of 240 runs; QUICK") == 2 * len(specs)


def test_complete_is_not_stamped(page: str) -> None:
    assert "INCOMPLETE" not in page
    assert "QUICK" not in page


def test_one_seed_has_no_interval(tmp_path: Path, one_seed: StudyResult, specs: Any) -> None:
    page = write_report(tmp_path / "report.html", one_seed, (), specs).read_text()
    assert "n=1, no interval" in page
    assert "One run at each point: no intervals." in page


def test_the_figures_that_answer(tmp_path: Path, result: StudyResult, specs: Any) -> None:
    def answer(figures: Any) -> str:
        page = write_report(tmp_path / "report.html", result, (), figures).read_text()
        return page[page.index('<div class="answer">') : page.index("</ul>", page.index('id="answer"'))]

    time, loss = specs[0], specs[2]
    alone = answer([time, loss])
    assert alone.count("completion time at queue droptail: ") == alone.count("<li>") > 0
    assert " bottleneck at queue codel: " not in alone
    loss = replace(loss, answers=True)
    assert "completion time at queue droptail: " not in answer([time, loss])
    both = answer([replace(time, answers=True), loss])
    assert (
        both.count("completion time at queue droptail: ")
        == both.count(" bottleneck at queue codel: ")
        == both.count("<li>")
        > 0
    )


def test_a_study_without_axes_says_its_values(tmp_path: Path, result: StudyResult) -> None:
    keep = [row for row in result.table.to_pylist() if (row["load"], row["queue"]) == (0.8, "codel")]
    table = pa.Table.from_pylist(keep).select(["run_id", "arm", "seed", "fct", "loss"])
    alone = replace(result, study=replace(result.study, axes=()), table=table, expected=len(keep))
    page = write_report(tmp_path / "report.html", alone).read_text()
    answer = page[page.index('id="answer"') : page.index('id="set-up"')]
    assert "<strong>Mean completion time:</strong> NewReno is best (lowest): by " in answer
    assert re.search(
        r"<strong>CUBIC:</strong> mean completion time: 0\.\d+ s \[0\.\d+, 0\.\d+\] \(n=8", answer
    )


def test_no_run_yet(tmp_path: Path, nothing: StudyResult, specs: Any) -> None:
    page = write_report(tmp_path / "report.html", nothing, (), specs).read_text()
    assert "INCOMPLETE: 0 of 240 runs" in page
    assert "no value yet." in page


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (FigureSpec("f", "", "rate", "fct"), "figure 'f': the study has no axis 'rate'; it has load, queue"),
        (FigureSpec("f", "", "load", "x"), "figure 'f': the study has no metric 'x'; it has fct, loss"),
        (FigureSpec("f", "", "load", "fct"), "figure 'f': axis 'queue' is open; give its value in `at`"),
        (
            FigureSpec("f", "", "load", "fct", at={"queue": "red"}),
            "figure 'f': at queue = red: not a value of another axis; correct it",
        ),
        (
            FigureSpec("f", "", "load", "fct", arms=("bbr",), at={"queue": "codel"}),
            "figure 'f': the study has no arm 'bbr'; it has newreno, cubic, reno",
        ),
    ],
)
def test_figures_that_the_study_cannot_give(
    tmp_path: Path, result: StudyResult, spec: FigureSpec, message: str
) -> None:
    with pytest.raises(FigureError) as error:
        write_report(tmp_path / "report.html", result, (), [spec])
    assert str(error.value) == message
    assert list(tmp_path.iterdir()) == []


def test_two_figures_of_one_id(tmp_path: Path, result: StudyResult, specs: Any) -> None:
    with pytest.raises(FigureError, match="two figures have this id"):
        write_report(tmp_path / "report.html", result, (), [specs[0], specs[0]])


@pytest.mark.parametrize("name", ["", "a/b", "a b", "ä"])
def test_ids_that_are_no_file_names(name: str) -> None:
    with pytest.raises(FigureError, match="not an id"):
        FigureSpec(name, "", "load", "fct")


def test_default_figures_show_every_metric(result: StudyResult, tmp_path: Path) -> None:
    figures = default_figures(result.study)
    assert [spec.id for spec in figures] == ["fct-1", "fct-2", "loss-1", "loss-2"]
    assert figures[1].title == "Mean completion time against offered load; queue codel"
    assert "Figure 4." in write_report(tmp_path / "report.html", result, (), figures).read_text()
