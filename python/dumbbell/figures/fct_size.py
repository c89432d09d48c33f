"""Flow completion time against flow size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from dumbbell.figures.completion import completed_groups
from dumbbell.figures.style import COLOURS, plain_log

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dumbbell._results import Results

_BINS_PER_DECADE = 4
_FEWEST_IN_BIN = 5
_MANY = 5000


def draw(axes: Axes, results: Results) -> None:
    """Draw each completed flow as a point, and the median and 99th percentile by size."""
    groups = completed_groups(results)
    sizes = np.concatenate([group.sizes for group in groups])
    times = np.concatenate([group.times for group in groups])
    # Points as pixels even in vector formats: hundreds of thousands of them make a file that no viewer opens.
    # Fewer points are larger and darker.
    many = sizes.size > _MANY
    axes.plot(
        sizes, times, ".", color=COLOURS[5], alpha=0.3 if many else 0.7, markersize=1.5 if many else 2.5,
        markeredgewidth=0, rasterized=True,
    )  # fmt: skip
    for share, label, line in ((0.5, "median", "-"), (0.99, "99th percentile", "--")):
        axes.plot(*_by_size(sizes, times, share), line, color=COLOURS[6], linewidth=1.1, label=label)
    plain_log(axes.xaxis)
    plain_log(axes.yaxis)
    axes.set_xlabel("flow size (B)")
    axes.set_ylabel("flow completion time (s)")


def _by_size(
    sizes: NDArray[np.float64], times: NDArray[np.float64], share: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the quantile of times in bins of equal ratio of sizes, at the geometric mean of each bin."""
    bins = np.floor(np.log10(sizes) * _BINS_PER_DECADE).astype(int)
    full = [b for b in np.unique(bins).tolist() if np.count_nonzero(bins == b) >= _FEWEST_IN_BIN]
    centres = np.array([np.exp(np.log(sizes[bins == b]).mean()) for b in full])
    return centres, np.array([np.quantile(times[bins == b], share) for b in full])
