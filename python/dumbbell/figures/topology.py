"""The network of a scenario: nodes in columns from senders to receivers, links with what limits them."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dumbbell.figures.style import COLOURS, STYLE, as_label, new_figure, prefix

if TYPE_CHECKING:
    from dumbbell._scenario import Scenario

_MOST_NAMED = 30
"""Nodes of the tallest column for which there is room for names."""

_MOST_KINDS = 6
"""Kinds of links with a colour and a line of the legend each; the rest is grey."""

_ROW_HEIGHT = 0.28
"""Inches of a node in a column."""

Place = tuple[float, float]

Link = Mapping[str, Any]


def draw_topology(scenario: Scenario) -> Figure:
    """Draw the network of a scenario: senders on the left, and each node beyond those that send to it.

    The colour of a link says rate, delay and queue; the slowest links are thick. A link and the one back are
    one line, with what the slower of them has.

    Examples
    --------
    >>> import dumbbell as db
    >>> scenario = db.scenario(
    ...     duration="1s",
    ...     topology=db.topology.dumbbell(pairs=3),
    ...     flows=[db.flows(from_="senders", to="receivers")],
    ... )
    >>> db.figures.draw_topology(scenario)  # doctest: +SKIP
    """
    facts = scenario.explain()
    pairs = _both_ways(facts["links"])
    paths = [pair["path"] for pair in facts["pairs"]]
    columns = _columns(_names(facts["nodes"]), pairs, paths)
    tallest = max(map(len, columns))
    figure, (axes,) = new_figure(1, "double", min(max(1.6, 0.6 + _ROW_HEIGHT * tallest), 8.0))
    places = {
        node: (float(x), (len(column) - 1) / 2 - y)
        for x, column in enumerate(columns)
        for y, node in enumerate(column)
    }
    with mpl.rc_context(STYLE):
        _draw_links(axes, pairs, places)
        sources, sinks = {path[0] for path in paths}, {path[-1] for path in paths}
        for node, place in places.items():
            host, first = node in sources or node in sinks, node in sources and node not in sinks
            _draw_node(axes, node if tallest <= _MOST_NAMED else "", place, host, first)
        axes.set_axis_off()
        axes.margins(x=0.12, y=0.12)
        axes.set_title(as_label(scenario.name))
        figure.legend(loc="outside lower left", ncols=3, columnspacing=1.2)
    return figure


def _draw_links(axes: Axes, pairs: Mapping[tuple[str, str], Link], places: Mapping[str, Place]) -> None:
    kinds = Counter(_about(link) for link in pairs.values())
    slowest = min((link["rate"] for link in pairs.values()), default=0.0)
    # The rarest first: it is what makes the network.
    named = [about for about, _ in sorted(kinds.items(), key=lambda entry: entry[1])[:_MOST_KINDS]]
    colours = dict(
        zip(named, (COLOURS[1], COLOURS[5], COLOURS[2], COLOURS[3], COLOURS[4], COLOURS[0]), strict=False)
    )
    told: set[str] = set()
    for (one, other), link in pairs.items():
        about = _about(link) if _about(link) in colours else ""
        (x1, y1), (x2, y2) = places[one], places[other]
        count = f" ({kinds[about]} links)" if kinds[about] > 1 else ""
        axes.plot(
            (x1, x2), (y1, y2), color=colours.get(about, "#999999"), zorder=1,
            linewidth=2.2 if link["rate"] == slowest and len(kinds) > 1 else 1.0,
            label=None if about in told else f"{about}{count}" if about else "others",
        )  # fmt: skip
        told.add(about)


def _draw_node(axes: Axes, name: str, place: Place, host: bool, first: bool) -> None:
    axes.plot(
        *place, marker="s" if host else "o", markersize=4.5 if host else 6.5, zorder=3,
        color=COLOURS[6], markerfacecolor="white" if host else COLOURS[6], markeredgewidth=1.0,
    )  # fmt: skip
    if name:
        axes.annotate(
            as_label(name), place, xytext=((-6 if first else 6) * host, 0 if host else -9), va="center",
            ha="center" if not host else "right" if first else "left", textcoords="offset points",
            fontsize=6.5, zorder=3,
        )  # fmt: skip


def _names(nodes: Iterable[Any]) -> list[str]:
    return [node if isinstance(node, str) else str(node["name"]) for node in nodes]


def _both_ways(links: Iterable[Link]) -> dict[tuple[str, str], Link]:
    """Return the slower of the links between two nodes, by the two in the order of the first link."""
    found: dict[tuple[str, str], Link] = {}
    for link in links:
        one, _, other = link["name"].partition("->")
        key = (other, one) if (other, one) in found else (one, other)
        if key not in found or link["rate"] < found[key]["rate"]:
            found[key] = link
    return found


def _columns(nodes: list[str], pairs: Iterable[tuple[str, str]], paths: list[list[str]]) -> list[list[str]]:
    """Return the nodes in columns, each in the order of its neighbours on the left."""
    near: dict[str, list[str]] = {node: [] for node in nodes}
    for one, other in pairs:
        near[one].append(other)
        near[other].append(one)
    sources = {path[0] for path in paths}
    place = _along(paths, len(nodes)) or {node: 0 for node in nodes if node in sources}
    place = place or dict.fromkeys(nodes[:1], 0)
    waiting = deque(place)
    while waiting:
        node = waiting.popleft()
        for other in near[node]:
            if other not in place:
                place[other] = place[node] + 1
                waiting.append(other)
    columns: list[list[str]] = [[] for _ in range(max(place.values()) + 1)]
    for node in nodes:
        columns[place.get(node, 0)].append(node)
    for left, right in pairwise(columns):
        rank = {node: index for index, node in enumerate(left)}
        weight = {node: [rank[other] for other in near[node] if other in rank] or [0] for node in right}
        right.sort(key=lambda node: sum(weight[node]) / len(weight[node]))
    return columns


def _along(paths: list[list[str]], most: int) -> dict[str, int]:
    """Return the hops from the first node to each, on the longest way; empty if paths run in circles."""
    place: dict[str, int] = {}
    changed = True
    while changed:
        changed = False
        for path in paths:
            place.setdefault(path[0], 0)
            for one, other in pairwise(path):
                if place.get(other, -1) <= place[one]:
                    place[other] = place[one] + 1
                    changed = True
                if place[other] > most:
                    return {}
    return place


def _about(link: Link) -> str:
    rate, rate_name = prefix(link["rate"])
    delay, delay_name = prefix(link["delay"]) if link["delay"] else (1.0, "")
    speed, late = link["rate"] / rate, link["delay"] / delay
    return f"{speed:.4g} {rate_name}bit/s, {late:.4g} {delay_name}s, {link['queue']}"
