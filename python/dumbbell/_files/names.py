"""Names of files as text."""

from __future__ import annotations

import os


def readable(name: str) -> str:
    """Return the name of a file as text that can be written: bytes that are not UTF-8 are replaced."""
    return os.fsencode(name).decode("utf-8", "replace")
