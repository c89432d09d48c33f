"""Flows of the kernel's TCP through a link: one connection each, seen at both ends by `struct tcp_info`."""

from __future__ import annotations

import json
import shlex
import socket
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dumbbell._scenario import Scenario
from dumbbell.errors import DumbbellError
from dumbbell.live import endpoints
from dumbbell.live.shell import Emulation, run_shell

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Line = tuple[Floats, Floats]
    Actions = Sequence[Sequence[float]]

NAMES = {
    "newreno": "reno", "cubic": "cubic", "reno": "reno", "bbr": "bbr", "dctcp": "dctcp", "vegas": "vegas",
    "illinois": "illinois", "westwood-plus": "westwood", "htcp": "htcp", "yeah": "yeah", "bic": "bic",
    "hybla": "hybla", "scalable": "scalable", "highspeed": "highspeed",
}  # fmt: skip
"""What the kernel calls a controller. Its ``reno`` recovers as NewReno does, and its ``westwood`` is
Westwood+ (Linux net/ipv4/tcp_westwood.c)."""

SETTINGS = {"tcp_no_metrics_save": 1, "tcp_timestamps": 1, "tcp_sack": 1, "tcp_comp_sack_slack_ns": 0}
"""Of both namespaces: no connection learns from an earlier one (ip-sysctl, tcp_no_metrics_save), and no timer
of another connection ends the wait for more blocks of SACK (tcp_comp_sack_slack_ns)."""

# Linux include/uapi/linux/tcp.h: where `struct tcp_info` has what is read here. `total_rto` came with 6.7.
_FIELDS = {
    "rtt": ("<u4", 68), "snd_cwnd": ("<u4", 80), "total_retrans": ("<u4", 100),
    "bytes_received": ("<u8", 128), "total_rto": ("<u2", 240),
}  # fmt: skip
_LEAST_BYTES = 136
_NANOSECONDS = 1e-9


class Flow(NamedTuple):
    """What one connection is to send."""

    start: float
    """When it is opened (s)."""
    size: float | None = None
    """Bytes; ``None`` if it sends until the end."""
    address: int = 0
    """Which address of the client it has: those of a scenario's pairs differ in their round-trip times."""
    writes: Actions | None = None
    """What its application writes: times since the start (s), and bytes; ``None`` for all at once."""
    reads: Actions | None = None
    """What the receiver's reads: times since the first data (s), and bytes; ``None`` for what comes."""
    controller: str | None = None
    """What the kernel calls its controller; ``None`` for that of the run."""


@dataclass(frozen=True)
class Connection:
    """One connection of the kernel. Times count from time 0 of the run (s)."""

    start: float
    completed: float | None
    """When the last byte was read, or had arrived where a program reads it later; ``None`` if never."""
    window: Line
    """Times and segments."""
    delivered: Line
    """Times and bytes that had arrived in order."""
    rtt: Line
    """Times and smoothed round-trip times (s)."""
    retransmissions: int
    timeouts: int | None
    """``None`` if the kernel does not count them for each connection (before 6.7)."""


@dataclass(frozen=True)
class KernelRun:
    """Connections of the kernel through one link."""

    connections: list[Connection]
    emulation: Emulation
    origin: float
    """Time 0 of the connections in the time of the emulation (s)."""
    counters: Mapping[str, Mapping[str, int]]
    """What the kernel counted for all connections, at the ends that ``send`` and ``receive``."""


def run_kernel(
    scenario: Scenario,
    flows: Sequence[Flow],
    controller: str,
    *,
    at: str | None = None,
    period: float = 1e-3,
    privileged: bool = True,
    traces: Mapping[str, Path] | None = None,
    ecn: bool = False,
) -> KernelRun:
    """Run connections of the kernel through the link of a scenario, until its duration.

    Parameters
    ----------
    scenario
        The link, the duration, and what to sample of the link. Its own flows do not run.
    flows
        Each becomes one connection.
    controller
        What the kernel calls that of flows without one of their own, and of the receivers.
    at
        The link; by default the slowest on the first path that is all that packets meet.
    period
        Time between two looks at each connection (s).
    privileged
        Give the ends the right to choose a controller that the machine reserves for administrators.
    traces
        As for :func:`dumbbell.live.run_shell`.
    ecn
        Whether connections ask for ECN (RFC 3168); needs `privileged`.

    Raises
    ------
    DumbbellError
        If the kernel refuses the controller, or an end fails.
    """
    plan = {
        "flows": [flow._asdict() | {"size": flow.size and int(flow.size)} for flow in flows],
        "controller": controller,
        "duration": scenario.explain()["duration"],
        "period": period,
        "settings": SETTINGS | ({"tcp_ecn": 1} if ecn else {}) if privileged else {},
    }
    left, emulation = run_ends(scenario, ("send", "receive"), plan, at, privileged, traces)
    sent, looks = _read(left["send"])
    received, arrivals = _read(left["receive"])
    origin = sent["origin"]
    connections = []
    for flow, given in enumerate(flows):
        ours, theirs = sent["flows"][flow], received["flows"][flow]
        if "failed" in ours:
            raise DumbbellError(f"flow {flow} of the kernel failed ({ours['failed']}); see `dumbbell doctor`")
        connections.append(
            _connection(
                looks[looks["flow"] == flow],
                arrivals[arrivals["flow"] == flow],
                origin,
                (ours.get("started", origin + given.start * 1e9), theirs.get("completed")),
                given,
            )
        )
    counters = {"send": sent["counters"], "receive": received["counters"]}
    return KernelRun(connections, emulation, origin * _NANOSECONDS - emulation.fidelity["started"], counters)


