"""Lines over time: what the figures of windows, rates, round-trip times, queues and drops share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from dumbbell.errors import NothingToDrawError
from dumbbell.figures.planned import planned
from dumbbell.figures.style import COLOURS, DASHES, GREYS, LIMIT_DASHES, as_label, prefix

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from dumbbell._declared import Series
    from dumbbell._results import Results, Table

MOST_LABELLED = len(COLOURS)
"""With more lines than colours, lines lose their names and a bold mean takes the legend."""

_MEAN_POINTS = 400

_NEAR = 0.5
"""Part of a limit that a line reaches for the limit to be drawn: a far one would press the lines together."""

_READABLE = 0.1
"""Part of the largest value in a panel of several runs above which the limit of one of them is drawn."""

Line = tuple[str, "NDArray[np.float64]", "NDArray[np.float64]"]
"""Label, times (s), values."""


class Limit(NamedTuple):
    """A line to compare with: what values cannot pass, or what decides on them."""

    name: str
    value: float
    """In the unit of the lines; the mean over the run if it changes with time."""
    written: str = ""
    """The value as the scenario has it; empty: as the axis has it."""
    of: str = ""
    """The run that it is of; empty: of all."""
    course: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    """Times (s) and values if it changes with time: each value holds for the period before its time."""


def flow_lines(results: Results, metric: str) -> list[Line]:
    """Return the time series of a metric of flows, by number, group if there are several, and controller."""
    series = results.series(metric)
    if not series:
        more = "`record.delays`, " if metric.startswith("delay") else ""
        raise NothingToDrawError(
            f"no flow was sampled for {metric}; set {more}`sampled = true` on flows and `record.samples`"
        )
    names = names_of_flows(results, series)
    return [(name, *line) for name, line in zip(names, series.values(), strict=True)]


def names_of_flows(results: Results, numbers: Iterable[int]) -> list[str]:
    """Return names of flows: the number in tables, the group if there are several, and what moves it."""
    flows = results.flows
    rows = {int(number): row for row, number in enumerate(flows["flow"])}
    several = len(set(flows["group"].tolist())) > 1
    return [_of_flow(flows, rows.get(number), number, several) for number in numbers]


def _of_flow(flows: Table, row: int | None, number: int, several: bool) -> str:
    if row is None:
        return f"flow {number}"
    about = flows.row(row)
    group = [about["group"]] if several else []
    return f"flow {number}: {', '.join([*group, about['controller'] or about['transport']])}"


_LACKING = {
    "rate": "no port is under power control",
    "predicted": "no port has a power policy that predicts",
    "offered": "no link has a router that offers rates",
    "capacity": "the rate of no link changes with time",
}
"""Why a run may have no such series although links were sampled."""


def link_lines(results: Results, metric: str) -> list[Line]:
    """Return the time series of a metric of links, labelled by the name of the link."""
    series = results.series(metric)
    if not series:
        sampled = f"no link was sampled for {metric}; name links in `record.queues`, set `record.samples`"
        raise NothingToDrawError(f"{_LACKING[metric]}, or {sampled}" if metric in _LACKING else sampled)
    names = names_of_links(results, series)
    return [(name, *line) for name, line in zip(names, series.values(), strict=True)]


def names_of_links(results: Results, rows: Iterable[int]) -> list[str]:
    """Return the names of links by their rows in the table of links."""
    names = results.links["link"]
    return [_of_link(str(names[row])) for row in rows]


def _of_link(name: str) -> str:
    return name.replace("->", " → ")


def draw_series(axes: Axes, results: Results, series: Series) -> None:
    """Draw a series of every sampled flow or link, as it was sampled."""
    lines = (flow_lines if series.of == "flow" else link_lines)(results, series.name)
    draw_lines(axes, lines, *quantity_of(series), limits=limits_of(results, series.name, lines))


def quantity_of(series: Series) -> tuple[str, str]:
    """Return what a series is, and its unit, for :func:`draw_lines`."""
    # What follows a colon explains.
    quantity = series.doc.partition(":")[0].rstrip(".")
    # Packets are counted; a unit with a prefix would make thousands of them.
    unit = " packets" if series.unit == "packets" else series.unit
    return quantity[:1].lower() + quantity[1:], unit


def capacities(results: Results) -> list[Limit]:
    """Return the rates of the links whose queues were sampled: where one expects the bottleneck.

    The rate of a recorded link, and one that changes at given times, is drawn as it was during the run: the
    rate in the table of links is the mean of the whole recording, or the first one.
    """
    links, courses = results.links, results.series("capacity")
    sampled = list(results.series("queue"))
    rates = dict.fromkeys(float(links["rate"][link]) for link in sampled if link not in courses)
    several = len(courses) > 1
    return [Limit("capacity", rate) for rate in rates] + [
        Limit(
            f"capacity of {_of_link(str(links['link'][link]))}" if several else "capacity",
            float(courses[link][1].mean()),
            course=courses[link],
        )
        for link in sampled
        if link in courses
    ]


def limits_of(results: Results, series: str, lines: list[Line]) -> list[Limit]:
    """Return what the lines of a series compare with: those of queues with buffers and thresholds."""
    if series != "queue":
        return []
    shown = {label for label, _, _ in lines}
    limits: list[Limit] = []
    about = planned(results)
    for link in about["links"] if about else ():
        if _of_link(link["name"]) not in shown:
            continue
        if link["buffer_bytes"]:
            in_bytes = link["buffer_packets"] is None
            written = _written(link["buffer_bytes"], "B") if in_bytes else ""
            limits.append(_waiting("buffer", link["buffer_bytes"] / link["mtu"], written))
        # At a rate that changes, a wait is no length.
        steady = link["service"] == "constant" and not link["power"]
        thresholds = (entry for entry in link["thresholds"] if steady or entry["wait"] is None)
        limits += map(_of_threshold, thresholds)
    return list(dict.fromkeys(limits))


def _of_threshold(threshold: Mapping[str, Any]) -> Limit:
    wait = threshold["wait"]
    return _waiting(threshold["name"], threshold["packets"], _written(wait, "s") if wait else "")


def _waiting(name: str, packets: float, written: str) -> Limit:
    """Return a limit of the packets that wait. The length of a queue counts the one in transmission too."""
    return Limit(name, packets + 1, written or f"{packets:.4g} packets")


def _written(value: float, unit: str) -> str:
    factor, name = prefix(value)
    return f"{value / factor:.4g} {name}{unit}"


def near(limits: Iterable[Limit], largest: float) -> list[Limit]:
    """Return the limits that lines come near whose largest value is known."""
    return [limit for limit in limits if largest > _NEAR * limit.value]


def limits_of_runs(found: Mapping[str, tuple[list[Line], list[Limit]]]) -> list[Limit]:
    """Return the limits to draw below the lines of several runs in one panel, by the titles of the runs.

    A limit is drawn if the lines of its own run come near it. It names the run unless all runs have it. One
    that is small compared with the lines of the other runs would lie on the line of its own run, and hide it.
    """
    largest = {title: max(float(np.nanmax(v)) for _, _, v in lines) for title, (lines, _) in found.items()}
    shown = {title: near(limits, largest[title]) for title, (_, limits) in found.items()}
    readable = _READABLE * max(largest.values())
    common = [limit for limit in next(iter(shown.values())) if all(limit in kept for kept in shown.values())]
    own = [limit._replace(of=title) for title, kept in shown.items() for limit in kept if limit not in common]
    return [limit for limit in [*common, *own] if limit.value > readable]


def draw_lines(
    axes: Axes,
    lines: list[Line],
    quantity: str,
    unit: str,
    step: bool = False,
    limits: list[Limit] | None = None,
) -> None:
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
    limits
        What the lines compare with; drawn where they come near.
    """
    factor, name = (
        (1.0, "") if unit.startswith(" ") else prefix(max(float(np.nanmax(v)) for _, _, v in lines))
    )
    labelled = len(lines) <= MOST_LABELLED
    largest = max(float(np.nanmax(values)) for _, _, values in lines)
    for index, limit in enumerate(near(limits or (), largest)):
        look: dict[str, Any] = {
            "color": GREYS[index % len(GREYS)], "linewidth": 0.8,
            "dashes": LIMIT_DASHES[index % len(LIMIT_DASHES)],
        }  # fmt: skip
        title = f"{limit.of}: {limit.name}" if limit.of else limit.name
        if limit.course is None:
            shown = limit.written or f"{limit.value / factor:.4g} {name}{unit.strip()}"
            axes.axhline(limit.value / factor, label=as_label(f"{title} {shown}"), **look)
        else:
            times, values = limit.course
            axes.plot(times, values / factor, drawstyle="steps-pre", label=as_label(title), **look)
    for index, (label, times, values) in enumerate(lines):
        style = (
            {
                "label": as_label(label),
                "linestyle": DASHES[index % len(DASHES)],
            }
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
