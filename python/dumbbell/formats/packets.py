"""A packet, as captures and traces of other simulators hold it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dumbbell.formats.errors import FormatError


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet that somebody has seen."""

    time: float
    """When, in seconds; zero is the first packet of its file."""
    source: str
    """Who sends: an address, or the number of a node."""
    destination: str
    """Who receives."""
    flow: tuple[object, ...]
    """What packets of one direction of one connection have in common."""
    size: int
    """Bytes on the wire, from the network header on."""
    payload: int
    """Bytes of application data."""
    sequence: int | None = None
    """Number of the first byte of data, modulo 2^32; `None` where packets have none."""


def towards(packets: Sequence[Packet], destination: str | None) -> tuple[str, list[Packet]]:
    """Return the packets to a destination, by default to the one that gets the most bytes, and its name.

    There is at least one packet.

    Raises
    ------
    FormatError
        If none goes there.
    """
    received = Counter[str]()
    for packet in packets:
        received[packet.destination] += packet.size
    chosen = destination or received.most_common(1)[0][0]
    if chosen not in received:
        raise FormatError(f"no packets go to {chosen!r}; --to names one of {some(received)}")
    return chosen, [packet for packet in packets if packet.destination == chosen]


def some(names: Iterable[str], most: int = 8) -> str:
    """Return names for a message, the first ones of many."""
    listed = list(names)
    return ", ".join(listed[:most]) + (f" and {len(listed) - most} more" if len(listed) > most else "")
