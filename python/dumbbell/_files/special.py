"""Outputs that are no regular files: devices and pipes are written to, and nothing takes their place.

======================= ===========================================================================
at the place            what happens
======================= ===========================================================================
nothing, a regular file the new file takes the place, whole or not at all
a link                  the same, where it leads; the link stays
a character device      the content goes to it, once it is complete
a pipe                  the same; refused if nobody reads it
an open stream          the same: ``/dev/stdout``, ``/dev/fd/3``, whatever stands behind the number
a disk, a socket        refused
a folder                refused
======================= ===========================================================================
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dumbbell import _system
from dumbbell._files.parts import refusal
from dumbbell.errors import FolderError

_STREAMS = re.compile(r"/proc/(?P<pid>[0-9]+)/(task/[0-9]+/)?fd|/dev/fd")
"""Folders whose entries are the open files of a process: that of Linux, and that of other systems."""

_MOST_LINKS = 40
"""That are followed: as many as Linux does."""

_PIECE = 1 << 16
"""Bytes that are written at once: a pipe of Linux holds as many."""


def stream(path: Path) -> int | None:
    """Return the number of the stream of this process that a path names, such as 1 for ``/dev/stdout``."""
    for _ in range(_MOST_LINKS):
        home = os.path.realpath(path.parent)
        found = _STREAMS.fullmatch(home)
        if found and path.name.isdecimal() and found["pid"] in (None, str(os.getpid())):
            return int(path.name)
        if not path.is_symlink():
            return None
        path = Path(home) / path.readlink()
    return None


def is_special(path: Path) -> bool:
    """Whether a place holds something that no file may replace, and that is no folder."""
    return stream(path) is not None or (path.exists() and not path.is_file() and not path.is_dir())


def refuse_special(path: Path) -> None:
    """Raise if a file may not be put at a place: what stands there is a link, or no regular file.

    For places in folders that may be somebody else's: no link is followed.

    Raises
    ------
    FolderError
        What stands there.
    """
    try:
        mode = path.lstat().st_mode
    except OSError:
        # Nothing is there, or writing says what is wrong.
        return
    if not stat.S_ISREG(mode):
        raise FolderError(f"{path}: is {_word(mode)}; move it away, or choose another place")


def refuse_log(path: Path) -> None:
    """Raise if a log cannot be written to a place while it grows: its reader could hold up the writer.

    Raises
    ------
    FolderError
        What stands there.
    """
    if stream(path) is not None:
        raise FolderError(f"{path}: is a stream; a log goes to a file, name one")
    if path.is_fifo():
        raise FolderError(f"{path}: is a pipe; a log goes to a file, name one")


@contextmanager
def written(path: Path) -> Iterator[Path]:
    """Yield a file to write; what it holds at the end of the block goes to a device, a pipe or a stream.

    Raises
    ------
    FolderError
        If it cannot be written, which is found before the block wherever that is possible.
    """
    import tempfile

    target = _opened(path)
    try:
        # Not next to the place: that may be /dev.
        with tempfile.TemporaryDirectory(prefix="dumbbell-output-") as home:
            part = Path(home) / "part"
            part.touch()
            yield part
            # What was printed before comes before.
            sys.stdout.flush()
            _copy(part, target, path)
    finally:
        os.close(target)


def _opened(path: Path) -> int:
    number = stream(path)
    try:
        if number is not None:
            # Not opened again: that would begin anew at the start of a file.
            target = os.dup(number)
            os.write(target, b"")
            return target
        mode = path.stat().st_mode
        if stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
            raise FolderError(f"{path}: is {_word(mode)}; choose another name")
        # Without waiting: a pipe has a reader, or is refused.
        target = _system.open_at_once(path, os.O_WRONLY)
    except OSError as error:
        if error.errno == errno.ENXIO and path.is_fifo():
            raise FolderError(f"{path}: nobody reads this pipe; start its reader first") from None
        raise refusal(path, error) from None
    return target


def _copy(part: Path, target: int, path: Path) -> None:
    import select

    with part.open("rb") as source:
        while piece := source.read(_PIECE):
            try:
                while piece:
                    try:
                        piece = piece[os.write(target, piece) :]
                    except BlockingIOError:
                        select.select((), (target,), ())
            except BrokenPipeError:
                raise FolderError(f"{path}: its reader has gone before the end; start it again") from None
            except OSError as error:
                raise refusal(path, error) from None


def _word(mode: int) -> str:
    kinds = (
        (stat.S_ISLNK, "a link"),
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISBLK, "a disk"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISFIFO, "a pipe"),
    )
    return next((word for holds, word in kinds if holds(mode)), "a socket")
