"""No command waits for what never comes: files without an end or a writer, readers that do not read."""

from __future__ import annotations

import os
import resource
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import forks
from conftest import COMMAND_TIMEOUT, SCENARIO
from dumbbell.cli import cli as commands
from test_cli import every_command

READ = {
    "arena page": ("arena", "page", "{}"),
    "arena verify": ("arena", "verify", "{}"),
    "assert": ("assert", "{}", "run.goodput > 9bit/s"),
    "check": ("check", "{}"),
    "compare-real": ("compare-real", "{}"),
    "convert": ("convert", "{}", "--format", "capture", "-o", "new.trace"),
    "pack": ("pack", "{}", "-o", "new.zip"),
    "packetdrill": ("packetdrill", "{}", "--program", "/bin/true"),
    "plot": ("plot", "{}"),
    "query": ("query", "{}", "select 1"),
    "recv": ("recv", "{}"),
    "replay": ("replay", "{}"),
    "report": ("report", "{}"),
    "reproduce": ("reproduce", "{}", "-o", "new"),
    "run": ("run", "{}"),
    "send": ("send", "{}", "--to", "127.0.0.1"),
    "shell": ("shell", "--trace", "{}", "--", "true"),
    "study run": ("study", "run", "{}", "-o", "new"),
    "study search": ("study", "search", "{}", "-o", "new"),
    "study status": ("study", "status", "{}"),
    "trace": ("trace", "{}"),
    "verify": ("verify", "{}"),
}
"""By name, every command that reads a path."""

MEMORY = 6 << 30
"""Bytes of address space: a file without an end would fill them."""

SOON = 10
"""Seconds of processor time in which a command ends that has nothing to read."""


def node(kind: str, path: Path) -> Path:
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "socket":
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(str(path))
        case "device":
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))
        case "folder":
            path.mkdir()
        case "sparse file":
            path.touch()
            os.truncate(path, 1 << 40)
    return path


def refused(folder: Path, *words: str) -> str:
    """Run a command that has to end by itself, soon, with one line; return that."""
    limits = {resource.RLIMIT_AS: MEMORY, resource.RLIMIT_CPU: SOON}
    done = forks.completed(words, folder, COMMAND_TIMEOUT, limits=limits)
    assert done.returncode == 2, (words, done.returncode, done.stderr)
    assert done.stderr.count("\n") == 1, (words, done.stderr)
    assert done.stderr.startswith("dumbbell: "), words
    return done.stderr


def test_every_command_that_reads_is_tested_below() -> None:
    found = {
        name
        for name, command in every_command(commands)
        if any(isinstance(p, click.Argument) and isinstance(p.type, click.Path) for p in command.params)
    }
    # Their arguments are a name, or words.
    assert found | {"reproduce", "shell"} == set(READ)


def kinds() -> Iterator[object]:
    """One kind in ``make test``, the others in ``make full``."""
    yield "device" if os.geteuid() == 0 else "pipe"
    for kind in ("pipe", "socket", "folder", "sparse file"):
        yield pytest.param(kind, marks=pytest.mark.full)


@pytest.mark.parametrize("kind", list(kinds()))
def test_what_is_no_file_is_refused_at_once(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The name of a socket is short.
    monkeypatch.chdir(tmp_path)
    path = node(kind, Path("place"))
    for name, words in READ.items():
        if kind == "sparse file" and name == "packetdrill":
            # A script that is too large is a row of its table.
            continue
        assert "place" in refused(tmp_path, *(word.format(path) for word in words)), words
    assert not (tmp_path / "new").exists()
    assert not (tmp_path / "new.zip").exists()


LONG_LINES = SCENARIO.replace('"8s"', '"600s"')


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "words", [("trace", "long.toml"), ("schema",), ("trace", "long.toml", "--pcapng", "pipe")],
    ids=["trace", "schema", "trace to a pipe"],
)  # fmt: skip
@pytest.mark.parametrize("both", [False, True], ids=["output", "output and error"])
def test_a_reader_that_does_not_read_holds_no_signal_up(
    tmp_path: Path, number: signal.Signals, words: tuple[str, ...], both: bool
) -> None:
    (tmp_path / "long.toml").write_text(LONG_LINES if "pipe" not in words else SCENARIO)
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    end, start = os.pipe()
    # Full but for a page: whoever writes waits.
    os.set_blocking(start, False)
    for pipe in (start, os.open(tmp_path / "pipe", os.O_WRONLY | os.O_NONBLOCK)):
        while True:
            try:
                os.write(pipe, b"x" * 4096)
            except BlockingIOError:
                break
    os.set_blocking(start, True)
    process = subprocess.Popen(
        [sys.executable, "-m", "dumbbell", *words], cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=start,
        stderr=start if both else subprocess.DEVNULL, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    )  # fmt: skip
    os.close(start)
    try:
        wait_until_idle(process)
        before = processor(process.pid)[1]
        process.send_signal(number)
        status, used = ended(process)
    finally:
        process.kill()
        os.close(end)
        os.close(reader)
    assert status == 128 + number
    assert used - before < 0.2


def ended(process: subprocess.Popen[bytes]) -> tuple[int, float]:
    """Wait for the end; return the status and the processor time of all of the process, in seconds."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, used.ru_utime + used.ru_stime
        time.sleep(0.01)
    pytest.fail("deaf")


def processor(pid: int) -> tuple[str, float]:
    """Return the state of a process, and the processor time that it has taken, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until_idle(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process waits: it takes no processor time for a while."""
    deadline = time.monotonic() + COMMAND_TIMEOUT
    last, since = -1.0, time.monotonic()
    while time.monotonic() - since < 0.5:
        assert process.poll() is None
        assert time.monotonic() < deadline
        state, now = processor(process.pid)
        # It looks for signals now and then.
        if state not in "SD" or now > last + 0.01:
            last, since = now, time.monotonic()
        time.sleep(0.05)
