"""Every mode of a run acts on a signal at once, and moves its progress.

``pytest -s tests/test_interrupts.py tests/live/test_live_interrupts.py`` prints the CPU seconds of each mode.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import dumbbell as db

BEFORE = 1.0
"""CPU seconds in which a command loads, plans and begins to simulate."""

MOST = 0.2
"""CPU seconds from the signal to the end, on each thread."""

TOO_MUCH = 2.0
"""CPU seconds after which a command is deaf, and killed."""

TWO_WAYS = """
duration = "100000s"
transport = { kind = "tcp", controller = "cubic" }
[topology]
kind = "dumbbell"
pairs = 2
bottleneck = { rate = "100Mbit/s", delay = "10ms" }
[[flows]]
from = "senders"
to = "receivers"
"""

# Nothing comes back to the source: its region may go on to the end of the run.
ONE_WAY = """
duration = "100000s"
transport = { kind = "cbr", rate = "100Gbit/s", packet_size = 64 }
[topology]
kind = "chain"
hops = 2
link = { rate = "1Mbit/s", delay = "1ms", queue = { kind = "droptail", limit = "10pkt" } }
[[flows]]
from = "node0"
to = "node2"
"""

STUDY = """
name = "long"
scenario = "two-ways.toml"
seeds = 2
[[metrics]]
name = "goodput"
source = { table = "runs", column = "goodput" }
"""


# Thousands of runs of a few milliseconds, of which some are durable when the signal comes.
MANY = """
name = "many"
scenario = "short.toml"
seeds = 10000
[[metrics]]
name = "goodput"
source = { table = "runs", column = "goodput" }
"""

SEARCH = """
study = "study.toml"
seeds = 1
readings = 2
local = 0
best = 1
fresh = { first = 11, count = 1 }
factors = [{ name = "rate", low = 1, high = 4, set = "topology.bottleneck.rate={value}Mbit/s" }]
targets = [{ metric = "goodput", value = 1e6 }]
"""

FILES = {
    "two-ways": TWO_WAYS,
    "short": TWO_WAYS.replace("100000s", "1s"),
    "one-way": ONE_WAY,
    "study": STUDY,
    "many": MANY,
    "search": SEARCH,
}

PROGRAMS = {
    "Scenario.run": "scenario.run()",
    "Scenario.run, threads": "scenario.run(threads=2)",
    "run_all": "db.run_all([scenario, scenario], threads=2)",
}


def setting(*values: str) -> list[str]:
    return [word for value in values for word in ("--set", value)]


MODES = {
    "turns": ["run", "two-ways.toml"],
    "ahead": ["run", "one-way.toml"],
    "loop": [
        "run",
        "two-ways.toml",
        *setting("topology.bottleneck.queue=fq-codel", "record.controllers=true"),
    ],
    "threads": ["run", "two-ways.toml", "--threads", "2"],
    "samples": ["run", "two-ways.toml", *setting("duration=1000s", "record.period=1ms")],
    "drain": ["run", "two-ways.toml", *setting("duration=1ms", "drain=90000s", "flows[0].size=1000TB")],
    "replay": ["run", "two-ways.toml", *setting('replay={ link = "left->right" }')],
    "trace": ["trace", "two-ways.toml"],
    "live": ["run", "two-ways.toml", "--live", "--speed", "max"],
    "study": ["study", "run", "study.toml", "-o", "out", "--workers", "1"],
    "live study": ["study", "run", "study.toml", "-o", "out", "--workers", "1", "--live"],
    "study of many": ["study", "run", "many.toml", "-o", "out", "--workers", "2"],
    "search": ["study", "search", "search.toml", "-o", "out", "--workers", "1"],
    "reproduce": ["reproduce", "campus-web", "--full", "-o", "out", "--workers", "2"],
    "plot": ["plot", "run", "-o", "out"],
}
THREADS = {"threads": 2, "study of many": 2, "reproduce": 2}

# The packages for tables take a second to load.
SLOW = {"study": 2.0, "live study": 2.5, "study of many": 2.5, "search": 2.0, "reproduce": 3.0, "plot": 1.5}


def cpu(process: int) -> float:
    """Return the CPU time that a process has taken, in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def heed() -> None:
    """Heed interrupts, which a job in the background ignores, and so would its children."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def has_ended(process: int) -> bool:
    return os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def ended(
    command: list[str], number: signal.Signals, folder: Path, before: float = BEFORE
) -> tuple[int, float, str]:
    """Start Python and send a signal; return its status, what it then took (CPU s), and what it said."""
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, *command], cwd=folder, stdout=subprocess.DEVNULL, stderr=said,
            preexec_fn=heed,  # noqa: PLW1509
        )  # fmt: skip
    while cpu(process.pid) < before and not has_ended(process.pid):
        time.sleep(0.005)
    before = cpu(process.pid)
    process.send_signal(number)
    gone = 0
    while gone == 0:
        time.sleep(0.005)
        if cpu(process.pid) > before + TOO_MUCH:
            os.kill(process.pid, signal.SIGKILL)
        gone, status, usage = os.wait4(process.pid, os.WNOHANG)
    process.returncode = os.waitstatus_to_exitcode(status)
    took = usage.ru_utime + usage.ru_stime - before
    return process.returncode, took, (folder / "said").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("mode", "number", "word"),
    [
        *((mode, signal.SIGINT, "interrupted") for mode in MODES),
        *((mode, signal.SIGTERM, "terminated") for mode in ("turns", "threads")),
    ],
)
def test_every_mode_ends_at_once(
    results: db.Results, tmp_path: Path, mode: str, number: signal.Signals, word: str
) -> None:
    for name, text in FILES.items():
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    if mode == "plot":
        results.save(tmp_path / "run")
    command = ["-m", "dumbbell", *MODES[mode]]
    status, seconds, said = ended(command, number, tmp_path, SLOW.get(mode, BEFORE))
    assert (status, said.splitlines()[-1]) == (128 + number, f"dumbbell: {word}")
    print(f"{mode}, {number.name}: {seconds:.2f} CPU s")
    assert seconds < MOST * THREADS.get(mode, 1)


@pytest.mark.parametrize("what", PROGRAMS)
def test_a_program_ends_at_once(tmp_path: Path, what: str) -> None:
    (tmp_path / "two-ways.toml").write_text(TWO_WAYS, encoding="utf-8")
    lines = ["import dumbbell as db", 'scenario = db.Scenario.from_file("two-ways.toml")', PROGRAMS[what]]
    status, seconds, said = ended(["-c", "\n".join(lines)], signal.SIGINT, tmp_path)
    assert (status, said.splitlines()[-1]) == (-signal.SIGINT, "KeyboardInterrupt")
    print(f"{what}, SIGINT: {seconds:.2f} CPU s")
    assert seconds < MOST * (1 if what == "Scenario.run" else 2)


@pytest.mark.parametrize("threads", [None, 2])
def test_progress_moves_in_turns(threads: int | None) -> None:
    seen: list[tuple[float, int]] = []

    class EnoughError(Exception):
        pass

    def show(now: float, duration: float, events: int) -> None:
        assert duration == 1000
        seen.append((now, events))
        # On a busy machine, turns may come no further between two calls.
        if len(seen) >= 4 and seen[1][0] < now:
            raise EnoughError

    scenario = db.Scenario.from_toml(TWO_WAYS, ["duration=1000s"])
    with pytest.raises(EnoughError):
        scenario.run(show, threads=threads)
    times = [now for now, _ in seen]
    assert times == sorted(times)
    assert 0 < times[1] < times[-1] < 1000
    assert [events for _, events in seen] == sorted(events for _, events in seen)
