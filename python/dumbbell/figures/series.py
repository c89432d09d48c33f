"""Lines over time: what the figures of windows, rates, round-trip times, queues and drops share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from dumbbell.errors import NothingToDrawError
from dumbbell.figures.style import COLOURS, as_label, prefix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dumbbell._declared import Series
    from dumbbell._results import Results

MOST_LABELLED = len(COLOURS)
"""With more lines than colours, lines lose their names and a bold mean takes the legend."""

_MEAN_POINTS = 400

Line = tuple[str, "NDArray[np.float64]", "NDArray[np.float64]"]
"""Label, times (s), values."""


def flow_lines(results: Results, metric: str) -> list[Line]:
    """Return the time series of a metric of flows, labelled by group and, if it has several, number."""
    series = results.series(metric)
    if not series:
        raise NothingToDrawError(
            f"no flow was sampled for {metric}; set `sampled = true` on flows and `record.samples`"
        )
    codes, names = results.flows.codes("group")
    numbers = results.flows["flow"]
    group_of = dict(zip(numbers.tolist(), codes.tolist(), strict=True)) if len(numbers) else {}
    members: dict[int, int] = {}
    lines = []
    for flow, (times, values) in series.items():
        group = group_of.get(flow)
        if group is None:
            lines.append((f"flow {flow}", times, values))
            continue
        members[group] = members.get(group, 0) + 1
        lines.append((f"{names[group]} {members[group]}", times, values))
    alone = {names[group] for group, count in members.items() if count == 1}
    return [
        (label.rsplit(" ", 1)[0] if label.rsplit(" ", 1)[0] in alone else label, t, v)
        for label, t, v in lines
    ]


def link_lines(results: Results, metric: str) -> list[Line]:
    """Return the time series of a metric of links, labelled by the name of the link."""
    series = results.series(metric)
    if not series:
        raise NothingToDrawError(
            f"no link was sampled for {metric}; name links in `record.queues`, set `record.samples`"
        )
    names = results.links["link"]
    return [
        (str(names[link]).replace("->", " → "), times, values) for link, (times, values) in series.items()
    ]


def draw_series(axes: Axes, results: Results, series: Series) -> None:
    """Draw a series of every sampled flow or link, as it was sampled."""
    lines = flow_lines if series.of == "flow" else link_lines
    quantity = series.doc.rstrip(".")
    # Packets are counted; a unit with a prefix would make thousands of them.
    unit = " packets" if series.unit == "packets" else series.unit
    draw_lines(axes, lines(results, series.name), quantity[:1].lower() + quantity[1:], unit)


def draw_lines(axes: Axes, lines: list[Line], quantity: str, unit: str, step: bool = False) -> None:
    """Draw lines over time, with the unit scaled to the values.

    Parameters
    ----------
    axes
        Where.
    lines
        What.
    quantity, unit
        For the label of the axis. A unit that takes no prefix starts with a space.
    step
        Values hold for the period before their time.
    """
    factor, name = (
        (1.0, "") if unit.startswith(" ") else prefix(max(float(np.nanmax(v)) for _, _, v in lines))
    )
    labelled = len(lines) <= MOST_LABELLED
    for label, times, values in lines:
        style = (
            {"label": as_label(label) if len(lines) > 1 else None}
            if labelled
            else {"color": COLOURS[5], "alpha": 0.35, "linewidth": 0.5}
        )
        axes.plot(times, values / factor, drawstyle="steps-pre" if step else "default", **style)
    if not labelled:
        times, mean = _mean(lines)
        axes.plot(times, mean / factor, color=COLOURS[6], linewidth=1.2, label=f"mean of {len(lines)}")
    axes.set_xlabel("time (s)")
    axes.set_ylabel(f"{quantity} ({name}{unit.strip()})")
    axes.margins(x=0.01)


def _mean(lines: list[Line]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Average the lines that exist at each time, on a common grid."""
    start, end = min(t[0] for _, t, _ in lines), max(t[-1] for _, t, _ in lines)
    grid = np.linspace(start, end, _MEAN_POINTS)
    total, count = np.zeros_like(grid), np.zeros_like(grid)
    for _, times, values in lines:
        alive = (grid >= times[0]) & (grid <= times[-1])
        total[alive] += np.interp(grid[alive], times, values)
        count[alive] += 1
    return grid[count > 0], total[count > 0] / count[count > 0]
