"""RCP flows over several emulated routers in a row: shells that nest, one for each link.

The chain has nodes ``node0`` to ``nodeN``. Flows enter at each node but the last, and all end there. The
outermost shell emulates the last link, so that its client is ``nodeN-1``; the shell within it emulates the
link before. In every shell a sender of the flows that enter there runs beside the next shell. All begin at
one time of the monotonic clock, which they share.
"""

from __future__ import annotations

import csv
import json
import shlex
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dumbbell._results import load
from dumbbell._scenario import Scenario
from dumbbell.errors import DumbbellError
from dumbbell.live.shell import SERVER, Emulation, run_shell, scenario_of_link
from dumbbell.live.udp import HEADERS, PORT, Endpoint, receive, send

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

    from dumbbell._results import Results, Table

MOST = 5
"""Routers in a row: each is an emulator with a program of its own."""

ROUTER = {"kind": "rcp", "initial": 1}
"""Offers all of the link at first, as a router does that has idled: programs take some time to start."""

_READY = 1.5
"""Seconds that each further shell and its sender may take to start, on the first attempt."""

_SKEW = 0.01
"""Senders begin no further apart than this, in s: less than a tenth of a round-trip time of updates."""


@dataclass(frozen=True)
class Hop:
    """A link of the chain, and the router before it."""

    rate: float
    """In Mbit/s."""
    delay: float
    """One way, in s."""

    def link(self, mtu: int) -> dict[str, str]:
        """Return the keys of the link without its rate and router; it never drops, as RCP is published."""
        return {"delay": f"{self.delay * 1e3:g}ms", "mtu": f"{mtu}B", "queue": "droptail"}


@dataclass(frozen=True)
class ChainRun:
    """The flows of a chain on real packets, in the order of the simulation. Arrays have shape (flows,)."""

    completion_time: Floats
    """At the receiver (s), from the first packet sent; not-a-number if a flow did not complete."""
    sender_completion_time: Floats
    """At the sender."""
    reasons: list[str]
    """Why the run is not valid; empty if it is."""
    late_p99: float
    """Of the emulators, the one whose packets left latest (s)."""
    sender_late_p99: float
    """The same of the senders' timers (s)."""
    not_taken: int
    """Headers that an end point did not take."""
    emulations: list[Results]
    """The tables of each emulator, in the order of the links; there are no flows."""


def topology(hops: Sequence[Hop], mtu: int) -> dict[str, Any]:
    """Return the topology of a chain."""
    links = [
        {
            "from": f"node{i}",
            "to": f"node{i + 1}",
            "rate": f"{hop.rate:g}Mbit/s",
            "router": ROUTER,
            **hop.link(mtu),
        }
        for i, hop in enumerate(hops)
    ]
    return {"kind": "graph", "nodes": [f"node{i}" for i in range(len(hops) + 1)], "links": links}


def entered(flows: Table) -> Whole:
    """Return the number of the node where each flow of a chain enters, shape (flows,)."""
    return np.array([int(str(name).removeprefix("node")) for name in flows["source"]], np.int64)


def run(hops: Sequence[Hop], mtu: int, flows: Table, duration: float, patience: int = 1) -> ChainRun:
    """Run flows of RCP over a chain of emulated links.

    Parameters
    ----------
    hops
        The links, in the order of the way.
    mtu
        Largest packet, in bytes.
    flows
        Of a simulation of the same chain: when they start, their sizes, and where they enter.
    duration
        When senders end, in s.
    patience
        Multiplies the time that programs have to start.

    Raises
    ------
    DumbbellError
        What the machine does not allow.
    """
    enters = entered(flows)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        used = sorted(set(enters.tolist()))
        for node in used:
            _write_flows(folder, node, flows, enters == node, duration)
        lead = _READY * patience * (len(hops) + 1)
        about = {"at": time.monotonic() + lead, "nodes": used}
        (folder / "chain.json").write_text(json.dumps(about), encoding="utf-8")
        outermost = _run_shells(folder, hops, mtu, set(used))
        return _gathered(folder, hops, enters, about, outermost)


