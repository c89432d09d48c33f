"""What goes wrong in virtual time is one line, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from conftest import Cli
from dumbbell.live import virtual

from .conftest import left_of

Begin = Callable[..., subprocess.Popen[bytes]]

SOON = 10.0
"""Seconds on a busy machine in which an interrupted command ends and all of it is gone."""


def shell(*words: str) -> list[str]:
    """Return a shell in virtual time."""
    return ["shell", "--cbr", "12Mbit/s", "--delay", "20ms", "--virtual", *words]


def one_line(done: subprocess.CompletedProcess[str], message: str) -> None:
    """Check that a command ended in one line."""
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("dumbbell: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Start commands that print "ready" in their kernels. A failed test leaves none that spins."""
    begun = []

    def start(*words: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "dumbbell", *words],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        begun.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        return process

    yield start
    for process in begun:
        with process:
            process.kill()


def is_gone(pid: int) -> bool:
    """Wait until nothing is left of a launcher."""
    until = time.monotonic() + SOON
    while (left := left_of(pid)) and time.monotonic() < until:
        time.sleep(0.05)
    return not left


def parents(numbers: Iterable[int]) -> set[int]:
    """Return the parents of those processes that are still there: one of a shell ends with its exec."""
    found = set()
    for pid in numbers:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found.add(int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]))
    return found


SPINS = "echo ready; while :; do :; done"
WAITS = "echo ready; exec sleep 1000000000"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("script", [SPINS, WAITS])
def test_a_signal_ends_all_of_it(tmp_path: Path, begin: Begin, number: signal.Signals, script: str) -> None:
    process = begin(*shell("-o", "out", "--", "sh", "-c", script))
    assert left_of(process.pid)
    process.send_signal(number)
    _, said = process.communicate(timeout=SOON)
    assert is_gone(process.pid)
    if number == signal.SIGKILL:
        return
    assert process.returncode == 128 + number
    assert said.endswith(b"interrupted\n" if number == signal.SIGINT else b"terminated\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("which", ["kernel", "keeper"])
def test_a_killed_kernel_is_one_line(begin: Begin, which: str) -> None:
    process = begin(*shell("--", "sh", "-c", WAITS))
    numbers = [int(entry.split()[1]) for entry in left_of(process.pid) if entry.startswith("process")]
    (keeper,) = parents(numbers) - set(numbers)
    os.kill(keeper if which == "keeper" else min(numbers), signal.SIGKILL)
    _, said = process.communicate(timeout=SOON)
    assert process.returncode == 2
    assert said == b"dumbbell: the kernel in virtual time was killed\n"
    assert is_gone(process.pid)


def test_a_command_that_never_ends_meets_the_limit(cli: Cli) -> None:
    one_line(cli(*shell("--wall-limit", "3", "--", "sh", "-c", SPINS)), "--wall-limit: ")


def test_a_command_that_crashes_is_named(cli: Cli) -> None:
    done = cli(*shell("--", "sh", "-c", "kill -SEGV $$"))
    assert done.returncode == 128 + signal.SIGSEGV
    assert "note: SIGSEGV ended the command in the kernel" in done.stderr


def test_a_panic_is_one_line(cli: Cli) -> None:
    one_line(cli(*shell("--", "sh", "-c", "echo c > /proc/sysrq-trigger")), "panicked: sysrq triggered crash")


def test_no_memory_is_one_line(cli: Cli) -> None:
    eat = "a = []\nwhile True: a.append(bytearray(b'x' * 1000000))"
    done = cli(*shell("--kernel-memory", "256MB", "--", "python3", "-c", eat))
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last.startswith("dumbbell: the kernel had no memory left and killed python3")


@pytest.mark.parametrize("root", ["gone", "empty"])
def test_a_root_that_cannot_be_read_is_one_line(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: str
) -> None:
    kernel = virtual.find().path
    folder = tmp_path / "kernels"
    for each in (folder, tmp_path / "empty"):
        each.mkdir()
    script = f"#!{sys.executable}\nimport os, sys\nof = 'rootflags={tmp_path / root}'\n"
    script += "words = [of if word == 'rootflags=/' else word for word in sys.argv[1:]]\n"
    script += f"os.execv({str(kernel)!r}, ['linux', *words])\n"
    (folder / "linux-6.12").write_text(script, encoding="utf-8")
    (folder / "linux-6.12").chmod(0o755)
    monkeypatch.setenv("DUMBBELL_KERNELS", str(folder))
    one_line(cli(*shell("--", "true")), "cannot read its root file system")


def test_a_folder_of_results_that_cannot_be_written_is_one_line(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    one_line(cli(*shell("-o", "file/out", "--", "true")), "file/out")


@pytest.mark.ping
def test_a_link_of_a_terabit_is_exact(cli: Cli) -> None:
    ping = ("ping", "-q", "-c", "3", "-i", "0.1", "100.64.0.1")
    done = cli("shell", "--cbr", "1Tbit/s", "--delay", "20ms", "--virtual", "--", *ping)
    assert done.returncode == 0, done.stderr
    # A packet takes 1 ns.
    assert "= 40.000/40.000/40.000/" in done.stdout


def test_a_command_that_is_missing_is_named(cli: Cli) -> None:
    done = cli(*shell("--", "no-such-command"))
    assert done.returncode == 127
    assert "no-such-command" in done.stderr.splitlines()[0]


@pytest.mark.without_kernel
@pytest.mark.parametrize(
    ("script", "message"),
    [
        (None, "has not been built; run `make kernel`"),
        ("exit 0", "is no kernel in user mode"),
        ("exec sleep 20", "is no kernel in user mode"),
        ("echo 6.12.1; echo CONFIG_HZ=100", "has no time travel"),
    ],
)
def test_a_kernel_that_does_not_do_is_one_line(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, message: str
) -> None:
    monkeypatch.setenv("DUMBBELL_KERNELS", str(tmp_path))
    if script is not None:
        (tmp_path / "linux-6.12").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (tmp_path / "linux-6.12").chmod(0o755)
    one_line(cli(*shell("--", "true")), message)


@pytest.mark.without_kernel
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--virtual"], "no keyboard works in virtual time"),
        (["--wall-limit", "3", "--", "true"], "--wall-limit: goes with --virtual"),
        (["--virtual", "--kernel", "5.0", "--", "true"], "'5.0' is not one of"),
        (["--virtual", "--wall-limit", "0", "--", "true"], "--wall-limit"),
    ],
)
def test_bad_options_are_one_line(cli: Cli, words: list[str], message: str) -> None:
    one_line(cli("shell", "--cbr", "12Mbit/s", *words), message)
