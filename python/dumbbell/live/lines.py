"""Quantities that grow in a run, as times (s) and values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Line = tuple[NDArray[np.float64], NDArray[np.float64]]

_BITS = 8


def growth(line: Line, begin: float, end: float) -> float:
    """Return how much a quantity grew between two times."""
    times, values = line
    first, last = (int(np.searchsorted(times, time, side="right")) for time in (begin, end))
    grown = float(values[last - 1]) if last else 0.0
    return grown - (float(values[first - 1]) if first else 0.0)


def life(start: float, completion_time: float | None, span: tuple[float, float]) -> tuple[float, float]:
    """Return from when to when a flow counts, within the time that a run measures; the end may come first."""
    return max(start, span[0]), span[1] if completion_time is None else start + completion_time


def goodput(delivered: Line, begin: float, end: float) -> float:
    """Return the rate in bit/s of bytes that arrived between two times; 0 if the end comes first."""
    return growth(delivered, begin, end) * _BITS / (end - begin) if end > begin else 0.0
