"""Read files that users name; refuse those that are no regular files or too large."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dumbbell import _native, _system
from dumbbell._files.foreign import MOST_BYTES

if TYPE_CHECKING:
    from io import BufferedReader


def opened(path: Path) -> BufferedReader:
    """Open a regular file to read; nothing else, and without waiting for anybody.

    Raises
    ------
    OSError
        If it cannot be read, or is a device or a pipe, which may have no end, or no writer.
    """
    descriptor = _system.open_at_once(path, os.O_RDONLY)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return open(descriptor, "rb")  # noqa: PTH123
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    raise OSError(errno.EINVAL, "it is not a file", str(path))


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """Return the content of a regular file.

    Parameters
    ----------
    path
        The file.
    most
        Bytes that it may have.

    Raises
    ------
    OSError
        As :func:`opened`; EFBIG if it has more.
    """
    with opened(path) as file:
        if os.fstat(file.fileno()).st_size > most:
            raise OSError(errno.EFBIG, f"it has more than the limit of {most:,} bytes", str(path))
        return file.read()


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a file.

    Raises
    ------
    OSError
        If it cannot be read, is no regular file (a folder, a device, a pipe), or is larger than what people
        write.
    UnicodeDecodeError
        If it is not UTF-8.
    """
    text = _native.read_file(Path(path)).decode("utf-8")
    # As files opened for text have it.
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a TOML file says, by the parser that reads scenarios.

    Raises
    ------
    OSError, UnicodeDecodeError
        As :func:`read_text`.
    ScenarioError
        If it is not TOML: the line and column.
    """
    return _native.parse_toml(read_text(path))
