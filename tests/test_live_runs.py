"""`dumbbell run --live`: a run as pages see and steer it, and whose files are those of any other run."""

from __future__ import annotations

import json
import re
import signal
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import dumbbell as db
import forks
from browsing import CHROMIUM, Visit, chromium
from conftest import COMMAND_TIMEOUT, SCENARIO
from dumbbell.watch.run import MOST_LINES, Lines, Pace, Watched, facts_of
from dumbbell.watch.show import Show
from watching import TWO, ask, begun, news, order, phase, until_ended

NONE = "\N{EN DASH}"
"""How a page writes what is no number."""

NEEDS_CHROMIUM = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home.toml").write_text(SCENARIO)
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_files_of_a_run_are_those_without_a_page(home: Path) -> None:
    run = ["run", "home.toml", "-o"]
    assert forks.completed([*run, "plain"], home, COMMAND_TIMEOUT).returncode == 0
    live = [*run, "live", "--live", "--speed", "max", "--no-stay"]
    done = forks.completed(live, home, COMMAND_TIMEOUT)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^live: http://127.0.0.1:\d+/[\w-]{22}/$", done.stderr, re.MULTILINE)
    assert files(home / "plain") == files(home / "live")


def test_a_viewer_changes_no_file(home: Path) -> None:
    """Pauses, steps and speeds leave no trace in the tables."""
    scenario = db.Scenario.from_file(home / "home.toml")
    watched = Watched(scenario, 1e6)
    watched.show.start()
    address = watched.show.address
    found: list[db.Results] = []
    runner = threading.Thread(target=lambda: found.append(watched.advance(scenario, None, None)))
    order(address, do="pause")
    runner.start()
    for what in (
        {"do": "step"},
        {"do": "speed", "speed": 100},
        {"do": "step"},
        {"do": "speed", "speed": None},
    ):
        assert order(address, **what) == {}
    time.sleep(0.2)
    assert runner.is_alive()
    assert news(address)["last"] == 2
    assert news(address)["state"]["phase"] == "paused"
    order(address, do="go")
    runner.join(COMMAND_TIMEOUT)
    watched.show.close()
    plain = scenario.run()
    for name in ("flows", "links", "samples", "runs"):
        ours, theirs = getattr(found[0], name), getattr(plain, name)
        assert ours.to_pandas().equals(theirs.to_pandas()), name


def test_rows_count_what_the_tables_count() -> None:
    scenario = db.Scenario.from_toml(TWO)
    watched = Watched(scenario, 1e6)
    results = watched.advance(scenario, None, None)
    watched.show.close()
    answer = json.loads(watched.show.board.news(0, 0))
    facts = json.loads(watched.show.board.facts())
    last = answer["rows"][-1]
    assert last[0] > 0.98 * facts["duration"]
    rows = {name: i for i, name in enumerate(results.links["link"].tolist())}
    for about, (_, sent, dropped, marked) in zip(facts["links"], last[1], strict=True):
        row = rows[about["name"]]
        assert sent == pytest.approx(results.links["sent_bytes"][row], rel=0.05)
        assert dropped <= results.links["dropped"][row]
        assert marked <= results.links["marked"][row]
    assert len(last[2]) == len(facts["lines"]) == len(results.flows)
    for (_, window, trip, delivered, _, state), goodput in zip(
        last[2], results.flows["goodput"].tolist(), strict=True
    ):
        assert window > 0
        assert trip > 0
        assert delivered == pytest.approx(goodput * facts["duration"] / 8, rel=0.2)
        assert state in {"slow-start", "congestion-avoidance", "recovery", "loss"}


def test_many_flows_are_a_line_for_each_group() -> None:
    scenario = db.scenario(
        duration="1s",
        topology=db.topology.dumbbell(pairs=MOST_LINES),
        flows=[
            db.flows(from_="senders", to="receivers", name="first"),
            db.flows(from_="senders", to="receivers", name="second", start="800ms"),
        ],
    )
    facts, lines = facts_of(scenario)
    assert [line["label"].split(",")[0] for line in facts["lines"]] == ["first", "second"]
    run = scenario.start()
    run.advance(0.5)
    first, second = lines.row(run)
    assert (first[0], second[0]) == (MOST_LINES, 0)
    assert second[1] is None
    peek = run.peek()
    assert first[3] == peek.delivered.sum()
    assert first[1] == pytest.approx(peek.window.mean())


