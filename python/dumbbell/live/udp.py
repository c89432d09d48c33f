"""End points of TCP, RCP and TRUMP over UDP, and a scenario's flows on real packets."""

from __future__ import annotations

import json
import os
import shlex
import socket
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dumbbell import _native
from dumbbell._files.folder import refuse_file
from dumbbell._files.special import refuse_log
from dumbbell._results import Results, Table, load
from dumbbell._scenario import Scenario
from dumbbell.errors import DumbbellError, ScenarioError
from dumbbell.live.shell import Emulation, run_shell

if TYPE_CHECKING:
    from numpy.typing import NDArray

PORT = _native.UDP_PORT
"""The UDP port of receivers, in the range that IANA leaves to private use."""

HEADERS = _native.UDP_HEADERS
"""Bytes of the headers of IPv4 (20), UDP (8) and the transport (48) in every packet of RCP and TRUMP."""

NETWORKS: dict[str, dict[str, Any]] = {
    "tcp": {"topology": {"kind": "chain"}},
    "rcp": {"topology": {"kind": "chain", "link": {"router": "rcp"}}},
    "trump": {"topology": {"kind": "chain", "hops": 2}, "nodes": [{"name": "node1", "agent": "rbcc"}]},
}
"""The transports that have end points over UDP, each with a network whose routers serve it."""

_MOST_EVENTS = 1 << 30
"""Bytes of a log of events: ten million packets."""

_ENDPOINT = "endpoint.json"
"""Counters of an end point besides its results."""

_NAME = "flows"
"""Of a scenario made of flows alone."""


@dataclass(frozen=True)
class Endpoint:
    """What an end point leaves behind."""

    results: Results
    """The tables of a simulation; only ``runs``, ``flows`` and ``samples`` have rows.

    Of a sender, ``completion_time`` and what was delivered are unknown; of a receiver,
    ``sender_completion_time`` and what was sent.
    """
    counts: dict[str, int]
    """What came and was not taken: ``malformed``, ``stray``, ``ignored``, ``refused``; and ``unsent``."""
    late: dict[str, float]
    """How late the timers of a sender fired: ``count``, ``p50``, ``p90``, ``p99``, ``max`` (s)."""
    began: float
    """Time 0 of the tables, by the monotonic clock (s)."""
    spent: dict[str, float | None]
    """What it took of a processor: ``processor`` (s), the kernel's work for it included, and ``waited``, for
    how long it waited for one (s); ``None`` where the system keeps no account."""

    def write(self, folder: Path) -> None:
        """Write the results and ``endpoint.json`` into an existing folder."""
        self.results.write(folder)
        about = {"counts": self.counts, "late": self.late, "began": self.began, "spent": self.spent}
        (folder / _ENDPOINT).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Endpoint:
        """Read what :meth:`write` wrote.

        Parameters
        ----------
        folder
            Where it was written.
        """
        about = json.loads((folder / _ENDPOINT).read_text(encoding="utf-8"))
        return cls(load(folder), about["counts"], about["late"], about["began"], about["spent"])


def scenario_of_flows(
    size: str | None = None,
    count: int = 1,
    gap: str = "0s",
    duration: str = "100000s",
    transport: str = "rcp",
    settings: Iterable[str] = (),
) -> Scenario:
    """Return a scenario of flows over UDP, for a path that need not be known.

    Parameters
    ----------
    size
        Bytes of each flow, such as ``1MB``; endless without it.
    count
        How many.
    gap
        Time from one start to the next.
    duration
        When endless flows end.
    transport
        ``tcp``, ``rcp`` or ``trump``.
    settings
        Changes, each ``path=value``.

    Raises
    ------
    ScenarioError
        What is wrong with a value.
    """
    network = NETWORKS[transport]
    last = f"node{network['topology'].get('hops', 1)}"
    flow: dict[str, Any] = {"from": "node0", "to": last, "count": count, "stagger": gap}
    if size is not None:
        flow["size"] = size
    values = {
        "name": _NAME,
        "duration": duration,
        "transport": transport,
        "flows": [flow],
        "record": {"samples": False},
        **network,
    }
    return Scenario.from_dict(values, settings)


