"""Incast on real packets: rounds of the kernel's TCP through one emulated port, and ours in comparison."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dumbbell import _native
from dumbbell._results import Results
from dumbbell._scenario import Scenario, run_all
from dumbbell.errors import DumbbellError
from dumbbell.live import endpoints, kept, ticks
from dumbbell.live.criteria import Criterion, Summary, Verdict
from dumbbell.live.kernel import SETTINGS, run_ends
from dumbbell.live.lateness import late_runs, seeded

SERVERS = (1, 2, 4, 8, 16, 24, 32)
BLOCK = 1_000_000
"""Bytes of a round, of all servers together (Vasudevan et al., SIGCOMM 2009)."""
BUFFER = "64kB"
"""Of the port, as in the study ``incast-classic``."""
SIMULATED = 20
"""Simulations of each cell."""

_BITS_IN_FLIGHT = 100_000
"""Rate times base round-trip time: 100 us at 1 Gbit/s, as in the study, and longer at lower rates."""
DURATION = 4.0
"""Of each run (s)."""
_LEAST_ROUNDS = 3
_BITS = 8


def access_rate() -> str:
    """Return the rate of the servers' links in the simulation.

    Kernels have no such links: what one sends at once reaches the port at once. Live, what a packet takes on
    them is below the precision of the emulator.
    """
    return "1Tbit/s" if _native.is_virtual() else "10Gbit/s"


@dataclass(frozen=True)
class Arm:
    """A TCP, as the simulator and as the kernel set it."""

    name: str
    label: str
    transport: dict[str, str]
    settings: dict[str, int]
    """Below net.ipv4."""


ARMS = (
    Arm("cubic", "CUBIC", {}, {}),
    # Whole ticks of kernels at 100, 250 and 1000 Hz: timers of the kernel count in ticks, ours do not.
    Arm("rto", "CUBIC, RTO from 20 ms", {"rto_min": "20ms"}, {"tcp_rto_min_us": 20_000}),
)


@dataclass(frozen=True)
class Cell:
    """Some servers that answer one client."""

    arm: Arm
    rate: float
    """Of the port (Mbit/s)."""
    servers: int
    at_once: bool = False
    """Whether each round asks all of them at once, in the same order; else each a little later, by lot."""

    @property
    def name(self) -> str:
        """Such as ``cubic-100M-x16``, or ``cubic-100M-x16-at-once``."""
        return f"{self.arm.name}-{self.rate:g}M-x{self.servers}{'-at-once' * self.at_once}"

    @property
    def jitter(self) -> float:
        """The most by which a request is late (s): a round-trip time."""
        return 0.0 if self.at_once else self.round_trip

    @property
    def part(self) -> int:
        """Bytes of an answer."""
        return BLOCK // self.servers

    @property
    def round_trip(self) -> float:
        """The base round-trip time (s)."""
        return _BITS_IN_FLIGHT / self.rate * 1e-6

    def scenario(self) -> Scenario:
        """Return the scenario: servers are the senders of a dumbbell, its shared link the port."""
        port = {
            "rate": f"{self.rate:g}Mbit/s",
            "delay": f"{self.round_trip / 2 * 1e6:g}us",
            "queue": {"kind": "droptail", "limit": BUFFER},
        }
        return Scenario.from_dict(
            {
                "name": self.name,
                "duration": f"{DURATION:g}s",
                "topology": {
                    "kind": "dumbbell", "pairs": self.servers, "bottleneck": port,
                    "access": {"rate": access_rate(), "delay": "0s"},
                },
                "transport": {"kind": "tcp", "profile": "linux", "controller": "cubic", **self.arm.transport},
                "workloads": [
                    {
                        "kind": "rounds", "name": "read", "from": "senders", "to": "receivers",
                        "size": f"{self.part}B", "request": f"{len(endpoints.REQUEST)}B",
                        "jitter": f"{self.jitter * 1e6:g}us",
                    },
                ],
                "record": {"queues": "all"},
            }
        )  # fmt: skip


QUANTITIES = {
    "goodput": Criterion("goodput Mbit/s", 0.10),
    "timeouts": Criterion("timeouts per round", 0.30, 0.1),
    "probes": Criterion("tail loss probes per round", 0.30, 0.1),
    "resent": Criterion("resent per round", 0.30, 1.0),
}
"""What is compared, and how far ours may be from the kernel's."""
KERNEL_ONLY = ("probes",)
"""Of these, what the simulator does not count."""


@dataclass(frozen=True)
class Result:
    """One cell: what our runs and the valid runs of the kernel came to."""

    cell: Cell
    ours: Sequence[Summary]
    kernel: Sequence[Summary]

    def values(self, name: str) -> tuple[list[float], list[float]]:
        """Return one quantity of our runs, and of the kernel's."""
        ours, kernel = (
            [float(run[name]) for run in side if name in run] for side in (self.ours, self.kernel)
        )
        return ours, kernel

    def verdict(self, name: str) -> Verdict | None:
        """Judge the means of both sides; ``None`` for what only the kernel counts."""
        ours, kernel = self.values(name)
        return QUANTITIES[name].judge(ours, kernel) if ours else None

    def row(self) -> dict[str, Any]:
        """Return the cell and, of each quantity, the means of both sides and their difference, for JSON.

        Goodput in bit/s. What only the kernel counts has no other side.
        """
        return {
            "cell": self.cell.name,
            "tcp": self.cell.arm.label,
            "rate": self.cell.rate,
            "servers": self.cell.servers,
            "kernel_runs": len(self.kernel),
            **{name: self._judged(name) for name in QUANTITIES},
        }

    def _judged(self, name: str) -> dict[str, Any]:
        verdict = self.verdict(name)
        apart = verdict and verdict.difference
        ours, kernel = map(mean, self.values(name))
        return {
            "ours": ours,
            "kernel": kernel,
            "difference": apart and apart.value,
            "low": apart and apart.low,
            "high": apart and apart.high,
            "verdict": verdict and verdict.word,
        }


