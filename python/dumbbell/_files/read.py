"""Read files that users name; refuse those that are no regular files or too large."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from dumbbell import _native


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
