"""`dumbbell shell --live`: the page of a link, and what it changes while packets pass."""

from __future__ import annotations

import json
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from browsing import CHROMIUM, Visit, chromium
from conftest import COMMAND_TIMEOUT
from watching import begun, news, order, until_ended

SENDER = """
import os, socket, time
out = socket.socket(type=socket.SOCK_DGRAM)
while not os.path.exists("enough"):
    out.sendto(bytes(1000), ("100.64.0.1", 9))
    time.sleep(0.002)
"""
"""4 Mbit/s, until somebody says enough."""

WORDS = (
    "shell",
    "--cbr",
    "1Mbit/s",
    "--delay",
    "5ms",
    "--set",
    "topology.link.queue={ kind='droptail', limit='50pkt' }",
)


def behind(*more: str) -> tuple[str, ...]:
    """Return the words of a shell; what begins it with `--live` comes before its command."""
    return (*WORDS, *more)


def wait_for(address: str, what: str, true: Any) -> dict[str, Any]:
    """Wait until something is true of the news; return them."""
    deadline = time.monotonic() + COMMAND_TIMEOUT
    while time.monotonic() < deadline:
        found = news(address)
        if found["rows"] and true(found):
            return found
        time.sleep(0.1)
    pytest.fail(f"never {what}")


def up(found: dict[str, Any]) -> list[int]:
    """Return what the last row says of the uplink: queue, bytes sent, dropped, marked, rate."""
    row: list[int] = found["rows"][-1][1][0]
    return row


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (tmp_path / "sender.py").write_text(SENDER)
    return tmp_path


COMMAND = ("--", sys.executable, "sender.py")


def test_a_rate_and_a_queue_change_while_packets_pass(script: Path) -> None:
    with begun(script, *behind("-o", "out"), after=COMMAND) as (process, address):
        full = wait_for(address, "full", lambda found: up(found)[0] >= 50 and up(found)[2] > 0)
        assert up(full)[4] == 1_000_000
        # Twice what is sent: the queue drains, and nothing is dropped any more.
        assert order(address, do="change", rate="8Mbit/s") == {}
        empty = wait_for(address, "empty", lambda found: up(found)[4] == 8_000_000 and up(found)[0] <= 5)
        dropped = up(empty)[2]
        assert (
            order(address, do="change", rate="1Mbit/s", queue="{ kind = 'droptail', limit = '10pkt' }") == {}
        )
        short = wait_for(address, "short", lambda found: up(found)[2] > dropped and up(found)[4] == 1_000_000)
        later = wait_for(address, "later", lambda found: found["last"] > short["last"] + 5)
        assert all(row[1][0][0] <= 11 for row in later["rows"][short["last"] + 1 :])
        assert order(address, do="change", setting="topology.link.queue=codel") == {}
        found = wait_for(address, "codel", lambda found: found["state"]["queues"][0] == "codel")
        assert len(found["state"]["changes"]) == 6
        (script / "enough").touch()
        line = until_ended(address)["state"]["line"]
        assert line.startswith("The command ended with status 0")
        assert order(address, do="change", rate="2Mbit/s") == {
            "error": "the shell has ended; start another one"
        }
        process.send_signal(signal.SIGINT)
        assert process.wait(COMMAND_TIMEOUT) == 0
    fidelity = json.loads((script / "out" / "fidelity.json").read_text())
    rates = [change["rate"] for change in fidelity["changed"] if change["link"] == "node0->node1"]
    assert rates == [8_000_000, 1_000_000, None]
    assert (script / "out" / "links.parquet").is_file()


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ({"rate": "fast"}, "topology.link.rate"),
        ({"queue": "kodel"}, "did you mean"),
        ({"setting": "topology.link.delay=9ms"}, "more than the rate and the queue"),
        ({"setting": "nothing"}, "not a change; give path=value"),
        ({"setting": "no.such.path=1"}, "no"),
        ({"rate": "1Mbit/s"}, "nothing of node0->node1 changes"),
        ({"rate": 5}, "not an order of this page"),
        ({"queue": "x" * 9000}, "use one of droptail"),
    ],
)
def test_what_cannot_change_is_one_line(script: Path, what: dict[str, object], line: str) -> None:
    with begun(script, *behind("--no-stay"), after=COMMAND) as (process, address):
        wait_for(address, "begun", lambda _: True)
        error = order(address, do="change", **what)["error"]
        assert line in error
        assert "\n" not in error
        assert process.poll() is None


def test_a_shell_is_interrupted_with_its_page(script: Path) -> None:
    with begun(script, *behind("-o", "out"), after=COMMAND) as (process, address):
        wait_for(address, "begun", lambda _: True)
        process.send_signal(signal.SIGINT)
        assert process.wait(COMMAND_TIMEOUT) == 128 + signal.SIGINT
    assert {path.name for path in script.iterdir()} == {"sender.py"}


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (320, "dark")])
def test_the_page_of_a_shell_is_read_and_changes_it(script: Path, width: int, scheme: str) -> None:
    with (
        begun(script, *behind("--no-stay"), after=COMMAND) as (process, address),
        chromium() as browser,
    ):
        visit = Visit(browser, address, width, color_scheme=scheme)
        visit.page.wait_for_selector("#links tbody tr")
        visit.page.locator("#rate").fill("<b>")
        visit.page.keyboard.press("Enter")
        visit.page.wait_for_selector("#knobs-said.refused")
        visit.page.locator("#rate").fill("2Mbit/s")
        visit.page.keyboard.press("Enter")
        visit.page.wait_for_selector("#changes li")
        assert "2 Mbit/s" in visit.page.locator("#changes").inner_text()
        assert visit.page.locator("#knobs-said.refused").count() == 0
        assert visit.page.locator("figure canvas").count() == 3
        assert visit.unreadable() == []
        assert visit.complaints == []
        (script / "enough").touch()
        assert process.wait(COMMAND_TIMEOUT) == 0
        visit.context.close()
