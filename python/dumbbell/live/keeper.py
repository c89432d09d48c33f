"""Keeps a kernel in user mode: starts it, and removes all of it when the launcher is done or gone.

``keeper.py`` runs as a program between the launcher (:mod:`dumbbell.live.virtual`) and the kernel, with the
standard library alone. A line of JSON on its standard input says what to start. It prints the folder that it
has made, and when the kernel has ended its status; the folder stays until the standard input ends. That end
comes however the launcher ends, so that nothing is left even of one that was killed.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

_SET_PARENT_DEATH_SIGNAL, _SET_CHILD_SUBREAPER = 1, 36
_NO_RANDOM_ADDRESSES = 0x0040000

_libc = ctypes.CDLL(None)


def start(order: dict[str, Any], folder: str) -> int:
    """Start the kernel in the folder; return its number."""
    keeper = os.getpid()
    child = os.fork()
    if child:
        return child
    try:
        _libc.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != keeper:
            os._exit(1)
        # The layout of its memory counts among what a kernel draws numbers from.
        _libc.personality(_NO_RANDOM_ADDRESSES)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # Its processes run in turns: on one processor, none is woken up on another, which takes longer.
        os.sched_setaffinity(0, {_libc.sched_getcpu()})
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)
        os.chdir(folder)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        log = os.open("log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.execve(order["kernel"], order["words"], {"TMPDIR": folder, **order["environment"]})
    except OSError as error:
        os.write(2, f"{order['kernel']}: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def end(kernel: int) -> None:
    """End the kernel and what it has started: the processes of its guest are processes here."""
    for kill in (os.killpg, os.kill):
        try:
            kill(kernel, signal.SIGKILL)
        except ProcessLookupError:
            continue
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass


def keep(order: dict[str, Any], folder: str) -> None:
    """Keep one kernel until the launcher is done."""
    for name, (text, mode) in order["files"].items():
        path = Path(folder, name)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
    kernel = start(order, folder)
    try:
        print(folder, flush=True)
        ended = os.pidfd_open(kernel)
        ready, _, _ = select.select([0, ended], [], [])
        if ended in ready:
            _, status = os.waitpid(kernel, 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
            select.select([0], [], [])
    finally:
        end(kernel)


def main() -> None:
    """Do what the standard input says."""
    # Ctrl-C of a terminal goes to all processes of a group.
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    _libc.prctl(_SET_CHILD_SUBREAPER, 1)
    order = json.loads(sys.stdin.readline())
    folder = f"{order['where']}/dumbbell-virtual-{os.getppid()}-{os.getpid()}"
    os.mkdir(folder, 0o700)  # noqa: PTH102
    try:
        keep(order, folder)
    except BrokenPipeError:
        pass
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
