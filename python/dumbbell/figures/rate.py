"""Throughput at the receivers over time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from dumbbell.figures.series import Limit, Line, capacities, draw_lines, flow_lines

if TYPE_CHECKING:
    from dumbbell._results import Results


_MOST_VALUES = 150
"""More values of a noisy quantity in one line hide its course."""

_FEWEST_VALUES = 10

_FEWEST_PACKETS = 50 * 1500 * 8
"""Bits that pass in a window: the packet that its edge cuts is 2 % of them at most, less than headers."""


def draw(axes: Axes, results: Results) -> None:
    """Draw the rate at which data of every sampled flow arrives, over windows that hold many packets."""
    lines, limits, window = windowed(results)
    quantity = f"throughput over {window:.3g} s" if window else "throughput"
    draw_lines(axes, lines, quantity, "bit/s", step=True, limits=limits)


def windowed(results: Results) -> tuple[list[Line], list[Limit], float]:
    """Return the mean rate of every sampled flow in windows, the capacities in the same, and the window (s).

    The window is 0 where there is one sample alone.
    """
    lines = flow_lines(results, "received")
    limits = capacities(results)
    longest = max((times for _, times, _ in lines), key=len)
    if len(longest) == 1:
        return lines, limits, 0.0
    period = float(np.median(np.diff(longest)))
    slowest = min((limit.value for limit in limits if limit.value > 0), default=math.inf)
    samples = max(
        math.ceil(len(longest) / _MOST_VALUES),
        min(round(_FEWEST_PACKETS / slowest / period), len(longest) // _FEWEST_VALUES),
        1,
    )
    whole = round(max(float(times[-1]) for _, times, _ in lines) / period) // samples
    means = [mean for line in lines if len((mean := _averaged(line, period, samples, whole))[2]) > 1]
    return means, [_course(limit, period, samples, whole) for limit in limits], samples * period


def _course(limit: Limit, period: float, samples: int, whole: int) -> Limit:
    """Return a limit that changes with time over the windows of the lines."""
    if limit.course is None:
        return limit
    _, ends, means = _averaged((limit.name, *limit.course), period, samples, whole)
    return limit._replace(course=(ends, means))


def _averaged(line: Line, period: float, samples: int, whole: int) -> Line:
    """Average the samples of each window, up to the last that is whole.

    All lines have the same windows: of a flow that starts or ends in one, nothing arrives in the rest of it.
    """
    label, times, values = line
    windows = np.ceil(np.round(times / period) / samples).astype(int)
    first = int(windows[0])
    means = np.bincount(windows - first, weights=values)[: max(whole - first + 1, 0)] / samples
    ends = np.arange(first - 1, first + len(means), dtype=np.float64) * samples * period
    # A value holds for the window before its time, the first one too.
    return label, ends, np.append(means[:1], means)
