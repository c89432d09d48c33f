"""The qlog of a trace in the older form that the viewer qvis opens: version 0.3, one trace for each flow.

qvis knows the events of QUIC of that version, and packets by their numbers. So data of TCP become packets of
QUIC with one frame, and acknowledgements become its ranges of packet numbers.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dumbbell._files.read import read_bytes
from dumbbell.formats.errors import FormatError

MOST_BYTES = 1 << 30
"""Of a file to convert: half a million packets."""

_RENAMED = {
    "quic:recovery_metrics_updated": "recovery:metrics_updated",
    "quic:congestion_state_updated": "recovery:congestion_state_updated",
}


class _Flow:
    """What one flow has sent, and what of it was acknowledged; seen from its sender."""

    def __init__(self, number: str, opened: dict[str, Any]) -> None:
        ends = f"{opened.get('source', '?')} to {opened.get('destination', '?')}"
        law = opened.get("controller") or opened.get("transport", "")
        self.trace: dict[str, Any] = {
            "title": f"flow {number}: {ends}, {law}",
            "vantage_point": {"name": str(opened.get("source", "")), "type": "client"},
            "common_fields": {"protocol_type": "TCP", "reference_time": 0, "time_format": "relative"},
            "events": [],
        }
        self._sent: dict[int, int] = {}
        """By the number in the file, the number among the packets of the flow."""
        self._received = 0
        self._waiting: list[tuple[int, int]] = []
        """End and number of data that are not acknowledged, the lowest first."""
        self._at: dict[int, tuple[int, int]] = {}
        """By the first byte, the end and the number of what was sent last."""
        self._known: dict[int, int] = {}
        """By the first byte of a block, how far it was acknowledged."""
        self._told: set[int] = set()
        """Numbers that were acknowledged or lost."""

    def add(self, time: float, name: str, data: dict[str, Any]) -> None:
        """Add an event of the file, if qvis knows one like it."""
        if name in _RENAMED:
            self._tell(time, _RENAMED[name], data)
            return
        header, raw = data.get("header", {}), data.get("raw", {})
        forward = data.get("direction") == "forward"
        if name == "dumbbell:packet_sent" and forward:
            number = self._sent[header["packet_number"]] = len(self._sent)
            first, size = header.get("sequence_number", 0), raw["payload_length"]
            if size > 0 and "sequence_number" in header:
                heapq.heappush(self._waiting, (first + size, number))
                self._at[first] = first + size, number
            frame = {"frame_type": "stream", "stream_id": 0, "offset": first, "length": size}
            self._packet(time, "transport:packet_sent", number, raw["length"], [frame])
        elif name == "dumbbell:packet_received" and not forward:
            frames = []
            if ranges := self._acknowledged(header):
                frames.append({"frame_type": "ack", "acked_ranges": ranges})
            self._packet(time, "transport:packet_received", self._received, raw["length"], frames)
            self._received += 1
        elif name == "dumbbell:packet_dropped" and forward and header["packet_number"] in self._sent:
            number = self._sent[header["packet_number"]]
            # What is sent again has the same bytes: an acknowledgement is for that.
            self._told.add(number)
            lost = {"header": {"packet_type": "1RTT", "packet_number": number}}
            self._tell(time, "recovery:packet_lost", lost | {"trigger": data.get("trigger", "")})

    def _acknowledged(self, header: dict[str, Any]) -> list[list[int]]:
        """Return which packets a header acknowledges for the first time, as ranges."""
        if "acknowledgment_number" not in header:
            return []
        found = []
        while self._waiting and self._waiting[0][0] <= header["acknowledgment_number"]:
            found.append(heapq.heappop(self._waiting)[1])
        for first, end in header.get("sack_ranges", []):
            here = self._known.get(first, first)
            while here < end and here in self._at:
                here, number = self._at[here]
                found.append(number)
            self._known[first] = here
        ranges: list[list[int]] = []
        for number in sorted(set(found) - self._told):
            if ranges and ranges[-1][1] == number - 1:
                ranges[-1][1] = number
            else:
                ranges.append([number, number])
        self._told.update(found)
        return ranges

    def _packet(self, time: float, name: str, number: int, length: int, frames: list[Any]) -> None:
        header = {"packet_type": "1RTT", "packet_number": number}
        self._tell(time, name, {"header": header, "raw": {"length": length}, "frames": frames})

    def _tell(self, time: float, name: str, data: dict[str, Any]) -> None:
        self.trace["events"].append({"time": time, "name": name, "data": data})


def qvis_of(path: Path) -> tuple[bytes, int]:
    """Return a file of qlog 0.3 for qvis, and how many flows are in it.

    Parameters
    ----------
    path
        What `dumbbell trace --qlog` or `dumbbell shell --qlog` has written.

    Raises
    ------
    FormatError
        If it cannot be read, or is no such file. The message begins with the path.
    """
    try:
        records = _records(read_bytes(path, MOST_BYTES))
        head = next(records, (0, {}))[1]
        if not str(head.get("file_schema", "")).startswith("urn:ietf:params:qlog:file:sequential"):
            raise FormatError("it is no sequential qlog; make one with `dumbbell trace --qlog`")
        flows: dict[str, _Flow] = {}
        for number, record in records:
            try:
                name, data, group = record["name"], record["data"], str(record["group_id"])
                if name == "dumbbell:flow_opened" or group not in flows:
                    flows[group] = _Flow(group, data if name == "dumbbell:flow_opened" else {})
                flows[group].add(record["time"], name, data)
            except (KeyError, TypeError, ValueError, AttributeError):
                raise FormatError(f"record {number} is none of a trace of dumbbell") from None
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}; name a file of qlog") from None
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None
    if not flows:
        raise FormatError(f"{path}: no flow is in it")
    whole = {
        "qlog_version": "0.3",
        "qlog_format": "JSON",
        "title": str(head.get("title", "")),
        "description": str(head.get("description", "")),
        "traces": [flow.trace for flow in flows.values()],
    }
    return (json.dumps(whole, separators=(",", ":")) + "\n").encode(), len(flows)


def _records(data: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the records of a text sequence (RFC 7464) with their numbers."""
    for number, text in enumerate(data.split(b"\x1e")):
        if not text.strip():
            continue
        try:
            record = json.loads(text)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            raise FormatError(f"record {number} is no object of JSON")
        yield number, record
