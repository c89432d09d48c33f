"""Lists of flows, for the workload `trace`: start, source, destination, size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dumbbell.formats.errors import FormatError
from dumbbell.formats.packets import Packet

MOST_FLOWS = 1_000_000


@dataclass(frozen=True, slots=True)
class Flow:
    """A transfer of one direction."""

    start: float
    """When it began, in seconds."""
    source: str
    """Who sends: an address, or the number of a node."""
    destination: str
    """Who receives."""
    size: int
    """Bytes of the application."""


class _Transfer:
    """A flow whose packets are still read."""

    def __init__(self, packet: Packet) -> None:
        self.start = packet.time
        self.ends = packet.source, packet.destination
        self.size = 0
        self._next = packet.sequence

    def add(self, packet: Packet) -> None:
        """Count the data of a packet that is new: what is sent again counts once."""
        if packet.sequence is None or self._next is None:
            self.size += packet.payload
            return
        # Numbers are modulo 2^32, so what is far ahead lies before.
        ahead = (packet.sequence + packet.payload - self._next) % 2**32
        if ahead < 2**31:
            self.size += ahead
            self._next = (self._next + ahead) % 2**32


def flows_of(packets: Iterable[Packet]) -> list[Flow]:
    """Return the flows that carry data, in order of start.

    The size of a flow of TCP is how far its numbers went: lost and repeated packets change nothing. A
    connection that was open before the capture begins with the first packet in it.

    Raises
    ------
    FormatError
        If none carries data.
    """
    transfers: dict[tuple[object, ...], _Transfer] = {}
    for packet in packets:
        if packet.payload == 0:
            continue
        found = transfers.get(packet.flow)
        if found is None:
            found = transfers[packet.flow] = _Transfer(packet)
            if len(transfers) > MOST_FLOWS:
                raise FormatError(f"more than the limit of {MOST_FLOWS:,} flows; give a part of it")
        found.add(packet)
    flows = [Flow(of.start, *of.ends, of.size) for of in transfers.values() if of.size > 0]
    if not flows:
        raise FormatError("no flow in it carries data")
    return sorted(flows, key=lambda flow: flow.start)


def flows_text(flows: Sequence[Flow], pairs: int | None, prefix: str = "") -> tuple[str, int]:
    """Return a list of flows, and how many pairs of hosts it names.

    Each pair of source and destination becomes a pair of hosts of a dumbbell, in order of their first flow;
    beyond `pairs`, they share them. Without `pairs` the ends keep their names, after `prefix`.
    """
    numbers: dict[tuple[str, str], int] = {}
    begin = min(flow.start for flow in flows)
    lines = ["start,source,destination,size"]
    for flow in sorted(flows, key=lambda flow: flow.start):
        number = numbers.setdefault((flow.source, flow.destination), len(numbers))
        if pairs is None:
            ends = f"{prefix}{flow.source},{prefix}{flow.destination}"
        else:
            ends = f"sender{number % pairs},receiver{number % pairs}"
        lines.append(f"{flow.start - begin:.9f},{ends},{flow.size}")
    return "\n".join(lines) + "\n", len(numbers) if pairs is None else min(len(numbers), pairs)
