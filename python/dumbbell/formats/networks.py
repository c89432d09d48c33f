"""Networks of other tools: graphs, topologies of htsim, topologies of HPCC's simulator."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dumbbell import _native
from dumbbell._files.read import read_bytes
from dumbbell.errors import ScenarioError
from dumbbell.formats.errors import FormatError
from dumbbell.formats.text import real, whole, words_of_lines

MOST_LINKS = 200_000
"""Of a network: a fat-tree of 32,768 hosts has half of them."""

_MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Network:
    """A network that another tool describes."""

    topology: Mapping[str, Any]
    """Of kind ``graph``, in the keys of scenarios."""
    hosts: tuple[str, ...]
    """Where flows may begin and end."""
    duration: str
    """Of a first run."""
    notes: tuple[str, ...] = ()
    """What the file does not say, or says otherwise."""


def htsim_topology(data: bytes) -> Network:
    """Return the network of a ``.topo`` file of htsim: hosts, ToR switches, one or two tiers above them.

    A bundle of parallel links becomes one link of their summed rate. The latency of a switch is added to the
    delay of each link that enters it.

    Raises
    ------
    FormatError
        If a line is none of such a file, or the numbers do not make a network.
    """
    head, tiers = _tiers(data)
    count = head.get("tiers")
    if count not in {2, 3}:
        raise FormatError("it has no `Tiers 2` or `Tiers 3`")
    for tier in range(count):
        for key in ("downlink_speed_gbps", "downlink_latency_ns", "radix_down", "radix_up"):
            if not tiers[tier].get(key) and not (key == "radix_up" and tier == count - 1):
                raise FormatError(f"tier {tier} has no {key}")
    of = _Counts(head, tiers)
    names = {
        "host": [f"host{k}" for k in range(of.hosts)],
        "tor": [f"tor{k}" for k in range(of.tors)],
        "agg": [f"{'agg' if count == 3 else 'spine'}{k}" for k in range(of.aggs)],
        "core": [f"core{k}" for k in range(of.cores)],
    }
    links: list[dict[str, Any]] = []

    def join(low: str, high: str, tier: int) -> None:
        """Add the links between a node and a switch of a tier, up and down."""
        own, below = tiers[tier], tiers[tier - 1] if tier else {}
        rate = own["downlink_speed_gbps"] * own.get("bundle", 1)
        up = own["downlink_latency_ns"] + own.get("switch_latency_ns", 0)
        down = own["downlink_latency_ns"] + below.get("switch_latency_ns", 0)
        link: dict[str, Any] = {"from": low, "to": high, "rate": f"{rate}Gbit/s", "delay": f"{up}ns"}
        # A host's own queue is none of the file.
        queue_up, queue_down = below.get("queue_up"), own.get("queue_down")
        reverse: dict[str, Any] = {"delay": f"{down}ns"} if up != down else {}
        if queue_up:
            link["queue"] = _buffer(queue_up)
        if queue_down:
            reverse["queue"] = _buffer(queue_down)
        elif queue_up:
            reverse["queue"] = "droptail"
        links.append(link | ({"reverse": reverse} if reverse else {}))

    for k, host in enumerate(names["host"]):
        join(host, names["tor"][k // tiers[0]["radix_down"]], 0)
    for k, tor in enumerate(names["tor"]):
        pod = k // of.tors_of_pod if count == 3 else 0
        for agg in names["agg"][pod * of.aggs_of_pod : (pod + 1) * of.aggs_of_pod]:
            join(tor, agg, 1)
    if count == 3:
        for k, agg in enumerate(names["agg"]):
            for core in names["core"][k % of.aggs_of_pod :: of.aggs_of_pod]:
                join(agg, core, 2)
    nodes = [name for group in names.values() for name in group]
    notes = [] if any("queue_down" in tier for tier in tiers) else ["the file has no sizes of queues"]
    if any(tier.get("bundle", 1) > 1 for tier in tiers):
        notes.append("a bundle of links is one link with their rates together")
    return _network(nodes, links, names["host"], notes)


class _Counts:
    """How many nodes of each kind the numbers of a ``.topo`` file make, checked as htsim checks them."""

    def __init__(self, head: Mapping[str, int], tiers: list[dict[str, int]]) -> None:
        self.hosts, pod, low = head.get("nodes", 0), head.get("podsize", 0), tiers[0]["radix_down"]
        if not self.hosts or not pod or self.hosts % pod or pod % low:
            raise FormatError(
                f"{self.hosts} nodes, {pod} in a pod and {low} at a ToR: each must be a multiple of the next"
            )
        self.tors, self.tors_of_pod = self.hosts // low, pod // low
        bundle = self._bundle(tiers, 1)
        self.aggs_of_pod = tiers[0]["radix_up"] // bundle
        pods = self.hosts // pod if head["tiers"] == 3 else 1
        self.aggs, self.cores = self.aggs_of_pod * pods, 0
        below = self.tors_of_pod if head["tiers"] == 3 else self.tors
        self._fits(tiers, 1, below * bundle)
        if head["tiers"] == 3:
            bundle = self._bundle(tiers, 2)
            self.cores = self.aggs_of_pod * (tiers[1]["radix_up"] // bundle)
            self._fits(tiers, 2, pods * bundle)
        if self.hosts + self.tors * self.aggs_of_pod + self.aggs * tiers[1].get("radix_up", 0) > MOST_LINKS:
            raise FormatError(f"more than the limit of {MOST_LINKS:,} links")

    @staticmethod
    def _bundle(tiers: list[dict[str, int]], tier: int) -> int:
        bundle = tiers[tier].get("bundle", 1)
        if not bundle or tiers[tier - 1]["radix_up"] % bundle:
            raise FormatError(
                f"radix_up of tier {tier - 1} is {tiers[tier - 1]['radix_up']}, no multiple of the bundle of "
                f"{bundle} in tier {tier}"
            )
        return bundle

    @staticmethod
    def _fits(tiers: list[dict[str, int]], tier: int, needed: int) -> None:
        if tiers[tier]["radix_down"] != needed:
            raise FormatError(
                f"radix_down of tier {tier} is {tiers[tier]['radix_down']}, but {needed} links reach a switch"
            )


def _tiers(data: bytes) -> tuple[dict[str, int], list[dict[str, int]]]:
    """Return the numbers of the head of a ``.topo`` file, and those of each tier."""
    head: dict[str, int] = {}
    tiers: list[dict[str, int]] = [{}, {}, {}]
    place = head
    keys = {
        "downlink_speed_gbps", "downlink_latency_ns", "switch_latency_ns", "radix_up", "radix_down",
        "queue_up", "queue_down", "oversubscribed", "bundle",
    }  # fmt: skip
    for number, words in words_of_lines(data):
        key = words[0].lower()
        if len(words) < 2:
            raise FormatError(f"line {number}: {key[:40]!r} has no value")
        value = whole(words[1], number)
        if key == "tier":
            if value > 2:
                raise FormatError(f"line {number}: tier {value}; there are 0, 1 and 2")
            place = tiers[value]
        elif key in ({"nodes", "tiers", "podsize"} if place is head else keys):
            if place.setdefault(key, value) != value:
                raise FormatError(f"line {number}: {key} stands twice; keep one")
        else:
            raise FormatError(f"line {number} is none of a topology of htsim")
    return head, tiers


def hpcc_topology(data: bytes) -> Network:
    """Return the network of a topology of HPCC's simulator.

    The first line counts nodes, switches and links; the second lists the switches. Each of the others is a
    link: two nodes, rate, delay, and the share of packets that it loses. That simulator reads no more links
    than the first line counts, and so does this.

    Raises
    ------
    FormatError
        If a line is none of such a list, or there are fewer links than the first says.
    """
    lines = _hpcc_words(data)
    nodes, switches, links = (_next_whole(lines) for _ in range(3))
    if switches > nodes or links > MOST_LINKS or nodes > links + 1:
        raise FormatError(
            f"{nodes} nodes, {switches} switches and {links} links: no network, or above the limit of "
            f"{MOST_LINKS:,} links"
        )
    forwarding = {_node(lines, nodes) for _ in range(switches)}
    found: list[dict[str, Any]] = []
    for _ in range(links):
        ends = _node(lines, nodes), _node(lines, nodes)
        (line, rate), (_, delay), (_, lost) = (_next(lines) for _ in range(3))
        link: dict[str, Any] = {
            "from": str(ends[0]),
            "to": str(ends[1]),
            "rate": _quantity("rate", rate, line).replace("bps", "bit/s"),
            "delay": _quantity("delay", delay, line),
        }
        share = real(lost, line)
        if share > 1:
            raise FormatError(f"line {line}: {lost[:40]!r} stands where a share is needed")
        if share:
            link |= {"loss": share, "reverse": {"loss": share}}
        found.append(link)
    notes = ["the file has no sizes of queues"]
    if more := next(lines, None):
        notes.append(f"line {more[0]} comes after the {links} links that the file counts: it is left out")
    hosts = [str(node) for node in range(nodes) if node not in forwarding]
    return _network(list(map(str, range(nodes))), found, hosts, notes)


def _hpcc_words(data: bytes) -> Iterator[tuple[int, str]]:
    for number, words in words_of_lines(data):
        for word in words:
            yield number, word


def _next(words: Iterator[tuple[int, str]]) -> tuple[int, str]:
    try:
        return next(words)
    except StopIteration:
        raise FormatError("it ends before all that it counts") from None


def _next_whole(words: Iterator[tuple[int, str]]) -> int:
    line, word = _next(words)
    return whole(word, line)


def _node(words: Iterator[tuple[int, str]], nodes: int) -> int:
    line, word = _next(words)
    node = whole(word, line)
    if node >= nodes:
        raise FormatError(f"line {line}: node {node} of {nodes}")
    return node


def _quantity(kind: str, text: str, line: int) -> str:
    try:
        _native.check_quantity(kind, text.replace("bps", "bit/s"), f"line {line}")
    except ScenarioError:
        raise FormatError(f"line {line}: {text[:40]!r} stands where a {kind} is needed") from None
    return text


def _buffer(size: int) -> dict[str, str]:
    return {"kind": "droptail", "limit": f"{size}B"}


def _network(nodes: list[str], links: list[dict[str, Any]], hosts: list[str], notes: list[str]) -> Network:
    if len(hosts) < 2:
        raise FormatError("fewer than two hosts are in it")
    topology = {
        "kind": "graph",
        "nodes": nodes,
        "links": links,
        "groups": [{"name": "hosts", "nodes": hosts}],
    }
    return Network(topology, tuple(hosts), "10ms", tuple(notes))


TOPOLOGIES: Mapping[str, tuple[tuple[str, ...], Callable[[bytes], Network]]] = {
    "htsim-topology": ((".topo",), htsim_topology),
    "hpcc-topology": ((), hpcc_topology),
}
"""Formats of simulators: how names of such files end, and what reads them."""

GRAPHS = {"graphml": (".graphml", ".xml"), "node-link": (), "edgelist": (".edgelist", ".edges")}
"""Formats that networkx reads, and how names of such files end."""


def read_network(
    path: Path,
    format: str | None = None,  # noqa: A002
    *,
    rate: str | None = None,
    delay: str | None = None,
) -> Network:
    """Return the network that a file of another tool describes.

    Parameters
    ----------
    path
        The file.
    format
        A key of `TOPOLOGIES` or `GRAPHS`; by default by the name of the file.
    rate, delay
        Of edges of a graph that have none of their own.

    Raises
    ------
    FormatError
        If it cannot be read, or holds something else. The message begins with the path.
    """
    known = {name: ends for name, (ends, _) in TOPOLOGIES.items()} | GRAPHS
    if format is not None and format not in known:
        raise FormatError(f"{format!r} is no format of networks; {_native.suggest(format, list(known))}")
    name = path.name.lower()
    chosen = format or next((of for of, ends in known.items() if name.endswith(ends or ("\0",))), None)
    if chosen is None:
        raise FormatError(f"{path}: its name tells no network; --format names one of {', '.join(known)}")
    if chosen in GRAPHS:
        return _graph(path, chosen, rate, delay)
    if rate is not None or delay is not None:
        raise FormatError(f"{path}: its links have rates and delays; --rate and --delay are for graphs")
    try:
        return TOPOLOGIES[chosen][1](read_bytes(path, _MOST_BYTES))
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}; name a file of {chosen}") from None
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None


def _graph(path: Path, chosen: str, rate: str | None, delay: str | None) -> Network:
    from dumbbell.graphs import Format, GraphError, read_graph

    as_read: Format = "json" if chosen == "node-link" else "graphml" if chosen == "graphml" else "edgelist"
    try:
        topology = read_graph(path, as_read, rate=rate, delay=delay)
    except GraphError as error:
        raise FormatError(str(error).replace("give rate=", "give --rate")) from None
    degree: dict[str, int] = dict.fromkeys(topology["nodes"], 0)
    for link in topology["links"]:
        degree[link["from"]] += 1
        degree[link["to"]] += 1
    ends = [node for node, links in degree.items() if links == 1]
    hosts = ends if len(ends) > 1 else list(degree)
    if len(hosts) < 2:
        raise FormatError(f"{path}: fewer than two nodes are in it")
    return Network(topology, tuple(hosts), "10s")


def scenario_text(network: Network, source: str) -> str:
    """Return a scenario with a network and one flow across it, as TOML.

    Parameters
    ----------
    network
        What was read.
    source
        The name of the file that it was read from.
    """
    topology = network.topology
    lines = [
        f"# The network of {json.dumps(source)[1:-1]}. The flow is an example: replace it by your traffic.",
        *(f"# Note: {note}." for note in network.notes),
        f"duration = {_value(network.duration)}",
        'paths = "ecmp"',
        "",
        "[[flows]]",
        f"from = {_value(network.hosts[0])}",
        f"to = {_value(network.hosts[-1])}",
        "",
        "[topology]",
        f"kind = {_value(topology['kind'])}",
        *(f"{key} = {_table_list(topology[key])}" for key in ("nodes", "groups", "links") if key in topology),
    ]
    return "\n".join(lines) + "\n"


def _table_list(values: list[Any]) -> str:
    if all(isinstance(value, str) for value in values):
        return _value(values)
    return "[\n" + "".join(f"  {_value(value)},\n" for value in values) + "]"


def _value(value: Any) -> str:
    """Return a value as TOML in one line."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(of)}" for key, of in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else "nan"
    if isinstance(value, int):
        return str(value)
    # JSON escapes what TOML does, but for one character.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: str) -> str:
    return key if key.isidentifier() and key.isascii() else _value(key)
