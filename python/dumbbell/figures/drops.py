"""Drops over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from dumbbell.errors import NothingToDrawError
from dumbbell.figures.series import draw_lines, link_lines

if TYPE_CHECKING:
    from dumbbell._results import Results


def draw(axes: Axes, results: Results) -> None:
    """Draw the drops per second, averaged over the period, at every sampled link that dropped anything."""
    lines = []
    for label, times, drops in link_lines(results, "drops"):
        if drops.any():
            # Samples are a period apart; the first one ends the first period.
            period = np.diff(times, prepend=0.0)
            lines.append((label, times, drops / period))
    if not lines:
        raise NothingToDrawError("no packet was dropped at a sampled link")
    draw_lines(axes, lines, "drop rate", " packets/s", step=True)
