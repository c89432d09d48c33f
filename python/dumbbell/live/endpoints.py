"""Both ends of the kernel's connections: programs of their own, which start fast and need nothing but Python.

``endpoints.py receive PLAN OUT`` and ``endpoints.py send PLAN OUT`` run in the two namespaces. PLAN is JSON:
``flows``, each with ``start`` (s), ``size`` (bytes, or null until the end), ``address`` (which of
DUMBBELL_CLIENTS), ``writes`` and ``reads`` (what applications do: times since the start or since the first
data, in s, and bytes; null for all at once) and ``controller`` (null for that of all); ``controller``,
``duration`` and ``period`` of samples (s), and ``settings`` below net.ipv4. OUT takes what was seen: a line
of JSON, then the samples, each the time (CLOCK_MONOTONIC, ns), the number of the flow, and what the kernel
says of it (`struct tcp_info`). All samples of a run are equally long: ``info`` bytes after the header.

``ask`` and ``answer`` are the two ends of rounds (incast): one end asks for a part of a block over every
connection, and again when all parts have arrived. PLAN has ``servers``, the connections; ``part``, the bytes
of an answer; ``jitter``, up to which each request leaves later (s); ``controller``, ``duration`` and
``settings``. OUT takes one line of JSON: ``rounds``, when each began and when its last byte
was read (CLOCK_MONOTONIC, s), or ``counters`` of the kernel.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import math
import os
import random
import select
import signal
import socket
import struct
import sys
import time
from pathlib import Path
from typing import Any

PORT = 5201
FIRST_PORT = 20000
"""The sender's port of flow 0; flow ``i`` has the ``i``-th after it."""

INFO_BYTES = 256
"""Room for `struct tcp_info`; older kernels fill less."""

RECORD = struct.Struct("<qHxx")
"""Before the bytes of each sample: time and flow."""

BUFFER = bytearray(1 << 20)
LEAD = 0.05
"""Seconds from the sender's start to time 0: both ends are ready by then."""

PERIOD, FIRST = (3.84, 0.48) if "DUMBBELL_VIRTUAL" in os.environ else (0.24, 0.0)
"""Time 0 is at ``FIRST`` or whole periods later (s): where ticks of all kernels (100, 250 and 1000 Hz), of
TCP's timestamps, and intervals of laws of queues (15 ms of PIE, 16 ms of DualPI2) begin.

In virtual time, where waiting costs nothing, it also is where timers of Linux begin a granule, as in the
simulator: those of 63 ticks or more end on multiples of 8 ticks, those of 504 or more on multiples of 64. The
counter of ticks begins five minutes before it overflows (``INITIAL_JIFFIES`` of include/linux/jiffies.h), so
that with 250 ticks a second it is a multiple of 64 first after 224 ms, and then every 256 ms."""

FIRST_WRITE = (80e-6, 1.011e-6)
"""Seconds from the acknowledgement of the handshake to the first data, in captures: live 77 to 90 us; in
virtual time as long for all, for a program takes 1 us to wake up."""

START = (0.0, 1.005e-6)
"""Seconds from the start of a flow, in whole milliseconds, to its packets at the link, in captures: in
virtual time 3 ns more for the first. Live they are not known, and there packets come late by more."""

PATIENCE = 20.0
"""Seconds that a receiver waits for the first connection."""

REQUEST = bytes(64)
"""What asks for one answer."""

COUNTERS = {
    "netstat": (
        "TCPTimeouts", "TCPLossProbes", "TCPWinProbe", "TCPToZeroWindowAdv", "TCPFromZeroWindowAdv",
    ),
    "snmp": ("RetransSegs",),
}  # fmt: skip
"""What is read of the namespace's counters, by the file below /proc/self/net."""


