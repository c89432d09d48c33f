"""Networks from graphs: files of GraphML, node-link JSON and edge lists, and graphs of networkx.

Examples
--------
>>> topology = read_graph("backbone.graphml", rate="10Gbit/s")  # doctest: +SKIP
>>> scenario = db.scenario(duration="10s", topology=topology, flows=[...])  # doctest: +SKIP
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from dumbbell import _native
from dumbbell._extras import how_to_install
from dumbbell.errors import DumbbellError, ScenarioError

Format = Literal["graphml", "json", "edgelist"]

_SUFFIXES: dict[str, Format] = {
    ".graphml": "graphml", ".xml": "graphml", ".json": "json", ".edgelist": "edgelist", ".edges": "edgelist",
    ".txt": "edgelist",
}  # fmt: skip


class GraphError(DumbbellError, ValueError):
    """A graph that is no network, or a file that is no graph."""


def read_graph(
    path: str | os.PathLike[str],
    format: Format | None = None,  # noqa: A002
    *,
    rate: str | None = None,
    delay: str | None = None,
    queue: str | Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Read a topology of kind ``graph`` from a file; needs networkx.

    Parameters
    ----------
    path
        A file of GraphML, node-link JSON (of networkx), or an edge list: two nodes on each line, then, if the
        edge has attributes, a dictionary of them.
    format
        By default by the name of the file.
    rate, delay, queue
        As in :func:`from_networkx`.

    Raises
    ------
    GraphError
        If the file cannot be read, or holds no graph, or the graph is no network.
    """
    path = Path(path)
    chosen = format or _SUFFIXES.get(path.suffix.lower())
    if chosen is None:
        raise GraphError(f"{path}: no known format; name it: graphml, json or edgelist")
    try:
        text = _native.read_file(path)
    except OSError as error:
        raise GraphError(f"{path}: {error.strerror}; name a file with a graph") from None
    try:
        # What networkx only warns of, it has guessed.
        with warnings.catch_warnings(action="error", category=UserWarning):
            graph = _parse(text, chosen)
    except GraphError:
        raise
    except Exception as error:  # noqa: BLE001 - the readers of networkx promise nothing.
        # Whatever the reader of networkx raises at a file that is none of its own.
        line = " ".join(str(error).split()) or type(error).__name__
        raise GraphError(f"{path}: no graph in the format {chosen}: {line[:200]}; correct the file") from None
    try:
        return from_networkx(graph, rate=rate, delay=delay, queue=queue)
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from None


def _parse(text: bytes, chosen: Format) -> Any:
    try:
        import networkx
    except ImportError:
        raise GraphError(f"networkx is not installed; {how_to_install('graphs')}") from None
    match chosen:
        case "graphml":
            return networkx.parse_graphml(text)
        case "json":
            values = json.loads(text)
            if not isinstance(values, dict):
                raise GraphError('the JSON is no object; write {"nodes": [...], "edges": [...]}')
            # Before networkx 3.4 edges were called links.
            return networkx.node_link_graph(values, edges="links" if "links" in values else "edges")
        case "edgelist":
            lines = text.decode("utf-8").splitlines()
            _refuse_twins(lines)
            return networkx.parse_edgelist(lines)


def _refuse_twins(lines: Iterable[str]) -> None:
    """Refuse an edge list with two edges between the same nodes, of which networkx keeps the last one."""
    seen: dict[frozenset[str], int] = {}
    for number, line in enumerate(lines, 1):
        words = line.split("#")[0].split()
        if len(words) >= 2 and (first := seen.setdefault(frozenset(words[:2]), number)) != number:
            raise GraphError(
                f"line {number}: {words[0]!r} and {words[1]!r} are joined on line {first} already; keep one"
            )


def from_networkx(
    graph: Any,
    *,
    rate: str | None = None,
    delay: str | None = None,
    queue: str | Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a topology of kind ``graph`` made of a graph of networkx.

    Parameters
    ----------
    graph
        A ``networkx.Graph``, or a ``DiGraph`` whose edges are links in one direction. The attributes
        ``rate``, ``delay`` and ``queue`` of an edge are those of the link, in the units of scenarios:
        ``"10Mbit/s"``, ``"5ms"``. The attribute ``group`` of a node names the group that it belongs to.
    rate, delay, queue
        Of edges without such an attribute; ``rate`` has no default.

    Raises
    ------
    GraphError
        The first thing wrong: a graph that is not connected, several edges between two nodes, an attribute
        in other units.
    """
    names = [str(node) for node in graph.nodes]
    if not names:
        raise GraphError("the graph has no nodes; add some")
    defaults = {"rate": rate, "delay": delay, "queue": queue}
    links: list[dict[str, Any]] = []
    joined: set[tuple[str, str]] = set()
    directed = bool(graph.is_directed())
    for a, b, given in graph.edges(data=True):
        ends = (str(a), str(b))
        place = f"edge {ends[0]!r} - {ends[1]!r}"
        if ends in joined or (not directed and ends[::-1] in joined):
            raise GraphError(f"{place}: several edges between these nodes; keep one")
        joined.add(ends)
        if a == b:
            raise GraphError(f"{place}: it leads from a node to itself; remove it")
        link: dict[str, Any] = {"from": ends[0], "to": ends[1]}
        if directed:
            link["duplex"] = False
        for key, default in defaults.items():
            value = given.get(key, default)
            if value is not None:
                link[key] = _checked(key, value, place)
        if "rate" not in link:
            raise GraphError(f'{place}: has no attribute "rate"; add one such as "10Mbit/s", or give rate=')
        links.append(link)
    _refuse_parts(graph)
    groups: dict[str, list[str]] = {}
    for node, given in graph.nodes(data=True):
        if "group" in given:
            groups.setdefault(str(given["group"]), []).append(str(node))
    topology: dict[str, Any] = {"kind": "graph", "nodes": names, "links": links}
    if groups:
        topology["groups"] = [{"name": name, "nodes": members} for name, members in groups.items()]
    return topology


def _checked(key: str, value: Any, place: str) -> Any:
    try:
        _native.check_quantity(key, value, f"{place}: {key}")
    except ScenarioError as error:
        raise GraphError(str(error)) from None
    return value


def _refuse_parts(graph: Any) -> None:
    """Refuse a graph of which the first node does not reach all others, or not all others reach it."""
    import networkx

    first, *others = graph.nodes
    for ways, text in (
        (networkx.descendants, "from {0!r} to {1!r}"),
        (networkx.ancestors, "from {1!r} to {0!r}"),
    ):
        reached = ways(graph, first)
        for lost in (node for node in others if node not in reached):
            ends = text.format(str(first), str(lost))
            raise GraphError(f"the graph is not connected: no way {ends}; add edges")
