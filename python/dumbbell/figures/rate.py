"""Goodput over time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from dumbbell.figures.series import Line, capacities, draw_lines, flow_lines

if TYPE_CHECKING:
    from dumbbell._results import Results


_MOST_VALUES = 150
"""More values of a noisy quantity in one line hide its course."""


def draw(axes: Axes, results: Results) -> None:
    """Draw the goodput of every sampled flow, averaged so that a few hundred values remain."""
    lines = flow_lines(results, "goodput")
    longest = max((times for _, times, _ in lines), key=len)
    samples = math.ceil(len(longest) / _MOST_VALUES)
    means = [mean for line in lines if len((mean := _averaged(line, samples))[1])]
    if len(longest) > 1:
        period = samples * float(np.median(np.diff(longest)))
        draw_lines(
            axes, means, f"goodput over {period:.3g} s", "bit/s", step=True, limits=capacities(results)
        )
    else:
        draw_lines(axes, means, "goodput", "bit/s", step=True, limits=capacities(results))


def _averaged(line: Line, samples: int) -> Line:
    """Average each so many samples; what is left over at the end is left out."""
    label, times, values = line
    whole = len(times) // samples * samples
    return label, times[samples - 1 : whole : samples], values[:whole].reshape(-1, samples).mean(axis=1)
