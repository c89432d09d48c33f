"""Reports in a browser: figures drawn, nothing asked of the network, usable by keyboard, light and dark."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dumbbell as db
from dumbbell.report import write_report, write_run_report
from dumbbell.study import StudyResult
from tests.browsing import CHROMIUM, Visit, chromium
from tests.unprinted import unprinted

pytest.importorskip("playwright.sync_api", reason="needs the Python package playwright")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium: apt-get install chromium")

# Pixels of the nth canvas that are not fully transparent, by colour, as "r,g,b" of opaque ones.
COLOURS = """(n) => {
  const canvas = document.querySelectorAll('figure canvas')[n];
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const found = {};
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] === 255) {
      const key = `${data[i]},${data[i + 1]},${data[i + 2]}`;
      found[key] = (found[key] || 0) + 1;
    }
  }
  return found;
}"""


@pytest.fixture(scope="module", autouse=True)
def no_print() -> Iterator[None]:
    with unprinted():
        yield


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def report(
    tmp_path_factory: pytest.TempPathFactory, result: StudyResult, judgements: Any, specs: Any
) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    return write_report(path, result, judgements, specs, command="dumbbell study run study.toml -o out")


@pytest.fixture
def visit(browser: Any, report: Path) -> Iterator[Visit]:
    visit = Visit(browser, report)
    yield visit
    assert visit.quiet(report), (visit.complaints, visit.requests)
    visit.context.close()


def _plots(visit: Visit) -> Any:
    return visit.page.locator("[role=slider]")


def test_figures_are_drawn(visit: Visit, specs: Any) -> None:
    assert visit.page.locator("figure canvas").count() == len(specs)
    for number in range(len(specs)):
        assert sum(visit.page.evaluate(COLOURS, number).values()) > 500
    # The colours of NewReno and CUBIC are there in earnest.
    first = visit.page.evaluate(COLOURS, 0)
    assert first.get("0,114,178", 0) > 100
    assert first.get("213,94,0", 0) > 100
    texts = visit.page.evaluate("window.canvasText")
    assert {"0.2", "0.8", "droptail", "codel"} <= set(texts)
    assert visit.page.locator("#figure-fct .y-label").inner_text() == "mean completion time (s)"
    assert visit.page.locator("#figure-queues .x-label").inner_text() == "queue"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 360])
def test_fits_wide_and_narrow_light_and_dark(
    browser: Any, report: Path, tmp_path: Path, scheme: str, width: int
) -> None:
    visit = Visit(browser, report, width, color_scheme=scheme)
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    background = visit.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 29)"}[scheme]
    canvas = visit.page.locator("figure canvas").first.bounding_box()
    assert canvas["x"] >= 0
    assert canvas["x"] + canvas["width"] <= width
    blue = {"light": "0,114,178", "dark": "90,180,238"}[scheme]
    assert visit.page.evaluate(COLOURS, 0).get(blue, 0) > 100
    assert len(visit.page.screenshot(full_page=True, path=tmp_path / "page.png")) > 50_000
    assert visit.quiet(report), (visit.complaints, visit.requests)
    visit.context.close()


def test_theme_can_be_chosen(visit: Visit) -> None:
    button = visit.page.locator("#theme")
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    assert visit.page.evaluate("getComputedStyle(document.body).color") == "rgb(232, 235, 238)"
    assert visit.page.evaluate(COLOURS, 0).get("90,180,238", 0) > 100
    button.click()
    assert visit.page.evaluate(COLOURS, 0).get("0,114,178", 0) > 100


def test_keyboard_reads_the_points(visit: Visit) -> None:
    for _ in range(40):
        visit.page.keyboard.press("Tab")
        if visit.page.evaluate("document.activeElement.getAttribute('role')") == "slider":
            break
    plot = _plots(visit).first
    assert plot.evaluate("element => element === document.activeElement")
    assert plot.evaluate("element => getComputedStyle(element).outlineStyle") == "solid"
    assert plot.get_attribute("aria-valuetext").startswith("offered load 0.2; NewReno 0.")
    visit.page.keyboard.press("ArrowRight")
    assert plot.get_attribute("aria-valuenow") == "1"
    said = plot.get_attribute("aria-valuetext")
    assert said.startswith("offered load 0.4; NewReno 0.")
    assert "CUBIC 0." in said
    assert "(n=8, 95 %)" in said
    assert visit.page.locator("#figure-fct .readout-x").inner_text() == "offered load 0.4"
    assert visit.page.locator("#figure-fct output").first.inner_text() in said
    visit.page.keyboard.press("End")
    assert plot.get_attribute("aria-valuetext").startswith("offered load 0.9")
    visit.page.keyboard.press("ArrowRight")
    assert plot.get_attribute("aria-valuenow") == "4"
    visit.page.keyboard.press("Home")
    assert plot.get_attribute("aria-valuenow") == "0"
    visit.page.keyboard.press("Escape")
    assert plot.get_attribute("aria-valuetext") == "no point chosen"


def test_pointer_reads_the_points(visit: Visit) -> None:
    over = visit.page.locator("#figure-ratio .u-over")
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    visit.page.mouse.move(box["x"] + 0.98 * box["width"], box["y"] + 20)
    assert visit.page.locator("#figure-ratio .readout-x").inner_text() == "offered load 0.9"
    assert visit.page.locator("#figure-ratio output").first.inner_text().startswith("1.1")
    visit.page.mouse.move(box["x"] + box["width"] / 2, box["y"] - 300)
    assert visit.page.locator("#figure-ratio output").first.inner_text() == ""


def test_scale_and_arms_can_be_switched(visit: Visit) -> None:
    figure = visit.page.locator("#figure-fct")
    before = visit.page.evaluate(COLOURS, 0)
    figure.locator(".log").press("Enter")
    assert figure.locator(".log").get_attribute("aria-pressed") == "true"
    assert visit.page.evaluate(COLOURS, 0) != before
    assert "0.05" in visit.page.evaluate("window.canvasText")
    key = figure.locator("button.key").nth(1)
    key.press("Space")
    assert key.get_attribute("aria-pressed") == "false"
    assert visit.page.evaluate(COLOURS, 0).get("213,94,0", 0) == 0
    assert visit.page.locator("#figure-loss .log").get_attribute("aria-pressed") == "true"


def test_screen_readers_find_their_way(visit: Visit, specs: Any) -> None:
    page = visit.page
    assert page.locator("html").get_attribute("lang") == "en"
    for landmark in ("header", "main", "nav", "footer"):
        assert page.locator(landmark).count() == 1
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map(e => Number(e.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    named = page.evaluate(
        "[...document.querySelectorAll('[aria-labelledby]')].map(e => document.getElementById("
        "e.getAttribute('aria-labelledby')) !== null)"
    )
    assert named
    assert all(named)
    assert page.evaluate("[...document.querySelectorAll('table')].every(t => t.caption !== null)")
    assert page.evaluate("[...document.querySelectorAll('th')].every(th => th.scope !== '')")
    assert page.evaluate("[...document.querySelectorAll('button')].every(b => b.textContent.trim() !== '')")
    sliders = _plots(visit)
    assert sliders.count() == len(specs)
    assert "DropTail: mean completion time (s) against offered load" in sliders.first.get_attribute(
        "aria-label"
    )
    table = page.locator("#figure-fct table")
    assert table.locator("tbody tr").count() == 5
    assert table.locator("tbody th[scope=row]").first.text_content() == "0.2"


def test_table_behind_a_figure_opens_by_keyboard(visit: Visit) -> None:
    summary = visit.page.locator("#figure-fct summary")
    summary.press("Enter")
    assert visit.page.locator("#figure-fct table").is_visible()


def test_without_scripts_figures_are_still_there(browser: Any, report: Path, specs: Any) -> None:
    visit = Visit(browser, report, java_script_enabled=False)
    images = visit.page.locator("figure img")
    assert images.count() == len(specs)
    assert all(images.nth(number).bounding_box()["height"] > 100 for number in range(len(specs)))
    assert not visit.page.locator("#theme").is_visible()
    assert not visit.page.locator("#figure-fct .log").is_visible()
    visit.context.close()


@pytest.mark.parametrize("which", ["incomplete", "one_seed", "nothing"])
def test_sparse_results_draw_without_complaint(
    browser: Any, tmp_path: Path, specs: Any, which: str, request: pytest.FixtureRequest
) -> None:
    path = write_report(tmp_path / "report.html", request.getfixturevalue(which), (), specs, quick=True)
    visit = Visit(browser, path, 360)
    _plots(visit).first.focus()
    visit.page.keyboard.press("End")
    visit.page.locator("#figure-queues").scroll_into_view_if_needed()
    stamped = visit.page.locator("#figure-fct .stamp-small").inner_text()
    assert "QUICK" in stamped
    assert ("INCOMPLETE" in stamped) == (which != "one_seed")
    assert visit.quiet(path), (visit.complaints, visit.requests)
    visit.context.close()


def test_payload_is_what_the_tables_say(visit: Visit) -> None:
    data = json.loads(visit.page.locator("#figures-data").text_content())
    cells = visit.page.locator("#figure-fct tbody tr").first.locator("td").all_text_contents()
    line = data[0]["lines"][0]
    assert cells[:4] == [f"{line['y'][0]:.4g}", f"{line['low'][0]:.4g}", f"{line['high'][0]:.4g}", "8"]


@pytest.fixture(scope="module")
def of_run(tmp_path_factory: pytest.TempPathFactory, results: db.Results) -> Path:
    return write_run_report(tmp_path_factory.mktemp("run") / "report.html", results)


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (3840, "dark"), (320, "dark")])
def test_the_page_of_a_run_is_read_anywhere(browser: Any, of_run: Path, width: int, scheme: str) -> None:
    visit = Visit(browser, of_run, width, color_scheme=scheme)
    visit.page.wait_for_selector("figure canvas")
    assert visit.page.locator("figure canvas").count() == 8
    for number in range(8):
        box = visit.page.locator("figure canvas").nth(number).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert sum(visit.page.evaluate(COLOURS, number).values()) > 500
    visit.page.locator("#table-flows").scroll_into_view_if_needed()
    assert visit.page.locator("#table-losses tbody tr").count() >= 1
    assert visit.unreadable() == []
    assert visit.quiet(of_run), (visit.complaints, visit.requests)
    visit.context.close()


def test_figures_of_a_run_read_by_keyboard_and_zoom(browser: Any, of_run: Path) -> None:
    visit = Visit(browser, of_run)
    plot = visit.page.locator("#figure-cwnd [role=slider]")
    plot.focus()
    visit.page.keyboard.press("End")
    said = plot.get_attribute("aria-valuetext")
    assert said.startswith("time (s) ")
    assert plot.get_attribute("aria-valuenow") == plot.get_attribute("aria-valuemax")
    before = visit.page.evaluate(COLOURS, 3)
    visit.page.keyboard.press("+")
    # Figures over time show the same part.
    assert visit.page.evaluate(COLOURS, 3) != before
    visit.page.keyboard.press("0")
    assert visit.page.evaluate(COLOURS, 3) == before
    visit.context.close()


def test_figures_of_a_run_give_their_data(browser: Any, of_run: Path, results: db.Results) -> None:
    visit = Visit(browser, of_run)
    with visit.page.expect_download() as download:
        visit.page.get_by_label("download the numbers of Figure 4. Queues").click()
    rows = download.value.path().read_text(encoding="utf-8").splitlines()
    assert rows[0] == '"time (s)","line","queue (packets)"'
    (link, (times, values)) = next(iter(results.series("queue").items()))
    name = str(results.links["link"][link]).replace("->", " → ")
    given = [row.rsplit(",", 1)[1] for row in rows[1:] if f'"{name}"' in row]
    assert len(given) == len(times)
    assert [float(value) for value in given] == pytest.approx(values.tolist(), rel=1e-5)
    visit.context.close()


def test_without_scripts_a_run_has_images(browser: Any, of_run: Path) -> None:
    visit = Visit(browser, of_run, 360, java_script_enabled=False)
    assert visit.page.locator("figure img").count() == 8
    visit.context.close()
