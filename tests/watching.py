"""Live pages in tests: a command with one, and what it answers."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from browsing import Visit
from conftest import COMMAND_TIMEOUT
from test_interrupts import heed

TWO = """
duration = "8s"
transport = { kind = "tcp", controller = "cubic" }
topology = { kind = "dumbbell", pairs = 2, bottleneck = { rate = "10Mbit/s", queue = "codel" } }
flows = [{ from = "senders", to = "receivers", stagger = "1s" }]
"""


def ask(address: str, data: bytes | None = None, **headers: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, data, headers)) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def news(address: str, since: int = 0, version: int = 0) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(ask(f"{address}news?since={since}&version={version}")[1])
    return answer


def order(address: str, **what: object) -> dict[str, str]:
    answer: dict[str, str] = json.loads(ask(f"{address}order", json.dumps(what).encode())[1])
    return answer


@contextmanager
def begun(
    folder: Path, *words: str, after: tuple[str, ...] = (), **environment: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a command with a page, and words that come last; yield it and the address, and end it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dumbbell", *words, "--live", *after], cwd=folder, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, env=os.environ | environment,
        preexec_fn=heed,  # noqa: PLW1509
    )  # fmt: skip
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if found := re.match(r"live: (http://127\.0\.0\.1:\d+/\S+/)$", line):
                yield process, found[1]
                return
        pytest.fail("no address")
    finally:
        process.kill()
        process.communicate()


def until_ended(address: str) -> dict[str, Any]:
    """Wait until what is shown has ended; return the last news, with all rows."""
    deadline = time.monotonic() + COMMAND_TIMEOUT
    while time.monotonic() < deadline:
        found = news(address)
        if found["state"].get("phase") == "ended":
            return found
        time.sleep(0.05)
    pytest.fail("does not end")


def phase(visit: Visit, word: str) -> None:
    visit.page.wait_for_selector(f"html[data-phase={word}]")
