"""Matplotlib for a process that draws the figures of runs and ends."""

from __future__ import annotations

import sys
import warnings
from importlib import util


def load_matplotlib() -> None:
    """Load Matplotlib without the parts that no figure of a run uses: a third of the time.

    These are the docstrings of its setters, axes in three dimensions, and the names of glyphs, which wait for
    a reader.
    """
    if "matplotlib" in sys.modules:
        return
    _load_when_used("fontTools.agl")
    from matplotlib import artist as artists

    described = artists.kwdoc
    artists.kwdoc = _undescribed
    solid = "mpl_toolkits.mplot3d"
    sys.modules[solid] = None  # type: ignore[assignment]
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Unable to import Axes3D")
            import matplotlib.figure  # noqa: F401
    finally:
        artists.kwdoc = described
        del sys.modules[solid]


def _undescribed(artist: object) -> str:  # noqa: ARG001 - its name is that of Matplotlib.
    """Stand in for what describes all properties of an artist."""
    return ""


def _load_when_used(name: str) -> None:
    found = util.find_spec(name)
    if found is None or found.loader is None:
        return
    found.loader = util.LazyLoader(found.loader)
    module = util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
