"""What makes a page of each kind, for the checks of all pages: a new kind is a line of :data:`MAKERS`."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import dumbbell as db
from dumbbell.arena.board import write_page
from dumbbell.judge import Judged, candidate_of, outcome, write_judge
from dumbbell.papers import find_paper
from dumbbell.report import write_report
from dumbbell.report.run import Packets, write_run_report
from dumbbell.study import StudyResult, derive
from tests.judge.test_judge import synthetic
from tests.papers.test_papers import made_up
from tests.report import conftest as study
from tools import playground
from tools.arena import BOARD
from tools.systems import BROWSER, has

RUN = """
name = "home <b>&"
seed = 3
duration = "4s"

[topology]
kind = "dumbbell"
pairs = 2
bottleneck = { rate = "4Mbit/s", queue = { kind = "codel" } }

[[flows]]
name = "bulk <i>"
from = "senders"
to = "receivers"
stagger = "100ms"

[[workloads]]
kind = "poisson"
name = "web"
from = "senders"
to = "receivers"
load = 0.3
size = { kind = "exponential", mean = "20kB" }

[record]
drops = true
delays = true
sojourns = "bottlenecks"
"""


def run(folder: Path) -> Path:
    """Of a run, with delays, the network and the packets of a flow."""
    scenario = db.Scenario.from_toml(RUN)
    results = scenario.run()
    results.save(folder / "run")
    trace = scenario.trace(flows=[0], start="100ms", until="600ms")
    packets = Packets(trace, 0, "100ms", "600ms")
    return write_run_report(folder / "run" / "report.html", results, packets)


def of_study(folder: Path) -> Path:
    """Of a study: over numbers and over names, with intervals, levels and published curves."""
    result = study.made_up(study.STUDY)
    return write_report(folder / "study" / "report.html", result, (), study.FIGURES)


def of_paper(name: str) -> Callable[[Path], Path]:
    """Of a paper, with its maps, tables and plots."""

    def made(folder: Path) -> Path:
        paper = find_paper(name)
        drawn = made_up(
            paper.study(quick=True), lambda arm, _place, _column, noise: 1 + arm + 0.1 * noise**2, 3
        )
        result: StudyResult = derive(drawn, paper.derived())
        return write_report(
            folder / name / "report.html", result, (), paper.figures()[:4], paper.maps()[:2],
            paper.tables()[:2], paper.plots()[:6], loading=paper.loading(),
        )  # fmt: skip

    return made


def of_judge(folder: Path) -> Path:
    """Of a judgement."""
    found = []
    for number, shift in enumerate((0.0, 2.0, -2.0), start=1):
        result, chapter = synthetic(shift, number)
        found.append(outcome(result, replace(chapter, number=number, section=f"5.{number}"), "cubic"))
    (folder / "judge").mkdir()
    return write_judge(Judged(candidate_of("bbr"), ("cubic",), True, "0", tuple(found)), folder / "judge")


def of_arena(folder: Path) -> Path:
    """Of the board of the repository."""
    for path in BOARD.glob("*.arena.json"):
        (folder / "arena").mkdir(exist_ok=True)
        shutil.copy(path, folder / "arena")
    return write_page(folder / "arena")


def of_playground(folder: Path) -> Path:
    """The playground, as a file."""
    if shutil.which("cargo") is None or not has(BROWSER):
        pytest.skip(f"the standard library of {BROWSER} cannot be had here")
    path = folder / "playground.html"
    path.write_text(
        playground.page(gzip.compress(playground.module().read_bytes(), 9, mtime=0)), encoding="utf-8"
    )
    return path


MAKERS: dict[str, Callable[[Path], Path]] = {
    "run": run,
    "study": of_study,
    "paper": of_paper("capacity-scaling"),
    "paper-curves": of_paper("rcp-fct"),
    "paper-heat": of_paper("tournament"),
    "judge": of_judge,
    "arena": of_arena,
    "playground": of_playground,
}
"""By the name of the kind: writes a page below a folder, and returns it."""

READY = {"playground": "#results[data-state=done]"}
"""What there is when a page has drawn all; figures by default."""
