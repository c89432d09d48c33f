"""The distribution of flow completion times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from dumbbell.figures.completion import completed_groups
from dumbbell.figures.style import as_label, plain_log

if TYPE_CHECKING:
    from dumbbell._results import Results


def draw(axes: Axes, results: Results) -> None:
    """Draw the empirical distribution of completion times of each flow group."""
    groups = completed_groups(results)
    for group in groups:
        times = np.sort(group.times)
        # A step at each value; many thousand steps are thinned to what print can show.
        shares = np.arange(1, times.size + 1) / times.size
        kept = np.unique(np.linspace(0, times.size - 1, min(times.size, 2000)).astype(int))
        axes.plot(
            times[kept],
            shares[kept],
            drawstyle="steps-post",
            label=f"{as_label(group.name)} ({times.size:,} flows)",
        )
    plain_log(axes.xaxis)
    axes.set_xlabel("flow completion time (s)")
    axes.set_ylabel("share of flows")
    axes.set_ylim(0, 1.01)
