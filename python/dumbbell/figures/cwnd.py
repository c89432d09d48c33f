"""Congestion windows over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from dumbbell.figures.series import draw_lines, flow_lines

if TYPE_CHECKING:
    from dumbbell._results import Results


def draw(axes: Axes, results: Results) -> None:
    """Draw the congestion window of every sampled flow."""
    draw_lines(axes, flow_lines(results, "cwnd"), "congestion window", "B")
