"""The playground: what the page shows is what `dumbbell run` has, and it holds whatever it is given."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

import dumbbell as db
from dumbbell.playground import PlaygroundError, Served, built_page, compile_law
from dumbbell.playground import page as built
from dumbbell.report import scripted
from tests.browsing import CHROMIUM, Visit, chromium
from tools import playground as tool
from tools.systems import BROWSER, has

NEEDS_CHROMIUM = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium: apt-get install chromium")
AIMD = (tool.REPOSITORY / "python/dumbbell/own/laws/aimd.py").read_text(encoding="utf-8")
MOST_CHARTS = 100_000
"""Bytes of the engine of charts, compressed, the simulator apart."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the page."""
    if shutil.which("cargo") is None or not has(BROWSER):
        pytest.skip(f"the standard library of {BROWSER} cannot be had here")
    path = tmp_path_factory.mktemp("playground") / "playground.html"
    path.write_text(tool.page(gzip.compress(tool.module().read_bytes(), 9, mtime=0)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    pytest.importorskip("playwright.sync_api", reason="needs the Python package playwright")
    with chromium() as browser:
        yield browser


@pytest.fixture
def served(page: Path) -> Iterator[Served]:
    served = Served(page.read_text(encoding="utf-8"))
    threading.Thread(target=served.serve, daemon=True).start()
    yield served
    served.close()


def wait(visit: Visit) -> None:
    """Wait until the latest run has ended."""
    visit.page.wait_for_selector("#results[data-state=done]", state="attached", timeout=60_000)


def rows(visit: Visit) -> dict[str, list[str]]:
    """Return the cells of the table by its first column."""
    return {
        row.locator("th").inner_text(): row.locator("td").all_inner_texts()
        for row in visit.page.locator("#table tbody tr").all()
    }


def native(visit: Visit) -> db.Results:
    return db.Scenario.from_toml(visit.page.locator("#toml").text_content()).run()


def test_a_source_becomes_byte_code_or_a_line() -> None:
    law = compile_law(AIMD)
    assert (law["label"], law["name"]) == ("Aimd", "aimd")
    assert base64.b64decode(law["image"])[:4] == b"DBL1"
    assert "instructions of byte code at an event, at most: ack 17" in law["about"]
    assert compile_law("x = 1\n") == {"error": "mine.py: holds no law; write `class Mine(Controller):`"}
    assert re.match(r"mine\.py:\d+:\d+: ", compile_law(AIMD.replace("ack.mss", "ack.mess"))["error"])
    endless = AIMD + "        while True:\n            pass\n"
    assert re.match(r"mine\.py:\d+:\d+: ", compile_law(endless)["error"])


def test_a_package_without_the_page_says_how_to_build_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(built, "BUILT", "none.html")
    with pytest.raises(PlaygroundError, match="make playground"):
        built_page()


def test_charts_are_a_small_engine() -> None:
    assert len(gzip.compress((scripted.charts() + scripted.own(scripted.UPLOT)).encode())) < MOST_CHARTS


def ask(address: str, data: bytes | None = None, **headers: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, data, headers)) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, b""


def test_the_server_answers_who_has_the_token() -> None:
    served = Served("<title>page</title>")
    threading.Thread(target=served.serve, daemon=True).start()
    try:
        status, text = ask(served.address)
        assert (status, b'name="compiler"' in text) == (200, True)
        status, text = ask(f"{served.address}compile", AIMD.encode())
        assert json.loads(text) == compile_law(AIMD)
        root = served.address[: -len(urlsplit(served.address).path)]
        for place in ("/", "/compile", "/wrong/compile", "/../etc/passwd"):
            assert ask(root + place, b"x") == (403, b"")
            assert ask(root + place) == (403, b"")
        assert ask(served.address, Host="evil.example") == (403, b"")
        assert ask(f"{served.address}compile", b"x" * 100_001) == (413, b"")
    finally:
        served.close()


def test_a_browser_that_goes_away_is_no_fault(capfd: pytest.CaptureFixture[str]) -> None:
    served = Served("<title>page</title>" + "x" * 50_000_000)
    threading.Thread(target=served.serve, daemon=True).start()
    place = urlsplit(served.address)
    try:
        for words in (f"GET {place.path}", f"POST {place.path}compile"):
            lines = f"{words} HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Length: {'9' * 5000}\r\n\r\n"
            with socket.create_connection((place.hostname, place.port), timeout=10) as gone:
                gone.sendall(lines.encode())
                gone.recv(100)
        # It still answers.
        assert ask(f"{served.address}compile", AIMD.encode())[0] == 200
    finally:
        served.close()
    assert capfd.readouterr().err == ""


def test_a_port_that_is_taken_is_refused() -> None:
    served = Served("<title>page</title>")
    try:
        with pytest.raises(OSError, match="in use"):
            Served("", urlsplit(served.address).port or 0)
    finally:
        threading.Thread(target=served.serve, daemon=True).start()
        served.close()


@NEEDS_CHROMIUM
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (3840, "dark"), (320, "dark")])
def test_the_playground_is_read_anywhere(browser: Any, page: Path, width: int, scheme: str) -> None:
    visit = Visit(browser, page, width, color_scheme=scheme)
    wait(visit)
    visit.page.get_by_role("button", name="Bufferbloat").click()
    wait(visit)
    assert visit.unreadable() == []
    assert visit.page.locator("figure canvas").count() == 4
    assert visit.quiet(page), (visit.complaints, visit.requests)
    visit.context.close()


