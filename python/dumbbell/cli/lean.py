"""Matplotlib for a process that draws the figures of runs and ends."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from types import ModuleType
from typing import Any


def load_matplotlib() -> None:
    """Load Matplotlib without the parts that no figure of a run uses: a third of the time.

    These are the docstrings of its setters, axes in three dimensions, and the names of glyphs, which wait for
    a reader.
    """
    if "matplotlib" in sys.modules:
        return
    from matplotlib import artist as artists

    _load_when_used("fontTools", "agl")
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


class _Later(ModuleType):
    """Stand in for a module until somebody reads a name of it.

    ``importlib.util.LazyLoader`` would load it with the first ``import`` of it.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def _load_when_used(package: str, name: str) -> None:
    later = _Later(f"{package}.{name}")
    sys.modules[later.__name__] = later
    setattr(import_module(package), name, later)
