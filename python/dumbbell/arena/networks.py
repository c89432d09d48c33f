"""The networks of the arena: drawn from a published distribution, by a key.

A draw is a hash of the key, the group, the number and the quantity. So everybody draws the same networks, in
any language, and nothing but the key decides. The draws of a quantity in a group are spread over its range.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from dumbbell._files.read import read_toml
from dumbbell._files.table import Table
from dumbbell.arena.errors import ArenaError

Value: TypeAlias = "float | str"
"""Of a quantity: a number, or a word."""

SCORES = ("throughput", "latency", "coexistence")
"""The three scores; they are never made one."""

TRAIN = "train"
"""The key of the public set."""

EACH = 20
"""Networks of a group (choice: a t interval of 20 is 4 % wider than with any number)."""

LINK = "left->right"
"""The link that all flows share."""

_SEGMENT = 1448 / 1500
"""Application bytes per byte of a packet: headers of IPv4 and TCP with timestamps."""

_PACKET = 1500 * 8
"""Bits."""

_NEAR = 0.45
"""The share of the base round-trip time that the shared link takes one way; the rest is that of the hosts."""

_MOST_JITTER = 30
"""Milliseconds (RFC 8867 section 4.2)."""

_STEP = 0.5
"""Seconds between two changes of a rate (choice: a few round-trip times)."""


@dataclass(frozen=True)
class Quantity:
    """What a network has: how it is drawn unless its group says otherwise, and who says so."""

    name: str
    """What draws are called by."""
    label: str
    """What people call it."""
    unit: str
    """Of its values; may be empty."""
    scale: str
    """``log``, ``linear``, ``whole``, or ``words``."""
    values: tuple[Value, ...]
    """Least and largest number; or the words."""
    source: str
    """Who says so."""

    def drawn(self, part: float, values: tuple[Value, ...]) -> Value:
        """Return the value at a part of the range of `values`, from 0 up to 1."""
        if self.scale == "words":
            return values[int(part * len(values))]
        low, high = float(values[0]), float(values[1])
        if self.scale == "whole":
            return low + int(part * (high - low + 1))
        found = low + part * (high - low) if self.scale == "linear" or not low else low * (high / low) ** part
        return float(f"{found:.3g}")

    def text(self, value: Value) -> str:
        """Return a value with its name and unit."""
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.label} {value if isinstance(value, str) else f'{value:g}'}{unit}"


@dataclass(frozen=True, eq=False)
class Group:
    """Networks that have something in common."""

    name: str
    """What networks of it are called by."""
    title: str
    """What people call it."""
    scores: tuple[str, ...]
    """Those that it counts for."""
    draws: Mapping[str, tuple[Value, ...]]
    """What is drawn from a range of its own."""
    source: str
    """The source of its ranges."""


@dataclass(frozen=True)
class Distribution:
    """Where networks are drawn from."""

    edition: int
    quantities: tuple[Quantity, ...]
    groups: tuple[Group, ...]
    salts: Mapping[int, str]
    """By year."""


@dataclass(frozen=True)
class Network:
    """One network."""

    group: Group
    """Where it belongs."""
    number: int
    """In its group, from 0 on."""
    seed: int
    """Of its runs."""
    values: Mapping[str, Value]
    """Of each quantity."""

    @property
    def name(self) -> str:
        """The group and the number."""
        return f"{self.group.name}-{self.number + 1:02}"

    @property
    def capacity(self) -> float:
        """What applications can get of the shared link, in bit/s."""
        rate = self._number("rate") * 1e6 * (1 - self._number("loss") / 100)
        if self._number("swing") < 1:
            # After the warm-up; the last step may be cut short.
            first, last = self.duration / 4 / _STEP, self.duration / _STEP
            parts = [1.0, *self._parts()]
            lengths = [max(0.0, min(step + 1, last) - max(step, first)) for step in range(len(parts))]
            rate *= sum(part * length for part, length in zip(parts, lengths, strict=True)) / sum(lengths)
        return rate * _SEGMENT

    @property
    def duration(self) -> float:
        """How long a run is, in s: 60 round-trip times, or 80 next to others, of some seconds."""
        count, least = (60, 4.0) if self.is_alone else (80, 6.0)
        return float(f"{min(max(count * self.base, least), least + 4):.4g}")

    @property
    def is_alone(self) -> bool:
        """Whether the candidate alone uses the link."""
        return self.group.scores != ("coexistence",)

    @property
    def base(self) -> float:
        """The round-trip time of the candidate without queues, in s."""
        return self._number("rtt") * 1e-3

    def _number(self, name: str) -> float:
        return float(self.values[name])

    def text(self) -> str:
        """Return in words what differs from the plainest network."""
        told = [
            "rate",
            "rtt",
            *(() if self.values["queue"] != "droptail" else ("buffer",)),
            *self.group.draws,
        ]
        return ", ".join(
            quantity.text(self.values[quantity.name])
            for quantity in distribution().quantities
            if quantity.name in told
        )

    def scenario(self, candidate: Any, other: Any = "cubic") -> dict[str, Any]:
        """Return the scenario in which a controller meets the network.

        Parameters
        ----------
        candidate
            The value of its key ``controller``; ``None`` without the candidate's flows.
        other
            The same for the flows next to it.
        """
        values, number = self.values, self._number
        rate, rtt, ratio = number("rate"), number("rtt"), number("ratio")
        delay = _NEAR * min(rtt, rtt * ratio)
        shared: dict[str, Any] = {
            "rate": f"{rate:g}Mbit/s",
            "delay": _us(delay),
            "queue": self._queue(rate, rtt),
        }
        if number("loss"):
            shared["loss"] = round(number("loss") / 100, 7)
        if number("jitter"):
            shared["impairments"] = [
                {"kind": "jitter", "spread": _us(min(number("jitter") * rtt, _MOST_JITTER))}
            ]
        if number("swing") < 1:
            shared["rate_changes"] = [
                {"at": f"{(step + 1) * _STEP:g}s", "rate": f"{rate * part:.6g}Mbit/s"}
                for step, part in enumerate(self._parts())
            ]
        tcp: dict[str, Any] = {"kind": "tcp"}
        ecn: dict[str, Any] = {"ecn": "classic"} if values["ecn"] == "on" else {}
        flows: list[dict[str, Any]] = []
        made: dict[str, Any] = {
            "seed": self.seed,
            "duration": f"{self.duration:g}s",
            "warmup": f"{self.duration / 4:.6g}s",
            "transport": tcp,
            "record": {"samples": False, "queues": "none"},
            "topology": {
                "kind": "dumbbell", "pairs": 2, "rtts": [_us(rtt), _us(rtt * ratio)],
                "access": {"rate": "10Gbit/s"}, "bottleneck": shared,
            },
            "flows": flows,
        }  # fmt: skip
        if candidate is not None:
            own = tcp | {"controller": candidate} | ({} if candidate == "prague" else ecn)
            flows.append(_flows("own", 0, own) | {"count": int(number("flows"))})
        if self.group.name in ("cubic", "distant"):
            flows.append(_flows("other", 1, tcp | {"controller": other}))
        if number("load"):
            made["workloads"] = [
                {
                    "kind": "poisson", "name": "other", "from": "sender1", "to": "receiver1",
                    "load": number("load"), "transport": tcp | {"controller": other},
                    "size": {"kind": "bounded-pareto", "shape": 1.2, "min": "10kB", "max": "200kB"},
                }
            ]  # fmt: skip
        return made

    def _queue(self, rate: float, rtt: float) -> Any:
        if self.values["queue"] != "droptail":
            return {"kind": self.values["queue"]}
        packets = max(4, round(self._number("buffer") * rate * 1e6 * rtt * 1e-3 / _PACKET))
        return {"kind": "droptail", "limit": f"{packets}pkt"}

    def _parts(self) -> list[float]:
        """Return the part of the rate that there is in each step after the first, from the least on."""
        least, count = self._number("swing"), int(self.duration / _STEP)
        draws = (_part(str(self.seed), self.group.name, self.number, f"step {step}") for step in range(count))
        return [least + (1 - least) * part for part in draws]


def _flows(name: str, pair: int, transport: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": name, "from": f"sender{pair}", "to": f"receiver{pair}", "jitter": "500ms",
        "sampled": False, "transport": dict(transport),
    }  # fmt: skip


def _us(milliseconds: float) -> str:
    return f"{1000 * milliseconds:.0f}us"


@cache
def distribution() -> Distribution:
    """Return where networks are drawn from."""
    reader = Table(read_toml(Path(__file__).parent / "networks.toml", ArenaError), "", ArenaError)
    quantities = tuple(_quantity(table) for table in reader.tables("quantities"))
    known = {quantity.name for quantity in quantities}
    groups = tuple(_group(table, known) for table in reader.tables("groups"))
    salts = reader.take("salts", dict, "a salt for each year")
    edition = reader.integer("edition", 0, least=1, most=1000)
    reader.close()
    return Distribution(
        edition, quantities, groups, {int(year): str(salt) for year, salt in sorted(salts.items())}
    )


def _quantity(table: Table) -> Quantity:
    words = table.take("values", list, "a list of words", [])
    return Quantity(
        name=table.name("name"),
        label=table.text("label"),
        unit=table.text("unit"),
        scale="words" if words else table.text("scale"),
        values=tuple(words) if words else (table.number("low"), table.number("high")),
        source=table.text("source"),
    )


def _group(table: Table, known: set[str]) -> Group:
    draws = table.take("draws", dict, "a table of ranges")
    if not known.issuperset(draws):
        raise ArenaError(f"{table.at('draws')}: names no quantity; use {', '.join(sorted(known))}")
    return Group(
        name=table.name("name"),
        title=table.text("title"),
        scores=table.texts("scores"),
        draws={name: tuple(values) for name, values in draws.items()},
        source=table.text("source"),
    )


def networks(key: str, each: int = EACH) -> tuple[Network, ...]:
    """Return the networks of a set.

    Parameters
    ----------
    key
        ``train``, or the key of a held-out set: see :func:`held_out_key`.
    each
        How many of each group, the first ones.
    """
    found = distribution()
    return tuple(_network(found, group, key, number) for group in found.groups for number in range(each))


def _network(found: Distribution, group: Group, key: str, number: int) -> Network:
    values = {}
    for quantity in found.quantities:
        part = _spread(key, group.name, number // EACH, quantity.name)[number % EACH]
        values[quantity.name] = quantity.drawn(part, group.draws.get(quantity.name, quantity.values))
    seed = int(_part(key, group.name, number, "seed") * 2**31)
    return Network(group, number, seed, values)


@cache
def _spread(key: str, group: str, block: int, what: str) -> tuple[float, ...]:
    """Return numbers from 0 up to 1, one in each of as many equal parts, in an order of chance.

    A Latin hypercube (McKay, Beckman & Conover, Technometrics 21(2), 1979): sets differ less from each other
    than by independent draws, and an interval that takes draws for independent is too wide, not too narrow.
    """
    draws = [_part(key, group, number, what) for number in range(block * EACH, (block + 1) * EACH)]
    ranks = {number: rank for rank, number in enumerate(sorted(range(EACH), key=draws.__getitem__))}
    within = (
        _part(key, group, number, f"{what} within") for number in range(block * EACH, (block + 1) * EACH)
    )
    return tuple((ranks[number] + part) / EACH for number, part in enumerate(within))


def _part(key: str, group: str, number: int, what: str) -> float:
    """Return a number from 0 up to 1: the first 53 bits of a hash."""
    digest = hashlib.sha256(f"{key}/{group}/{number}/{what}".encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / (1 << 53)


def latest_year() -> int:
    """Return the year of the latest salt."""
    return max(distribution().salts)


def held_out_key(source: bytes, year: int) -> str:
    """Return the key of the held-out set of a submission: SHA-256 of the salt of a year and its source.

    Parameters
    ----------
    source
        What is submitted: the bytes of its file and its name, or the name of a registered controller.
    year
        Of the salt.

    Raises
    ------
    ArenaError
        If the year has no salt.
    """
    salts = distribution().salts
    if year not in salts:
        raise ArenaError(f"the year {year} has no salt; use {', '.join(map(str, salts))}")
    return hashlib.sha256(salts[year].encode() + b"\0" + source).hexdigest()