def address_of(text: str) -> tuple[str, int]:
    """Return the address and port of ``host``, ``host:port`` or ``[host]:port``.

    Raises
    ------
    DumbbellError
        If there is no such host or port.
    """
    host, _, port = text.rpartition(":") if text.count(":") == 1 or "]:" in text else (text, "", "")
    number = int(port) if port.isdecimal() else 0
    if port and not 0 < number < 1 << 16:
        raise DumbbellError(f"{text}: {port!r} is not a port; give 1 to 65535")
    try:
        found = socket.getaddrinfo(host.strip("[]"), number or PORT, type=socket.SOCK_DGRAM)
    except (OSError, UnicodeError):
        raise DumbbellError(f"{text}: there is no such host; give an address, or address:port") from None
    address = found[0][4]
    return str(address[0]), int(address[1])


def send(
    scenario: Scenario,
    to: str,
    *,
    events: str | os.PathLike[str] | None = None,
    force: bool = False,
    stopped: Callable[[], bool] = lambda: False,
    unanswered: Callable[[float], None] = lambda _: None,
) -> Endpoint:
    """Send the flows of a scenario over UDP, with the state machines of the simulator.

    Packets of RCP and TRUMP have the headers of the wire, whatever the scenario says: 76 bytes with IPv4, 96
    with IPv6. Segments of TCP are as long as with timestamps, over IPv4: 52 bytes of headers.

    Parameters
    ----------
    scenario
        Its flows and workloads are sent. Of its topology, only the names count.
    to
        The receiver: ``host``, ``host:port`` or ``[host]:port``.
    events
        A log to write, of every call of a state machine; :func:`replay` reads it.
    force
        Replace a log that is there.
    stopped
        Called some ten times a second; ends the sending if true.
    unanswered
        Called as often with the seconds since the beginning, as long as nobody has answered.

    Raises
    ------
    DumbbellError
        If flows have no end points over UDP or not the same, the network refuses, or nobody listens at the
        port: packets come back for five seconds.
    """
    _refuse_log(events, force)
    return _endpoint(scenario, *_native.send(scenario._native, *address_of(to), events, stopped, unanswered))


def receive(
    port: int = PORT,
    scenario: Scenario | None = None,
    *,
    flows: int | None = None,
    same_clock: bool = False,
    events: str | os.PathLike[str] | None = None,
    force: bool = False,
    stopped: Callable[[], bool] = lambda: False,
) -> Endpoint:
    """Receive flows at a UDP port, with the state machines of the simulator.

    Parameters
    ----------
    port
        The port.
    scenario
        Its transport is received, with its parameters; RCP without it.
    flows
        Ends when so many flows have arrived and a second has passed in silence; without it, when stopped.
    same_clock
        The senders are on this machine: completion times count from the first packet sent. Otherwise from its
        arrival.
    events, force, stopped
        As for :func:`send`.

    Raises
    ------
    DumbbellError
        If the port is taken, or the transport has no end points over UDP.
    """
    _refuse_log(events, force)
    scenario = scenario or scenario_of_flows()
    return _endpoint(scenario, *_native.receive(scenario._native, port, flows, same_clock, events, stopped))


def _endpoint(
    scenario: Scenario,
    tables: list[Any],
    began: float,
    counts: dict[str, int],
    late: dict[str, float],
    spent: dict[str, float | None],
) -> Endpoint:
    return Endpoint(Results.of(map(Table, tables), scenario.name), counts, late, began, spent)


def _refuse_log(events: str | os.PathLike[str] | None, force: bool) -> None:
    if events is not None:
        refuse_log(Path(events))
        refuse_file(Path(events), _is_log, force)


def _is_log(path: Path) -> bool:
    """Whether a file is the log of an end point, by its first line (crates/live/src/endpoint/events.rs)."""
    with path.open("rb") as file:
        return file.readline(64).startswith(b"dumbbell endpoint ")


def replay(events: str | os.PathLike[str], scenario: Scenario | None = None) -> dict[str, Any]:
    """Feed the log of an end point to the state machines as the simulator makes and drives them.

    Parameters
    ----------
    events
        The log that :func:`send` or :func:`receive` wrote.
    scenario
        What was sent, for the log of a sender.

    Returns
    -------
    dict
        ``events``, ``packets`` compared, ``flows``, and the first ``difference`` in words, or ``None``.

    Raises
    ------
    DumbbellError
        If the log cannot be read or understood, or is of another scenario.
    """
    try:
        # What is no text is no event, and the replay says in which line.
        text = _native.read_file(events, _MOST_EVENTS).decode("ascii", errors="replace")
        return _native.replay(text, scenario._native if scenario else None)
    except ScenarioError as error:
        raise DumbbellError(f"{events}: {error}") from None
    except OSError as error:
        raise DumbbellError(f"{events}: {error.strerror}; give the file that `--events` wrote") from None


