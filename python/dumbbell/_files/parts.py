"""Folders and files in the making, next to their place, under a name of their own.

The name is ``.NAME.PID.part``, and the process that writes it holds a lock on it. A part was left by a killed
process if no process of that number runs here and nobody holds the lock, on this machine or another.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dumbbell import _system
from dumbbell.errors import FolderError

HOST = "DUMBBELL_HOST_PROCESS"
"""In a kernel in virtual time, the variable with the process on the host whose parts those in it are."""

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

_NAME = re.compile(r"\.(?P<name>.+)\.(?P<pid>[0-9]+)\.(?P<kind>part|old)", re.DOTALL)


@contextmanager
def part_of(place: Path, folder: bool) -> Iterator[Path]:
    """Yield a new folder or file to write, which the block renames; what is left of it at the end is removed.

    Missing folders above a folder are made, and removed again if the block fails.

    Raises
    ------
    FolderError
        If it cannot be made, or the disk is full.
    """
    made: list[Path] = []
    part = beside(place, "part")
    lock = None
    try:
        try:
            for parent in reversed([path for path in part.parents if folder and not path.exists()]):
                parent.mkdir()
                made.append(parent)
            clear(place)
            lock = _make(part, folder)
        except OSError as error:
            raise refusal(place, error) from None
        yield part
    except BaseException as error:
        remove(part)
        for parent in reversed(made):
            with contextlib.suppress(OSError):
                parent.rmdir()
        if isinstance(error, OSError) and error.errno in _FULL:
            raise refusal(place, error) from None
        raise
    finally:
        if lock is not None:
            os.close(lock)
    remove(part)


def _make(part: Path, folder: bool) -> int | None:
    """Make a part, and return the descriptor that holds its lock."""
    if folder:
        part.mkdir()
    else:
        part.touch(exist_ok=False)
    if sys.platform == "win32":
        # An open part could not be renamed there.
        return None
    lock = os.open(part, os.O_RDONLY)
    # Where locks do not work, a stale part is not recognised, and stays.
    with contextlib.suppress(OSError):
        _system.lock(lock, wait=False)
    return lock


def beside(place: Path, kind: str) -> Path:
    """Return the name of this process for what is on its way to a place, or from there."""
    return place.with_name(f".{place.name}.{_own()}.{kind}")


def clear(place: Path) -> None:
    """Remove what killed processes left half written for a place."""
    for part in _of(place, "part"):
        if is_stale(part):
            remove(part)


def left(place: Path) -> list[Path]:
    """Return what killed processes have moved away from a place, the newest first."""
    found = [path for path in _of(place, "old") if not _runs(path)]
    return sorted(found, key=lambda path: path.stat().st_ctime, reverse=True)


def is_stale(path: Path) -> bool:
    """Whether a path is what a killed process left half written."""
    found = _NAME.fullmatch(path.name)
    if found is None or found["kind"] != "part" or path.is_symlink() or _runs(path):
        return False
    if sys.platform == "win32":
        return False
    try:
        lock = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        _system.lock(lock, wait=False)
    except OSError:
        return False
    finally:
        os.close(lock)
    return True


def refusal(place: Path, error: OSError) -> FolderError:
    """Return what to tell a user when a place cannot be written."""
    if error.errno in _FULL:
        return FolderError(f"{place}: the disk is full; free some space and give the same command again")
    return FolderError(f"{place}: cannot be written ({error.strerror or error}); choose another place")


def _of(place: Path, kind: str) -> list[Path]:
    try:
        names = os.listdir(place.parent)  # noqa: PTH208
    except OSError:
        return []
    found = [(name, _NAME.fullmatch(name)) for name in names]
    return [place.parent / n for n, m in found if m and m["name"] == place.name and m["kind"] == kind]


def _runs(path: Path) -> bool:
    """Whether another process of the number in a name runs on this machine."""
    found = _NAME.fullmatch(path.name)
    assert found is not None, "a name of ours"
    pid = int(found["pid"])
    # From within a kernel in virtual time, no process of the host is seen.
    return pid != _own() and (HOST in os.environ or _system.runs(pid))


def _own() -> int:
    return int(os.environ.get(HOST) or os.getpid())


def remove(part: Path) -> None:
    """Remove a part, as far as it can be removed."""
    if part.is_dir() and not part.is_symlink():
        import shutil

        shutil.rmtree(part, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
