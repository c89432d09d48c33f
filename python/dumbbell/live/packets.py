"""The packets that reach a link on both sides, and the first of them that differs."""

from __future__ import annotations

import functools
import io
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dumbbell._files.foreign import replace_file
from dumbbell.errors import DumbbellError

if TYPE_CHECKING:
    from dumbbell._scenario import Scenario

PASSED = "passed"
"""What becomes of a packet that the link neither drops nor marks."""

_WRAP = 2**32
_EVENTS = ("arrived", "dropped", "marked")


class Packet(NamedTuple):
    """A packet as it reaches the link, before its queue. Numbers begin at 0 with the SYN."""

    time: float
    """Since time 0 of the flows (s)."""
    seq: int
    length: int
    """Bytes of data."""
    ack: int | None
    flags: str
    """Of ``S``, ``F`` and ``E``: SYN, FIN, and the echo of a mark."""
    sack: tuple[int, int] | None
    """The first block."""
    fate: str = PASSED
    """``passed``, ``marked`` or ``dropped``, with the reason."""

    @property
    def numbers(self) -> str:
        """What it says, in words."""
        flags = f"[{self.flags}] " if self.flags else ""
        if self.length or self.ack is None:
            return f"{flags}seq={self.seq} len={self.length}"
        sack = f" sack={self.sack[0]}-{self.sack[1]}" if self.sack else ""
        return f"{flags}ack={self.ack}{sack}"


Packets = dict[tuple[int, bool], list[Packet]]
"""By the number of the flow, and whether they travel to its destination, in the order of time."""


@dataclass(frozen=True)
class Apart:
    """A packet that differs."""

    time: float
    """When the first of the two sides has it (s)."""
    flow: int
    data: bool
    """Whether it travels to the destination of the flow; else it is an acknowledgement."""
    place: int
    """Which packet of the flow that way, from 0."""
    what: str
    """One of :data:`WHATS`."""
    ours: str
    """What ours did, and when."""
    kernel: str
    """The same of the kernel's."""

    def __str__(self) -> str:
        kind = "data" if self.data else "ack"
        return f"flow {self.flow}, {kind} {self.place}: {self.ours} / {self.kernel}"

    def to_dict(self) -> dict[str, Any]:
        """Return JSON types, which the constructor takes."""
        return asdict(self)


AGAIN, SEGMENT, ACKNOWLEDGEMENT, TIME, FATE, MISSING = WHATS = (
    "one side sends again", "another segment", "another acknowledgement", "another time", "another fate",
    "one side sends no more",
)  # fmt: skip
"""What differs, most packets first that they send."""


def first_difference(
    ours: Packets, kernel: Packets, until: float, tolerance: float, data_only: bool = False
) -> Apart | None:
    """Return the first packet that differs, by the order of time; ``None`` if none does.

    The packets of each flow are compared one by one, each way on its own: the n-th of ours with the n-th of
    the kernel's. They differ if they say something else, if their times do by more than the tolerance, or if
    the link drops or marks only one of them.

    Parameters
    ----------
    ours, kernel
        The packets of both sides.
    until
        What one side alone sends after this time counts for nothing (s): a run ends.
    tolerance
        What times may differ by (s): the resolution of timers.
    data_only
        Whether to leave out what travels to the sources of flows.
    """
    found = [
        apart
        for flow, data in sorted(ours.keys() | kernel.keys())
        if data or not data_only
        for apart in _of_one(
            (flow, data), ours.get((flow, data), []), kernel.get((flow, data), []), until, tolerance
        )
    ]
    return min(found, key=lambda apart: apart.time, default=None)


def _of_one(
    of: tuple[int, bool], ours: list[Packet], kernel: list[Packet], until: float, tolerance: float
) -> Iterator[Apart]:
    """The first difference of one flow, one way, if there is one."""
    flow, data = of
    highest = -1

    def apart(place: int, what: str, a: Packet | None, b: Packet | None) -> Apart:
        time = min(packet.time for packet in (a, b) if packet is not None)
        return Apart(time, flow, data, place, what, _did(a), _did(b))

    for place, (a, b) in enumerate(zip(ours, kernel, strict=False)):
        if _said(a, data) != _said(b, data):
            again = data and (a.seq <= highest) != (b.seq <= highest)
            yield apart(place, AGAIN if again else SEGMENT if data else ACKNOWLEDGEMENT, a, b)
            return
        if abs(a.time - b.time) > tolerance:
            yield apart(place, TIME, a, b)
            return
        if a.fate != b.fate:
            yield apart(place, FATE, a, b)
            return
        highest = max(highest, a.seq)
    place = min(len(ours), len(kernel))
    rest = (ours[place] if len(ours) > place else None, kernel[place] if len(kernel) > place else None)
    if any(packet is not None and packet.time < until - tolerance for packet in rest):
        yield apart(place, MISSING, *rest)


