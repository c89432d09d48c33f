"""Data delivered in order, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from dumbbell.figures.series import draw_lines, flow_lines

if TYPE_CHECKING:
    from dumbbell._results import Results


def draw(axes: Axes, results: Results) -> None:
    """Draw what every sampled flow has delivered in order so far: the slope is its goodput.

    A rate over short periods would exceed the link where a hole is filled. Here that is a step.
    """
    lines = []
    for label, times, values in flow_lines(results, "goodput"):
        # Samples are a period apart; a flow has its first in the period in which it starts.
        period = float(np.median(np.diff(times))) if len(times) > 1 else float(times[0])
        delivered = np.cumsum(values) * period / 8
        lines.append((label, np.append(times[0] - period, times), np.append(0.0, delivered)))
    draw_lines(axes, lines, "data delivered in order", "B")
