"""Examples for the reference: what an algorithm, or a table, looks like where it stands in a scenario.

An example is a few tables that go into :data:`FRAME`. It shows what must be given, and the first of the
defaults. A required parameter gets a typical value of its kind (:data:`TYPICAL`); for others see
:data:`GIVEN`. What else the scenario needs is in :data:`WITH`. A test runs each.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Sequence
from typing import Any

from dumbbell.builders._words import toml

Entries = dict[str, Any]
"""The entries of a table."""

Table = tuple[str, Entries]
"""The place of a table in a scenario, ``[]`` behind that of an entry of a list; and what stands in it."""

FRAME = """\
duration = "100ms"
topology = { kind = "dumbbell" }
transport = { kind = "tcp" }
flows = [{ from = "senders", to = "receivers" }]
"""
"""The scenario that the examples go into. A list in an example replaces the one here."""

FILES = {
    "flows.csv": "0.01,sender0,receiver0,20000\n0.02,sender0,receiver0,5000\n",
    "link.trace": "".join(f"{ms}\n" for ms in range(1, 101)),
    "packets.csv": "0.01,1500\n0.02,500\n",
    "sizes.csv": "1 0.5\n10 1.0\n",
}
"""The files that examples name."""

MOST = 4
"""Defaults that an example shows."""

_PAIR: Entries = {"from": "senders", "to": "receivers"}
_SIZE: Entries = {"kind": "exponential", "mean": "20kB"}
_CLASSES: list[Table] = [("flows[]", _PAIR | {"class": number}) for number in range(3)]
_TELLS_CLASSES: list[Table] = [
    ("topology.bottleneck.queue", {"kind": "strict-priority", "classes": ["droptail"] * 3})
]

_LINK: Entries = {"from": "a", "to": "b", "rate": "10Mbit/s"}
_GRAPH: Entries = {
    "kind": "graph",
    "nodes": ["a", "b"],
    "groups": [{"name": "senders", "nodes": ["a"]}, {"name": "receivers", "nodes": ["b"]}],
}


def _kind(kind: str) -> list[Table]:
    return [("topology", {"kind": kind})]


PLACES: dict[str, tuple[str, str]] = {
    "topology": ("topology", ""),
    "path choice": ("paths", ""),
    "queue": ("topology.bottleneck.queue", ""),
    "router": ("topology.bottleneck.router", ""),
    "node agent": ("nodes[]", "agent"),
    "host policy": ("nodes[]", "host"),
    "marker": ("topology.bottleneck.marker", ""),
    "impairment": ("topology.bottleneck.impairments[]", ""),
    "power policy": ("topology.bottleneck.power.policy", ""),
    "rate predictor": ("topology.bottleneck.power.policy.predictor", ""),
    "transport": ("transport", ""),
    "controller": ("transport.controller", ""),
    "schedule": ("flows[]", "application"),
    "workload": ("workloads[]", ""),
    "size": ("workloads[]", "size"),
    "table nodes": ("nodes[]", ""),
    "table flows": ("flows[]", ""),
    "table scenario": ("", ""),
    "table replay": ("replay", ""),
    "table record": ("record", ""),
    "table bottleneck": ("topology.bottleneck", ""),
    "table access": ("topology.access", ""),
    "table host link": ("topology.link", ""),
    "table graph link": ("topology.links[]", ""),
    "table reverse": ("topology.bottleneck.reverse", ""),
    "table rate change": ("topology.bottleneck.rate_changes[]", ""),
    "table trace": ("topology.bottleneck.trace", ""),
    "table fat tree host": ("topology.host", ""),
    "table fat tree fabric": ("topology.fabric", ""),
    "table leaf host": ("topology.host", ""),
    "table leaf uplink": ("topology.uplink", ""),
    "table node group": ("topology.groups[]", ""),
    "table random link": ("topology.link", ""),
    "table random access": ("topology.access", ""),
    "table shared buffer": ("nodes[]", "buffer"),
    "table pause": ("nodes[]", "pause"),
    "table power": ("topology.bottleneck.power", ""),
    "table rate grid": ("topology.bottleneck.power.rates", ""),
    "table power model": ("topology.bottleneck.power.model", ""),
}
"""Where each family and each table stands: the place of a table, and the key in it if it holds others too."""

AROUND: dict[str, Entries] = {
    "node agent": {"name": "left"},
    "host policy": {"name": "receivers"},
    "schedule": _PAIR,
    "size": {"kind": "poisson", **_PAIR, "load": 0.5},
    "table shared buffer": {"name": "left"},
    "table pause": {"name": "right"},
}
"""What stands beside it in the same table."""

GIVEN: dict[str, Entries] = {
    "topology graph": {
        "nodes": _GRAPH["nodes"],
        "links": [_LINK],
        "groups": _GRAPH["groups"],
    },
    "queue strict-priority": {"classes": ["droptail", "codel", "droptail"]},
    "marker static": {"share": 0.5},
    "marker head-tail": {"block": "64kB"},
    "impairment reordering": {"probability": 0.01, "delay": "2ms"},
    "impairment delay-list": {"packets": [3, 7], "delay": "5ms"},
    "impairment delay-steps": {"steps": [{"at": "15s", "extra": "40ms"}, {"at": "30s", "extra": "0s"}]},
    "schedule rate": {"rate": "1Mbit/s"},
    "schedule on-off": {"rate": "1Mbit/s"},
    "schedule listed": {"actions": [{"at": "0s", "bytes": "20kB"}, {"at": "50ms", "bytes": "5kB"}]},
    "workload poisson": _PAIR | {"load": 0.5, "size": _SIZE},
    "workload trace": {"file": "flows.csv"},
    "workload rounds": _PAIR | {"size": "20kB"},
    "size bounded-pareto": {"min": "1kB", "max": "1MB"},
    "size lognormal": {"median": "20kB", "sigma": 1.0},
    "size empirical": {"file": "sizes.csv", "unit": "1kB", "interpolation": "linear"},
    "table nodes": {"name": "left", "buffer": {"size": "64kB"}},
    "table flows": _PAIR | {"count": 2, "size": "20kB"},
    "table scenario": {"duration": "100ms", "topology": "dumbbell", "flows": [_PAIR]},
    "table replay": {"link": "left->right", "set": ["transport.controller=newreno"]},
    "table graph link": _LINK,
    "table rate change": {"at": "50ms", "rate": "5Mbit/s"},
    "table trace": {"file": "link.trace"},
    "table node group": {"name": "receivers", "nodes": ["b"]},
    "table shared buffer": {"size": "64kB"},
    "table pause": {"xoff": "50kB"},
}
"""Parameters that the defaults leave open and for which typical values do not do, by family and name."""

TYPICAL: dict[str, Sequence[Any]] = {
    "rate": ("2Mbit/s", "4Mbit/s", "8Mbit/s"),
    "size": ("10kB", "20kB", "40kB"),
    "duration": ("2ms", "4ms", "8ms"),
    "probability": (0.01, 0.02, 0.04),
}
"""Values of required parameters by their kind, in rising order, as one bound comes before the next."""

WITH: dict[str, list[Table]] = {
    "queue rio": _CLASSES[:2],
    "queue wred": _CLASSES,
    "queue strict-priority": _CLASSES,
    "queue drr": _CLASSES[:2],
    "queue wrr": _CLASSES[:2],
    "router rcp": [("transport", {"kind": "rcp"})],
    "router xcp": [("transport", {"controller": "xcp"})],
    "router hpcc": [("transport", {"controller": "hpcc"})],
    "node agent rbcc": [("transport", {"kind": "trump"})],
    "marker": _TELLS_CLASSES,
    "rate predictor": [("topology.bottleneck.power.policy", {"kind": "practra"})],
    "transport trump": [("nodes[]", {"name": "left", "agent": "rbcc"})],
    "transport replay": [("flows[]", _PAIR | {"packets": "packets.csv"})],
    "table host link": _kind("star"),
    "table graph link": [("topology", _GRAPH)],
    "table fat tree host": _kind("fat-tree"),
    "table fat tree fabric": _kind("fat-tree"),
    "table leaf host": _kind("leaf-spine"),
    "table leaf uplink": _kind("leaf-spine"),
    "table node group": [
        ("topology", {"kind": "graph", "nodes": ["a", "b"], "links": [_LINK]}),
        ("topology.groups[]", _GRAPH["groups"][0]),
    ],
    "table random link": _kind("random-tree"),
    "table random access": _kind("random-tree"),
}
"""Other tables that a scenario needs with it, by family and name; before the example itself."""

SERVED = ("controller", "transport")
"""Families whose members may need the routers of the same name."""


def typical(fields: list[Entries]) -> Entries:
    """Return values for the required parameters, as far as their kind tells them."""
    found: Entries = {}
    values = {kind: iter(of) for kind, of in TYPICAL.items()}
    for field in (field for field in fields if field["required"]):
        if field["name"] in _PAIR:
            found[field["name"]] = _PAIR[field["name"]]
        elif "anyOf" in field["schema"] or "$ref" in field["schema"]:
            found |= {field["name"]: _SIZE} if field["kind"] == "size" else {}
        elif field["kind"] in values:
            found[field["name"]] = next(values[field["kind"]])
    return found


def example(family: str, name: str, fields: list[Entries], routers: Collection[str] = ()) -> list[Table]:
    """Return the tables of an example, each with its place; ``[]`` ends the place of an entry of a list.

    `routers` are the names of all port agents: a controller or transport of such a name needs that agent.
    """
    key = f"{family} {name}"
    place, inside = PLACES[key if family == "table" else family]
    entries: Entries = {} if family == "table" else {"kind": name}
    entries |= GIVEN.get(key, typical(fields))
    left = [f for f in fields if f["default"] not in (None, {}, []) and f["name"] not in entries]
    entries |= {f["name"]: f["default"] for f in left[:MOST]}
    if inside:
        entries = AROUND[key if family == "table" else family] | {inside: entries}
    served: list[Table] = [("topology.bottleneck", {"router": name})]
    around = served if family in SERVED and name in routers else WITH.get(key, WITH.get(family, []))
    return [*around, (place, entries)]


def written(tables: list[Table]) -> str:
    """Return the tables of an example as TOML."""
    parts = []
    for place, entries in tables:
        head = f"[[{place.removesuffix('[]')}]]" if place.endswith("[]") else f"[{place}]"
        lines = [head] if place else []
        parts.append("\n".join([*lines, *(f"{key} = {toml(value)}" for key, value in entries.items())]))
    return "\n\n".join(parts) + "\n"


def scenario(text: str) -> Entries:
    """Return the scenario of an example: the frame with what the example says."""
    return _merged(tomllib.loads(FRAME), tomllib.loads(text))


def _merged(below: Entries, above: Entries) -> Entries:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(value, dict) and isinstance(old, dict) else value
    return merged