SLIDERS = (
    "",
    "rate=100&rtt=10&a=bbr3&flowsA=4&b=cubic&queue=fq-codel&duration=5",
    "size=100&flowsA=8&loss=0.5",
)


@NEEDS_CHROMIUM
@pytest.mark.parametrize("sliders", SLIDERS)
def test_numbers_of_the_page_are_those_of_a_run(browser: Any, page: Path, sliders: str) -> None:
    visit = Visit(browser, f"{page.as_uri()}#{sliders}")
    wait(visit)
    results = native(visit)
    flows, shown = results.flows, rows(visit)
    assert len(shown) == 2
    for label, cells in shown.items():
        own = flows["group"] == label[0].lower()
        assert int(cells[0]) == np.count_nonzero(own)
        sent, resent = (flows[name][own].sum() for name in ("packets_sent", "retransmissions"))
        assert cells[4] == f"{100 * resent / sent:.4g}"
        assert float(cells[3]) == pytest.approx(1e3 * flows["rtt_min"][own].min(), rel=1e-3)
        if not sliders.startswith("size"):
            assert float(cells[1]) == pytest.approx(flows["goodput"][own].sum() / 1e6, rel=1e-3)
    said = visit.page.locator("#sure").inner_text()
    link = results.links["link"].tolist().index("left->right")
    assert (
        f"it dropped {results.links['dropped'][link]} and marked {results.links['marked'][link]} packets"
        in said
    )
    visit.context.close()


def lesson(visit: Visit, name: str, attempt: str = "") -> db.Results:
    visit.page.get_by_role("button", name=name, exact=True).click()
    if attempt:
        visit.page.locator("#lesson").get_by_role("button", name=attempt, exact=True).click()
    wait(visit)
    assert not visit.page.locator("#trouble").is_visible()
    return native(visit)


def shares(results: db.Results) -> dict[str, float]:
    flows = results.flows
    total = flows["goodput"].sum()
    return {name: float(flows["goodput"][flows["group"] == name].sum() / total) for name in ("a", "b")}


def of_link(results: db.Results, column: str) -> float:
    return float(results.links[column][results.links["link"].tolist().index("left->right")])


