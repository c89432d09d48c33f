"""Distributions of times: one-way delays of packets, times at links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from dumbbell.errors import NothingToDrawError
from dumbbell.figures.series import MOST_LABELLED, names_of_flows, names_of_links
from dumbbell.figures.style import COLOURS, DASHES, as_label, prefix

if TYPE_CHECKING:
    from dumbbell._results import Results

_LACKING = {
    "delay": "no sampled flow has delays; set `record.delays = true`, and `sampled = true` on flows",
    "sojourn": 'of no link it is noted how long packets stay; set `record.sojourns = "bottlenecks"`',
}
_AXES = {"delay": "one-way delay of a packet", "sojourn": "time at the link: waiting and transmission"}
_TOLD = 0.95
"""The share whose quantile stands in the legend."""


def draw(axes: Axes, results: Results, metric: str) -> None:
    """Draw the share of packets for which a time was no longer, against the time.

    Parameters
    ----------
    axes
        Where.
    results
        A run.
    metric
        ``delay``, of each sampled flow, or ``sojourn``, of each link of which it is noted.
    """
    table = results.quantiles
    chosen = np.flatnonzero(table["metric"] == metric)
    if not chosen.size:
        raise NothingToDrawError(_LACKING[metric])
    ids, shares, values = (table[column][chosen] for column in ("id", "share", "value"))
    factor, unit = prefix(float(values.max()))
    subjects = list(dict.fromkeys(ids.tolist()))
    names = (names_of_flows if metric == "delay" else names_of_links)(results, subjects)
    labelled = len(subjects) <= MOST_LABELLED
    for index, (subject, name) in enumerate(zip(subjects, names, strict=True)):
        rows = ids == subject
        x, y = values[rows] / factor, shares[rows]
        if labelled:
            told = float(np.interp(_TOLD, y, x))
            label = as_label(f"{name}, {_TOLD:.0%} within {told:.3g} {unit}s")
            axes.plot(x, y, linestyle=DASHES[index % len(DASHES)], label=label)
        else:
            only = f"{len(subjects)} of them" if index == 0 else None
            axes.plot(x, y, color=COLOURS[5], alpha=0.35, linewidth=0.5, label=only)
    axes.set_xlabel(f"{_AXES[metric]} ({unit}s)")
    axes.set_ylabel("share of packets")
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.01)