@dataclass(frozen=True)
class LiveRun:
    """A scenario's flows on real packets."""

    results: Results
    """The tables of a simulation."""
    fidelity: dict[str, Any]
    """As of :class:`Emulation`."""
    counts: dict[str, dict[str, int]]
    """What the ``sender`` and the ``receiver`` did not take."""
    late: dict[str, float]
    """How late the sender's timers fired, as of :class:`Endpoint`."""
    origin: float
    """Time 0 of the flows in the time of the emulation (s)."""
    series: dict[str, dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]]]
    """Of each flow by its number ``cwnd`` (B), ``rtt`` (s) and ``goodput`` (bit/s): times (s) from time 0 of
    the flows, and values, both of shape (samples,). Empty if the scenario does not sample all flows."""


def run_flows(scenario: Scenario, at: str | None = None) -> LiveRun:
    """Run the flows of a scenario on real packets through its bottleneck, over UDP.

    One sender and one receiver carry all flows over the path of the first pair, in real time. Where the
    machine allows it (root), they run before other work, as the emulator does: a sender that wakes late by
    more than the millisecond it may make up for has lost that time.

    Parameters
    ----------
    scenario
        All its flows use TCP, under any controllers that ask no routers, or all RCP, or all TRUMP.
    at
        The link; by default the slowest on the first path that is all that packets meet.

    Raises
    ------
    DumbbellError
        What is wrong with the scenario, or what the machine does not allow.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "scenario.toml").write_text(scenario.to_toml(), encoding="utf-8")
        program = [sys.executable, "-m", "dumbbell"]
        file = str(folder / "scenario.toml")
        server = [*program, "recv", file, "-o", str(folder / "received")]
        command = [*program, "send", file, "-o", str(folder / "sent")]
        said = folder / "said"
        quiet = f"exec {shlex.join(command)} 2>{shlex.quote(str(said))}"
        emulation = run_shell(
            scenario, ["sh", "-c", quiet], server=f"exec {shlex.join(server)} >/dev/null 2>&1", at=at
        )
        if not (folder / "sent").exists():
            raise DumbbellError(said.read_text(encoding="utf-8").strip().removeprefix("dumbbell: "))
        if not (folder / "received").exists():
            raise DumbbellError("the receiver left nothing; see `dumbbell doctor`")
        sent, received = Endpoint.load(folder / "sent"), Endpoint.load(folder / "received")
    counts = {"sender": sent.counts, "receiver": received.counts}
    results = _joined(emulation, sent.results, received.results)
    origin = sent.began - emulation.fidelity["started"]
    return LiveRun(results, emulation.fidelity, counts, sent.late, origin, _series(sent, received))


def _series(
    sent: Endpoint, received: Endpoint
) -> dict[str, dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]]]:
    """What both ends sampled, in the time of the sender."""
    ahead = received.began - sent.began
    arrived = received.results.series("goodput")
    return {
        "cwnd": sent.results.series("cwnd"),
        "rtt": sent.results.series("rtt"),
        "goodput": {flow: (times + ahead, rates) for flow, (times, rates) in arrived.items()},
    }


def _joined(emulation: Emulation, sent: Results, received: Results) -> Results:
    """The results of the emulation, with the flows as both of their ends saw them."""
    # Receivers list flows in order of number; one that never arrived is missing.
    numbers = sent.flows["flow"]
    arrived = np.isin(numbers, received.flows["flow"])
    place = np.searchsorted(received.flows["flow"], numbers[arrived])

    def seen(name: str, otherwise: float) -> NDArray[np.float64]:
        values = np.full(len(numbers), otherwise)
        values[arrived] = received.flows[name][place]
        return values

    flows = sent.flows.with_columns(
        completion_time=seen("completion_time", np.nan),
        delivered=seen("delivered", 0),
        goodput=seen("goodput", 0),
        out_of_order=seen("out_of_order", 0),
        delay_mean=seen("delay_mean", np.nan),
        delay_sd=seen("delay_sd", np.nan),
    )
    times = flows["completion_time"]
    completed = np.isfinite(times)
    counted = completed & flows["counted"]
    runs = emulation.results.runs
    runs = runs.with_columns(
        flows_started=[len(flows)],
        flows_completed=[completed.sum()],
        goodput=flows["delivered"].sum() * 8 / runs["duration"],
        fct_mean=[times[counted].mean() if counted.any() else np.nan],
    )
    return replace(emulation.results, flows=flows, runs=runs)