@NEEDS_CHROMIUM
def test_lessons_say_what_is_so(browser: Any, page: Path) -> None:
    visit = Visit(browser, page)
    deep = lesson(visit, "Bufferbloat")
    assert max(float(np.nanmax(values)) for _, values in deep.series("rtt").values()) == pytest.approx(
        0.36, rel=0.02
    )
    shallow, codel = lesson(visit, "Bufferbloat", "Buffer of 1 BDP"), lesson(visit, "Bufferbloat", "CoDel")
    assert of_link(shallow, "utilisation") == pytest.approx(of_link(deep, "utilisation"), abs=0.01)
    assert of_link(codel, "sojourn_mean") < 0.006
    assert of_link(codel, "utilisation") > 0.9
    near = shares(lesson(visit, "RTT fairness"))["a"]
    assert near > 0.7
    assert 0.6 < shares(lesson(visit, "RTT fairness", "Both CUBIC"))["a"] < near
    assert 0.45 < shares(lesson(visit, "RTT fairness", "FQ-CoDel"))["a"] < 0.6
    answers = lesson(visit, "Incast").flows
    assert answers["timeouts"].sum() > 0
    assert answers["completion_time"].max() > 0.2
    for attempt in ("8 servers", "16 servers, 20 BDP"):
        assert lesson(visit, "Incast", attempt).flows["completion_time"].max() < 0.025
    lossy = lesson(visit, "Why BBR")
    assert shares(lossy)["b"] > 0.8
    (window, *_) = lossy.series("cwnd").values()
    assert 8 < np.nanmean(window[1][len(window[1]) // 2 :]) / 1448 < 16
    assert shares(lesson(visit, "Why BBR", "No loss"))["b"] > 0.7
    assert shares(lesson(visit, "Why BBR", "No loss, 10 BDP"))["a"] > 0.7
    coupled = lesson(visit, "L4S")
    prague, cubic = (float(np.nanmean(v[len(v) // 2 :])) for _, v in coupled.series("rtt").values())
    assert prague < 0.022
    assert cubic == pytest.approx(0.035, abs=0.004)
    # With packets 3 to 150 us late the share of Prague is 0.58 to 0.67, of this TCP and of the one before.
    assert 0.5 < shares(coupled)["a"] < 0.7
    assert of_link(lesson(visit, "L4S", "DropTail"), "marked") == 0
    assert visit.quiet(page), (visit.complaints, visit.requests)
    visit.context.close()


@NEEDS_CHROMIUM
def test_packets_move_and_keys_suffice(browser: Any, page: Path) -> None:
    visit = Visit(browser, page)
    wait(visit)
    visit.page.wait_for_selector("#stage[data-packets]:not([data-packets='0'])")
    before = visit.page.locator("#clock").inner_text()
    visit.page.locator("#step").press("Enter")
    assert visit.page.locator("#clock").inner_text() != before
    visit.page.locator("#seek").press("End")
    assert visit.page.locator("#clock").inner_text() == "20.000 s"
    visit.page.locator("#rate").press("ArrowRight")
    wait(visit)
    assert "rate=30" in visit.page.url
    plot = visit.page.locator("#figure-queue [role=slider]")
    plot.focus()
    visit.page.keyboard.press("End")
    assert plot.get_attribute("aria-valuetext").startswith("time (s) ")
    visit.context.close()


NONSENSE = (
    "rate=NaN&rtt=-1&a=%3Cb%3E&queue=none",
    "law=AAAA",
    "flowsA=1e9&size=0&duration=1e99",
    "lesson=%3Cscript%3E",
    "%%%&&==",
)


@NEEDS_CHROMIUM
@pytest.mark.parametrize("words", NONSENSE)
def test_an_address_of_nonsense_is_shown_as_usual(browser: Any, page: Path, words: str) -> None:
    visit = Visit(browser, f"{page.as_uri()}#{words}")
    wait(visit)
    assert not visit.page.locator("#trouble").is_visible()
    assert visit.complaints == []
    visit.context.close()


@NEEDS_CHROMIUM
def test_byte_code_of_an_address_is_not_believed(browser: Any, page: Path) -> None:
    code = base64.urlsafe_b64encode(b"DBL1" + bytes(40)).decode().rstrip("=")
    law = base64.urlsafe_b64encode(json.dumps(["# <b>", "Mine", "<b>", code]).encode()).decode().rstrip("=")
    visit = Visit(browser, f"{page.as_uri()}#a=law&law={law}")
    visit.page.wait_for_selector("#trouble:not([hidden])")
    assert "not fit to run" in visit.page.locator("#trouble").inner_text()
    visit.context.close()


TURN = """() => {
  const before = performance.now();
  return new Promise((done) => setTimeout(() => done(performance.now() - before), 0));
}"""


@NEEDS_CHROMIUM
def test_a_heavy_run_neither_hangs_the_page_nor_stays(browser: Any, page: Path) -> None:
    visit = Visit(browser, f"{page.as_uri()}#rate=1000&flowsA=32&flowsB=32&duration=100&queue=fq-codel")
    visit.page.wait_for_selector("figure canvas")
    took = visit.page.evaluate(TURN)
    assert took < 1000
    visit.page.get_by_role("button", name="Incast", exact=True).click()
    wait(visit)
    assert rows(visit).keys() == {"A: newreno"}
    visit.context.close()


@NEEDS_CHROMIUM
def test_a_law_is_checked_raced_and_shared(browser: Any, page: Path, served: Served) -> None:
    visit = Visit(browser, served.address)
    wait(visit)
    source = visit.page.locator("#law-source")
    source.fill(AIMD.replace("ack.mss", "ack.mess"))
    said = visit.page.locator("#law-said.refused")
    said.wait_for()
    assert re.match(r"mine\.py:\d+:\d+: ", said.inner_text())
    assert visit.page.locator("#law-race").is_disabled()
    source.fill(AIMD.replace("class Aimd", "class Mine"))
    visit.page.wait_for_selector("#law-said:not(.refused)")
    visit.page.locator("#law-race").click()
    wait(visit)
    assert "A: mine" in rows(visit)
    assert 'controller = "mine.py:Mine"' in visit.page.locator("#toml").text_content()
    # The file without a server runs the law of the address.
    alone = Visit(browser, f"{page.as_uri()}#{urlsplit(visit.page.url).fragment}")
    wait(alone)
    assert rows(alone) == rows(visit)
    assert visit.complaints == alone.complaints == []
    alone.context.close()
    visit.context.close()
