"""Shells: a command behind a link."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dumbbell import _native, _trace
from dumbbell._files.folder import new_file, refuse_file
from dumbbell._files.names import readable
from dumbbell._files.special import refuse_log
from dumbbell._results import Results, Table
from dumbbell._scenario import Scenario
from dumbbell.errors import DumbbellError
from dumbbell.live import virtual

SERVER = "100.64.0.1"
"""The address of the server in every shell."""

_LONGEST = "100000s"
"""The duration of a scenario made for a shell; the shell ends with its command."""

_FASTEST = "1Tbit/s"
"""The rate of a link that limits nothing."""


@dataclass(frozen=True)
class Emulation:
    """What a shell leaves behind."""

    status: int
    """The exit status of the command."""
    results: Results
    """The tables of a simulation; link 0 is the uplink, link 1 the downlink. There are no flows."""
    fidelity: dict[str, Any]
    """How true the emulation was: ``valid``, ``reasons``; for each way the lateness of packets, and for each
    end the time that its processes waited for a processor, and were stopped (s). ``unmet`` is what the
    scenario says of other links, and packets did not meet. ``virtual`` is the kernel in virtual time in which
    all ran, in words, or ``None``."""
    events: int | None = None
    """Events of packets in the trace; ``None`` if there is none."""
    untraced: str | None = None
    """Why there is no trace although one was asked for. No file of it is left."""


def run_shell(
    scenario: Scenario,
    command: Sequence[str],
    *,
    server: str | None = None,
    at: str | None = None,
    network_administration: bool = False,
    keep_priority: bool = False,
    controller: str | None = None,
    uplink_log: str | os.PathLike[str] | None = None,
    downlink_log: str | os.PathLike[str] | None = None,
    traces: Mapping[str, Path] | None = None,
    capture: str = "sources",
    limit: int = _trace.MOST,
    force: bool = False,
    desk: _native.Desk | None = None,
) -> Emulation:
    """Run a command in a namespace behind a link.

    Parameters
    ----------
    scenario
        Where the link comes from. Its flows and workloads are not run.
    command
        Program and arguments. ``DUMBBELL_SERVER`` and ``DUMBBELL_CLIENT`` hold the addresses.
    server
        A command for ``sh``, run at the other end; the client starts when it has opened a port.
    at
        The link; by default the slowest on the first path that is all that packets meet.
    network_administration
        Let both commands administer the network of their namespaces, and of nothing else.
    keep_priority
        Leave both commands the priority of the caller. Otherwise they go before other work where they may, so
        that they run as soon as a packet comes.
    controller
        The congestion controller of the kernel that TCP of both commands has by default; that of the machine
        if ``None``.
    uplink_log, downlink_log
        Logs to write, in the format of Mahimahi.
    traces
        Files for what happens to each packet, by form: ``"lines"``, ``"json"``, ``"pcapng"``, ``"qlog"`` or
        ``"perfetto"``. Each appears whole or not at all. What goes wrong after the start ends the trace only:
        :attr:`Emulation.untraced`.
    capture
        Where a capture sees packets: at ``"sources"``, the ends that sent the first packet of a
        conversation, or at ``"destinations"``.
    limit
        The most events of packets in a trace. With more there is none.
    force
        Replace logs and traces that are there.
    desk
        Learns what the link does, for another thread, which may change its rate and its queue.
        :attr:`Emulation.fidelity` then has the changes as ``changed``, if there are any.

    Raises
    ------
    FolderError
        If a log or a trace would replace something else, or cannot be made.
    ScenarioError
        What is wrong with the link, or what the machine does not allow.
    """
    for log in (uplink_log, downlink_log):
        if log is not None:
            refuse_log(Path(log))
            refuse_file(Path(log), _is_log, force)
    traces = traces or {}
    _trace.check_outputs(traces, capture)
    if not 0 < limit < 2**63:
        raise DumbbellError(f"limit: {limit} is out of range; give a number of events above 0")
    emulation = None
    try:
        with ExitStack() as stack:
            places = []
            for form, path in traces.items():
                places.append(
                    (form, readable(str(path)), stack.enter_context(new_file(path, _trace.is_ours, force)))
                )
            status, tables, fidelity, (events, reason) = _native.shell(
                scenario._native,
                list(command),
                ["sh", "-c", server] if server else [],
                [f"{key}={value}" for key, value in os.environ.items()],
                at,
                network_administration,
                keep_priority,
                controller,
                (uplink_log, downlink_log),
                places,
                capture,
                limit,
                desk,
            )
            if desk is not None and (made := desk.made()):
                names = ("time", "link", "rate", "queue")
                fidelity["changed"] = [dict(zip(names, change, strict=True)) for change in made]
            fidelity["virtual"] = virtual.rests_on()
            results = Results.of(map(Table, tables), scenario.name)
            emulation = Emulation(status, results, fidelity, events)
            if reason is not None:
                raise DumbbellError(reason)
    except (DumbbellError, OSError) as error:
        # The command has run, and what is known of it stays.
        if emulation is None:
            raise
        return replace(emulation, events=None, untraced=str(error))
    return emulation


def _is_log(path: Path) -> bool:
    """Whether a file is the log of a shell, by its first line (crates/live/src/log.rs)."""
    with path.open("rb") as file:
        return file.readline(64).startswith(b"# dumbbell shell (")


def scenario_of_link(given: Mapping[str, Any], settings: Iterable[str] = ()) -> Scenario:
    """Return a scenario of one link that counts.

    Parameters
    ----------
    given
        Of ``cbr``, ``trace``, ``delay``, ``loss``, ``queue``, ``router``, ``agent``, ``power``, ``mtu``;
        values as in a scenario, but a power policy may be given by its name. An ``agent`` is that of the
        routers at both ends.
    settings
        Changes, each ``path=value``.

    Raises
    ------
    ScenarioError
        What is wrong with a value.
    """
    link = {"rate" if key == "cbr" else key: value for key, value in given.items()}
    if "trace" in link:
        link["trace"] = {"file": os.fspath(link["trace"])}
    if isinstance(link.get("power"), str):
        link["power"] = {"policy": link["power"]}
    agent = link.pop("agent", None)
    values: dict[str, Any] = {
        "name": "shell",
        "duration": _LONGEST,
        "topology": {"kind": "chain", "link": link},
        "flows": [{"from": "node0", "to": "node1"}],
    }
    if agent is not None:
        # Routers stand between the link and the hosts.
        access = {"rate": _FASTEST, "delay": "0s", **{key: link[key] for key in ("mtu",) if key in link}}
        values["topology"] = {"kind": "dumbbell", "pairs": 1, "bottleneck": link, "access": access}
        values["flows"] = [{"from": "senders", "to": "receivers"}]
        values["nodes"] = [{"name": ["left", "right"], "agent": agent}]
    return Scenario.from_dict(values, settings)
