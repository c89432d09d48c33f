"""Plausible networks: bounds with their sources, and the settings that make a network."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from dumbbell import _native
from dumbbell._files.read import read_toml
from dumbbell._files.table import Table
from dumbbell._printing import significant
from dumbbell.attack.errors import AttackError
from dumbbell.search import Factor
from dumbbell.study import Metric, Study

Network: TypeAlias = "dict[str, float]"
"""The value of each bound, by its name."""

BOTTLENECK = "left->right"
"""The link of a network that is searched."""

NEAR = "sender0"
"""The host with the shorter round-trip time, where the two differ."""

_PACKET = 1500 * 8
"""Bits."""

_NEAR = 0.45
"""The share of the base round-trip time that the bottleneck takes one way; the rest is that of the hosts."""


@dataclass(frozen=True)
class Bound:
    """What a network may be in one respect, and what is ordinary."""

    factor: Factor
    """Its name, the least and the largest value that is tried, and how it is drawn."""
    whole: Factor
    """The same with all that is plausible: distances count in its range."""
    label: str
    """What reports call it."""
    unit: str
    """Of its values; may be empty."""
    ordinary: tuple[float, float]
    """Values in this range are no matter of distance."""
    rest: float
    """The ordinary value towards which a network shrinks."""
    source: str
    """Who says that it is plausible."""

    @property
    def name(self) -> str:
        """The name in options and files."""
        return self.factor.name

    def distance(self, value: float) -> float:
        """Return how far a value lies from the ordinary ones, as a share of the whole range."""
        low, high, place = (self.whole.place(each) for each in (*self.ordinary, value))
        return max(low - place, place - high, 0.0)

    def text(self, value: float) -> str:
        """Return a value with its name and unit: ``jitter 21 ms``."""
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.label} {significant(value, 3)}{unit}"


def _read() -> tuple[tuple[Bound, ...], Study]:
    values = read_toml(Path(__file__).parent / "plausible.toml", AttackError)
    reader = Table(values, "", AttackError)
    bounds = tuple(_bound(entry) for entry in reader.tables("bounds"))
    parts = {"scenario": reader.take("scenario", dict, "a scenario"), "metrics": values["metrics"]}
    study = Study.from_dict({"name": "attack", "title": "Attack", **parts})
    return bounds, study


def _bound(table: Table) -> Bound:
    scale = table.text("scale")
    low, high = table.number("low"), table.number("high")
    factor = Factor(
        table.name("name"), (("{value}",),), low=low, high=high, log=scale == "log", integer=scale == "whole"
    )
    ends = table.take("ordinary", list, "two numbers")
    return Bound(
        factor=factor,
        whole=factor,
        label=table.text("label"),
        unit=table.text("unit", ""),
        ordinary=(float(ends[0]), float(ends[1])),
        rest=table.number("rest"),
        source=table.text("source"),
    )


_BOUNDS, STUDY = _read()

METRICS: tuple[Metric, ...] = STUDY.metrics
"""What is measured in each network."""


def plausible(narrower: Sequence[str] = ()) -> tuple[Bound, ...]:
    """Return the bounds of plausible networks, some of them narrower.

    Parameters
    ----------
    narrower
        ``name=low..high`` each, or ``name=value``.

    Raises
    ------
    AttackError
        If one cannot be read, names no bound, or leaves nothing of it.
    """
    found = {bound.name: bound for bound in _BOUNDS}
    for text in narrower:
        name, _, ends = text.partition("=")
        if name not in found:
            raise AttackError(f"--bound {text}: no bound {name!r}; {_native.suggest(name, list(found))}")
        found[name] = _narrowed(found[name], text, ends)
    return tuple(found.values())


def _narrowed(bound: Bound, text: str, ends: str) -> Bound:
    first, dots, last = ends.partition("..")
    try:
        low, high = float(first), float(last if dots else first)
    except ValueError:
        raise AttackError(f"--bound {text}: cannot be read; write such as {bound.name}=1..5") from None
    factor = bound.factor
    if not low <= high:
        raise AttackError(f"--bound {text}: excludes everything; put the lower first")
    if not factor.low <= low <= high <= factor.high:
        whole = f"{factor.low:g}..{factor.high:g}"
        raise AttackError(f"--bound {text}: goes beyond what is plausible; give a part of {whole}")
    if factor.integer and (low % 1 or high % 1):
        raise AttackError(f"--bound {text}: is no range of whole numbers; round it")
    rest = min(max(bound.rest, low), high)
    return replace(bound, factor=replace(factor, low=low, high=high), rest=rest)


def value_at(bound: Bound, place: float) -> float:
    """Return the value of a bound at a place between 0 and 1."""
    if bound.factor.low == bound.factor.high:
        return bound.factor.low
    return float(bound.factor.value(place))


def place_of(bound: Bound, value: float) -> float:
    """Return the place of a value between 0 and 1."""
    return 0.5 if bound.factor.low == bound.factor.high else bound.factor.place(value)


def settings_of(network: Mapping[str, float]) -> tuple[str, ...]:
    """Return what a network changes in the scenario."""
    rate, rtt, jitter, loss = (network[name] for name in ("rate", "rtt", "jitter", "loss"))
    far = rtt * network["ratio"]
    packets = max(2, round(network["buffer"] * rate * 1e6 * rtt * 1e-3 / _PACKET))
    settings = [
        f"topology.bottleneck.rate={rate:g}Mbit/s",
        f"topology.bottleneck.delay={_us(_NEAR * rtt)}",
        f"topology.rtts=['{_us(rtt)}', '{_us(far)}']",
        f"topology.bottleneck.queue.limit={packets}pkt",
        f"flows[0].count={network['flows']:.0f}",
    ]
    if jitter:
        settings.append(f"topology.bottleneck.impairments=[{{ kind = 'jitter', spread = '{_us(jitter)}' }}]")
    if loss:
        settings.append(f"topology.bottleneck.loss={loss / 100:.4g}")
    return tuple(settings)


def _us(milliseconds: float) -> str:
    return f"{1000 * milliseconds:.0f}us"


def distance(bounds: Sequence[Bound], network: Mapping[str, float]) -> float:
    """Return how far a network lies from the nearest ordinary one; 0 if it is ordinary.

    The distance in the cube whose sides are the ranges of all bounds.
    """
    return math.hypot(*(bound.distance(network[bound.name]) for bound in bounds))


def described(bounds: Sequence[Bound], network: Mapping[str, float]) -> list[dict[str, Any]]:
    """Return each respect of a network: its value, and whether it is ordinary."""
    return [
        {
            "name": bound.name,
            "value": network[bound.name],
            "unit": bound.unit,
            "ordinary": bound.distance(network[bound.name]) == 0,
            "text": bound.text(network[bound.name]),
            "plausible": [bound.factor.low, bound.factor.high],
            "source": bound.source,
        }
        for bound in bounds
    ]
