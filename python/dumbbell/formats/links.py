"""Recorded links in the format of Mahimahi: a line for each moment at which 1500 bytes may leave."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dumbbell.formats.errors import FormatError
from dumbbell.formats.packets import Packet

OPPORTUNITY = 1500
"""Bytes of packets that a line stands for. Mahimahi counts four more of its tunnel, and so do scenarios."""

MOST_LINES = 5_000_000
"""Of a link: ten minutes at 100 Mbit/s."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a measurement in which so many bytes passed."""

    begin: float
    """When it begins, in seconds."""
    end: float
    """When it ends."""
    size: float
    """Bytes."""


def link_of(packets: Sequence[Packet]) -> str:
    """Return the link that lets pass what was seen, when it was seen.

    It is the link itself only if something waited for it all the time.

    Raises
    ------
    FormatError
        If the packets are too few to make a link.
    """
    times = []
    left = 0
    begin = min((packet.time for packet in packets), default=0.0)
    for packet in sorted(packets, key=lambda packet: packet.time):
        left += packet.size
        while left >= OPPORTUNITY:
            times.append(packet.time - begin)
            left -= OPPORTUNITY
            _bound(len(times))
    return _text(times)


def link_of_pieces(pieces: Iterable[Piece]) -> str:
    """Return the link that lets pass so many bytes in each piece, evenly.

    Raises
    ------
    FormatError
        If the pieces say no time or no bytes, or too many.
    """
    return _text(list(_even(sorted(pieces, key=lambda piece: piece.begin))))


def _even(pieces: Sequence[Piece]) -> Iterator[float]:
    left, count = 0.0, 0
    for piece in pieces:
        if not (piece.end > piece.begin >= 0 and math.isfinite(piece.end) and 0 <= piece.size < math.inf):
            raise FormatError(f"the piece from {piece.begin:g} to {piece.end:g} s has {piece.size:g} bytes")
        if piece.size == 0:
            continue
        rate = piece.size / (piece.end - piece.begin)
        lines = int((left + piece.size) // OPPORTUNITY)
        count += lines
        _bound(count)
        for number in range(1, lines + 1):
            yield piece.begin + (number * OPPORTUNITY - left) / rate - pieces[0].begin
        left = left + piece.size - lines * OPPORTUNITY


def _bound(lines: int) -> None:
    if lines > MOST_LINES:
        raise FormatError(f"the link has more than the limit of {MOST_LINES:,} lines; give a part of it")


def _text(times: Sequence[float]) -> str:
    """Return the lines: whole milliseconds, of which the last is above zero."""
    if len(times) < 2 or times[-1] <= 0:
        raise FormatError("too few bytes to make a link; record for longer")
    lines = [math.floor(time * 1e3) for time in times]
    lines[-1] = max(lines[-1], 1)
    return "\n".join(map(str, lines)) + "\n"