def _said(packet: Packet, data: bool) -> tuple[Any, ...]:
    """What must be equal: of data the place in the stream, of an acknowledgement what has arrived."""
    if data:
        return packet.seq, packet.length, packet.flags
    return packet.ack, packet.sack, packet.flags


def _did(packet: Packet | None) -> str:
    if packet is None:
        return "nothing more"
    fate = "" if packet.fate == PASSED else f", {packet.fate}"
    return f"{packet.numbers} at {packet.time:.4f} s{fate}"


def lone_waits(ours: Packets, kernel: Packets) -> dict[int, str]:
    """Return the flows that wait on one side alone, each with what for: a lost SYN, or a timeout.

    A SYN that is sent again waits a second, and data that is sent again after a pause of :data:`TIMEOUT`
    waited for a timer.

    Parameters
    ----------
    ours, kernel
        The packets of both sides.
    """
    found = {}
    for flow in sorted({flow for flow, data in ours.keys() | kernel.keys() if data}):
        sides = {"ours": ours.get((flow, True), []), "the kernel's": kernel.get((flow, True), [])}
        for what, of in (("a lost SYN", _syns), ("a timeout", _timeouts)):
            counts = {side: of(each) for side, each in sides.items()}
            if len(set(counts.values())) > 1:
                found[flow] = f"{what} in {max(counts, key=lambda side: counts[side])}"
                break
    return found


TIMEOUT = 0.2
"""The shortest retransmission timeout of Linux (s)."""


def _syns(packets: list[Packet]) -> int:
    return sum("S" in packet.flags for packet in packets)


def _timeouts(packets: list[Packet]) -> int:
    count, highest = 0, -1
    for before, packet in itertools.pairwise(packets):
        highest = max(highest, before.seq)
        count += bool(packet.length) and packet.seq <= highest and packet.time - before.time >= TIMEOUT
    return count


def starts(packets: Packets) -> dict[int, float]:
    """Return when the first packet of each flow reached the link (s).

    A program starts a flow, not TCP: in virtual time some nanoseconds later or earlier each time. They decide
    where packets of two flows come by one clock.

    Parameters
    ----------
    packets
        Of a run.
    """
    return {flow: seen[0].time for (flow, forward), seen in packets.items() if forward and seen}


def simulated(scenario: Scenario, link: str, back: str) -> Packets:
    """Return the packets of a simulation at a link, and at the one of its way back."""
    trace = scenario.trace(links=[link, back]).packets
    columns = {
        name: trace[name].tolist()
        for name in (
            "time", "event", "reason", "place", "flow", "forward", "packet", "kind", "seq", "len", "ack",
            "sack1_start", "sack1_end",
        )
    }  # fmt: skip

    def events() -> Iterator[_Event]:
        for values in zip(*columns.values(), strict=True):
            time, event, reason, place, flow, forward, packet, kind, seq, length, ack, start, end = values
            if event in _EVENTS and place == (link if forward else back):
                sack = None if start is None or start != start else (int(start), int(end))
                acked = None if ack is None or ack != ack else int(ack)
                said = Packet(time, seq, length, acked, _flags(kind), sack)
                yield event, reason, packet, (flow, forward), said

    return _gathered(events())


def real(file: Path, origin: float) -> Packets:
    """Return the packets of an emulation, from the JSON that ``traces`` of a shell have.

    Parameters
    ----------
    file
        One object on each line (docs/trace.md).
    origin
        Time 0 of the flows in the time of the emulation (s).
    """

    def events() -> Iterator[_Event]:
        first: dict[tuple[int, bool], int] = {}
        # One call for all: in a kernel in virtual time, each is a good part of what a packet costs.
        for each in json.loads(b"[%s]" % b",".join(_LINES.findall(file.read_bytes()))):
            flow, forward = each["flow"], each["way"] == "forward"
            flags = _flags(each["kind"])
            if "R" in each["kind"] or each["protocol"] != "tcp":
                continue
            # Initial sequence numbers are drawn; a SYN that is sent again has the same.
            base = first.setdefault((flow, forward), each["seq"])
            other = first.get((flow, not forward), 0)
            blocks = each.get("sack")
            sack = (_beyond(blocks[0][0], other), _beyond(blocks[0][1], other)) if blocks else None
            ack = _beyond(each["ack"], other) if "ack" in each else None
            said = Packet(each["time"] - origin, _beyond(each["seq"], base), each["len"], ack, flags, sack)
            yield each["event"], each.get("reason", ""), each["packet"], (flow, forward), said

    return _gathered(events())


