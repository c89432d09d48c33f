"""Captures: files of pcap and pcapng, of IPv4 and IPv6 with TCP and UDP.

The formats are those of draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng. What is no packet of IP is
passed over; a packet that the capture has cut short counts with the length that its header says.
"""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Iterator

from dumbbell.formats.errors import FormatError
from dumbbell.formats.packets import Packet

_PCAP = {
    b"\xa1\xb2\xc3\xd4": (">", 1e6), b"\xd4\xc3\xb2\xa1": ("<", 1e6),
    b"\xa1\xb2\x3c\x4d": (">", 1e9), b"\x4d\x3c\xb2\xa1": ("<", 1e9),
}  # fmt: skip

_SECTION = 0x0A0D0D0A
_INTERFACE, _SIMPLE, _ENHANCED = 1, 3, 6

_MOST_CAPTURED = 1 << 18
"""Bytes of a packet in a file: those of the largest snapshot that tools take."""

_ETHERNET, _RAW, _SLL, _SLL2, _NULL = 1, (12, 101, 228, 229), 113, 276, (0, 108)

Record = tuple[float, int, bytes]
"""A time in seconds, a type of link, the bytes."""


def packets(data: bytes) -> list[Packet]:
    """Return the packets of IP in a capture, in its order; time zero is the first of them.

    Raises
    ------
    FormatError
        If it is no capture, breaks off within a packet, or has no packet of IP.
    """
    found = []
    begin = None
    for time, kind, frame in _records(data):
        begin = time if begin is None else begin
        packet = _packet(max(time - begin, 0.0), kind, frame)
        if packet is not None:
            found.append(packet)
    if not found:
        raise FormatError("no packets of IP are in it")
    return found


def _records(data: bytes) -> Iterator[Record]:
    if data[:4] in _PCAP:
        return _pcap(data)
    if data[:4] == b"\x0a\x0d\x0d\x0a":
        return _pcapng(data)
    raise FormatError("it is no capture: it begins as neither pcap nor pcapng")


def _pcap(data: bytes) -> Iterator[Record]:
    order, unit = _PCAP[data[:4]]
    if len(data) < 24:
        raise FormatError("the capture ends within its head")
    # Four bits of the type of link say how much of a check sum a frame has.
    kind = struct.unpack_from(f"{order}I", data, 20)[0] & 0x0FFFFFFF
    place, head = 24, struct.Struct(f"{order}IIII")
    while place < len(data):
        if place + 16 > len(data):
            raise FormatError(f"the capture ends within a packet, at byte {place:,}")
        seconds, part, kept, _ = head.unpack_from(data, place)
        place += 16
        if kept > _MOST_CAPTURED or place + kept > len(data):
            raise FormatError(f"the capture ends within a packet, at byte {place:,}")
        yield seconds + part / unit, kind, data[place : place + kept]
        place += kept


def _pcapng(data: bytes) -> Iterator[Record]:
    place, order = 0, "<"
    links: list[tuple[int, float]] = []
    while place < len(data):
        if place + 12 > len(data):
            raise FormatError(f"the capture ends within a block, at byte {place:,}")
        if data[place : place + 4] == b"\x0a\x0d\x0d\x0a":
            order = "<" if data[place + 8 : place + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            links = []
        kind, length = struct.unpack_from(f"{order}II", data, place)
        if length < 12 or length % 4 or place + length > len(data):
            raise FormatError(f"the block at byte {place:,} has a length of {length:,}")
        body = data[place + 8 : place + length - 4]
        if kind == _INTERFACE:
            if len(body) < 8:
                raise FormatError(f"the interface at byte {place:,} has no type of link")
            links.append((struct.unpack_from(f"{order}H", body)[0], _resolution(body[8:], order)))
        elif kind == _ENHANCED:
            if len(body) < 20:
                raise FormatError(f"the packet at byte {place:,} is cut short")
            number, high, low, kept, _ = struct.unpack_from(f"{order}IIIII", body)
            if number >= len(links) or 20 + kept > len(body):
                raise FormatError(f"the packet at byte {place:,} names no interface, or is cut short")
            link, unit = links[number]
            yield ((high << 32) | low) * unit, link, body[20 : 20 + kept]
        elif kind == _SIMPLE:
            raise FormatError(f"the packet at byte {place:,} has no time; capture with times")
        place += length


def _resolution(options: bytes, order: str) -> float:
    """Return the unit of the times of an interface, in seconds."""
    place = 0
    while place + 4 <= len(options):
        code, length = struct.unpack_from(f"{order}HH", options, place)
        if code == 0:
            break
        if code == 9 and length >= 1 and place + 4 < len(options):
            said = options[place + 4]
            return 2.0 ** -(said & 0x7F) if said & 0x80 else 10.0**-said
        place += 4 + length + -length % 4
    return 1e-6


def _packet(time: float, kind: int, frame: bytes) -> Packet | None:
    """Return what a frame holds; `None` if that is no packet of IP."""
    place = 0
    if kind == _ETHERNET:
        place = 12
        # Tags of networks within networks.
        while frame[place : place + 2] in {b"\x81\x00", b"\x88\xa8"}:
            place += 4
        place += 2
    elif kind == _SLL:
        place = 16
    elif kind == _SLL2:
        place = 20
    elif kind in _NULL:
        place = 4
    elif kind not in _RAW:
        raise FormatError(f"frames of the link type {kind} are not read; capture Ethernet or IP")
    if len(frame) <= place:
        return None
    version = frame[place] >> 4
    ip = frame[place:]
    if version == 4:
        return _version_4(time, ip)
    return _version_6(time, ip) if version == 6 else None


def _version_4(time: float, ip: bytes) -> Packet | None:
    if len(ip) < 20:
        return None
    head, size = 4 * (ip[0] & 15), int.from_bytes(ip[2:4], "big")
    # What is cut into fragments has a head of its transport in the first alone.
    if head < 20 or size < head or int.from_bytes(ip[6:8], "big") & 0x1FFF:
        return None
    ends = str(ipaddress.IPv4Address(ip[12:16])), str(ipaddress.IPv4Address(ip[16:20]))
    return _transport(time, ends, ip[9], ip[head:], size, size - head)


def _version_6(time: float, ip: bytes) -> Packet | None:
    if len(ip) < 40:
        return None
    inner = int.from_bytes(ip[4:6], "big")
    ends = str(ipaddress.IPv6Address(ip[8:24])), str(ipaddress.IPv6Address(ip[24:40]))
    protocol, place = ip[6], 40
    # Options for hops and ends, and routes.
    while protocol in {0, 43, 60} and place + 8 <= len(ip):
        protocol, length = ip[place], 8 * (ip[place + 1] + 1)
        place += length
    return _transport(time, ends, protocol, ip[place:], inner + 40, max(inner + 40 - place, 0))


def _transport(
    time: float, ends: tuple[str, str], protocol: int, data: bytes, size: int, inner: int
) -> Packet | None:
    """Return a packet of TCP or UDP, with `inner` bytes from its own header on; of others, what IP says."""
    if protocol == 6 and len(data) >= 14:
        ports = data[:4]
        # A SYN takes a number, and the data of it stands after.
        sequence = (int.from_bytes(data[4:8], "big") + (data[13] >> 1 & 1)) % 2**32
        payload = max(inner - 4 * (data[12] >> 4), 0)
        return Packet(time, *ends, (*ends, protocol, ports), size, payload, sequence)
    if protocol == 17 and len(data) >= 8:
        return Packet(time, *ends, (*ends, protocol, data[:4]), size, max(inner - 8, 0))
    return Packet(time, *ends, (*ends, protocol), size, 0)
