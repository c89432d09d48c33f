"""Throughput against delay: the mean of each design over its runs, and an ellipse of one deviation."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, Rectangle

from dumbbell.errors import NothingToDrawError
from dumbbell.figures.planned import planned
from dumbbell.figures.style import COLOURS, STYLE, as_label, name_lines, new_figure, prefix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dumbbell._results import Results

_SHARE = 1 - math.exp(-0.5)
"""Of runs that a two-dimensional normal distribution has within one standard deviation of its mean."""

_MARKS = "osD^vP*"

_SEED = re.compile(r"^seed = .*$", re.MULTILINE)

Ends = tuple[float, float]
"""The least and the largest value there can be."""


@dataclass(frozen=True)
class Cloud:
    """The runs of one design."""

    name: str
    x: NDArray[np.float64]
    """Delays, shape (runs,)."""
    y: NDArray[np.float64]
    """Throughputs, shape (runs,)."""
    x_range: Ends = (0.0, math.inf)
    """What is possible: the ellipse ends there."""
    y_range: Ends = (0.0, math.inf)


_HEIGHT = 3.0
"""Inches: such figures are nearly square."""


def figure_of(draw_into: Callable[[Axes], None], width: str = "single") -> Figure:
    """Return a figure of one panel into which something is drawn."""
    figure, (panel,) = new_figure(1, width, _HEIGHT)
    with mpl.rc_context(STYLE):
        draw_into(panel)
        name_lines(figure, [panel])
    return figure


def draw_clouds(axes: Axes, clouds: Sequence[Cloud], x_label: str, y_label: str) -> None:
    """Draw runs as dots, their mean as a mark, and mean and covariance as an ellipse.

    The ellipse is the contour of the normal distribution with the mean and the covariance of the runs at one
    standard deviation, as in K. Winstein & H. Balakrishnan, "TCP ex machina" (SIGCOMM 2013). It is about how
    runs vary, not about how well their mean is known. It ends where values are not possible.

    Parameters
    ----------
    axes
        Where. The axis of delays runs from right to left: better is up and to the right.
    clouds
        The designs.
    x_label, y_label
        With units.
    """
    for index, cloud in enumerate(clouds):
        colour, mark = COLOURS[index % len(COLOURS)], _MARKS[index % len(_MARKS)]
        there = np.isfinite(cloud.x) & np.isfinite(cloud.y)
        x, y = cloud.x[there], cloud.y[there]
        if not x.size:
            continue
        axes.plot(x, y, ".", color=colour, alpha=0.45, markersize=2.5, markeredgewidth=0)
        n = f"n={x.size}" if x.size > 2 else f"n={x.size}, no ellipse"
        axes.plot(
            x.mean(), y.mean(), mark, color=colour, markersize=5, linestyle="none",
            label=as_label(f"{cloud.name} ({n})"),
        )  # fmt: skip
        if x.size > 2:
            _ellipse(axes, cloud, x, y, colour)
    axes.margins(0.08)
    axes.autoscale_view()
    low, high = axes.get_xlim()
    axes.set_xlim(high, max(low, 0.0))
    # Below the axis, as above it may stand what a reader must know first.
    about = (
        f"ellipse: one standard deviation of runs about\ntheir mean; {_SHARE:.0%} of runs if they are normal"
    )
    axes.set_xlabel(f"{x_label}\n{about}")
    axes.set_ylabel(y_label)
    axes.annotate(
        "better", (0.985, 0.97), (0.90, 0.86), xycoords="axes fraction", fontsize=7, color="#555555",
        ha="center", va="center", arrowprops={"arrowstyle": "->", "color": "#555555", "linewidth": 0.6},
    )  # fmt: skip


def _ellipse(axes: Axes, cloud: Cloud, x: NDArray[np.float64], y: NDArray[np.float64], colour: str) -> None:
    variances, directions = np.linalg.eigh(np.cov(x, y))
    half = np.sqrt(np.maximum(variances, 0.0))
    angle = math.degrees(math.atan2(directions[1, 1], directions[0, 1]))
    ellipse = Ellipse(
        (float(x.mean()), float(y.mean())), 2 * half[1], 2 * half[0], angle=angle, alpha=0.2,
        facecolor=colour, edgecolor=colour, linewidth=0.9,
    )  # fmt: skip
    axes.add_patch(ellipse)
    reach = np.sqrt(np.maximum(np.diag(np.cov(x, y)), 0.0))
    ends = [
        (max(float(values.mean() - r), low), min(float(values.mean() + r), high))
        for values, r, (low, high) in zip((x, y), reach, (cloud.x_range, cloud.y_range), strict=True)
    ]
    (left, right), (bottom, top) = ends
    # Somewhat larger than what is shown, but where the possible ends.
    room = [4 * r + 1e-12 for r in reach]
    possible = Rectangle(
        (max(left - room[0], cloud.x_range[0]), max(bottom - room[1], cloud.y_range[0])),
        min(right + room[0], cloud.x_range[1]) - max(left - room[0], cloud.x_range[0]),
        min(top + room[1], cloud.y_range[1]) - max(bottom - room[1], cloud.y_range[0]),
        transform=axes.transData,
    )
    ellipse.set_clip_path(possible)
    axes.update_datalim([(left, bottom), (right, top)])


def draw(axes: Axes, runs: Mapping[str, Results]) -> None:
    """Draw several runs: those of one scenario under several seeds are one design.

    Throughput is the goodput of all flows; delay is the 95th percentile of one-way delays, its mean over the
    flows that have one.

    Raises
    ------
    NothingToDrawError
        If no run has delays.
    """
    found: dict[str, list[tuple[str, Results]]] = {}
    for title, run in runs.items():
        found.setdefault(_SEED.sub("", run.provenance["scenario"]), []).append((title, run))
    names = _names(list(found.values()))
    clouds = []
    for name, members in zip(names, found.values(), strict=True):
        rates = np.array([run.runs.row(0)["goodput"] for _, run in members], dtype=np.float64)
        delays = np.array([_delay(run) for _, run in members])
        clouds.append(Cloud(name, delays, rates, y_range=(0.0, _most(members[0][1]))))
    known = [cloud for cloud in clouds if np.isfinite(cloud.x).any()]
    if not known:
        raise NothingToDrawError("no run has one-way delays; set `record.delays = true`")
    (over, unit), (above, rate) = (
        prefix(max(float(np.nanmax(values)) for values in each))
        for each in ([cloud.x for cloud in known], [cloud.y for cloud in known])
    )
    scaled = [
        Cloud(cloud.name, cloud.x / over, cloud.y / above, y_range=(0.0, cloud.y_range[1] / above))
        for cloud in known
    ]
    draw_clouds(axes, scaled, f"95th percentile of one-way delay ({unit}s)", f"goodput ({rate}bit/s)")


def _delay(run: Results) -> float:
    delays = run.flows["delay_p95"]
    there = delays[np.isfinite(delays)]
    return float(there.mean()) if there.size else math.nan


def _most(run: Results) -> float:
    """Return what goodput cannot pass: the rate of a link that all paths share; infinity without one."""
    about = planned(run)
    if about is None or not about["pairs"]:
        return math.inf
    paths = [set(pairwise(pair["path"])) for pair in about["pairs"]]
    shared = set.intersection(*paths)
    links = [link for link in about["links"] if (link["from"], link["to"]) in shared]
    return min((link["rate"] for link in links if link["service"] == "constant"), default=math.inf)


def _names(groups: Sequence[Sequence[tuple[str, Results]]]) -> list[str]:
    """Return what tells the designs apart: their controllers, else the title of their first run."""
    moved = [
        ", ".join(sorted({str(name) for name in members[0][1].flows["controller"]} - {""}))
        for members in groups
    ]
    if len(set(moved)) == len(moved) and all(moved):
        return moved
    return [members[0][0] for members in groups]
