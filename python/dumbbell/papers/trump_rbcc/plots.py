"""Losses against T and alpha, and what the networks differ by.

Matplotlib is loaded by what draws: a list of papers draws nothing.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from dumbbell.papers.trump_rbcc.effects import DRAWS, Floats
from dumbbell.papers.trump_rbcc.published import NETWORKS, SWEEPS, Sweep, published
from dumbbell.papers.trump_rbcc.tables import of_arm
from dumbbell.report import PlotSpec
from dumbbell.study import StudyResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _sum(values: Floats) -> tuple[float, float, float]:
    """Return the packets lost in 500 networks, with 95 % of a bootstrap over networks."""
    if not values.size:
        return np.nan, np.nan, np.nan
    rng = np.random.default_rng(1)
    drawn = values[rng.integers(values.size, size=(DRAWS, values.size))].mean(axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(values.mean()) * NETWORKS, float(low) * NETWORKS, float(high) * NETWORKS


def _losses(sweep: Sweep, name: str, log: bool, result: StudyResult) -> Figure:
    """Draw the packets lost in 500 networks against a parameter, published and ours."""
    import matplotlib as mpl

    from dumbbell.figures.style import COLOURS, STYLE, new_figure, plain_log

    figure, (axes,) = new_figure(1, "single")
    xs = [float(value) for value, _ in sweep.arms]
    told = [published()[sweep.table, value, "lost"].value for value, _ in sweep.arms]
    ours, low, high = np.array([_sum(of_arm(result, "lost", arm)) for _, arm in sweep.arms]).T
    with mpl.rc_context(STYLE):
        axes.plot(xs, told, color="0.35", linestyle=(0, (2, 2)), marker="+", label="published")
        axes.errorbar(
            xs, ours, yerr=(ours - low, high - ours), color=COLOURS[0], marker="o", markersize=4,
            elinewidth=0.7, capsize=2, capthick=0.7, label="ours",
        )  # fmt: skip
        if log:
            plain_log(axes.yaxis)
        else:
            axes.set_ylim(bottom=0)
        axes.set_xlabel(name)
        axes.set_ylabel(f"packets lost\nin {NETWORKS} networks")
        figure.legend(loc="outside upper left", ncols=2)
    return figure


def _distribution(metric: str, name: str, arms: tuple[str, ...], log: bool, result: StudyResult) -> Figure:
    """Draw the share of networks in which a metric is at most so much."""
    import matplotlib as mpl

    from dumbbell.figures.style import COLOURS, DASHES, STYLE, as_label, new_figure, plain_log

    figure, (axes,) = new_figure(1, "single")
    with mpl.rc_context(STYLE):
        for slot, arm in enumerate(arms):
            values = np.sort(of_arm(result, metric, arm))
            values = values[np.isfinite(values)]
            if not values.size:
                continue
            shares = np.arange(1, values.size + 1) / values.size
            axes.step(
                values, shares, where="post", color=COLOURS[slot % len(COLOURS)],
                linestyle=DASHES[slot % len(DASHES)], label=as_label(result.study.arm(arm).label),
            )  # fmt: skip
        if log:
            plain_log(axes.xaxis)
        axes.set_ylim(0, 1)
        axes.set_xlabel(name)
        axes.set_ylabel("share of networks")
        figure.legend(loc="outside upper left", ncols=2)
    return figure


_SCALED = f"Bars are 95 % of a bootstrap over networks. Fewer networks than {NETWORKS} are scaled up."

_OWN = ("base", "recommended", "threshold-1", "selacksize-4")
_ALL = ("base", "recommended", "reno", "vegas", "cubic", "rcp")

PLOTS = (
    PlotSpec(
        "lost-threshold",
        "Losses against the threshold T (table 11.5)",
        partial(_losses, SWEEPS[2], "threshold T, packets", False),
        "Packets lost against the threshold, published and ours; the numbers are in the table.",
        _SCALED,
    ),
    PlotSpec(
        "lost-alpha",
        "Losses against the scaling factor alpha (table 11.6)",
        partial(_losses, SWEEPS[3], "scaling factor alpha", True),
        "Packets lost against alpha, published and ours; the numbers are in the table.",
        _SCALED,
    ),
    PlotSpec(
        "queues",
        "Longest mean queue of a router, as arrivals make it",
        partial(_distribution, "hiqueue", "longest mean queue, packets", _OWN, False),
        "Distribution over the networks of the longest mean queue of a router.",
    ),
    PlotSpec(
        "queues-beside",
        "Longest mean queue of a router over time, beside other transports",
        partial(_distribution, "hiqueue_time", "longest mean queue over time, packets", _ALL, True),
        "Distribution over the networks of the longest mean queue over time.",
    ),
    PlotSpec(
        "utilisation",
        "Utilisation of the busiest link",
        partial(_distribution, "hiutil", "utilisation of the busiest link", _ALL, False),
        "Distribution over the networks of the utilisation of the busiest link.",
        "Up to the end of the last message: a transport that takes longer uses less.",
    ),
    PlotSpec(
        "finished",
        "End of the last message",
        partial(_distribution, "finished", "end of the last message, s", _ALL, True),
        "Distribution over the networks of the end of the last message.",
    ),
)
