"""RCP over emulated routers: the same flows on real packets, in simulation, and under exact sharing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dumbbell import stats, theory
from dumbbell._scenario import Scenario
from dumbbell.live import chain
from dumbbell.live.chain import Hop
from dumbbell.live.named import named
from dumbbell.live.udp import HEADERS, run_flows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dumbbell._results import Results

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

# A round-trip time of 40 ms over all links, as in the measurements of Mahimahi; flows of about one BDP at
# 12 Mbit/s, of an eighth of one at 96. The load leaves routers room to be late with their rates.
DELAY = 0.020
MTU = 1500
LOAD = 0.6
MEAN = 50e3
_PAYLOAD = MTU - HEADERS
_ATTEMPTS = 3
_LEAD = 1.0
_SETTLING = 4.0
"""Flows that start in the first seconds of traffic do not count: routers learn the round-trip time."""
_DRAIN = 5.0


def hops(rate: float, routers: int) -> list[Hop]:
    """Return the links of a chain whose last one has `rate` Mbit/s.

    Rates rise from link to link, so that each is the bottleneck of some flows: 2/3 and 1 of the rate with two
    routers; 1/2, 3/4 and 1 with three.
    """
    return [Hop(rate * (i + 2) / (routers + 1), DELAY / routers) for i in range(routers)]


def scenario(rate: float, duration: float, routers: int = 1, seed: int = 1) -> Scenario:
    """Return the scenario of a chain: Poisson arrivals of Pareto flows at every node.

    Every link has the same load; all flows end at the last node. Routers offer all of their links at first.
    After a few seconds in which they settle, flows arrive for `duration` s that count.
    """
    links = hops(rate, routers)
    before = [0.0, *(hop.rate for hop in links)]
    workloads = [
        {
            "kind": "poisson", "name": f"web{i}", "from": f"node{i}", "to": f"node{routers}",
            "load": LOAD * (hop.rate - before[i]) / hop.rate, "link": f"node{i}->node{i + 1}",
            "start": f"{_LEAD:g}s", "stop": f"{_LEAD + _SETTLING + duration:g}s",
            "size": {"kind": "pareto", "mean": f"{MEAN:g}B", "shape": 1.8},
        }
        for i, hop in enumerate(links)
    ]  # fmt: skip
    values = {
        "name": f"rcp-{rate:g}M-{routers}",
        "seed": seed,
        "duration": f"{_end(duration):g}s",
        "warmup": f"{_LEAD + _SETTLING:g}s",
        "transport": {"kind": "rcp", "header": HEADERS},
        "topology": chain.topology(links, MTU),
        "workloads": workloads,
        "record": {"period": "100ms"},
    }
    return Scenario.from_dict(values)


def _end(duration: float) -> float:
    return _LEAD + _SETTLING + duration + _DRAIN


@dataclass(frozen=True)
class Run:
    """The flows of one seed, each three times. Arrays have shape (flows,)."""

    seed: int
    enters: Whole
    """The node where each enters."""
    sizes: Floats
    """Application bytes."""
    live: Floats
    """Completion times on real packets (s), at the receiver; not-a-number if a flow did not complete."""
    live_sender: Floats
    """The same at the sender."""
    simulated: Floats
    """Completion times in simulation, at the receiver."""
    sharing: Floats
    """Completion times (s) of the same arrivals under exact max-min sharing, with 1.5 round trips."""
    reasons: list[str]
    """Why the run is not valid; empty if it is."""
    late_p99: float
    """How late packets left the emulator (s): of several, the latest."""
    sender_late_p99: float
    """How late the timers of the senders fired (s)."""
    not_taken: int
    """Headers that an end point did not take."""
    emulations: list[Results]
    """The tables of each emulator, in the order of the links."""
    simulation: Results

    @property
    def valid(self) -> bool:
        """Whether the emulation was true."""
        return not self.reasons

    @property
    def counted(self) -> NDArray[np.bool_]:
        """Which flows started when routers had settled."""
        return self.simulation.flows["counted"].astype(np.bool_)

    @property
    def whole(self) -> NDArray[np.bool_]:
        """Which of them completed both ways."""
        return self.counted & np.isfinite(self.live) & np.isfinite(self.simulated)

    def queues(self, link: int) -> tuple[float, float]:
        """Return the mean sojourn at a link (s), on real packets and in simulation."""
        # The simulation lists each link before its way back.
        found = (self.emulations[link].links.row(0), self.simulation.links.row(2 * link))
        return found[0]["sojourn_mean"] or 0.0, found[1]["sojourn_mean"] or 0.0


@dataclass(frozen=True)
class Case:
    """A chain, run with several seeds."""

    rate: float
    """Of the last link, in Mbit/s."""
    routers: int
    runs: list[Run]

    @property
    def counted(self) -> list[Run]:
        """The runs that count: those that are valid; if none is, all of them."""
        return [run for run in self.runs if run.valid] or self.runs

    @property
    def name(self) -> str:
        """For folders and files."""
        return f"{self.rate:g}M" if self.routers == 1 else f"{self.rate:g}M-{self.routers}"

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the figures of the tables, for the flows that enter at each node; times in ms."""
        for node in range(self.routers):
            yield self._row(node)

    def _row(self, node: int) -> dict[str, Any]:
        runs = self.counted
        chosen = [run.whole & (run.enters == node) for run in runs]
        sides = {
            side: np.array([_mean(getattr(run, side)[c]) for run, c in zip(runs, chosen, strict=True)]) * 1e3
            for side in ("live", "simulated", "sharing")
        }
        estimates = {f"fct_{side}": stats.mean(values).within(0, np.inf) for side, values in sides.items()}
        for base in ("simulated", "sharing"):
            estimates[f"live_over_{base}"] = stats.paired_ratio(sides["live"], sides[base])
        ratios = np.concatenate(
            [run.live[c] / run.simulated[c] for run, c in zip(runs, chosen, strict=True)] or [np.empty(0)]
        )
        later = np.concatenate([(run.live_sender - run.live)[c] for run, c in zip(runs, chosen, strict=True)])
        queues = np.array([run.queues(node) for run in runs])
        mine = [run.counted & (run.enters == node) for run in runs]
        row: dict[str, Any] = {
            "rate": self.rate,
            "routers": self.routers,
            "crossed": self.routers - node,
            "runs": len(runs),
            "flows": int(sum(map(np.sum, mine))),
            "completed_live": _completed(runs, mine, "live"),
            "completed_simulated": _completed(runs, mine, "simulated"),
        }
        for name, found in estimates.items():
            row |= named(name, found.within(0, np.inf))
        return row | {
            "median_ratio": _or_none(float(np.median(ratios)) if ratios.size else np.nan),
            "sender_minus_receiver": _or_none(float(np.median(later)) * 1e3 if later.size else np.nan),
            "queue_live": float(queues[:, 0].mean()) * 1e3,
            "queue_simulated": float(queues[:, 1].mean()) * 1e3,
            "late_p99": max(run.late_p99 for run in runs) * 1e3,
            "sender_late_p99": max(run.sender_late_p99 for run in runs) * 1e3,
            "not_taken": sum(run.not_taken for run in runs),
            "valid": all(run.valid for run in runs),
        }


