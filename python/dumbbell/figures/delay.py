"""One-way delays of the packets of flows, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from dumbbell.figures.series import MOST_LABELLED, draw_lines, flow_lines
from dumbbell.figures.style import COLOURS, prefix

if TYPE_CHECKING:
    from dumbbell._results import Results


def draw(axes: Axes, results: Results) -> None:
    """Draw the mean delay of each sampled flow's packets in each period, and a band up to the longest."""
    means = flow_lines(results, "delay")
    longest = flow_lines(results, "delay_max")
    # Both in one unit, that of the longest.
    factor, unit = prefix(max(float(values.max()) for _, _, values in longest))
    scaled = [(label, times, values / factor) for label, times, values in means]
    draw_lines(axes, scaled, "one-way delay", f" {unit}s")
    if len(means) <= MOST_LABELLED:
        for (_, times, low), (_, _, high), colour in zip(scaled, longest, COLOURS, strict=False):
            axes.fill_between(times, low, high / factor, color=colour, alpha=0.18, linewidth=0)
        axes.set_ylabel(f"one-way delay ({unit}s)\nmean, and up to the longest")
