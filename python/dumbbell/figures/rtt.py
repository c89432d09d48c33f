"""Round-trip times over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from dumbbell.figures.series import draw_lines, flow_lines

if TYPE_CHECKING:
    from dumbbell._results import Results


def draw(axes: Axes, results: Results) -> None:
    """Draw the smoothed round-trip time of every sampled flow."""
    draw_lines(axes, flow_lines(results, "rtt"), "smoothed RTT", "s")
