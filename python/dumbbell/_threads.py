"""The threads of one run."""

from __future__ import annotations

from pathlib import Path

from dumbbell._system import usable_cores
from dumbbell.errors import DumbbellError

MOST_THREADS = 64
"""Threads of one run."""

_LOADAVG = Path("/proc/loadavg")


def checked(threads: int | None) -> int | None:
    """Return the number of threads asked for.

    Raises
    ------
    DumbbellError
        If it is none.
    """
    if threads is not None and not 1 <= threads <= MOST_THREADS:
        raise DumbbellError(f"{threads} threads; give a number from 1 to {MOST_THREADS}")
    return threads


def idle_cores() -> int:
    """Return how many cores this process may use that nobody uses now.

    The threads of a run wait for each other some ten thousand times a second: where they share a core with
    others, two are slower than one.
    """
    usable = usable_cores()
    try:
        # "0.20 0.18 0.12 1/80 11206": the fourth field is the tasks that run, this one too (proc_loadavg(5)).
        running = int(_LOADAVG.read_text().split()[3].partition("/")[0])
    except (OSError, ValueError, IndexError):
        return usable
    return max(usable - max(running - 1, 0), 1)
