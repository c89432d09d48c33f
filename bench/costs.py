"""What a packet-hop costs, by queue, transport, flows, links and rate, beside a base that is run in turn.

Each is run for its time, and for a shorter one in which its flows start: the difference counts. Nanoseconds
move with the machine, their ratio to the base hardly, and instructions not at all.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import dumbbell as db
from bench.measure import ROOT, SCENARIOS, instructions, simulate

BULK = SCENARIOS / "w1-dumbbell-bulk.toml"
PIPE = SCENARIOS / "w4s-long-fat.toml"
TREE = SCENARIOS / "fat-tree-permutation.toml"
UDP = ROOT / "bench" / "udp.toml"
RCP = ROOT / "bench" / "rcp.toml"


@dataclass(frozen=True)
class Cost:
    """Something that packets may cost more or less with."""

    by: str
    """Queue, transport, flows, links or rate."""
    name: str
    scenario: Path
    settings: tuple[str, ...] = ()
    time: str = "100s"
    """Simulated, for nanoseconds: about a second of processor time, or less."""
    counted: str = "10s"
    """Simulated, for instructions: callgrind is fifty times slower."""
    since: str = "1s"
    """Simulated, until all flows have started and slow start is over: what comes before is taken off."""
    counted_since: str = ""
    """The same for instructions, where that takes long: until all links have packets. Empty: as above."""
    aim: float | None = None
    """Nanoseconds over the base's."""
    bench: str = ""
    """What `make bench` calls it; empty: only the page shows it."""
    whole: bool = False
    """The page shows the whole run too: set-up and slow start are not taken off."""
    setup: float | None = None
    """CPU seconds that `make bench` lets a run take that is over at once; none: it measures none."""

    def lasting(self, duration: str) -> list[str]:
        """Return the settings of a run of that length."""
        return [*self.settings, f"duration={duration}", "warmup=0s"]


def _queue(name: str, queue: str, *, everywhere: bool = False, **more: float | str) -> Cost:
    settings = [f"topology.bottleneck.queue={queue}"]
    if everywhere:
        settings.append(f"topology.access.queue={queue}")
    return Cost("queue", name, BULK, tuple(settings), **more)  # type: ignore[arg-type]


def _tcp(name: str, transport: str, **more: float | str) -> Cost:
    return Cost("transport", name, BULK, (f"transport={transport}",), **more)  # type: ignore[arg-type]


def _rate(name: str, rate: str, access: str, time: str, counted: str) -> Cost:
    bottleneck = (f"topology.bottleneck.rate={rate}", "topology.bottleneck.queue.limit=1bdp")
    return Cost("rate", name, BULK, (*bottleneck, f"topology.access.rate={access}"), time, counted)


def _flows(by: str, name: str, count: int, settings: Sequence[str], *times: str, **more: float | str) -> Cost:
    """Return W4S with other flows, each of which has its share: rates and buffer grow with them.

    They start within a tenth of a second, below the round-trip time, and slow start is over half a second
    later. Until then storage grows, which costs most where there is much of it.
    """
    scale = count / 1000
    ends = "name = 'bulk', from = 'senders', to = 'receivers'"
    group = f"{{ {ends}, count = {count}, stagger = '{100 / scale:g}us', sampled = false }}"
    shares = (
        f"flows=[{group}]",
        f"topology.bottleneck.rate={2.4 * scale:g}Gbit/s",
        f"topology.bottleneck.queue.limit={30 * count}pkt",
        f"topology.access.rate={10 * max(scale, 1):g}Gbit/s",
    )
    return Cost(by, name, PIPE, (*shares, *settings), *times, **more)  # type: ignore[arg-type]


QUIET = ("record.samples=false",)
CODEL = "{ kind = 'codel', limit = '100pkt' }"
LINUX = "kind = 'tcp', profile = 'linux'"

BASES = {
    "queue": Cost("queue", "DropTail", BULK),
    "transport": Cost("transport", "NewReno as ns-2.35 has it", BULK),
    "rate": Cost("rate", "100 Mbit/s", BULK),
    "flows": Cost("flows", "1,000", PIPE, (), "5s", "1200ms"),
    "links": Cost("links", "82, dumbbell", PIPE, (), "5s", "1200ms"),
}
"""The works W1 and W4S as they are."""

