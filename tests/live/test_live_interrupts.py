"""Commands with real packets act on a signal at once, and leave nothing behind."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import COMMAND_TIMEOUT, SCENARIO
from test_interrupts import cpu, has_ended, heed

MOST = 0.2
"""CPU seconds from the signal to the end, of the command itself."""

TOO_LONG = float(COMMAND_TIMEOUT)
"""Seconds after which a command is deaf, on a busy machine too."""

MODES = {
    "shell": ["shell", "--cbr", "10Mbit/s", "--", "sleep", "60"],
    "live shell": ["shell", "--cbr", "10Mbit/s", "--live", "--", "sleep", "60"],
    "compare-real": ["compare-real", "long.toml", "-o", "out"],
    "compare-real --draw": ["compare-real", "--draw", "3", "--controllers", "cubic", "-o", "out"],
    "incast-real": ["incast-real", "-o", "out"],
    "rcp-host": ["rcp-host", "-o", "out"],
    "rcp-real": ["rcp-real", "-o", "out"],
    "rcp-real in a row": ["rcp-real", "-o", "out", "--routers", "2"],
    "trump-real": ["trump-real", "-o", "out"],
    "recv": ["recv", "--port", "52447"],
    "send": ["send", "--to", "127.0.0.1:52448"],
}

ENDS_BY_IT = {"recv", "send"}
"""What an interrupt ends as planned: they say what they have sent or received."""


def in_group(group: int) -> list[int]:
    """Return the processes of a group."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(encoding="ascii").rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == group:
                found.append(int(entry.name))
    return found


@pytest.mark.parametrize("mode", MODES)
def test_real_packets_end_at_once(tmp_path: Path, mode: str) -> None:
    # Processor time counts misses of the cache, which others on a busy machine cause: the least of three.
    assert any(interrupted(tmp_path / str(turn), mode) < MOST for turn in range(3))


def interrupted(folder: Path, mode: str) -> float:
    """Return the CPU seconds that a command takes from a signal to its end."""
    folder.mkdir()
    (folder / "long.toml").write_text(SCENARIO.replace('"8s"', '"60s"'), encoding="utf-8")
    silent = socket.socket(type=socket.SOCK_DGRAM)
    silent.bind(("127.0.0.1", 52448))
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "dumbbell", *MODES[mode]], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=said, stderr=said, start_new_session=True, preexec_fn=heed,  # noqa: PLW1509
        )  # fmt: skip
    try:
        # Loading takes half a CPU second or less, on a fast machine a quarter; then packets flow.
        deadline = time.monotonic() + 60
        loads, since = 0.0, time.monotonic()
        while loads < 0.3 and time.monotonic() < min(deadline, since + 3 if loads > 0.1 else deadline):
            if has_ended(process.pid):
                break
            if (now := cpu(process.pid)) > loads + 0.02:
                loads, since = now, time.monotonic()
            time.sleep(0.05)
        time.sleep(3)
        assert not has_ended(process.pid), (folder / "said").read_text(encoding="utf-8")
        before, at = cpu(process.pid), time.monotonic()
        process.send_signal(signal.SIGINT)
        while not has_ended(process.pid):
            assert time.monotonic() < at + TOO_LONG, "deaf"
            time.sleep(0.01)
        took = cpu(process.pid) - before
        status = process.wait()
        # What it started ends with it; on a busy machine a little later.
        while (left := in_group(process.pid)) and time.monotonic() < at + TOO_LONG:
            time.sleep(0.05)
    finally:
        silent.close()
        process.kill()
        process.wait()
        for number in in_group(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
    assert not left
    last = (folder / "said").read_text(encoding="utf-8").splitlines()[-1]
    print(f"{mode}: {took:.2f} CPU s, {time.monotonic() - at:.2f} s")
    if mode in ENDS_BY_IT:
        assert status == 0
    else:
        assert (status, last) == (130, "dumbbell: interrupted")
    return took
