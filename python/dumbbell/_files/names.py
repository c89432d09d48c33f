"""Names of files as text."""

from __future__ import annotations

import os
from pathlib import Path


def readable(name: str) -> str:
    """Return the name of a file as text that can be written: bytes that are not UTF-8 are replaced."""
    return os.fsencode(name).decode("utf-8", "replace")


def real(path: Path) -> Path:
    """Return a path with its links followed; where they lead in a circle, ``Path.resolve`` would fail."""
    return Path(os.path.realpath(path))