COSTS: Sequence[Cost] = (
    _queue("RED at the bottleneck", "{ kind = 'red', limit = '100pkt' }"),
    _queue("PIE at the bottleneck", "{ kind = 'pie', limit = '100pkt' }"),
    _queue("CoDel at the bottleneck", CODEL, aim=1.25, bench="CoDel, bottleneck"),
    _queue("CoDel on all links", CODEL, everywhere=True, aim=1.6, bench="CoDel, all links"),
    _queue("FQ-CoDel at the bottleneck", "fq-codel"),
    _queue("CAKE at the bottleneck", "cake"),
    _tcp("NewReno of the RFCs", "{ kind = 'tcp', profile = 'rfc', controller = 'newreno' }"),
    _tcp("CUBIC of Linux", f"{{ {LINUX}, controller = 'cubic' }}"),
    _tcp("BBR, paced", f"{{ {LINUX}, controller = 'bbr' }}", bench="BBR"),
    _tcp("BBR v3, paced", f"{{ {LINUX}, controller = 'bbr3' }}"),
    Cost("transport", "UDP at a constant rate", UDP, (), "20s", "4s"),
    Cost("transport", "RCP", RCP, (), "20s", "4s"),
    _rate("10 Mbit/s", "10Mbit/s", "100Mbit/s", "1000s", "100s"),
    _rate("1 Gbit/s", "1Gbit/s", "10Gbit/s", "20s", "3s"),
    _rate("10 Gbit/s", "10Gbit/s", "100Gbit/s", "5s", "1200ms"),
    _flows("flows", "100", 100, (), "10s", "2s"),
    _flows("flows", "10,000", 10_000, (), "1500ms", "250ms", "600ms", "150ms", bench="10,000 flows"),
    _flows(
        "flows", "100,000", 100_000, (), "900ms", "230ms", "600ms", "200ms",
        aim=1.5, bench="100,000 flows", whole=True,
    ),
    _flows("links", "1,002, dumbbell", 1000, ["topology.pairs=250"], "3s", "1200ms", bench="1,002 links"),
    _flows(
        "links", "20,002, dumbbell", 5000, ["topology.pairs=5000"], "2s", "500ms", "600ms", "250ms",
        aim=1.5, bench="20,002 links", whole=True, setup=0.02,
    ),
    Cost("links", "768, fat-tree of 128 hosts", TREE, QUIET, "200ms", "10ms", "2ms"),
    Cost(
        "links", "6,144, fat-tree of 1,024 hosts", TREE, (*QUIET, "topology.k=16"), "50ms", "5ms", "2ms",
        bench="fat-tree, 6,144 links", setup=0.04,
    ),
)  # fmt: skip


THREADED: dict[str, tuple[Path, list[str]]] = {
    "fat-tree": (TREE, ["duration=100ms", "record.samples=false"]),
    "W4S": (PIPE, ["duration=5s"]),
}
"""Runs that pay on two threads."""


@dataclass(frozen=True)
class Beside:
    """Nanoseconds of a packet-hop, one for each repeat."""

    cost: Cost
    own: list[float]
    base: list[float]
    """Of the base, each run right before it."""

    @property
    def base_name(self) -> str:
        """The work that the base is."""
        return BASES[self.cost.by].scenario.name.partition("-")[0].upper()

    @property
    def ratio(self) -> float:
        """The median of the ratios."""
        return statistics.median(a / b for a, b in zip(self.own, self.base, strict=True))


def timed(program: str, costs: Iterable[Cost], repeats: int) -> Iterator[Beside]:
    """Measure each in turn with its base."""
    for cost in costs:
        base = BASES[cost.by]
        pairs = [(_nanoseconds(program, base), _nanoseconds(program, cost)) for _ in range(repeats)]
        yield Beside(cost, [own for _, own in pairs], [of_base for of_base, _ in pairs])


@dataclass(frozen=True)
class Whole:
    """Runs from the start of the program to its end, set-up and slow start included."""

    cost: Cost
    hops: int
    """Of one run."""
    cpu: list[float]
    """CPU seconds, one for each repeat."""


def whole(program: str, costs: Sequence[Cost], repeats: int) -> list[Whole]:
    """Measure whole runs in turn, so that what else the machine does meets all of them."""
    rounds = [
        [simulate(program, cost.scenario, cost.lasting(cost.time)) for cost in costs] for _ in range(repeats)
    ]
    return [
        Whole(cost, runs[0].results["packet_hops"], [run.cpu for run in runs])
        for cost, runs in zip(costs, zip(*rounds, strict=True), strict=True)
    ]


def at_once(cost: Cost) -> list[str]:
    """Return the settings of a run that is over before a packet arrives: it begins and ends."""
    return cost.lasting("1us")


def _nanoseconds(program: str, cost: Cost) -> float:
    """Return what one run takes for each packet-hop."""
    long, short = (simulate(program, cost.scenario, cost.lasting(time)) for time in (cost.time, cost.since))
    hops = long.results["packet_hops"] - short.results["packet_hops"]
    return float((long.cpu - short.cpu) / hops * 1e9)


def counted(program: str, cost: Cost) -> float:
    """Count the instructions of a packet-hop."""
    times = (cost.counted, cost.counted_since or cost.since)
    long, short = (instructions(program, cost.scenario, cost.lasting(time)) for time in times)
    return (long[0] - short[0]) / (long[1] - short[1])


def two_to_one(file: Path, settings: list[str], repeats: int) -> list[float]:
    """Return how many times less wall time a run takes on two threads, pair by pair."""
    scenario = db.Scenario.from_file(file, settings)

    def seconds(count: int) -> float:
        start = time.perf_counter()
        scenario.run(threads=count)
        return time.perf_counter() - start

    return [seconds(1) / seconds(2) for _ in range(repeats)]
