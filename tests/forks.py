"""Commands as forks of one process that has loaded what they need, which takes longer than most of them."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Sequence
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path

_LOADED = (
    "dumbbell.cli.archive", "dumbbell.cli.live", "dumbbell.cli.papers", "dumbbell.cli.plot",
    "dumbbell.cli.report", "dumbbell.cli.run", "dumbbell.cli.study", "dumbbell.cli.trace", "dumbbell.figures",
    "dumbbell.live", "dumbbell.papers", "dumbbell.report", "dumbbell.search", "dumbbell.study",
    "scipy.special",
)  # fmt: skip


def started(words: Sequence[str | Path], folder: Path, out: Path, err: Path) -> ForkServerProcess:
    """Start a command in a folder; it appends to the files `out` and `err`."""
    made = _context().Process(target=_run, args=([os.fspath(word) for word in words], folder, out, err))
    made.start()
    return made


def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(_LOADED))
    return context


def _run(words: list[str], folder: Path, out: Path, err: Path) -> None:
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