def test_more_groups_than_lines_are_left_out() -> None:
    group = {"name": "a", "kind": "flows", "flows": 3.0, "controller": "cubic", "transport": "tcp"}
    lines = Lines([group] * 20)
    assert len(lines.facts) == MOST_LINES


def test_a_pace_holds_a_run_back() -> None:
    pace = Pace(2.0, 10.0)
    assert pace.step == 0.01
    start = time.monotonic()
    now = 0.0
    while now < 0.5:
        now = pace.wait(now)
    assert time.monotonic() - start >= 0.2
    pace.obey({"do": "speed", "speed": 1e-3})
    assert pace.step == 1e-3 / 20


@pytest.mark.parametrize("what", [{}, {"do": "fly"}, {"do": "speed"}, {"do": "speed", "speed": -1},
    {"do": "speed", "speed": "1"}, {"do": "speed", "speed": float("nan")}])  # fmt: skip
def test_no_order_is_refused(what: dict[str, object]) -> None:
    pace = Pace(1.0, 1.0)
    if what == {"do": "speed"}:
        pace.obey(what)
        assert pace.step == 1 / 1000
        return
    with pytest.raises(db.DumbbellError, match="not an order"):
        pace.obey(what)


def test_two_viewers_and_a_connection_that_is_dropped(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    scenario = db.Scenario.from_file(home / "home.toml")
    watched = Watched(scenario, 1e6)
    watched.show.start()
    place = urlsplit(watched.show.address)
    watched.advance(scenario, None, None)
    first = news(watched.show.address)
    for _ in range(3):
        with socket.create_connection((place.hostname, place.port), timeout=10) as gone:
            gone.sendall(f"GET {place.path}news HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
            gone.recv(10)
    assert news(watched.show.address) == first
    later = news(watched.show.address, since=first["last"] - 5)
    assert later["rows"] == first["rows"][-5:]
    watched.show.close()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--speed", "2"), "--speed: goes with --live"),
        (("--port", "0"), "--port: goes with --live"),
        (("--no-stay",), "--no-stay: goes with --live"),
        (("--open",), "--open: goes with --live"),
        (("--live", "--quiet"), "--live: with --quiet nobody learns its address"),
        (("--live", "--threads", "2"), "--threads: a run with --live pauses"),
        (("--live", "--speed", "0"), "'0' is no speed; give a number such as 0.1, or max"),
        (("--live", "--speed", "nan"), "'nan' is no speed"),
        (("--live", "--port", "PORT"), "--port: cannot listen at"),
    ],
)
def test_what_does_not_go_together_is_one_line(home: Path, words: tuple[str, ...], line: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        given = [word.replace("PORT", port) for word in words]
        done = forks.completed(["run", "home.toml", *given], home, COMMAND_TIMEOUT)
    assert done.returncode == 2
    assert line in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_run_and_page_at_once(home: Path, number: signal.Signals) -> None:
    with begun(home, "run", "home.toml", "-o", "out", "--speed", "0.01") as (process, address):
        assert order(address, do="pause") == {}
        begin = time.monotonic()
        process.send_signal(number)
        assert process.wait(COMMAND_TIMEOUT) == 128 + number
        print(f"{number.name}: {time.monotonic() - begin:.2f} s")
        with pytest.raises(urllib.error.URLError):
            urllib.request.urlopen(address)
    assert {path.name for path in home.iterdir()} == {"home.toml"}


@pytest.mark.parametrize("end", ["page", "interrupt"])
def test_a_page_stays_until_somebody_has_seen_enough(home: Path, end: str) -> None:
    with begun(home, "run", "home.toml", "-o", "out", "--speed", "max") as (process, address):
        found = until_ended(address)
        assert "dumbbell report out makes a report" in found["state"]["line"]
        assert (home / "out" / "runs.parquet").is_file()
        assert process.poll() is None
        if end == "page":
            assert order(address, do="end") == {}
        else:
            process.send_signal(signal.SIGINT)
        assert process.wait(COMMAND_TIMEOUT) == 0


def test_the_report_of_a_run_is_written_when_somebody_asks(home: Path, tmp_path_factory: Any) -> None:
    temporary = tmp_path_factory.mktemp("temporary")
    with begun(home, "run", "home.toml", "-o", "out", "--speed", "max", TMPDIR=str(temporary)) as (
        process,
        address,
    ):
        state = until_ended(address)["state"]
        (folder,) = temporary.iterdir()
        assert list(folder.iterdir()) == []
        status, page = ask(f"{address}{state['report']}")
        assert (status, b"What happened" in page) == (200, True)
        assert ask(f"{address}report/figures/queue.png")[0] == 200
        assert order(address, do="end") == {}
        assert process.wait(COMMAND_TIMEOUT) == 0
    assert list(temporary.iterdir()) == []
    assert not (home / "out" / "report.html").exists()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as launched:
        yield launched


def shown(visit: Visit) -> float:
    return float(visit.page.locator("#clock").inner_text().split()[0])


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a run that has ended, and whose page stays."""
    folder = tmp_path_factory.mktemp("ended")
    (folder / "home.toml").write_text(SCENARIO)
    with begun(folder, "run", "home.toml", "--speed", "max") as (_, address):
        until_ended(address)
        yield address


@NEEDS_CHROMIUM
@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (3840, "dark"), (320, "dark"), (320, "light")]
)
def test_the_page_of_a_run_is_read_anywhere(browser: Any, ended: str, width: int, scheme: str) -> None:
    visit = Visit(browser, ended, width, color_scheme=scheme)
    phase(visit, "ended")
    visit.page.wait_for_selector("figure canvas")
    assert visit.unreadable() == []
    assert visit.page.locator("figure canvas").count() == 5
    assert visit.complaints == []
    assert all(url.startswith((ended, "data:")) for url in visit.requests)
    visit.context.close()


@NEEDS_CHROMIUM
def test_a_run_is_paused_stepped_and_seen_again_by_keys(browser: Any, home: Path) -> None:
    with begun(home, "run", "home.toml", "--speed", "0.5") as (process, address):
        one, two = Visit(browser, address), Visit(browser, address)
        phase(one, "running")
        one.page.locator("#go").press("Enter")
        phase(one, "paused")
        phase(two, "paused")
        one.page.wait_for_function("() => document.querySelectorAll('#flows tbody tr').length > 0")
        before = shown(one)
        one.page.locator("#step").press("Enter")
        one.page.wait_for_function(
            "before => parseFloat(document.getElementById('clock').textContent) > before", arg=before
        )
        now = shown(one)
        one.page.locator("#seek").press("Home")
        assert shown(one) == 0
        assert one.page.locator("#now").get_attribute("aria-pressed") == "false"
        assert shown(two) == now
        assert "at 0" in one.page.locator("#links-title .at").inner_text()
        one.page.locator("#now").press("Enter")
        assert shown(one) == now
        one.page.locator("#fastest").click()
        one.page.locator("#go").click()
        phase(one, "ended")
        phase(two, "ended")
        assert one.page.locator("#status").inner_text().startswith("Ended.")
        one.page.locator("#window").select_option("1")
        plot = one.page.locator("#figure-queue [role=slider]")
        plot.focus()
        one.page.keyboard.press("End")
        assert plot.get_attribute("aria-valuetext").startswith("time (s) ")
        assert one.unreadable() == []
        assert one.complaints == two.complaints == []
        one.page.locator("#close").click()
        assert process.wait(COMMAND_TIMEOUT) == 0
        # The other viewer is told, and keeps what it has seen.
        two.page.wait_for_selector("#trouble:not([hidden])")
        assert "keeps what it has seen" in two.page.locator("#trouble").inner_text()
        assert two.page.locator("figure canvas").count() == 5
        for visit in (one, two):
            visit.context.close()


@NEEDS_CHROMIUM
def test_names_are_text_and_no_numbers_are_shown_as_none(browser: Any) -> None:
    evil = "<img src=x onerror=alert(1)>&'\""
    look = {"steady": True, "rate": 1e6, "queue": evil, "buffer": None}
    show = Show("run", evil, {
        "duration": 1.0, "links": [{"name": evil, **look}], "more": 0, "each": True,
        "lines": [{"label": evil, "slot": 0, "dash": 0}],
    })  # fmt: skip
    nan = float("nan")
    for i in range(3000):
        show.board.add([i / 3000, [[i % 90, i, i // 9, nan]], [[1, nan, nan, i, nan, evil]]])
    show.start()
    visit = Visit(browser, show.address)
    show.ended(evil)
    phase(visit, "ended")
    visit.page.wait_for_selector("#flows tbody tr")
    assert visit.page.locator("img").count() == 0
    cells = visit.page.locator("#flows tbody tr").inner_text().split("\t")
    assert (cells[0], cells[3], cells[4], cells[6]) == (evil, NONE, NONE, evil)
    assert visit.page.locator("h1").inner_text() == evil
    assert visit.complaints == []
    visit.context.close()
    show.close()
