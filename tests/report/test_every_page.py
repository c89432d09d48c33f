"""Every kind of page: light, dark, from 320 to 3840 pixels, by keyboard alone; and what each figure gives."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dumbbell.report import write_report
from dumbbell.study import run_study
from tests.browsing import CHROMIUM, Visit, chromium
from tests.makers import MAKERS, READY
from tests.report.conftest import FIGURES, STUDY
from tests.unprinted import unprinted

pytest.importorskip("playwright.sync_api", reason="needs the Python package playwright")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium: apt-get install chromium")

KINDS = pytest.mark.parametrize("kind", MAKERS)

# Milliseconds between downloads: Chromium drops the eleventh of a second (Blink, kBurstDownloadLimit).
APART = 110

Pages = Callable[[str], Path]


@pytest.fixture(scope="module", autouse=True)
def no_print() -> Iterator[None]:
    with unprinted():
        yield


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    """Return the page of a kind, made once."""
    made: dict[str, Path] = {}

    def page(kind: str) -> Path:
        if kind not in made:
            made[kind] = MAKERS[kind](tmp_path_factory.mktemp(kind))
        return made[kind]

    return page


def opened(browser: Any, page: Path, kind: str, width: int = 1280, **options: Any) -> Visit:
    visit = Visit(browser, page, width, **options)
    visit.page.wait_for_selector(READY.get(kind, "figure canvas"), state="attached", timeout=60_000)
    return visit


@KINDS
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280, 3840])
def test_it_is_read_anywhere(browser: Any, pages: Pages, kind: str, width: int, scheme: str) -> None:
    path = pages(kind)
    visit = opened(browser, path, kind, width, color_scheme=scheme)
    visit.page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    assert visit.unreadable() == []
    assert visit.quiet(path), (visit.complaints, visit.requests)
    visit.context.close()


# Controls that a reader should reach.
CONTROLS = """() => [...document.querySelectorAll(
  'a[href], button, input, select, textarea, summary, [tabindex="0"]'
)].filter((e) => e.checkVisibility() && !e.disabled && e.tabIndex >= 0).length"""

# What has the focus: its number in the page, and whether one sees it.
FOCUS = """() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const all = [...document.querySelectorAll('*')], style = getComputedStyle(e);
  const box = e.getBoundingClientRect();
  const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
  const inside = box.width > 0 && box.bottom > 0 && box.top < innerHeight;
  const name = `${e.tagName} ${e.id} ${e.className} ${e.textContent.slice(0, 30)}`;
  return [all.indexOf(e), ring && inside, name];
}"""


@KINDS
def test_keys_reach_all_and_show_where_they_are(browser: Any, pages: Pages, kind: str) -> None:
    # Without motion, what has the focus is in sight at once.
    visit = opened(browser, pages(kind), kind, reduced_motion="reduce")
    count = visit.page.evaluate(CONTROLS)
    reached: set[int] = set()
    for _ in range(count + 20):
        visit.page.keyboard.press("Tab")
        found = visit.page.evaluate(FOCUS)
        if found is None or found[0] in reached:
            break
        assert found[1], f"the focus is not seen: {found[2]}"
        reached.add(found[0])
    assert len(reached) == count
    for plot in visit.page.locator("[role=slider]").all()[:40]:
        if plot.get_attribute("type") == "range":
            continue
        plot.focus()
        for key in ("ArrowRight", "End", "Home", "PageDown", "+", "0", "Escape"):
            visit.page.keyboard.press(key)
        assert plot.get_attribute("aria-valuetext") == "no point chosen"
        visit.page.keyboard.press("Home")
        assert len(plot.get_attribute("aria-valuetext")) > 5
        assert plot.get_attribute("aria-label")
    assert visit.complaints == []
    visit.context.close()


@KINDS
def test_every_figure_gives_its_data_and_its_code(browser: Any, pages: Pages, kind: str) -> None:
    visit = opened(browser, pages(kind), kind)
    figures = visit.page.locator("figure")
    assert figures.count() > 0
    for figure in figures.all():
        assert figure.locator("canvas").count() >= 1
        for button in figure.locator("button.data").all():
            with visit.page.expect_download() as download:
                button.press("Enter")
            visit.page.wait_for_timeout(APART)
            rows = download.value.path().read_text(encoding="utf-8").splitlines()
            assert len(rows) > 1, figure.get_attribute("id")
            assert len({len(row.split(",")) for row in rows if '"' not in row}) <= 1
        codes = figure.locator("button.code:visible")
        assert codes.count() == 1, figure.get_attribute("id")
        codes.press("Enter")
        text = figure.locator("pre.code").first.inner_text()
        compile(text, "snippet", "exec")
        codes.press("Enter")
        assert not figure.locator("pre.code").first.is_visible()
    assert visit.complaints == []
    visit.context.close()


def snippets(page: Path) -> dict[str, str]:
    """Return the code of the figures that a page describes."""
    text = page.read_text(encoding="utf-8")
    start = text.index('id="figures-data">') + len('id="figures-data">')
    return {
        figure["id"]: figure["code"] for figure in json.loads(text[start : text.index("</script>", start)])
    }


def of_small_study(folder: Path) -> Path:
    """Of a study whose runs are there."""
    axes = (STUDY.axes[0].keeping([0.2, 0.4]), STUDY.axes[1].keeping(["droptail"]))
    scenario = STUDY.scenario | {"duration": "2s"}
    study = replace(
        STUDY, name="small", axes=axes, seeds=(1, 2), arms=STUDY.arms[:2], scenario=scenario,
        metrics=STUDY.metrics[:1],
    )  # fmt: skip
    result = run_study(study, folder / "small", workers=1)
    return write_report(folder / "small" / "report.html", result, (), FIGURES[:2])


@pytest.mark.parametrize("kind", ["run", "judge", "arena", "study"])
def test_the_code_of_a_figure_draws_it(pages: Pages, tmp_path: Path, kind: str) -> None:
    # The other pages of studies are of made-up numbers, which no folder has.
    page = of_small_study(tmp_path) if kind == "study" else pages(kind)
    found = snippets(page)
    assert found
    # In one process, as each loads Matplotlib.
    code = "\n".join(found.values())
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=page.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    drawn = {path.stem for path in page.parent.glob("*.pdf")}
    assert drawn == set(found)