def _connection(
    looks: NDArray[np.void],
    arrivals: NDArray[np.void],
    origin: int,
    seen: tuple[int, int | None],
    given: Flow,
) -> Connection:
    (started, completed), size = seen, given.size

    def line(rows: NDArray[np.void], field: str, scale: float = 1.0) -> Line:
        return (rows["time"] - origin) * _NANOSECONDS, rows[field].astype(float) * scale

    times, delivered = line(arrivals, "bytes_received")
    if size is not None and given.reads is not None:
        # All has arrived before the last byte is read; the end of the connection counts as a byte.
        delivered = np.minimum(delivered, size)
        arrived = arrivals["time"][delivered >= size]
        completed = int(arrived[0]) if len(arrived) else None
    elif size is not None:
        # The kernel counts the end of the connection as a byte; all is there when the last byte is read.
        delivered = np.minimum(delivered, size)
        if completed is not None:
            place = np.searchsorted(arrivals["time"], completed)
            times = np.insert(times, place, (completed - origin) * _NANOSECONDS)
            delivered = np.maximum.accumulate(np.insert(delivered, place, size))
    counts_timeouts = "total_rto" in (looks.dtype.names or ())
    last = looks[-1] if len(looks) else None
    return Connection(
        start=(started - origin) * _NANOSECONDS,
        completed=None if completed is None else (completed - origin) * _NANOSECONDS,
        window=line(looks, "snd_cwnd"),
        delivered=(times, delivered),
        rtt=line(looks[looks["rtt"] > 0], "rtt", 1e-6),
        retransmissions=0 if last is None else int(last["total_retrans"]),
        timeouts=None if not counts_timeouts else 0 if last is None else int(last["total_rto"]),
    )


def run_ends(
    scenario: Scenario,
    words: tuple[str, str],
    plan: Mapping[str, Any],
    at: str | None,
    privileged: bool,
    traces: Mapping[str, Path] | None = None,
) -> tuple[dict[str, bytes], Emulation]:
    """Run the client's and the server's part of :mod:`dumbbell.live.endpoints`; returns what each left.

    Raises
    ------
    DumbbellError
        If an end fails, or the kernel refuses the controller of `plan`.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "plan").write_text(json.dumps(plan), encoding="utf-8")

        def program(what: str) -> str:
            # Isolated: nothing of the user's Python delays or changes it.
            python = [sys.executable, "-I", "-S", endpoints.__file__]
            command = shlex.join([*python, what, str(folder / "plan"), str(folder / what)])
            return f"exec {command} 2>{shlex.quote(str(folder / f'said-{what}'))}"

        client, server = words
        emulation = run_shell(
            scenario, ["sh", "-c", program(client)], server=program(server), at=at,
            network_administration=privileged, traces=traces,
        )  # fmt: skip
        return {what: _left(folder, what) for what in words}, emulation


def kernel_has(controller: str) -> bool:
    """Whether a controller can be had: of the kernel, or of a module that it loads when root asks for it.

    Parameters
    ----------
    controller
        As the kernel calls it.
    """
    with socket.socket() as end:
        try:
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, controller.encode())
        except PermissionError:
            # It is there, and reserved for administrators.
            return True
        except OSError:
            return False
    return True


def _left(folder: Path, what: str) -> bytes:
    """What an end left."""
    out = folder / what
    if not out.exists():
        said = (folder / f"said-{what}").read_text(encoding="utf-8", errors="replace").strip()
        last = said.splitlines()[-1] if said else "it left nothing"
        raise DumbbellError(f"the end that should {what} failed ({last}); see `dumbbell doctor`")
    found = out.read_bytes()
    about = json.loads(found.partition(b"\n")[0])
    if refused := about.get("refused"):
        controller = about["controller"]
        raise DumbbellError(
            f"the kernel refuses {controller!r} in a new namespace ({refused}); as root, run "
            f"`modprobe tcp_{controller}`, and add it to sysctl net.ipv4.tcp_allowed_congestion_control"
        )
    return found


def _read(left: bytes) -> tuple[dict[str, Any], NDArray[np.void]]:
    """What an end says, and its samples."""
    text, _, samples = left.partition(b"\n")
    about = json.loads(text)
    # Without a connection there is no sample, and nothing to tell how long one is.
    size = about["info"] or endpoints.INFO_BYTES
    if size < _LEAST_BYTES:
        raise DumbbellError("this kernel tells too little of its connections; Linux 4.1 or later is needed")
    known = {name: field for name, field in _FIELDS.items() if field[1] + int(field[0][2:]) <= size}
    header = endpoints.RECORD.size
    form = np.dtype(
        {
            "names": ["time", "flow", *known],
            "formats": ["<i8", "<u2", *(form for form, _ in known.values())],
            "offsets": [0, 8, *(header + offset for _, offset in known.values())],
            "itemsize": header + size,
        }
    )
    return about, np.frombuffer(samples, form)
