"""Commands as forks of one process that has loaded what they need, which takes longer than most of them."""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Sequence
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from threading import Lock

_LOADED = (
    "dumbbell.cli.archive", "dumbbell.cli.live", "dumbbell.cli.papers", "dumbbell.cli.plot",
    "dumbbell.cli.report", "dumbbell.cli.run", "dumbbell.cli.study", "dumbbell.cli.trace", "dumbbell.figures",
    "dumbbell.live", "dumbbell.papers", "dumbbell.report", "dumbbell.search", "dumbbell.study",
    "pandas", "scipy.special",
)  # fmt: skip


_LOCK = Lock()
"""A status can be read once, and the start of a process reads that of every other one."""


class Fork:
    """A command in a folder and this environment, which appends to the files `out` and `err`.

    Threads may have one each.
    """

    def __init__(self, words: Sequence[str | Path], folder: Path, out: Path, err: Path) -> None:
        texts = [os.fspath(word) for word in words]
        with _LOCK:
            self._process: ForkServerProcess = _context().Process(
                target=_run, args=(texts, folder, out, err, dict(os.environ))
            )
            self._process.start()
        assert self._process.pid is not None
        self.pid: int = self._process.pid

    def status(self) -> int | None:
        """Return the exit status, or nothing while it runs."""
        with _LOCK:
            return self._process.exitcode

    def end(self, seconds: float) -> int | None:
        """Wait for the end, and kill what has not ended by then; return the exit status it had."""
        deadline = time.monotonic() + seconds
        while (status := self.status()) is None and time.monotonic() < deadline:
            time.sleep(0.005)
        with _LOCK:
            self._process.kill()
            self._process.join()
        return status


def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(_LOADED))
    return context


def _run(words: list[str], folder: Path, out: Path, err: Path, environment: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for number, path, flags in (
        (0, Path(os.devnull), os.O_RDONLY),
        (1, out, os.O_WRONLY | os.O_APPEND | os.O_CREAT),
        (2, err, os.O_WRONLY | os.O_APPEND | os.O_CREAT),
    ):
        made = os.open(path, flags)
        os.dup2(made, number)
        os.close(made)
    sys.argv = ["dumbbell", *words]
    from dumbbell.cli import main

    main()