class Seen:
    """What one end saw."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.samples = bytearray()
        self.info = 0
        self.flows: list[dict[str, Any]] = [{} for _ in plan["flows"]]

    def sample(self, flow: int, end: socket.socket, now: float | None = None) -> None:
        """Note what the kernel says of a connection, at a time that was read just before (s)."""
        info = end.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, INFO_BYTES)
        self.info = len(info)
        self.samples += RECORD.pack(time.monotonic_ns() if now is None else round(now * 1e9), flow)
        self.samples += info

    def write(self, path: str, **about: Any) -> None:
        """Write all, and what else there is to say."""
        about |= {"flows": self.flows, "info": self.info, "counters": counters()}
        text = json.dumps(about).encode() + b"\n"
        Path(path).write_bytes(text + bytes(self.samples))


class Watch:
    """Waits for what can be read or written, and for a time.

    A timer among the descriptors (timerfd_create(2)) is exact, where a timeout of epoll counts milliseconds,
    and needs no look at the clock: in virtual time, each system call costs as much as a packet.
    """

    _libc = ctypes.CDLL(None, use_errno=True)
    _MONOTONIC, _ABSOLUTE = 1, 1

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._timer = self._libc.timerfd_create(self._MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)
        if self._timer < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        self._ended = os.eventfd(0)
        for own in (self._timer, self._ended):
            self._epoll.register(own, select.EPOLLIN)
        self._due = math.inf

    def add(self, end: socket.socket, events: int) -> None:
        """Wait for this one, too."""
        self._epoll.register(end, events)

    def change(self, number: int, events: int) -> None:
        """Wait for something else of a descriptor."""
        self._epoll.modify(number, events)

    def until(self, due: float) -> tuple[list[int], bool]:
        """Wait until something is ready, or for a time of CLOCK_MONOTONIC (s).

        Returns what is ready, and whether the time has come, or :meth:`end` was called.
        """
        if due != self._due:
            self._due = due
            # A time of zero would switch the timer off.
            at = divmod(max(round(due * 1e9), 1), 10**9) if due < math.inf else (0, 0)
            times = (ctypes.c_long * 4)(0, 0, *at)
            self._libc.timerfd_settime(self._timer, self._ABSOLUTE, times, None)
        found = [number for number, _ in self._epoll.poll()]
        others = [number for number in found if number not in (self._timer, self._ended)]
        return others, len(others) < len(found)

    def end(self) -> None:
        """Let every wait end at once; for handlers of signals."""
        os.eventfd_write(self._ended, 1)


class Program:
    """An application that acts by a schedule: times since it began (s), and bytes."""

    def __init__(self, actions: list[list[float]]) -> None:
        self.actions = actions
        self.next = 0
        self.began = float("inf")

    def due(self) -> float:
        """When it acts next; never after the last action, and before it began."""
        return float("inf") if self.is_over() else self.began + self.actions[self.next][0]

    def is_over(self) -> bool:
        """Whether it has acted for the last time."""
        return self.next == len(self.actions)

    def act(self) -> int:
        """Return the bytes of what has become due."""
        found, now = 0, time.monotonic()
        while self.due() <= now:
            found += int(self.actions[self.next][1])
            self.next += 1
        return found


def programs(plan: dict[str, Any], what: str) -> dict[int, Program]:
    """The applications that do not act all at once, by the number of the flow."""
    return {i: Program(flow[what]) for i, flow in enumerate(plan["flows"]) if flow[what] is not None}


def receive(plan: dict[str, Any], out: str) -> None:
    """Take every connection, read what comes, and end with the last connection or after the sender."""
    left = len(plan["flows"])
    watch = Watch()

    def end_now(*_: object) -> None:
        nonlocal left
        left = 0
        watch.end()

    # What resets a connection may be lost; the shell ends the receiver after the sender.
    signal.signal(signal.SIGTERM, end_now)
    seen = Seen(plan)
    door = socket.create_server(("0.0.0.0", PORT), backlog=len(plan["flows"]))
    door.setblocking(False)
    # A receiver of DCTCP echoes marks otherwise than others (RFC 8257 section 3.2). If the kernel refuses the
    # controller, the sender says so.
    with contextlib.suppress(OSError):
        door.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, plan["controller"].encode())
    watch.add(door, select.EPOLLIN)
    ends: dict[int, tuple[int, socket.socket]] = {}
    sizes = [flow["size"] for flow in plan["flows"]]
    readers = programs(plan, "reads")
    received = [0] * len(sizes)

    def read(number: int, most: int = len(BUFFER)) -> int:
        """Read what is there, and not more than that; close what has ended."""
        nonlocal left
        flow, end = ends[number]
        try:
            count = end.recv_into(BUFFER, min(most, len(BUFFER)))
        except BlockingIOError:
            return 0
        except ConnectionError:
            count = 0
        received[flow] += count
        if sizes[flow] is not None and count and received[flow] >= sizes[flow]:
            seen.flows[flow]["completed"] = time.monotonic_ns()
        if count == 0:
            with contextlib.suppress(OSError):
                seen.sample(flow, end)
            close(ends, number)
            left -= 1
        return count

    next_sample = 0.0
    quits = time.monotonic() + PATIENCE
    while left:
        look = next_sample if ends else quits
        numbers, is_due = watch.until(min([look, *(reader.due() for reader in readers.values())]))
        if is_due and not ends and time.monotonic() >= quits:
            break
        for number in numbers:
            if number == door.fileno():
                end, peer = door.accept()
                end.setblocking(False)
                ends[end.fileno()] = (peer[1] - FIRST_PORT, end)
                watch.add(end, select.EPOLLIN)
                quits = math.inf
                continue
            reader = readers.get(ends[number][0])
            if reader and reader.began == float("inf"):
                # The first data. From now on the clock says when to read; what else comes is an error.
                reader.began = time.monotonic()
                watch.change(number, 0)
            else:
                read(number)
        for number, (flow, _) in list(ends.items()) if readers else []:
            most = readers[flow].act() if flow in readers else 0
            while most and number in ends and (count := read(number, most)):
                most -= count
            if number in ends and flow in readers and readers[flow].is_over():
                watch.change(number, select.EPOLLIN)
        if is_due and (now := time.monotonic()) >= next_sample:
            next_sample = max(next_sample + plan["period"], now)
            for flow, end in ends.values():
                seen.sample(flow, end, now)
    seen.write(out)


def send(plan: dict[str, Any], out: str) -> None:
    """Open every connection at its time, write what there is to send, and reset what is open at the end."""
    seen = Seen(plan)
    watch = Watch()
    flows = plan["flows"]
    ends: dict[int, tuple[int, socket.socket]] = {}
    sockets = []
    addresses = os.environ["DUMBBELL_CLIENTS"].split()
    for i, flow in enumerate(flows):
        end = socket.socket()
        end.setblocking(False)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        choose(end, flow["controller"] or plan["controller"], out)
        end.bind((addresses[flow["address"]], FIRST_PORT + i))
        sockets.append(end)
    left = [flow["size"] for flow in flows]
    writers = programs(plan, "writes")
    wants = dict.fromkeys(writers, 0)
    waiting = sorted(range(len(flows)), key=lambda i: flows[i]["start"])
    zeros = memoryview(bytes(1 << 18))
    origin = beginning(time.monotonic() + LEAD)
    stops = origin + plan["duration"]
    next_sample = origin
    now = time.monotonic()
    while (waiting or ends) and now < stops:
        while waiting and now >= origin + flows[waiting[0]]["start"]:
            i = waiting.pop(0)
            end = sockets[i]
            seen.flows[i]["started"] = time.monotonic_ns()
            with contextlib.suppress(BlockingIOError):
                end.connect((os.environ["DUMBBELL_SERVER"], PORT))
            ends[end.fileno()] = (i, end)
            watch.add(end, 0 if i in writers else select.EPOLLOUT)
            if i in writers:
                writers[i].began = now
        due = min(
            [
                stops,
                next_sample,
                *(origin + flows[i]["start"] for i in waiting[:1]),
                *(writer.due() for writer in writers.values()),
            ]
        )
        for number in watch.until(due)[0]:
            i, end = ends[number]
            try:
                remaining = left[i]
                most = (
                    remaining
                    if i not in wants
                    else min(wants[i], wants[i] if remaining is None else remaining)
                )
                if most == 0:
                    # Nothing is to be written; the end of the connection is all that can come.
                    if not end.recv(1):
                        seen.sample(i, end)
                        close(ends, number)
                    continue
                piece = zeros[:most]
                # The end of the connection rides on the last segment, as in the simulator.
                sent = end.send(piece, socket.MSG_MORE if remaining == len(piece) else 0)
                if i in wants:
                    wants[i] -= sent
                    if wants[i] == 0:
                        watch.change(number, 0)
                if remaining is not None:
                    left[i] = remaining - sent
                    if left[i] == 0:
                        # An application that went on would look again and again, and others would wait.
                        writers.pop(i, None)
                        end.shutdown(socket.SHUT_WR)
                        watch.change(number, select.EPOLLIN)
            except BlockingIOError:
                continue
            except OSError as error:
                seen.flows[i]["failed"] = errno.errorcode.get(error.errno or 0, str(error))
                close(ends, number)
        for number, (i, _) in ends.items() if writers else ():
            if i in writers and (count := writers[i].act()):
                wants[i] += count
                watch.change(number, select.EPOLLOUT)
        now = time.monotonic()
        if now >= next_sample:
            next_sample = max(next_sample + plan["period"], now)
            for i, end in ends.values():
                seen.sample(i, end, now)
    for i, end in ends.values():
        seen.sample(i, end)
        reset(end)
    seen.write(out, origin=round(origin * 1e9))


def ask(plan: dict[str, Any], out: str) -> None:
    """Ask all servers for their parts, round after round, until the time is over."""
    door = socket.create_server(("0.0.0.0", PORT), backlog=plan["servers"])
    door.settimeout(PATIENCE)
    watch = Watch()
    ends = {}
    for _ in range(plan["servers"]):
        end, _peer = door.accept()
        end.setblocking(False)
        ends[end.fileno()] = end
        watch.add(end, select.EPOLLIN)
    rounds = []
    stops = time.monotonic() + plan["duration"]
    while True:
        asked = time.monotonic()
        waiting = sorted((asked + random.uniform(0, plan["jitter"]), number) for number in ends)
        left = dict.fromkeys(ends, plan["part"])
        while left and (now := time.monotonic()) < stops:
            while waiting and waiting[0][0] <= now:
                ends[waiting.pop(0)[1]].send(REQUEST)
            due = waiting[0][0] if waiting else stops
            for number in watch.until(due)[0]:
                count = ends[number].recv_into(BUFFER)
                if not count:
                    sys.exit("a server closed its connection")
                left[number] -= count
                if left[number] == 0:
                    del left[number]
        if left:
            break
        rounds.append((asked, time.monotonic()))
    Path(out).write_text(json.dumps({"rounds": rounds}), encoding="utf-8")
    # Only now do the servers end, and with them the shell.
    for end in ends.values():
        reset(end)


def answer(plan: dict[str, Any], out: str) -> None:
    """Answer every request with a part of the block, over each connection, until the other end closes it."""
    watch = Watch()
    ends: dict[int, tuple[int, socket.socket]] = {}
    for i in range(plan["servers"]):
        end = socket.socket()
        choose(end, plan["controller"], out)
        end.bind((os.environ["DUMBBELL_CLIENT"], FIRST_PORT + i))
        end.connect((os.environ["DUMBBELL_SERVER"], PORT))
        end.setblocking(False)
        ends[end.fileno()] = i, end
        watch.add(end, select.EPOLLIN)
    before = counters()
    asked, left = [0] * len(ends), [0] * len(ends)
    zeros = memoryview(bytes(1 << 18))
    stops = time.monotonic() + plan["duration"] + PATIENCE
    while ends and time.monotonic() < stops:
        for number in watch.until(stops)[0]:
            i, end = ends[number]
            try:
                with contextlib.suppress(BlockingIOError):
                    count = end.recv_into(BUFFER)
                    if count == 0:
                        close(ends, number)
                        continue
                    requests, asked[i] = divmod(asked[i] + count, len(REQUEST))
                    left[i] += requests * plan["part"]
                while left[i]:
                    left[i] -= end.send(zeros[: left[i]])
                watch.change(number, select.EPOLLIN)
            except BlockingIOError:
                watch.change(number, select.EPOLLIN | select.EPOLLOUT)
            except ConnectionError:
                close(ends, number)
    seen = {name: value - before[name] for name, value in counters().items()}
    Path(out).write_text(json.dumps({"counters": seen}), encoding="utf-8")


def counters() -> dict[str, int]:
    """Return what the kernel counts for all connections of this namespace."""
    found = {}
    for file, names in COUNTERS.items():
        text = Path("/proc/self/net", file).read_text(encoding="ascii")
        lines = [line.split() for line in text.splitlines()]
        for heads, values in zip(lines[::2], lines[1::2], strict=True):
            found.update({name: int(values[heads.index(name)]) for name in names if name in heads})
    return found


def choose(end: socket.socket, controller: str, out: str) -> None:
    """Give a connection its controller, or say that the kernel refuses it and end."""
    try:
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, controller.encode())
    except OSError as error:
        told = {"refused": error.strerror, "controller": controller}
        Path(out).write_text(json.dumps(told) + "\n", encoding="utf-8")
        sys.exit(1)


def beginning(now: float) -> float:
    """The next time from ``now`` on at which all that counts in whole parts begins one (s)."""
    return FIRST + math.ceil((now - FIRST) / PERIOD) * PERIOD


def reset(end: socket.socket) -> None:
    """Close a connection with a reset: nothing of it stays."""
    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    end.close()


def close(ends: dict[int, tuple[int, socket.socket]], number: int) -> None:
    """Close a connection, with a reset if that is what `SO_LINGER` says; nobody waits for it any more."""
    _, end = ends.pop(number)
    end.close()


def main() -> None:
    """Do what the command line says."""
    what, plan, out = sys.argv[1:4]
    given = json.loads(Path(plan).read_text(encoding="utf-8"))
    for name, value in given["settings"].items():
        Path("/proc/sys/net/ipv4", name).write_text(f"{value}\n", encoding="ascii")
    {"receive": receive, "send": send, "ask": ask, "answer": answer}[what](given, out)


if __name__ == "__main__":
    main()
