"""`dumbbell trace`: what happens to packets."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import dumbbell as db

_TEXT = """
duration = "2s"
transport = { kind = "tcp", controller = "newreno", profile = "rfc" }
[topology]
kind = "dumbbell"
pairs = 2
access = { rate = "100Mbit/s", delay = "2ms" }
bottleneck = { rate = "5Mbit/s", delay = "10ms", queue = { kind = "droptail", limit = "10pkt" } }
[[flows]]
from = "senders"
to = "receivers"
size = "100kB"
stagger = "500ms"
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "two.toml"
    path.write_text(_TEXT)
    return path


def _trace(scenario: Path, *args: str, **more: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dumbbell", "trace", str(scenario), *args]
    return subprocess.run(command, text=True, capture_output=True, check=False, **more)  # type: ignore[call-overload,no-any-return]


def _refused(scenario: Path, *args: str) -> str:
    done = _trace(scenario, *args)
    assert done.returncode == 2, done
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr.removeprefix("dumbbell: ").strip()


def test_lines_are_aligned_and_in_order_of_time(scenario: Path) -> None:
    done = _trace(scenario, "--flow", "0")
    assert done.returncode == 0, done.stderr
    head, *lines = done.stdout.splitlines()
    assert head.split()[:4] == ["time_s", "event", "place", "flow"]
    times = [float(line.split()[0]) for line in lines]
    assert times == sorted(times)
    column = head.index("flow") + len("flow")
    assert {line[:column].split()[-1] for line in lines} == {"0"}
    run = db.Scenario.from_file(scenario).run()
    events = [line.split()[1] for line in lines]
    assert events.count("sent") > run.flows.row(0)["packets_sent"]
    drops = sum("reason=overflow" in line for line in lines)
    assert drops == events.count("dropped") == run.flows.row(0)["dropped"] > 0


def test_json_lines_hold_the_state_of_the_sender(scenario: Path) -> None:
    done = _trace(scenario, "--json", "--until", "300ms")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert {event["flow"] for event in events} == {0}
    assert max(event["time"] for event in events) <= 0.3
    windows = [event["cwnd"] for event in events if event["event"] == "state"]
    assert (windows[0], max(windows) > 20_000) == (0, True), "before the handshake there is none"


def test_a_selection_holds_for_time_and_place(scenario: Path) -> None:
    done = _trace(scenario, "--link", "left->right", "--from", "0.1s", "--until", "0.2s")
    lines = done.stdout.splitlines()[1:]
    assert lines
    assert all(line.split()[2] == "left->right" for line in lines)
    assert all(0.1 <= float(line.split()[0]) <= 0.2 for line in lines)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (
            ["--link", "left->rihgt"],
            "link 'left->rihgt': the scenario has none; did you mean",
        ),
        (["--flow", "2"], "flow 2: no such flow has started; give a number from 0 to 1"),
        (["--flow", "1", "--until", "1ms"], "flow 1: no such flow has started before 1ms; the only one is 0"),
        (["--limit", "100"], "limit: more than 100 events, by 0.0"),
        (["--from", "1s", "--until", "0.5s"], "until: is not after `from`; give a later time"),
        (["--from", "soon"], 'from: "soon" is not a duration'),
    ],
)
def test_what_cannot_be_shown_is_one_line(scenario: Path, args: list[str], expected: str) -> None:
    assert _refused(scenario, *args).startswith(expected)


def test_a_limit_that_holds_changes_nothing(scenario: Path) -> None:
    every = _trace(scenario).stdout
    count = every.count("\n") - 1
    assert _trace(scenario, "--limit", str(count)).stdout == every
    assert _trace(scenario, "--limit", str(count - 1)).stdout == ""


def test_a_full_disk_is_one_line(scenario: Path) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "dumbbell", "trace", str(scenario)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("dumbbell: standard output: the disk is full;")
    assert done.stderr.count("\n") == 1


def test_a_reader_that_has_seen_enough_ends_it(scenario: Path) -> None:
    command = f"{sys.executable} -m dumbbell trace {scenario} --set duration=60s | head -3"
    done = subprocess.run(command, shell=True, text=True, capture_output=True, check=True)
    assert (done.stdout.count("\n"), done.stderr) == (3, "")