_LINES = re.compile(rb'^.*"event":"(?:%s)".*$' % "|".join(_EVENTS).encode(), re.MULTILINE)

_Event = tuple[str, str, int, tuple[int, bool], Packet]
"""What happened, why, to which packet of the trace, of which flow and way, and what it says."""


def _beyond(number: int, base: int) -> int:
    """A sequence number counted from the first, also below it."""
    return (number - base + _WRAP // 2) % _WRAP - _WRAP // 2


@functools.cache
def _flags(kind: str) -> str:
    """Of the letters of tcpdump those that must be equal; what a SYN says of ECN is not among them."""
    return "S" if "S" in kind else "".join(letter for letter in "FE" if letter in kind)


def _gathered(events: Iterable[_Event]) -> Packets:
    """Put together what arrived and what became of it, without what follows the end of the data."""
    found: Packets = {}
    places: dict[int, tuple[tuple[int, bool], int]] = {}
    for event, reason, packet, of, said in events:
        if event == "arrived":
            places[packet] = of, len(found.setdefault(of, []))
            found[of].append(said)
        elif packet in places:
            whose, place = places[packet]
            fate = f"{event} ({reason})" if reason else event
            found[whose][place] = found[whose][place]._replace(fate=fate)
    return {(flow, data): _of_data(found, flow, data) for flow, data in found}


def _of_data(found: Packets, flow: int, data: bool) -> list[Packet]:
    """The packets of a flow that say something of its data.

    These are not: bare acknowledgements of the source, but for that of the handshake; updates of the
    receive window, which say of the data what the packet before them says; the destination's FIN; and the
    acknowledgement of the source's. Programs read, and end connections, each in their way.
    """
    packets = found[flow, data]
    if data:
        bare = [place for place, packet in enumerate(packets) if not packet.length and not packet.flags]
        rest = set(bare[1:])
        return [packet for place, packet in enumerate(packets) if place not in rest]
    ends = {p.seq + p.length + 1 for p in found.get((flow, True), []) if "F" in p.flags}
    told = [packet for packet in packets if "F" not in packet.flags and packet.ack not in ends]
    return [
        packet
        for before, packet in zip([None, *told], told, strict=False)
        if before is None or _said(packet, False) != _said(before, False)
    ]


_SCHEMA: Mapping[str, Callable[[Packet], Any]] = {
    "time": lambda packet: packet.time,
    "seq": lambda packet: packet.seq,
    "length": lambda packet: packet.length,
    "ack": lambda packet: packet.ack,
    "flags": lambda packet: packet.flags,
    "sack_start": lambda packet: packet.sack and packet.sack[0],
    "sack_end": lambda packet: packet.sack and packet.sack[1],
    "fate": lambda packet: packet.fate,
}


def save(packets: Packets, file: Path) -> None:
    """Write a Parquet file, whole or not at all: a row for each packet, by flow, way and time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [(*of, packet) for of, each in sorted(packets.items()) for packet in each]
    types = {
        "time": pa.float64(), "seq": pa.int64(), "length": pa.int32(), "ack": pa.int64(),
        "flags": pa.string(), "sack_start": pa.int64(), "sack_end": pa.int64(), "fate": pa.string(),
    }  # fmt: skip
    columns = {
        "flow": pa.array([flow for flow, _, _ in rows], pa.uint16()),
        "forward": pa.array([forward for _, forward, _ in rows], pa.bool_()),
    }
    columns |= {
        name: pa.array([of(packet) for _, _, packet in rows], types[name]) for name, of in _SCHEMA.items()
    }
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, compression="zstd")
    replace_file(file, out.getvalue())


def load(file: Path) -> Packets:
    """Return what :func:`save` wrote.

    Raises
    ------
    DumbbellError
        If the file is missing or something else.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    found: Packets = {}
    try:
        table = pq.ParquetFile(file).read()
        columns = [table[name].to_pylist() for name in ("flow", "forward", *_SCHEMA)]
    except (OSError, KeyError, pa.ArrowException):
        raise DumbbellError(f"{file}: no packets of this cell; remove {file.stem}.json there, too") from None
    for flow, forward, time, seq, length, ack, flags, start, end, fate in zip(*columns, strict=True):
        sack = None if start is None else (start, end)
        found.setdefault((flow, forward), []).append(Packet(time, seq, length, ack, flags, sack, fate))
    return found
