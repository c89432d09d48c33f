"""Files of other simulators: traces of ns-2, connection matrices of htsim, lists of flows of HPCC."""

from __future__ import annotations

from dumbbell.formats.errors import FormatError
from dumbbell.formats.flows import MOST_FLOWS, Flow
from dumbbell.formats.packets import Packet
from dumbbell.formats.text import real, whole, words_of_lines

_TCP_HEADER = 40
"""Bytes that ns-2 counts for the headers of IP and TCP; an acknowledgement has no more."""


def ns2(data: bytes) -> list[Packet]:
    """Return the packets that a trace of ns-2 saw arrive where they go, in its order.

    A line is: event, time, from, to, type, bytes, flags, flow, source, destination, number, packet. Nodes are
    numbers; an end is a node and a port.

    Raises
    ------
    FormatError
        If a line is none of such a trace, or none arrives.
    """
    found = []
    begin = None
    for number, words in words_of_lines(data):
        if len(words) < 12 or words[0] not in {"+", "-", "r", "d", "e", "h"}:
            raise FormatError(f"line {number} is none of a trace of ns-2")
        destination = words[9].partition(".")[0]
        if words[0] != "r" or words[3] != destination:
            continue
        time, size = real(words[1], number, "time"), whole(words[5], number)
        begin = time if begin is None else begin
        payload = size - _TCP_HEADER if words[4] in {"tcp", "ack"} else size
        # Numbers of ns-2 count segments: what is sent again has the number of the first.
        sequence = whole(words[10], number) * payload % 2**32 if words[4] == "tcp" and payload > 0 else None
        ends = words[8].partition(".")[0], destination
        flow = (*ends, words[7], words[4])
        found.append(Packet(time - begin, *ends, flow, size, max(payload, 0), sequence))
    if not found:
        raise FormatError("no packet arrives where it goes; trace all links, by `trace-all`")
    return found


def htsim(data: bytes) -> list[Flow]:
    """Return the flows of a connection matrix of htsim: ``0->1 start 0 size 2000000``, starts in picoseconds.

    Raises
    ------
    FormatError
        If a line is none of such a file, or a flow waits for another.
    """
    flows: list[Flow] = []
    for number, words in words_of_lines(data):
        source, arrow, destination = words[0].partition("->")
        if not arrow:
            if words[0] in {"Nodes", "Connections", "Failures", "failure"}:
                continue
            if words[0] in {"Triggers", "trigger"}:
                raise FormatError(
                    f"line {number}: a flow waits for another, which a list of flows cannot say"
                )
            raise FormatError(f"line {number} is none of a connection matrix")
        said = dict(zip(words[1::2], words[2::2], strict=False))
        if "trigger" in said:
            raise FormatError(f"line {number}: a flow waits for another, which a list of flows cannot say")
        if "start" not in said or "size" not in said:
            raise FormatError(f"line {number}: the flow has no start, or no size")
        start, size = real(said["start"], number, "time") * 1e-12, whole(said["size"], number)
        _add(flows, Flow(start, f"{whole(source, number)}", f"{whole(destination, number)}", size))
    return _checked(flows)


def hpcc(data: bytes) -> list[Flow]:
    """Return the flows of a list of HPCC's simulator.

    The first line counts them. Each of the others is: source, destination, priority, port, bytes, start in
    seconds. That simulator reads no more lines than the first counts, and so does this.

    Raises
    ------
    FormatError
        If a line is none of such a list, or there are fewer than the first says.
    """
    flows: list[Flow] = []
    count, listed = None, 0
    for number, words in words_of_lines(data):
        if count is None:
            count = whole(words[0], number)
            continue
        if listed == count:
            break
        listed += 1
        if len(words) != 6:
            raise FormatError(f"line {number} has {len(words)} values; source, destination, priority, port, "
                              "bytes and start make six")  # fmt: skip
        ends = f"{whole(words[0], number)}", f"{whole(words[1], number)}"
        _add(flows, Flow(real(words[5], number, "time"), *ends, whole(words[4], number)))
    if count != listed:
        raise FormatError(f"the first line counts {count or 0} flows, and {listed} are listed")
    return _checked(flows)


def _add(flows: list[Flow], flow: Flow) -> None:
    if flow.size > 0:
        flows.append(flow)
    if len(flows) > MOST_FLOWS:
        raise FormatError(f"more than the limit of {MOST_FLOWS:,} flows; give a part of it")


def _checked(flows: list[Flow]) -> list[Flow]:
    if not flows:
        raise FormatError("it lists no flow with a size")
    return sorted(flows, key=lambda flow: flow.start)
