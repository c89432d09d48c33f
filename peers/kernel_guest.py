"""Runs within Linux in user mode: queues of the kernel under datagrams that arrive by a list.

The argument is a folder. ``work.json`` in it says what to do, ``found.json`` says what happened. Each queue
is under a token bucket filter at one end of a pair of devices; what leaves is caught at the other end.
Standard library only.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

SIZE = 1000
"""Of every packet with its Ethernet header, bytes."""
SO_SNDBUFFORCE, SO_TIMESTAMPNS = 32, 35
ETH_P_ALL = 3
HEADERS = 14 + 20 + 8
BURST = 200_000
"""Bytes of the bucket: what its filter wakes up late for, up to 1.6 s, it makes up for."""
LATE = 6.0
"""Seconds after the last arrival in which the queues run empty."""


def run(command: str) -> None:
    """Run a command of the shell."""
    subprocess.run(command, shell=True, check=True)


class Pair:
    """Two devices, a queue between them, and a socket for each of two flows."""

    def __init__(self, number: int, queue: str) -> None:
        near, far, net = f"near{number}", f"far{number}", f"10.{number}.0"
        run(f"ip link add {near} type veth peer name {far}")
        run(f"ip addr add {net}.1/24 dev {near} && ip link set {near} up && ip link set {far} up")
        run(f"ip neigh add {net}.2 lladdr 02:00:00:00:00:01 dev {near} nud permanent")
        run(f"tc qdisc add dev {near} root handle 1: tbf rate 1mbit burst {BURST} limit 1mb")
        run(f"tc qdisc add dev {near} parent 1:1 handle 2: {queue}")
        self.flows = []
        for flow in range(2):
            sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sender.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 1 << 24)
            sender.bind((f"{net}.1", 5000 + flow))
            sender.connect((f"{net}.2", 6000 + flow))
            sender.setblocking(False)
            self.flows.append(sender)
        self.end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.end.bind((far, 0))
        self.end.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.end.setblocking(False)
        self.sent: list[tuple[float, int]] = []
        self.left: list[tuple[int, float]] = []

    def send(self, flow: int, start: float) -> None:
        """Send a packet, which has a number."""
        packet = struct.pack("!I", len(self.sent)).ljust(SIZE - HEADERS, b"\0")
        self.sent.append((time.time() - start, flow))
        # An error says that the queue has dropped it.
        with contextlib.suppress(OSError):
            self.flows[flow].send(packet)

    def catch(self, start: float) -> None:
        """Note what has left."""
        while True:
            try:
                frame, extra, _, _ = self.end.recvmsg(HEADERS + 4, 256)
            except BlockingIOError:
                return
            is_udp = (
                len(frame) == HEADERS + 4 and frame[12:14] == b"\x08\x00" and frame[23] == socket.IPPROTO_UDP
            )
            stamps = [struct.unpack("qq", data) for _, kind, data in extra if kind == SO_TIMESTAMPNS]
            if is_udp and stamps:
                seconds, nanos = stamps[0]
                self.left.append((struct.unpack("!I", frame[HEADERS:])[0], seconds + nanos * 1e-9 - start))


def main() -> None:
    """Do the work of the folder."""
    folder = Path(sys.argv[1])
    work = json.loads((folder / "work.json").read_text())
    run("ip link set lo up")
    pairs = [Pair(i, queue) for i, queue in enumerate(work["queues"])]
    poll = select.poll()
    ends = {pair.end.fileno(): pair for pair in pairs}
    for end in ends:
        poll.register(end, select.POLLIN)
    start = time.time() + 0.5
    arrivals = [*work["arrivals"], (work["arrivals"][-1][0] + LATE, None)]
    for at, flow in arrivals:
        while (wait := start + at - time.time()) > 0:
            for end, _ in poll.poll(max(1, int(wait * 1000))):
                ends[end].catch(start)
        for pair in pairs if flow is not None else ():
            pair.send(flow, start)
    found = [{"sent": pair.sent, "left": pair.left} for pair in pairs]
    (folder / "found.json").write_text(json.dumps(found))
    os.sync()


if __name__ == "__main__":
    main()