def cells(servers: Sequence[int], rate: float, at_once: bool = False) -> list[Cell]:
    """Return the cells, those that this kernel has no setting for left out."""
    return [Cell(arm, rate, n, at_once) for arm in ARMS if _known(arm) for n in servers]


def _known(arm: Arm) -> bool:
    """Whether this kernel has the settings of an arm: `tcp_rto_min_us` came with 6.11."""
    return all(Path("/proc/sys/net/ipv4", name).exists() for name in arm.settings)


def measure(chosen: Iterable[Cell], folder: Path, repeats: int, note: Callable[[str], object]) -> None:
    """Run the kernel for every cell that has too few runs: see :func:`dumbbell.live.kept.measure`."""
    kept.measure(chosen, folder, repeats, run_kernel, _check, note)


def run_kernel(cell: Cell) -> tuple[Summary, Sequence[str]]:
    """Run the rounds of a cell in the kernel; returns what they came to, and why that is invalid, if it is.

    Raises
    ------
    DumbbellError
        If the kernel refuses the controller, or an end fails.
    """
    plan = {
        "servers": cell.servers,
        "part": cell.part,
        "jitter": cell.jitter,
        "controller": "cubic",
        "duration": DURATION,
        "settings": {**SETTINGS, **cell.arm.settings},
    }
    left, emulation = run_ends(cell.scenario(), ("answer", "ask"), plan, None, True)
    rounds = np.array(json.loads(left["ask"])["rounds"], float).reshape(-1, 2)
    counters = json.loads(left["answer"])["counters"]
    found = _summary(
        cell, rounds, timeouts=counters["TCPTimeouts"], probes=counters["TCPLossProbes"],
        resent=counters["RetransSegs"],
    )  # fmt: skip
    found["tick"] = ticks.of_kernel()
    return found, emulation.fidelity["reasons"]


def _summary(cell: Cell, rounds: np.ndarray, **counts: float) -> Summary:
    """What rounds came to: goodput in bit/s after the first, and counts per round of all."""
    if len(rounds) < _LEAST_ROUNDS:
        raise DumbbellError(
            f"{cell.name}: {len(rounds)} rounds ended within {DURATION:g} s, and {_LEAST_ROUNDS} are needed; "
            "give a higher --rate"
        )
    took = float(rounds[-1, 1] - rounds[1, 0])
    goodput = cell.part * cell.servers * (len(rounds) - 1) * _BITS / took
    each = {name: count / len(rounds) for name, count in counts.items()}
    return {"rounds": len(rounds), "goodput": goodput, **each}


def _check(run: Summary, _: Cell) -> None:
    """Refuse what is no summary."""
    for name in ("rounds", *QUANTITIES):
        if not 0 <= run[name] < math.inf:
            raise ValueError
    if not 0 < run["tick"] < 1:
        raise ValueError


def simulate(cell: Cell, tick: float, runs: int = SIMULATED) -> list[Summary]:
    """Simulate a cell with the ticks of a kernel (s), in runs with seeds of their own.

    Packets arrive late as those of the emulator do: not at all in virtual time.
    """
    given = ticks.ticking(cell.scenario(), tick)
    link = _native.emulated(given._native, None)["link"]
    scenarios = seeded(given, runs) if _native.is_virtual() else late_runs(given, link, runs)
    return [_simulated(cell, results) for results in run_all(scenarios)]


def _simulated(cell: Cell, results: Results) -> Summary:
    table = results.transfers
    number, size = np.asarray(table["round"]), np.asarray(table["size"])
    start, time = np.asarray(table["start"]), np.asarray(table["completion_time"])
    answers = size == cell.part
    rounds = []
    for i in range(int(number.max()) + 1):
        ended = (start + time)[(number == i) & answers]
        if len(ended) == cell.servers and np.isfinite(ended).all():
            rounds.append((start[number == i].min(), ended.max()))
    sent = [row for row in map(results.flows.row, range(len(results.flows))) if row["size"] > 0]
    return _summary(
        cell, np.array(rounds).reshape(-1, 2), timeouts=sum(row["timeouts"] for row in sent),
        resent=sum(row["retransmissions"] for row in sent),
    )  # fmt: skip


def results(chosen: Iterable[Cell], folder: Path) -> tuple[list[Result], list[tuple[Cell, str]]]:
    """Simulate every cell that has runs of the kernel; also returns what was left out, with the reason."""
    found, left_out = [], []
    for cell in chosen:
        runs, invalid = kept.read(folder, cell, _check)
        if runs:
            found.append(Result(cell, simulate(cell, float(runs[0]["tick"])), runs))
        else:
            left_out.append((cell, invalid[-1] if invalid else "not run"))
    return found, left_out


def mean(values: Sequence[float]) -> float:
    """Return the mean, not-a-number of nothing."""
    return statistics.fmean(values) if values else float("nan")
