"""RCP end points at a desired rate, which no router gives: the rate that they reach, what a packet costs.

Zhuang and Kaiser-Pendergrast (CS244, 2016) set the rate of their end host by hand and saw that it comes close
with packets of 1500 bytes and stays below with 100. They feared for the processor at 10 Gbit/s. Here both
ends run on the loopback device, and one flow through the emulator, with and without RCP at its router.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dumbbell import stats
from dumbbell._scenario import Scenario
from dumbbell.errors import DumbbellError
from dumbbell.live.named import named
from dumbbell.live.udp import HEADERS, Endpoint, receive, run_flows, scenario_of_flows, send
from dumbbell.stats import Estimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SIZES = (100, 200, 500, 1000, 1500, 9000)
"""Bytes of IP packets."""

RATES = (10.0, 100.0, 1000.0)
"""In Mbit/s of IP packets."""

LEAST = HEADERS + 1
"""Bytes of the smallest packet that carries data."""

MOST = 65_521
"""Bytes of the largest packet that a TUN device takes: 65,535 less the header of Ethernet."""

LINES = (10.0, 100.0)
"""Rates that the costs are extrapolated to, in Gbit/s."""

FLAT_OUT = 1e6
"""In Mbit/s: more than any end point reaches."""

MOST_WAITED = 0.02
"""In a valid run, an end point waits for a processor for no more than this share of the time."""

_ATTEMPTS = 3

_PACKETS = 40_000
"""Data packets a second through the emulator: dense traffic, which it handles together."""

_THROUGH = 3.0
"""Seconds of a run through the emulator."""

_SIMULATED = 2.0
"""Seconds of a simulated run, of packets of 1000 bytes."""

_SIMULATED_RATE = 4000.0
"""In Mbit/s: a million packets in a run."""

_SIMULATED_RUNS = 20
"""A run takes a fraction of a second of processor time, and its difference is small."""


def transport(size: int, rate: float) -> dict[str, Any]:
    """Return RCP with packets of `size` bytes that asks for `rate` Mbit/s."""
    return {
        "kind": "rcp", "header": HEADERS, "payload": size - HEADERS, "desired": f"{rate * 1e6:.0f}bit/s",
    }  # fmt: skip


@dataclass(frozen=True)
class HostRun:
    """One flow between two end points."""

    reached: float
    """Rate of the packets that arrived for the first time, in Mbit/s of IP packets."""
    again: float
    """Share of data packets that were sent again."""
    sender: float
    """Processor time for each data packet and its acknowledgement, in us."""
    receiver: float
    """The same at the other end."""
    waited: float | None
    """How long the end that waited longer waited for a processor, over the run; ``None`` if unknown."""

    @property
    def valid(self) -> bool:
        """Whether both ends had a processor when they wanted one."""
        return self.waited is not None and self.waited <= MOST_WAITED


@dataclass(frozen=True)
class HostCell:
    """A packet size and a desired rate."""

    size: int
    """Bytes of an IP packet."""
    desired: float | None
    """In Mbit/s; ``None``: as fast as it can."""
    runs: list[HostRun]

    @property
    def counted(self) -> list[HostRun]:
        """The valid runs; if there are none, all."""
        return [run for run in self.runs if run.valid] or self.runs

    def estimate(self, what: str) -> Estimate:
        """Return the mean of a field of :class:`HostRun` over the runs that count."""
        return stats.mean([getattr(run, what) for run in self.counted]).within(0, np.inf)

    def row(self) -> dict[str, Any]:
        """Return the row of the table of rates."""
        reached, again = self.estimate("reached"), self.estimate("again").within(0, 1)
        share = None if self.desired is None else reached.value / self.desired
        return {
            "size": self.size, "desired": self.desired, **named("reached", reached), "share": share,
            "packets_per_second": reached.value * 1e6 / 8 / self.size, **named("sent_again", again),
            "runs": len(self.counted), "valid": all(run.valid for run in self.counted),
        }  # fmt: skip


def measure_host(
    sizes: Sequence[int],
    rates: Sequence[float],
    seconds: float,
    runs: int,
    note: Callable[[str], object] = lambda _: None,
) -> list[HostCell]:
    """Run a flow for each packet size and desired rate, and as fast as it can, between two end points.

    All cells run in turn, again and again, so that a busy time of the machine meets all of them. A run whose
    end points waited for a processor is made again, up to three times in all; the last one counts.

    Parameters
    ----------
    sizes
        Bytes of IP packets.
    rates
        In Mbit/s.
    seconds
        Of each run.
    runs
        Of each cell.
    note
        Called with what a user should know meanwhile.
    """
    cells = [HostCell(size, rate, []) for size in sizes for rate in (*rates, None)]
    for number in range(runs):
        for cell in cells:
            cell.runs.append(_valid_run(cell, seconds))
        note(f"end points: {number + 1} of {runs} rounds")
    return cells


def _valid_run(cell: HostCell, seconds: float) -> HostRun:
    for _ in range(_ATTEMPTS):
        run = host_run(cell.size, FLAT_OUT if cell.desired is None else cell.desired, seconds)
        if run.valid:
            break
    return run


def host_run(size: int, rate: float, seconds: float) -> HostRun:
    """Run one flow over the loopback device, for `seconds`.

    Parameters
    ----------
    size
        Bytes of an IP packet.
    rate
        Desired, in Mbit/s.
    seconds
        How long.

    Raises
    ------
    DumbbellError
        What the machine does not allow.
    """
    scenario = scenario_of_flows(duration=f"{seconds:g}s", settings=_settings(size, rate))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    sent, received = _both(scenario, port)
    theirs, ours = received.results.flows.row(0), sent.results.flows.row(0)
    payload = size - HEADERS
    arrived = max(theirs["delivered"] / payload, 1)
    waits = [end.spent["waited"] for end in (sent, received)]
    waited = None if None in waits else max(wait for wait in waits if wait is not None) / seconds
    return HostRun(
        # Of n packets, n - 1 intervals pass between the first and the last.
        theirs["goodput"] * 1e-6 * size / payload * (arrived - 1) / arrived,
        ours["retransmissions"] / max(ours["packets_sent"], 1),
        (sent.spent["processor"] or 0.0) / max(ours["packets_sent"], 1) * 1e6,
        (received.spent["processor"] or 0.0) / arrived * 1e6,
        waited,
    )


def _settings(size: int, rate: float) -> Iterable[str]:
    return [f"transport.{key}={value}" for key, value in transport(size, rate).items() if key != "kind"]


def _both(scenario: Scenario, port: int) -> tuple[Endpoint, Endpoint]:
    """Run a receiver in a thread of its own, and the sender here."""
    ended = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        received = pool.submit(receive, port, same_clock=True, stopped=ended.is_set)
        try:
            _wait_for(port, received.done)
            sent = send(scenario, f"127.0.0.1:{port}")
        finally:
            ended.set()
        return sent, received.result()


def _wait_for(port: int, failed: Callable[[], bool]) -> None:
    """Wait until somebody has the port."""
    while not failed():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                return
        time.sleep(0.002)


@dataclass(frozen=True)
class RouterCell:
    """A packet size through the emulator, without and with RCP at its router; both of shape (runs,)."""

    size: int
    plain: Floats
    """Processor time for each data packet and its acknowledgement, in us."""
    rcp: Floats


def measure_router(
    sizes: Sequence[int], runs: int, note: Callable[[str], object] = lambda _: None
) -> list[RouterCell]:
    """Run a flow of each packet size through the emulator, in turn without and with RCP at its router.

    Parameters
    ----------
    sizes, runs, note
        As of :func:`measure_host`.
    """
    cells = [RouterCell(size, np.empty(runs), np.empty(runs)) for size in sizes]
    for number in range(runs):
        for cell in cells:
            for column, router in ((cell.plain, False), (cell.rcp, True)):
                column[number] = _through(cell.size, router)
        note(f"router: {number + 1} of {runs} rounds")
    return cells


def _through(size: int, router: bool) -> float:
    """Return the processor time that the emulator takes for a data packet and its acknowledgement, in us."""
    rate = _PACKETS * size * 8e-6
    link: dict[str, Any] = {
        "rate": "100Gbit/s", "delay": "1ms", "mtu": f"{max(size, 1500)}B", "queue": "droptail",
    }  # fmt: skip
    if router:
        # It offers all of the link from the start, so that the desired rate is the least.
        link["router"] = {"kind": "rcp", "initial": 1.0}
    fidelity = run_flows(_scenario(link, size, rate, _THROUGH)).fidelity
    return float(fidelity["processor"] / fidelity["uplink"]["lateness"]["count"] * 1e6)


def _scenario(link: dict[str, Any], size: int, rate: float, seconds: float) -> Scenario:
    return Scenario.from_dict(
        {
            "duration": f"{seconds:g}s",
            "transport": transport(size, rate),
            "topology": {"kind": "chain", "link": link},
            "flows": [{"from": "node0", "to": "node1"}],
            "record": {"samples": False},
        }
    )


@dataclass(frozen=True)
class LawCell:
    """The same in the simulator, where no packet is read or written; both of shape (runs,)."""

    plain: Floats
    """Processor time for a data packet and its acknowledgement, in us: both ends, two links, the engine."""
    rcp: Floats


def measure_law(runs: int = _SIMULATED_RUNS) -> LawCell:
    """Simulate a flow, in turn without and with RCP at its router."""
    cell = LawCell(np.empty(runs), np.empty(runs))
    for number in range(runs):
        for column, router in ((cell.plain, {}), (cell.rcp, {"router": {"kind": "rcp", "initial": 1.0}})):
            link = {"rate": "100Gbit/s", "delay": "1ms", "queue": "droptail", **router}
            scenario = _scenario(link, 1000, _SIMULATED_RATE, _SIMULATED)
            began = time.process_time()
            results = scenario.run()
            spent = time.process_time() - began
            column[number] = spent / results.flows.row(0)["packets_sent"] * 1e6
    return cell


@dataclass(frozen=True)
class Cost:
    """What a part takes of a processor for each data packet and its acknowledgement."""

    part: str
    size: int | None
    """Bytes of an IP packet; ``None``: any."""
    each: Estimate
    """In us."""

    def cores(self, line: float, size: int) -> Estimate:
        """Return how many processors packets of `size` bytes take at `line` Gbit/s."""
        rate = line * 1e9 / 8 / size * 1e-6
        low, high = (None if end is None else end * rate for end in (self.each.low, self.each.high))
        return replace(self.each, value=self.each.value * rate, low=low, high=high)


SENDER, RECEIVER = "sender", "receiver"
ROUTER, PLAIN, AGENT = "router", "router without RCP", "RCP of the router"
LAW, ENGINE = "RCP of a router, simulated", "both ends and the engine, simulated"


def costs(host: Sequence[HostCell], routers: Sequence[RouterCell], law: LawCell) -> list[Cost]:
    """Return what each part takes: end points as fast as they can, the emulator, the simulator."""
    found = []
    for cell in host:
        if cell.desired is None:
            found += [Cost(part, cell.size, cell.estimate(part)) for part in (SENDER, RECEIVER)]
    for router in routers:
        found += [
            Cost(ROUTER, router.size, stats.mean(router.rcp).within(0, np.inf)),
            Cost(PLAIN, router.size, stats.mean(router.plain).within(0, np.inf)),
            Cost(AGENT, router.size, stats.paired_difference(router.rcp, router.plain)),
        ]
    return [
        *found,
        Cost(LAW, None, stats.paired_difference(law.rcp, law.plain)),
        Cost(ENGINE, None, stats.mean(law.plain).within(0, np.inf)),
    ]


def cost_rows(found: Sequence[Cost], sizes: Sequence[int]) -> list[dict[str, Any]]:
    """Return the rows of the table of costs; those of any size once for each."""
    rows = []
    for cost in found:
        for size in sizes if cost.size is None else [cost.size]:
            each = cost.each
            row: dict[str, Any] = {
                "part": cost.part, "size": size, **named("us", each),
                "packets_per_second": 1e6 / each.value if each.value > 0 else None, "runs": each.n,
            }  # fmt: skip
            for line in LINES:
                row |= named(f"cores_{line:g}G", cost.cores(line, size))
            rows.append(row)
    return rows


def check_sizes(sizes: Sequence[int]) -> None:
    """Refuse sizes that no packet has.

    Raises
    ------
    DumbbellError
        With the first of them.
    """
    for size in sizes:
        if size < LEAST:
            raise DumbbellError(
                f"--sizes: {size}: headers alone take {HEADERS} B of a packet; give {LEAST} or more"
            )
        if size > MOST:
            raise DumbbellError(f"--sizes: {size}: beyond the MTU of the devices, {MOST} B; give less")