def _write_flows(folder: Path, node: int, flows: Table, chosen: NDArray[np.bool_], duration: float) -> None:
    """Write the flows that enter at a node as a scenario of their own: of its topology, only names count."""
    with (folder / f"flows{node}.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("start", "source", "destination", "size"))
        for start, size in zip(flows["start"][chosen], flows["size"][chosen], strict=True):
            rows.writerow((f"{start:.9f}", "node0", "node1", f"{size:.0f}"))
    scenario = {
        "name": f"node{node}",
        "duration": f"{duration:g}s",
        "transport": {"kind": "rcp", "header": HEADERS},
        "topology": {"kind": "chain", "link": {"router": "rcp"}},
        "workloads": [{"kind": "trace", "name": "web", "file": f"flows{node}.csv"}],
        "record": {"samples": False},
    }
    text = Scenario.from_dict(scenario, (), folder).to_toml()
    (folder / f"node{node}.toml").write_text(text, encoding="utf-8")


def _run_shells(folder: Path, hops: Sequence[Hop], mtu: int, used: set[int]) -> Emulation:
    """Run the outermost shell, and in it all others."""
    program = [sys.executable, "-m", "dumbbell.live.chain"]

    def at(node: int) -> str:
        """The commands at a node, for ``sh``: a sender, and the shell of the link that leads there."""
        commands = []
        if node in used:
            commands.append([*program, "send", str(folder), str(node)])
        if node > 0:
            hop = hops[node - 1]
            link = [f"--{key}={value}" for key, value in hop.link(mtu).items()]
            router = [f"--set=topology.link.router.{key}={value}" for key, value in ROUTER.items()]
            shell = [sys.executable, "-m", "dumbbell", "shell", f"--cbr={hop.rate:g}Mbit/s", *link, *router]
            commands.append([*shell, "-o", str(folder / f"link{node - 1}"), "--", "sh", "-c", at(node - 1)])
        said = shlex.quote(str(folder / "said"))
        return " & ".join(f"{shlex.join(command)} >/dev/null 2>>{said}" for command in commands) + "; wait"

    last = len(hops) - 1
    link = {"cbr": f"{hops[last].rate:g}Mbit/s", "router": ROUTER, **hops[last].link(mtu)}
    scenario = scenario_of_link(link)
    server = shlex.join([*program, "receive", str(folder)])
    return run_shell(scenario, ["sh", "-c", at(last)], server=f"exec {server} >/dev/null 2>&1")


def _gathered(
    folder: Path, hops: Sequence[Hop], enters: Whole, about: dict[str, Any], outermost: Emulation
) -> ChainRun:
    """Join what all programs left behind."""
    said = folder / "said"
    ends: dict[int, tuple[Endpoint, Endpoint]] = {}
    for node in about["nodes"]:
        places = folder / f"sent{node}", folder / f"received{node}"
        if not all(place.exists() for place in places):
            words = said.read_text(encoding="utf-8").strip() if said.exists() else ""
            why = words.splitlines()[-1].removeprefix("dumbbell: ") if words else "an end point left nothing"
            raise DumbbellError(f"{why}; see `dumbbell doctor`")
        ends[node] = (Endpoint.load(places[0]), Endpoint.load(places[1]))
    fidelities = [outermost.fidelity]
    emulations = [outermost.results]
    for number in reversed(range(len(hops) - 1)):
        place = folder / f"link{number}"
        fidelities.insert(0, json.loads((place / "fidelity.json").read_text(encoding="utf-8")))
        emulations.insert(0, load(place))
    reasons = [
        f"link {number + 1}: {reason}"
        for number, fidelity in enumerate(fidelities)
        for reason in fidelity["reasons"]
    ]
    times, sender_times = np.full(enters.shape, np.nan), np.full(enters.shape, np.nan)
    counts = 0
    for node, (sent, received) in ends.items():
        skew = sent.began - about["at"]
        if skew > _SKEW:
            reasons.append(f"the sender at node{node} began {skew:.2f} s late")
        mine = np.flatnonzero(enters == node)
        sender_times[mine] = sent.results.flows["sender_completion_time"]
        there = received.results.flows
        times[mine[there["flow"].astype(np.int64)]] = there["completion_time"]
        for end in (sent, received):
            counts += sum(end.counts[key] for key in ("malformed", "stray", "ignored"))
    late = [fidelity[way]["lateness"]["p99"] for fidelity in fidelities for way in ("uplink", "downlink")]
    return ChainRun(
        times, sender_times, reasons, max(late), max(sent.late["p99"] for sent, _ in ends.values()), counts,
        emulations,
    )  # fmt: skip


def _send(folder: Path, node: int) -> None:
    """Send the flows that enter at a node, from the time on at which all senders begin."""
    at = json.loads((folder / "chain.json").read_text(encoding="utf-8"))["at"]
    scenario = Scenario.from_file(folder / f"node{node}.toml")
    time.sleep(max(at - time.monotonic(), 0))
    ends = send(scenario, f"{SERVER}:{PORT + node}")
    _leave(ends, folder / f"sent{node}")


def _receive(folder: Path) -> None:
    """Receive the flows of all senders, each at a port of its own, until told to end."""
    nodes = json.loads((folder / "chain.json").read_text(encoding="utf-8"))["nodes"]
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())

    def one(node: int) -> None:
        ends = receive(PORT + node, same_clock=True, stopped=ended.is_set)
        _leave(ends, folder / f"received{node}")

    threads = [threading.Thread(target=one, args=(node,)) for node in nodes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _leave(ends: Endpoint, place: Path) -> None:
    """Write what an end point leaves, whole or not at all."""
    part = place.with_name(f"{place.name}.part")
    part.mkdir()
    ends.write(part)
    part.rename(place)


if __name__ == "__main__":
    what, where, *number = sys.argv[1:]
    if what == "send":
        _send(Path(where), int(number[0]))
    else:
        _receive(Path(where))
