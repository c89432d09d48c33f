"""What differs between Linux, macOS and Windows: cores, locks, folders, the memory of a machine.

The type checker reads this package as each of the three (``make systems``).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl
    import resource

_UNTOLD_MEMORY = 4 << 30
"""Bytes of a machine that does not tell (choice: the least that has been sold for ten years)."""


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory() -> int:
    """Return the bytes of memory that the machine has."""
    if sys.platform == "win32":
        return _UNTOLD_MEMORY
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def address_space() -> int | None:
    """Return the bytes that this process may map; ``None`` without a limit."""
    if sys.platform != "win32":
        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        return None if soft == resource.RLIM_INFINITY else soft
    return None


def lock(descriptor: int, wait: bool) -> None:
    """Lock an open file, or folder, until it is closed.

    Raises
    ------
    BlockingIOError
        If another process has the lock, and `wait` is false.
    OSError
        If the file system has no locks.
    """
    if sys.platform == "win32":
        try:
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError(error.errno, error.strerror) from None
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def open_at_once(path: Path, flags: int) -> int:
    """Open a file without waiting for the other end of a pipe; reads and writes wait as usual.

    Raises
    ------
    OSError
        As of ``os.open``: ENXIO for a pipe that nobody reads.
    """
    if sys.platform == "win32":
        return os.open(path, flags | os.O_BINARY)
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)
    os.set_blocking(descriptor, True)
    return descriptor


@contextmanager
def opened(folder: Path) -> Iterator[int | None]:
    """Open a folder, to lock or synchronise it; ``None`` on Windows, which opens none and has no need to."""
    if sys.platform == "win32":
        yield None
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def runs(pid: int) -> bool:
    """Whether a process of this number runs on this machine; true on Windows, where no signal asks."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