def _mean(values: Floats) -> float:
    return float(values.mean()) if values.size else np.nan


def _or_none(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _completed(runs: Sequence[Run], chosen: Sequence[NDArray[np.bool_]], side: str) -> int:
    return int(sum(np.isfinite(getattr(run, side)[c]).sum() for run, c in zip(runs, chosen, strict=True)))


def measure(
    rate: float,
    duration: float,
    routers: int = 1,
    runs: int = 1,
    note: Callable[[str], object] = lambda _: None,
) -> Case:
    """Run a chain with seeds from 1 on: on real packets, in simulation, under max-min sharing.

    A live run that declares itself invalid is made again, up to three times in all; the last one counts.

    Parameters
    ----------
    rate
        Of the last link, in Mbit/s.
    duration
        Seconds during which flows arrive.
    routers
        Links in a row, each with its router.
    runs
        Seeds.
    note
        Called with what a user should know meanwhile.
    """
    return Case(rate, routers, [_run(rate, duration, routers, seed, note) for seed in range(1, runs + 1)])


def _run(rate: float, duration: float, routers: int, seed: int, note: Callable[[str], object]) -> Run:
    given, links = scenario(rate, duration, routers, seed), hops(rate, routers)
    simulation = given.run()
    for attempt in range(_ATTEMPTS):
        live = _live(given, links, simulation, duration, attempt + 1)
        if not live.reasons:
            break
        what = f"{rate:g} Mbit/s, {routers} routers" if routers > 1 else f"{rate:g} Mbit/s"
        note(f"{what}, seed {seed}, attempt {attempt + 1}: {'; '.join(live.reasons)}")
    flows = simulation.flows
    enters, sizes = chain.entered(flows), flows["size"]
    wire = sizes + HEADERS * np.ceil(sizes / _PAYLOAD)
    ways, capacities = [range(first, routers) for first in range(routers)], [h.rate * 1e6 / 8 for h in links]
    shared = theory.max_min_sharing(flows["start"], wire, enters.tolist(), ways, capacities)
    crossed = DELAY * (1 - enters / routers)
    return Run(
        seed, enters, sizes, live.completion_time, live.sender_completion_time, flows["completion_time"],
        shared + 1.5 * 2 * crossed, live.reasons, live.late_p99, live.sender_late_p99, live.not_taken,
        live.emulations, simulation,
    )  # fmt: skip


def _live(
    given: Scenario, links: list[Hop], simulation: Results, duration: float, attempt: int
) -> chain.ChainRun:
    if len(links) > 1:
        return chain.run(links, MTU, simulation.flows, _end(duration), attempt)
    run = run_flows(given)
    fidelity, counts = run.fidelity, run.counts
    late = max(fidelity[way]["lateness"]["p99"] for way in ("uplink", "downlink"))
    not_taken = sum(counts[end][key] for end in counts for key in ("malformed", "stray", "ignored"))
    flows = run.results.flows
    return chain.ChainRun(
        flows["completion_time"], flows["sender_completion_time"], fidelity["reasons"], late, run.late["p99"],
        not_taken, [run.results],
    )  # fmt: skip
