"""What live pages share: who gets an answer, what is kept; and the page of a study."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import forks
from browsing import CHROMIUM, Visit, chromium
from conftest import COMMAND_TIMEOUT
from dumbbell.study import StudyResult
from dumbbell.watch.board import Board
from dumbbell.watch.show import Show
from watching import TWO, ask, begun, news, phase, until_ended

NEEDS_CHROMIUM = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


def test_old_rows_are_thinned_and_keep_their_numbers() -> None:
    board = Board({}, most=100)
    for i in range(1000):
        board.add([i])
    answer = json.loads(board.news(0, 0))
    rows = [row for (row,) in answer["rows"]]
    assert (answer["last"], rows[-1], rows[0]) == (1000, 999, 0)
    assert len(rows) <= 100
    assert rows == sorted(set(rows))
    assert rows[-40:] == list(range(960, 1000))
    assert json.loads(board.news(998, 0))["rows"] == [[998], [999]]


def test_news_wait_until_there_are_some() -> None:
    board = Board({})
    start = time.monotonic()
    assert json.loads(board.news(0, 0, patience=0.2))["rows"] == []
    assert time.monotonic() - start >= 0.2
    threading.Timer(0.1, board.add, [[1]]).start()
    assert json.loads(board.news(0, 0, patience=60))["rows"] == [[1]]
    board.add([float("nan"), float("inf")])
    assert json.loads(board.news(1, 0))["rows"] == [[None, None]]


def test_only_who_has_the_address_gets_an_answer() -> None:
    show = Show("run", "<b>&\ud800", {})
    show.start()
    place = urlsplit(show.address)
    try:
        status, page = ask(show.address)
        assert (status, b"<h1>&lt;b&gt;&amp;?</h1>" in page) == (200, True)
        root = f"http://{place.netloc}"
        for wrong in ("/", "/facts", "/wrong/facts", f"/{'x' * 22}/news", "/%2e%2e/etc/passwd"):
            for data in (None, b"{}"):
                status, line = ask(root + wrong, data)
                assert (status, line.count(b"\n")) == (403, 1)
                assert b"token" in line
        assert ask(show.address, Host="evil.example")[0] == 403
        assert ask(f"{show.address}order", b"{}", Host="localhost")[0] == 403
        assert ask(f"{show.address}elsewhere")[0] == 404
        assert ask(f"{show.address}report/page.html")[0] == 404
        assert ask(f"{show.address}order", b"x" * 100_001)[0] == 413
        for sent in (b"x", b"[" * 9000, b"[]", b'{"do": "fly"}', b"\xff"):
            status, line = ask(f"{show.address}order", sent)
            assert (status, list(json.loads(line))) == (200, ["error"])
        for words in ("since=-1", "since=x&version=", "since=" + "9" * 5000, "since=1e5", "%%%"):
            assert ask(f"{show.address}news?{words}")[0] == 200
    finally:
        show.close()


def test_a_report_and_what_is_next_to_it_alone_is_shown(tmp_path: Path) -> None:
    (tmp_path / "out" / "figures").mkdir(parents=True)
    (tmp_path / "out" / "report.html").write_text("<p>page")
    (tmp_path / "out" / "figures" / "a.png").write_bytes(b"png")
    (tmp_path / "secret.html").write_text("secret")
    (tmp_path / "out" / "link.html").symlink_to(tmp_path / "secret.html")
    (tmp_path / "out" / "key.pem").write_text("secret")
    show = Show("study", "x", {})
    show.start()
    try:
        show.ended("done", tmp_path / "out" / "report.html")
        assert ask(f"{show.address}report/report.html") == (200, b"<p>page")
        assert ask(f"{show.address}report/figures/a.png") == (200, b"png")
        for name in (
            "../secret.html",
            "link.html",
            "key.pem",
            "figures",
            "",
            "none.html",
            "a\0.html".replace("\0", "%00"),
        ):
            assert ask(f"{show.address}report/{name}")[0] == 404, name
    finally:
        show.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as launched:
        yield launched


STUDY = """
title = "Goodput of <b>"
question = "Does <i>CoDel</i> cost goodput?"
seeds = 12
scenario = "base.toml"
arms = [
  { name = "droptail", set = "topology.bottleneck.queue=droptail" },
  { name = "codel", set = "topology.bottleneck.queue=codel" },
]
axes = [{ name = "pairs", values = [1, 2, 4], set = "topology.pairs={value}" }]
metrics = [
  { name = "goodput", source = { table = "runs", column = "goodput" } },
  { name = "fairness", source = { table = "runs", column = "fairness" } },
]
[[figures]]
id = "goodput"
title = "Goodput & <pairs>"
x = "pairs"
metric = "goodput"
"""


def written(folder: Path) -> Path:
    base = TWO.replace("8s", "1s").replace('stagger = "1s"', 'jitter = "500ms"')
    (folder / "base.toml").write_text(base)
    (folder / "study.toml").write_text(STUDY)
    return folder


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return written(tmp_path)


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, subprocess.Popen[str], str]]:
    """A study that has ended, in `out` of a folder, its process, and its address; the page stays."""
    folder = written(tmp_path_factory.mktemp("ended"))
    with begun(folder, "study", "run", "study.toml", "-o", "out") as (process, address):
        until_ended(address)
        yield folder, process, address


def kept(folder: Path) -> dict[str, bytes]:
    """Return the files of a study, without shards: where they are cut follows the clock."""
    names = ("report.html", "figures", "data/runs.parquet")
    found = [path for path in folder.rglob("*") if path.is_file()]
    inside = {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
    return {name: data for name, data in inside.items() if name.startswith(names)}


def test_the_report_of_a_study_is_that_without_a_page(study: Path) -> None:
    run = ["study", "run", "study.toml", "-o"]
    for words in ([*run, "one/out"], [*run, "two/out", "--live", "--no-stay"]):
        done = forks.completed(words, study, COMMAND_TIMEOUT)
        assert done.returncode == 0, done.stderr
    plain = kept(study / "one" / "out")
    assert {"report.html", "data/runs.parquet"} <= set(plain)
    assert plain == kept(study / "two" / "out")


def test_a_study_tells_what_its_folder_holds(ended: tuple[Path, subprocess.Popen[str], str]) -> None:
    folder, _, address = ended
    state = until_ended(address)["state"]
    assert (state["done"], state["total"], state["finished"], state["arms"]) == (72, 72, 72, [36, 36])
    result = StudyResult.load(folder / "out")
    mean = result.values("goodput", "codel", pairs=4)[1].mean()
    (figure,) = [each for each in state["figures"] if each["id"] == "goodput"]
    (codel,) = [line for line in figure["lines"] if line["label"] == "codel"]
    assert figure["grids"][codel["x"]] == [1, 2, 4]
    assert codel["y"][2] == pytest.approx(mean)
    assert codel["low"][2] < mean < codel["high"][2]
    assert len(state["rows"]) == 6
    assert state["report"] == "report/report.html"
    status, page = ask(f"{address}report/report.html")
    assert (status, page) == (200, (folder / "out" / "report.html").read_bytes())


def test_a_study_is_interrupted_with_its_page(study: Path) -> None:
    (study / "study.toml").write_text(STUDY.replace("seeds = 12", "seeds = 5000"))
    with begun(study, "study", "run", "study.toml", "-o", "out") as (process, address):
        while news(address)["state"]["phase"] == "begins":
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(COMMAND_TIMEOUT) == 128 + signal.SIGINT


@NEEDS_CHROMIUM
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (3840, "dark"), (320, "dark")])
def test_the_page_of_a_study_is_read_anywhere(
    browser: Any, ended: tuple[Path, subprocess.Popen[str], str], width: int, scheme: str
) -> None:
    visit = Visit(browser, ended[2], width, color_scheme=scheme)
    phase(visit, "ended")
    visit.page.wait_for_selector("#figure-goodput canvas")
    assert visit.page.locator("h1").inner_text() == "Goodput of <b>"
    assert visit.unreadable() == []
    assert visit.complaints == []
    assert visit.page.locator("#arms tbody tr").count() == 2
    visit.context.close()


@NEEDS_CHROMIUM
def test_a_page_shows_its_report_and_ends_its_study(
    browser: Any, ended: tuple[Path, subprocess.Popen[str], str]
) -> None:
    """The last test of the page that the others look at."""
    _, process, address = ended
    visit = Visit(browser, address)
    phase(visit, "ended")
    visit.page.locator("#report a").click()
    visit.page.wait_for_selector("#answer")
    assert visit.complaints == []
    visit.page.go_back()
    visit.page.locator("#close:enabled").click()
    assert process.wait(COMMAND_TIMEOUT) == 0
    visit.context.close()
