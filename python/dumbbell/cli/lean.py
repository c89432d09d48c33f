"""Matplotlib for a process that draws the figures of runs and ends."""

from __future__ import annotations

import sys


def load_matplotlib() -> None:
    """Load Matplotlib without the docstrings of its setters, which take an eighth of the time."""
    if "matplotlib" in sys.modules:
        return
    from matplotlib import artist as artists

    described = artists.kwdoc
    artists.kwdoc = _undescribed
    try:
        import matplotlib.figure  # noqa: F401
    finally:
        artists.kwdoc = described


def _undescribed(artist: object) -> str:  # noqa: ARG001 - its name is that of Matplotlib.
    """Stand in for what describes all properties of an artist."""
    return ""
