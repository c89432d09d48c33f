"""Read files that users name; refuse those that are no regular files or too large."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dumbbell import _native, _system
from dumbbell._files.foreign import MOST_BYTES
from dumbbell.errors import DumbbellError, ScenarioError

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


def read_toml(path: str | os.PathLike[str], blamed: type[DumbbellError] = DumbbellError) -> dict[str, Any]:
    """Return what a TOML file says, by the parser that reads scenarios.

    Parameters
    ----------
    path
        The file.
    blamed
        The error to raise.

    Raises
    ------
    OSError
        As :func:`read_text`.
    DumbbellError
        `blamed`, with the name of the file: if it is not UTF-8, or not TOML (the line and column).
    """
    try:
        return _native.parse_toml(read_text(path))
    except UnicodeDecodeError as error:
        raise blamed(f"{path}: not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except ScenarioError as error:
        raise blamed(f"{path}: {error}") from None
