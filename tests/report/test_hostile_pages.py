"""Pages that are given too much, nothing, or names that are markup: shown, not hung. And their size."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from dumbbell.judge.drawing import draw as draw_judged
from dumbbell.report import FigureSpec, html, scripted, write_report
from dumbbell.report.html import Drawn, engine, render
from dumbbell.report.interactive import description
from dumbbell.study import Axis
from tests.browsing import CHROMIUM, Visit, chromium
from tests.report.conftest import STUDY, made_up

NEEDS_CHROMIUM = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium: apt-get install chromium")

MOST_ENGINE = 100_000
"""Bytes of what draws in a page, compressed; the simulator of the playground apart."""

MARKUP = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    pytest.importorskip("playwright.sync_api", reason="needs the Python package playwright")
    with chromium() as browser:
        yield browser


def page_of(folder: Path, **figures: Figure) -> Path:
    """Write a page of figures."""

    class About:
        def __init__(self, name: str) -> None:
            self.id, self.title, self.text, self.note = name, f"{name} {MARKUP}", MARKUP, MARKUP

    drawn = [Drawn.of(About(name), figure, folder, f"# {MARKUP}") for name, figure in figures.items()]
    text = render(
        "judge.html.j2", title=MARKUP, name="hostile", stamps=[], chapters=[], answer=MARKUP, legend="",
        questions=(), code="", figures=drawn, **engine(drawn),
    )  # fmt: skip
    path = folder / "page.html"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_engine_is_small() -> None:
    scripts = [html.own(scripted.UPLOT), scripted.charts(), html.own("page.js")]
    styles = [html.own("vendor/uplot/uPlot.min.css"), html.own("report.css")]
    assert len(gzip.compress("".join((*scripts, *styles)).encode())) < MOST_ENGINE


def test_nothing_and_not_a_number_are_described() -> None:
    figure = Figure()
    axes = figure.subplots()
    assert description("none", "None", figure) is None
    axes.plot([np.nan, np.nan], [1.0, np.inf], label="nothing")
    axes.plot([], [], "o", label="empty")
    found = description("nan", "NaN", figure)
    assert found is not None
    assert json.loads(json.dumps(found, allow_nan=False))["grids"][0] == [None, None]
    assert draw_judged("comparisons", {"chapters": [{"section": "1", "comparisons": None}]}) is None


def test_a_million_points_become_few() -> None:
    figure = Figure()
    axes = figure.subplots()
    x = np.linspace(0, 1, 1_000_000)
    y = np.sin(x)
    y[123_456] = 40.0
    axes.plot(x, y, label="long")
    axes.vlines(x[:20_000], 0, 1)
    found = description("long", "Long", figure)
    assert found is not None
    assert len(json.dumps(found)) < 500_000
    # What stands out stays.
    assert max(value for line in found["lines"] for value in line["y"] if value is not None) == 40.0


@NEEDS_CHROMIUM
def test_names_that_are_markup_are_text(browser: Any, tmp_path: Path) -> None:
    figure = Figure()
    axes = figure.subplots()
    axes.plot([0.0, 1.0, 2.0], [1.0, np.nan, 2.0], label=MARKUP)
    axes.plot([1.0], [2.0], "o", label='=HYPERLINK("x")')
    axes.annotate(MARKUP, (1.0, 2.0))
    axes.set(xlabel=MARKUP, ylabel=MARKUP, title=MARKUP)
    bars = Figure()
    bars.subplots().bar([MARKUP, "b"], [np.nan, 2.0])
    path = page_of(tmp_path, lines=figure, bars=bars)
    visit = Visit(browser, path, 320)
    visit.page.on("dialog", lambda dialog: visit.complaints.append(dialog.message))
    assert visit.page.locator("figure canvas").count() == 2
    assert visit.page.locator("figure img[src=x], body > img").count() == 0
    visit.page.locator("#figure-lines [role=slider]").focus()
    visit.page.keyboard.press("End")
    visit.page.locator("#figure-lines button.code").click()
    with visit.page.expect_download() as download:
        visit.page.locator("#figure-lines button.data").click()
    rows = download.value.path().read_text(encoding="utf-8")
    # A spreadsheet takes it for text.
    assert "\"'=HYPERLINK" in rows
    assert visit.unreadable() == []
    assert visit.quiet(path), (visit.complaints, visit.requests)
    visit.context.close()


# Charts of descriptions that no figure of ours has: as a live page or a page by hand may.
WILD = """() => {
  const x = Float64Array.from({ length: 1000000 }, (_, i) => i), y = x.map((v) => Math.sin(v / 1e4));
  const wild = {
    million: [{ label: "m", slot: 0, x: [...x], y: [...y] }],
    none: [], empty: [{ label: "e", slot: 1, x: [], y: [] }],
    nothing: [{ label: "n", slot: 2, x: [0, 1], y: [NaN, null] }],
    one: [{ label: "o", slot: 3, marks: true, x: [5], y: [5] }],
    huge: [{ label: "h", slot: 4, x: [0, 1, 2], y: [1e300, -1e300, Infinity] }],
    path: [{ label: "p", slot: 5, path: true, fill: 0.2, x: [null, 1, NaN], y: [null, 1, 2] }],
  };
  const took = {};
  for (const [id, lines] of Object.entries(wild)) {
    const began = performance.now();
    const box = document.querySelector("main").appendChild(document.createElement("figure"));
    const axis = { label: id, scale: "linear" }, about = { id, title: id, x: axis, y: axis, lines };
    const chart = new Charts.Chart(box, about);
    for (const key of ["End", "Home", "+", "0", "Escape"]) chart.key(new KeyboardEvent("keydown", { key }));
    chart.setLog(true);
    chart.setLog(false);
    if (id !== "million") chart.csv();
    took[id] = performance.now() - began;
  }
  return took;
}"""


@NEEDS_CHROMIUM
def test_wild_descriptions_are_drawn(browser: Any, tmp_path: Path) -> None:
    figure = Figure()
    figure.subplots().plot([0.0, 1.0], [0.0, 1.0], label="a")
    path = page_of(tmp_path, a=figure)
    visit = Visit(browser, path)
    took = visit.page.evaluate(WILD)
    assert visit.page.locator("main figure canvas").count() == 1 + len(took)
    assert visit.quiet(path), (visit.complaints, visit.requests)
    visit.context.close()


@NEEDS_CHROMIUM
def test_a_study_of_4000_runs_opens_at_once(browser: Any, tmp_path: Path) -> None:
    """Of the time of the page's thread, as others may keep the machine busy."""
    loads = tuple(round(0.01 * place, 2) for place in range(10, 94))
    axes = (
        Axis("load", "offered load", "", loads, tuple((f"workloads[0].load={load}",) for load in loads)),
        STUDY.axes[1],
    )
    study = replace(STUDY, axes=axes)
    result = made_up(study)
    assert result.finished >= 4000
    specs = [
        FigureSpec(
            f"{metric.name}-{queue}", f"{metric.label}, {queue}", "load", metric.name, at={"queue": queue}
        )
        for metric in study.metrics
        for queue in ("droptail", "codel")
    ]
    path = write_report(tmp_path / "report.html", result, (), specs)
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(path.as_uri())
    assert page.locator("figure canvas").count() == len(specs)
    metrics = {entry["name"]: entry["value"] for entry in session.send("Performance.getMetrics")["metrics"]}
    assert metrics["TaskDuration"] < 1.0
    context.close()
