"""Speed, start-up, instructions and memory, against what must be reached and what was recorded.

``python -m bench.run`` prints the table and exits with 1 if a figure misses its bound; ``--record`` also
writes it to ``bench/record.txt``. ``--only TEXT`` counts the instructions of those rows alone whose names
contain the text: a minute or less, on any machine and however busy it is. With both, the other rows stay.
"""

from __future__ import annotations

import argparse
import datetime
import os
import statistics
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench import costs
from bench.costs import COSTS, THREADED, at_once
from bench.measure import (
    BUILD,
    ROOT,
    SCENARIOS,
    engine,
    instructions,
    missing,
    processor,
    simulate,
    timed,
    unfit,
)
from bench.works import Work, works
from dumbbell import _native

RECORD = ROOT / "bench" / "record.txt"
MIB = 2**20
TOLERANCE = 1.02
"""Instructions over the recorded ones, at most: less than one hot call that is not inlined costs."""
CORES = len(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Figure:
    """One measured figure."""

    name: str
    value: float
    must: float | None = None
    aim: float | None = None
    larger_is_better: bool = False
    counted: bool = False
    """Instructions: they do not move with the machine, so that what was recorded is a bound too."""

    def missed(self, last: float | None = None) -> bool:
        """Return True beyond the bound; ``last`` is what was recorded."""
        if self.counted and last is not None and self.value > last * TOLERANCE:
            return True
        if self.must is None:
            return False
        return self.value < self.must if self.larger_is_better else self.value > self.must


# M packet-hops per CPU second: what must be reached and what is aimed at.
SPEEDS = {"W1": (20.0, 40.0), "W2": (14.0, 30.0), "W4S": (14.0, 28.0)}

# Shorter runs of the same works for callgrind, which slows them down fifty times. W2 draws its own arrivals,
# so that reading a list does not count.
SHORT = {
    "W1": ["duration=10s", "warmup=2s"],
    "W2": ["duration=100s"],
    "W4S": ["duration=1200ms", "warmup=1s"],
}

# Bulk and web traffic, which are also counted under CUBIC of two profiles.
PROFILED = ("W1", "W2")

FOLDER = ROOT / "bench"

# Works that only we run, and what they must reach, in M packet-hops per CPU second.
OWN: dict[str, tuple[float, float, Path, list[str]]] = {
    "W3": (20.0, 30.0, SCENARIOS / "w3-incast-rounds.toml", []),
    "W5": (0.0, 0.0, SCENARIOS / "w1-dumbbell-bulk.toml", ["topology.bottleneck.queue=codel"]),
    "RED": (0.0, 0.0, SCENARIOS / "w1-dumbbell-bulk.toml", ["topology.bottleneck.queue=red"]),
    # W1's ten flows, five of them in each of two classes.
    "priority": (
        0.0,
        0.0,
        SCENARIOS / "w1-dumbbell-bulk.toml",
        [
            "topology.bottleneck.queue={ kind = 'strict-priority', "
            "classes = [{ kind = 'droptail', limit = '100pkt' }, { kind = 'droptail', limit = '100pkt' }] }",
            "flows=[{ name = 'high', from = 'senders', to = 'receivers', count = 5, stagger = '100ms' }, "
            "{ name = 'low', from = 'senders', to = 'receivers', count = 5, stagger = '100ms', class = 1 }]",
        ],
    ),
    # 128 hosts, of which each sends to one in the next pod, through a hash of its own at each switch.
    "fat-tree": (0.0, 0.0, SCENARIOS / "fat-tree-permutation.toml", ["record.samples=false"]),
}

# Whole runs that must not take longer, in CPU seconds. Panarello et al. (e-Energy 2012): the port under
# control at load 0.8 for ten minutes. Dukkipati & McKeown (CCR 2006), figure 6: 18 million packets under RCP.
RUNS = {
    "practRA": (
        0.25,
        SCENARIOS / "power-practra.toml",
        ["duration=600s", "warmup=60s", "workloads[0].load=0.8", "record.samples=false"],
    ),
    "RCP figure 6": (
        6.0,
        SCENARIOS / "rcp-web.toml",
        [
            "duration=65s",
            "topology.link.rate=2.4Gbit/s",
            "workloads[0].size.shape=1.2",
            "record={ samples = false, queues = 'none' }",
        ],
    ),
}

# The same load with and without what a router of RCP does: without it, with it but for the stamp (datagrams
# have no room for one), and under RCP.
LOADS: dict[str, tuple[str, list[str]]] = {
    "UDP": ("udp.toml", []),
    "UDP, RCP router": ("udp.toml", ['topology.link.router={ kind = "rcp", gamma = 0.9 }']),
    "RCP": ("rcp.toml", []),
}

# Networks whose set-up is measured.
SETUPS = [cost for cost in COSTS if cost.setup]

# W1's flows under controllers that pace, beside CUBIC: as the RFCs have TCP.
PACED = {"CUBIC": "cubic", "BBR v1": "bbr", "BBR v3": "bbr3", "Copa": "copa"}


def transport(profile: str, controller: str = "cubic") -> str:
    """Return the setting for TCP with the defaults of a profile."""
    return f"transport={{ kind = 'tcp', profile = '{profile}', controller = '{controller}' }}"


def speed(program: str, repeats: int) -> Iterator[Figure]:
    """Measure whole processes: median of the repeats."""
    for work in works():
        must, aim = SPEEDS[work.name]
        runs = [simulate(program, work.scenario, work.settings(work.runs()[0])) for _ in range(repeats)]
        hops = runs[0].results["packet_hops"]
        rate = hops / statistics.median(run.cpu for run in runs) / 1e6
        yield Figure(f"{work.name} speed, M packet-hops/s", rate, must, aim, larger_is_better=True)
    for name, (must, aim, scenario, settings) in OWN.items():
        results = [simulate(program, scenario, settings) for _ in range(repeats)]
        rate = results[0].results["packet_hops"] / statistics.median(run.cpu for run in results) / 1e6
        yield Figure(f"{name} speed, M packet-hops/s", rate, must or None, aim or None, larger_is_better=True)


def beside(program: str, repeats: int) -> Iterator[Figure]:
    """Measure what a packet-hop takes with a law, paced, with many flows and with many links."""
    for found in costs.timed(program, (cost for cost in COSTS if cost.bench), repeats):
        yield Figure(f"{found.cost.bench}, ns over {found.base_name}'s", found.ratio, aim=found.cost.aim)


def threads(repeats: int) -> Iterator[Figure]:
    """Measure how many times faster two threads make a run, by wall time, in pairs."""
    if CORES < 2:
        return
    for name, (file, settings) in THREADED.items():
        ratios = costs.two_to_one(file, settings, repeats)
        yield Figure(f"{name}, two threads to one", statistics.median(ratios), aim=1.7, larger_is_better=True)


def runs(program: str, repeats: int) -> Iterator[Figure]:
    """Measure the runs that have a bound of their own."""
    for name, (must, scenario, settings) in RUNS.items():
        cpu = [simulate(program, scenario, settings).cpu for _ in range(repeats)]
        yield Figure(f"{name}, CPU s", statistics.median(cpu), must)


def setups(program: str, repeats: int) -> Iterator[Figure]:
    """Measure runs of many links that are over at once: from the scenario's text to the tables."""
    for cost in SETUPS:
        seconds = [simulate(program, cost.scenario, at_once(cost)).cpu for _ in range(repeats)]
        yield Figure(f"{cost.bench}, set-up CPU s", statistics.median(seconds), cost.setup)


def stamps(program: str, repeats: int) -> Iterator[Figure]:
    """Measure what a router of RCP costs: nanoseconds of a packet-hop, and the speed beside that of UDP."""
    nanoseconds = {load: list[float]() for load in LOADS}
    # One after the other, so that what else the machine does meets all of them.
    for _ in range(repeats):
        for load, (file, settings) in LOADS.items():
            run = simulate(program, FOLDER / file, settings)
            nanoseconds[load].append(run.cpu / run.results["packet_hops"] * 1e9)
    medians = {load: statistics.median(values) for load, values in nanoseconds.items()}
    for load, value in medians.items():
        yield Figure(f"{load}, ns/packet-hop", value)
        if load != "UDP":
            share = medians["UDP"] / value
            yield Figure(f"{load}, speed over UDP's", share, must=0.85, larger_is_better=True)


def paced(program: str, repeats: int) -> Iterator[Figure]:
    """Measure what pacing and delivery rates cost: nanoseconds of a packet-hop, the speed beside CUBIC's."""
    scenario = SCENARIOS / "w1-dumbbell-bulk.toml"
    nanoseconds = {name: list[float]() for name in PACED}
    for _ in range(repeats):
        for name, controller in PACED.items():
            run = simulate(program, scenario, [transport("rfc", controller)])
            nanoseconds[name].append(run.cpu / run.results["packet_hops"] * 1e9)
    medians = {name: statistics.median(values) for name, values in nanoseconds.items()}
    for name, value in medians.items():
        yield Figure(f"{name}, ns/packet-hop", value)
        if name != "CUBIC":
            share = medians["CUBIC"] / value
            yield Figure(f"{name}, speed over CUBIC's", share, aim=0.8, larger_is_better=True)


# W1's flows and network with other end points and laws: what users run. Ten seconds each.
W1 = SCENARIOS / "w1-dumbbell-bulk.toml"


def law(queue: str) -> list[str]:
    """Return the settings of W1 with a queue on all links."""
    return [f"topology.bottleneck.queue={queue}", f"topology.access.queue={queue}"]


RED = "{ kind = 'red', limit = '100pkt' }"
USUAL: dict[str, list[str]] = {
    **{f"{name}, profile of Linux": [transport("linux", name)] for name in ("copa", "prague", "bbr", "bbr3")},
    "FQ-CoDel, all links": law("fq-codel"),
    "RED, all links": law(RED),
    "CAKE, bottleneck": ["topology.bottleneck.queue=cake"],
    "XCP, all links": [
        "transport={ kind = 'tcp', profile = 'rfc', controller = 'xcp', ack_every = 1 }",
        "topology.bottleneck.router=xcp",
        "topology.access.router=xcp",
    ],
}

Job = tuple[Path, list[str]]
"""A scenario, and its settings."""


def counts() -> Iterator[tuple[str, Job]]:
    """Return what is counted as whole runs, by the names of the rows without their unit."""
    for work in works():
        yield work.name, (work.scenario, SHORT[work.name])
    yield "W3", (OWN["W3"][2], ["workloads[0].rounds=10"])
    for name in ("W5", "RED", "priority"):
        yield name, (OWN[name][2], [*OWN[name][3], *SHORT["W1"]])
    yield "fat-tree", (OWN["fat-tree"][2], [*OWN["fat-tree"][3], "duration=25ms", "warmup=5ms"])
    _, scenario, settings = RUNS["practRA"]
    yield "practRA", (scenario, [*settings, "duration=100s"])
    # CUBIC is among the profiles.
    for name, named in PACED.items():
        if name != "CUBIC":
            yield name, (W1, [*SHORT["W1"], transport("rfc", named)])
    for load, (file, settings) in LOADS.items():
        yield load, (FOLDER / file, [*settings, "duration=4s"])
    for name, settings in USUAL.items():
        yield name, (W1, [*SHORT["W1"], *settings])


def counted(program: str, only: str = "") -> Iterator[Figure]:
    """Count instructions: the same on every run, whatever the machine's mood.

    Parameters
    ----------
    program
        The engine.
    only
        What the name of a row must contain.
    """
    runs = {f"{name} instructions/packet-hop": job for name, job in counts()}
    runs = {name: job for name, job in runs.items() if only in name}
    rows = {f"{row(cost)}, instructions/packet-hop": cost for cost in COSTS}
    rows = {name: cost for name, cost in rows.items() if only in name}
    begun = {f"{cost.bench}, set-up M instructions": cost for cost in SETUPS}
    begun = {name: cost for name, cost in begun.items() if only in name}
    with ThreadPoolExecutor(CORES) as pool:
        found = pool.map(lambda job: instructions(program, *job), runs.values())
        for name, (count, hops) in zip(runs, found, strict=True):
            yield Figure(name, count / hops, counted=True)
        for name, per_hop in zip(rows, pool.map(partial(costs.counted, program), rows.values()), strict=True):
            yield Figure(name, per_hop, counted=True)
        whole = pool.map(lambda cost: instructions(program, cost.scenario, at_once(cost))[0], begun.values())
        for name, count in zip(begun, whole, strict=True):
            yield Figure(name, count / 1e6, counted=True)


def row(cost: costs.Cost) -> str:
    """Return what a row of the page is called here."""
    return cost.bench or f"{cost.by}: {cost.name}"


def profiles(program: str, only: str = "") -> Iterator[Figure]:
    """Count instructions of bulk and of web traffic under CUBIC, as the RFCs have TCP and as Linux has it."""
    jobs = [(work, profile) for work in works() if work.name in PROFILED for profile in ("rfc", "linux")]
    names = {(work, profile): f"{work.name} {profile} instructions/packet-hop" for work, profile in jobs}
    jobs = [job for job in jobs if only in names[job]]

    def count(job: tuple[Work, str]) -> float:
        work, profile = job
        count, hops = instructions(program, work.scenario, [*SHORT[work.name], transport(profile)])
        return count / hops

    with ThreadPoolExecutor(CORES) as pool:
        found = dict(zip(jobs, pool.map(count, jobs), strict=True))
    for (work, profile), per_hop in found.items():
        yield Figure(names[work, profile], per_hop, counted=True)
        if profile == "linux" and (work, "rfc") in found:
            share = per_hop / found[work, "rfc"]
            yield Figure(f"{work.name} instructions, linux over rfc", share, must=1.2)


# Settings that make the longest shipped scenarios short enough to be counted.
BRIEF = {
    "dctcp-multihop": ["duration=200ms", "warmup=50ms"],
    "fat-tree-permutation": ["duration=10ms", "warmup=2ms"],
    "rcp-web": ["duration=20s"],
    "rrul": ["duration=4s", "warmup=1s"],
    "satellite-handover": ["duration=16s"],
    "w1-dumbbell-bulk": SHORT["W1"],
    "w2-dumbbell-web": SHORT["W2"],
    "w3-incast-rounds": ["workloads[0].rounds=10"],
    "w4s-long-fat": SHORT["W4S"],
    "xcp-web": ["duration=20s"],
}


def shipped_time(program: str) -> Iterator[Figure]:
    """Measure a packet-hop of every shipped scenario as a whole process: one number for what users run."""
    yield Figure("shipped, ns/packet-hop", yardstick(program))


def yardstick(program: str) -> float:
    """Return the geometric mean, over the shipped scenarios, of the nanoseconds of a packet-hop.

    Set-up counts: runs are those that :func:`shipped` counts.
    """
    jobs = [(path, BRIEF.get(path.stem, [])) for path in sorted(SCENARIOS.glob("*.toml"))]
    runs = [simulate(program, path, settings) for path, settings in jobs]
    return statistics.geometric_mean(run.cpu / run.results["packet_hops"] * 1e9 for run in runs)


def shipped(program: str) -> Iterator[Figure]:
    """Count instructions of every shipped scenario, set-up included: one number for what users run."""
    jobs = [(path, BRIEF.get(path.stem, [])) for path in sorted(SCENARIOS.glob("*.toml"))]
    with ThreadPoolExecutor(CORES) as pool:
        found = pool.map(lambda job: instructions(program, *job), jobs)
        mean = statistics.geometric_mean(count / hops for count, hops in found)
    yield Figure("shipped, instructions/packet-hop", mean, counted=True)


# What a user types, as arguments of Python, and the most CPU seconds from its start to its end.
TYPED: dict[str, tuple[float, list[str]]] = {
    "import dumbbell": (0.06, ["-c", "import dumbbell"]),
    "dumbbell --version": (0.06, ["-m", "dumbbell", "--version"]),
    "dumbbell list": (0.06, ["-m", "dumbbell", "list"]),
    "dumbbell run": (0.1, ["-m", "dumbbell", "run", str(FOLDER / "short.toml")]),
}


def starts(repeats: int) -> Iterator[Figure]:
    """Measure whole commands, the interpreter included: median of the repeats. Nearly all is start-up."""
    for name, (must, arguments) in TYPED.items():
        seconds = [timed([sys.executable, *arguments]).cpu for _ in range(repeats)]
        yield Figure(f"{name}, CPU s", statistics.median(seconds), must)


def slope(program: str, scenario: Path, few: list[str], many: list[str], key: str) -> float:
    """Return bytes of memory per ``key``, from a small and a large run."""
    small, large = (simulate(program, scenario, settings).results for settings in (few, many))
    more: int = large["peak_memory"] - small["peak_memory"]
    return more / int(large[key] - small[key])


def memory(program: str) -> Iterator[Figure]:
    """Measure peak resident memory, less that of a small run of the same kind."""
    value = slope(program, FOLDER / "pipe.toml", ["topology.link.delay=1ms"], [], "packets_inside")
    yield Figure("bytes/packet in flight", value, must=100)
    value = slope(program, FOLDER / "queue.toml", ["duration=1ms"], [], "packets_inside")
    yield Figure("bytes/packet queued", value, must=100)
    for profile in ("linux", "rfc"):
        setting = transport(profile)
        few = ["flows[0].count=1", setting]
        value = slope(program, FOLDER / "idle.toml", few, [setting], "flows_started")
        yield Figure(f"bytes/idle TCP connection, {profile}", value, must=1024)
    results = simulate(program, FOLDER / "flows.toml", []).results
    if results["flows_completed"] < 1_000_000:
        message = f"flows.toml completed only {results['flows_completed']} flows"
        raise RuntimeError(message)
    yield Figure("MiB for 1,000,000 finished flows", results["peak_memory"] / MIB, must=1536)


def recorded() -> dict[str, float]:
    """Read the recorded figures."""
    if not RECORD.exists():
        return {}
    lines = [line for line in RECORD.read_text().splitlines() if line and not line.startswith("#")]
    return {name.strip(): float(value) for name, value in (line.rsplit(maxsplit=1) for line in lines)}


def record(figures: list[Figure], alone: bool = False) -> None:
    """Write the figures, and where they were measured.

    Parameters
    ----------
    figures
        In the order of the record.
    alone
        They are instructions: other rows stay, as the times in them are of an idle machine.
    """
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    measured = f"# {today}: {processor()}, {CORES} cores."
    if alone:
        measured = RECORD.read_text().splitlines()[1]
    head = (
        "# What `make bench-record` measured last. Speeds move with the machine, instructions do not.\n"
        f"{measured}\n# Instructions: {today}.\n"
    )
    rows = (recorded() if alone else {}) | {figure.name: figure.value for figure in figures}
    RECORD.write_text(head + "".join(f"{name:36} {value:10.4g}\n" for name, value in rows.items()))


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5, help="runs for each speed (default 5)")
    parser.add_argument("--record", action="store_true", help="write the figures to bench/record.txt")
    parser.add_argument("--only", metavar="TEXT", help="count instructions, of rows whose names contain this")
    options = parser.parse_args()
    if not options.only and (wrong := unfit(_native.profile)):
        sys.exit(wrong)
    program = engine()
    BUILD.mkdir(exist_ok=True)

    before = recorded()
    figures: list[Figure] = []

    def missed(figure: Figure) -> bool:
        return figure.missed(None if options.record else before.get(figure.name))

    def show(measured: Iterator[Figure]) -> None:
        for figure in measured:
            figures.append(figure)
            last = before.get(figure.name)
            cells = [figure.value, figure.must, figure.aim, last, figure.value / last if last else None]
            row = "".join(f"{'' if cell is None else f'{cell:.4g}':>10}" for cell in cells)
            print(f"{figure.name:36}{row}{'  MISSED' if missed(figure) else ''}", flush=True)

    print(f"{'':36}{'measured':>10}{'must':>10}{'aim':>10}{'recorded':>10}{'ratio':>10}")
    if not options.only:
        show(speed(program, options.repeats))
        show(beside(program, options.repeats))
        show(threads(options.repeats))
        show(runs(program, options.repeats))
        show(setups(program, options.repeats))
        show(starts(options.repeats))
        show(stamps(program, options.repeats))
        show(paced(program, options.repeats))
        show(shipped_time(program))
        show(memory(program))
    if message := missing("valgrind", "valgrind"):
        print(f"instructions are not counted: {message}", file=sys.stderr)
    else:
        show(counted(program, options.only or ""))
        show(profiles(program, options.only or ""))
        if not options.only or options.only in "shipped, instructions/packet-hop":
            show(shipped(program))
    if not figures:
        sys.exit(f"bench: no row is called {options.only!r}: bench/record.txt has their names")

    if options.record:
        record(figures, bool(options.only))
        print(f"written to {RECORD.relative_to(ROOT)}")
    names = [figure.name for figure in figures if missed(figure)]
    if names:
        print(f"missed: {', '.join(names)}", file=sys.stderr)
    return int(bool(names))


if __name__ == "__main__":
    sys.exit(main())
