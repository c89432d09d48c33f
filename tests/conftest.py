"""What the tests share: one small experiment, run once, and the command line as a user meets it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import dumbbell as db
import forks

SCENARIO = """
name = "small"
seed = 3
duration = "8s"
warmup = "1s"

[topology]
kind = "dumbbell"
pairs = 2
bottleneck = { rate = "2Mbit/s", queue = { kind = "droptail", limit = "8pkt" } }

[[flows]]
name = "bulk"
from = "senders"
to = "receivers"
stagger = "100ms"

[[workloads]]
kind = "poisson"
name = "web"
from = "senders"
to = "receivers"
load = 0.4
size = { kind = "exponential", mean = "20kB" }

[record]
drops = true
"""

LONG = (
    SCENARIO.replace('"8s"', '"100000s"')
    .replace("2Mbit/s", "40Mbit/s")
    .replace("[record]", "[record]\nsamples = false\nflows = false")
    .replace("drops = true", "drops = false")
)

COMMAND_TIMEOUT = 600
"""Seconds for one command, or for a process to come to some point, to tell a hang from slowness: on a machine
that is busy with other things and short of memory, the slowest takes a tenth of it."""

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def results() -> db.Results:
    return db.Scenario.from_toml(SCENARIO).run()


@pytest.fixture
def scenario_file(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SCENARIO)
    return path


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """The command line in the test's own folder, as a fork of a process that has loaded it."""

    def run(*arguments: str | os.PathLike[str]) -> subprocess.CompletedProcess[str]:
        return forks.completed([os.fspath(word) for word in arguments], tmp_path, COMMAND_TIMEOUT)

    return run


@pytest.fixture
def command(tmp_path: Path) -> Cli:
    """The command line as a process of its own, started in the test's own folder."""

    def run(*arguments: str | os.PathLike[str]) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "dumbbell", *map(os.fspath, arguments)]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, timeout=COMMAND_TIMEOUT, check=False
        )

    return run
