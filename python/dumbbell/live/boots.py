"""Kernels in virtual time for many runs: each run has a boot of its own, and several go on at once.

So a run is the same whichever were made before it, and on however many cores.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

from dumbbell._files.read import read_bytes
from dumbbell._system import usable_cores
from dumbbell.errors import DumbbellError
from dumbbell.live import virtual

Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(frozen=True)
class Boots:
    """How kernels are booted."""

    kernel: virtual.Kernel
    seed: int = 1
    """Of the random numbers of run 0; that of run k is k more."""
    memory: int = virtual.MEMORY
    """Bytes of each kernel."""
    wall_limit: float = virtual.WALL_LIMIT
    """Seconds of wall time of each run."""

    def run(
        self,
        command: Sequence[str],
        number: int = 0,
        outputs: Sequence[Path] = (),
        progress: virtual.Progress | None = None,
    ) -> virtual.Ran:
        """Run a command in a kernel of its own: see :func:`dumbbell.live.virtual.run`.

        Raises
        ------
        DumbbellError
            If there is no result, or the kernel had no memory left.
        """
        ran = virtual.run(
            command,
            self.kernel,
            seed=(self.seed + number) % 2**64,
            memory=self.memory,
            wall_limit=self.wall_limit,
            outputs=outputs,
            progress=progress,
        )
        if ran.killed is not None:
            raise DumbbellError(
                f"the kernel had no memory left and killed {ran.killed}; give it more with --kernel-memory"
            )
        return ran

    def answer(
        self, program: str, words: Sequence[str], out: Path, progress: virtual.Progress, number: int = 0
    ) -> dict[str, Any]:
        """Run a module of ours as a program in a kernel of its own; return the JSON that it leaves.

        Parameters
        ----------
        program, words
            The module, and what it is told.
        out
            The file that it writes.
        progress, number
            As for :meth:`run`.

        Raises
        ------
        DumbbellError
            If it leaves nothing, or says in ``error`` why there is no answer.
        """
        ran = self.run([sys.executable, "-m", program, *words], number, [out], progress)
        if not out.exists():
            raise DumbbellError(f"a run in virtual time ended with status {ran.status}; see the lines before")
        told: dict[str, Any] = json.loads(read_bytes(out))
        if "error" in told:
            raise DumbbellError(str(told["error"]))
        return told


class _StoppedError(Exception):
    """The runs are to end."""


class _Watch(virtual.Progress):
    """Ends a kernel in virtual time when the runs are to end."""

    def __init__(self, stop: Event) -> None:
        self._stop = stop

    def show(self, _at: float, _wall: float) -> None:
        if self._stop.is_set():
            raise _StoppedError


def at_once(
    runs: Mapping[Key, Callable[[virtual.Progress], Value]], workers: int | None = None
) -> Generator[tuple[Key, Value], None, None]:
    """Make runs, several at once; yield each when it has ended. All are over when the generator is.

    Parameters
    ----------
    runs
        Functions that start a kernel with the progress that they get, and what they are called here.
    workers
        How many at once; by default one on each core.
    """
    stop = Event()
    with ThreadPoolExecutor(workers or usable_cores()) as pool:
        asked = {pool.submit(run, _Watch(stop)): key for key, run in runs.items()}
        try:
            for future in as_completed(asked):
                yield asked[future], future.result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
