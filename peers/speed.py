"""Measure for the page docs/speed.md: ``make speed``, with ``HTSIM=folder`` for the rows of htsim.

All times are processor times of whole processes, run in turn, so that what else the machine does meets all of
them. What is measured is written to ``peers/speed.json``, and the page from that (``peers/speed_page.py``).
What is not measured anew stays, with its date: rows of htsim where it is not there.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import bench.measure
from bench.costs import BASES, COSTS, THREADED, Cost, counted, timed, two_to_one, whole
from bench.measure import ROOT, engine, example, missing, processor
from bench.measure import timed as process
from bench.run import memory
from bench.works import Work, works
from dumbbell import _native
from peers import htsim
from peers.compare import FCT, GOODPUT, HOPS, JAIN, LOSS, QUEUE, own_physics, peer_command, peer_physics
from peers.speed_page import DATA, PAGE, render

PARTS = ("works", "costs", "whole", "instructions", "threads", "memory", "floor")

OURS, NS2, HTSIM = "dumbbell", "ns-2.35", "htsim"

FLOORS = ((5, 1_000), (80, 100_000), (1_000, 100_000), (20_000, 100_000))
"""Links and packets in flight."""

FLOOR_HOPS = 20_000_000

Physics = dict[str, float]


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", nargs="*", choices=PARTS, help="measure these parts anew; alone: all")
    parser.add_argument("--htsim", type=Path, help="the folder of csg-htsim")
    parser.add_argument("--repeats", type=int, default=5, help="runs for each time (default 5)")
    options = parser.parse_args()
    found = json.loads(DATA.read_text()) if DATA.exists() else {}
    if options.measure is not None:
        parts = options.measure or PARTS
        if message := unfit(parts, options.htsim):
            print(message, file=sys.stderr)
            return 2
        found = measured(parts, options.repeats, options.htsim, found)
        DATA.write_text(json.dumps(found, indent=1) + "\n")
    if left := [part for part in PARTS if part not in found]:
        print(f"no page without {', '.join(left)}: --measure {' '.join(left)}", file=sys.stderr)
        return 1
    PAGE.write_text(render(found))
    print(f"written to {PAGE.relative_to(ROOT)}")
    return 0


def unfit(parts: Iterable[str], place: Path | None) -> str | None:
    """Say what is missing; None if nothing is."""
    return (
        ("threads" in parts and bench.measure.unfit(_native.profile))
        or missing("ns", "ns2")
        or missing("valgrind", "valgrind")
        or (None if place is None else htsim.unfit(place))
    )


def measured(
    parts: Iterable[str], repeats: int, place: Path | None, before: dict[str, Any]
) -> dict[str, Any]:
    """Measure some parts of the page; what is not measured anew stays as it was before."""
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    program = engine()
    found = before | {"machine": machine()}
    found["dates"] = before.get("dates", {}) | dict.fromkeys(parts, today)
    if "works" in parts:
        other = None if place is None else htsim.built(place)
        found["works"] = {work.name: of_work(program, other, work, repeats) for work in works()}
        if other is not None:
            found["dates"]["htsim"] = today
        else:
            keep_htsim(found["works"], before.get("works", {}))
    if "costs" in parts:
        found["costs"] = costs(program, repeats)
    if "whole" in parts:
        found["whole"] = whole_runs(program, repeats)
    if "instructions" in parts:
        found["instructions"] = instructions_of_costs(program)
    if "threads" in parts:
        found["threads"] = {name: two_to_one(*run, repeats) for name, run in THREADED.items()}
    if "memory" in parts:
        found["memory"] = {figure.name: figure.value for figure in memory(program)}
    if "floor" in parts:
        found["floor"] = floor(repeats)
    return found


def keep_htsim(now: dict[str, Any], before: dict[str, Any]) -> None:
    """Add what htsim gave before, if it did."""
    for name, work in before.items():
        for kind, of in work.items():
            if HTSIM in of:
                now[name][kind][HTSIM] = of[HTSIM]


def machine() -> dict[str, Any]:
    """What is measured on."""
    rustc = subprocess.run(["rustc", "--version"], check=True, capture_output=True, text=True).stdout
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.release()}",
        "rustc": rustc.split()[1],
    }


def of_work(program: str, other: str | None, work: Work, repeats: int) -> dict[str, Any]:
    """Run a work on all simulators: its physics, means over the lists of arrivals; then processor seconds."""
    _tell(work.name)
    tools: dict[str, Callable[[Path | None], Physics]] = {
        OURS: lambda arrivals: own_physics(program, work, arrivals),
        NS2: lambda arrivals: peer_physics(work, arrivals),
    }
    first = work.runs()[0]
    commands = {
        OURS: [program, str(work.scenario), *work.settings(first)],
        NS2: peer_command(work, "speed", first),
    }
    if other is not None:
        tools[HTSIM] = lambda arrivals: _htsim_physics(other, work, arrivals)
        commands[HTSIM] = htsim.command(other, work, "speed", first)
    runs = {tool: [run(arrivals) for arrivals in work.runs()] for tool, run in tools.items()}
    seconds: dict[str, list[float]] = {tool: [] for tool in commands}
    for _ in range(repeats):
        for tool, command in commands.items():
            seconds[tool].append(process(command).cpu)
    return {
        "hops": {tool: of[0][HOPS] * 1e6 for tool, of in runs.items()},
        "seconds": seconds,
        "physics": {
            tool: {key: statistics.fmean(run[key] for run in of) for key in of[0] if key != HOPS}
            for tool, of in runs.items()
        },
    }


def _htsim_physics(other: str, work: Work, arrivals: Path | None) -> Physics:
    values = htsim.physics(other, work, arrivals)
    names = {"loss": LOSS, "queue_mean": QUEUE, "jain": JAIN, "fct": FCT}
    physics = {names[key]: value for key, value in values.items() if key in names}
    return {GOODPUT: values["goodput"] / 1e6, **physics, HOPS: values["packet_hops"] / 1e6}


def rows() -> list[Cost]:
    """Return what is measured of the costs: in each part the base first."""
    return [cost for by, base in BASES.items() for cost in (base, *(c for c in COSTS if c.by == by))]


def costs(program: str, repeats: int) -> list[dict[str, Any]]:
    """Measure what a packet-hop takes."""
    found = []
    for of in timed(program, rows(), repeats):
        _tell(f"{of.cost.by}: {of.cost.name}: {statistics.median(of.own):.1f} ns")
        found.append({"by": of.cost.by, "name": of.cost.name, "ns": of.own, "ratio": of.ratio})
    return found


def entire() -> list[Cost]:
    """Return what is measured as whole runs too: W4S first, then the costs that name it."""
    return [BASES["flows"], *(cost for cost in COSTS if cost.whole)]


def whole_runs(program: str, repeats: int) -> list[dict[str, Any]]:
    """Measure runs with their set-up and slow start."""
    _tell("whole runs")
    return [
        {"by": of.cost.by, "name": of.cost.name, "time": of.cost.time, "hops": of.hops, "seconds": of.cpu}
        for of in whole(program, entire(), repeats)
    ]


def instructions_of_costs(program: str) -> dict[str, float]:
    """Count the instructions of a packet-hop, on all cores."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        counts = pool.map(lambda cost: counted(program, cost), rows())
        return {f"{cost.by}: {cost.name}": count for cost, count in zip(rows(), counts, strict=True)}


def floor(repeats: int) -> list[dict[str, Any]]:
    """Measure the program that moves packets and does nothing else; its set-up is taken off."""
    _tell("floor")
    program = example("floor")

    def nanoseconds(links: int, packets: int) -> float:
        none, all_ = (process([program, str(links), str(packets), str(n)]).cpu for n in (0, FLOOR_HOPS))
        return (all_ - none) / FLOOR_HOPS * 1e9

    return [
        {"links": links, "packets": packets, "ns": [nanoseconds(links, packets) for _ in range(repeats)]}
        for links, packets in FLOORS
    ]


def _tell(what: str) -> None:
    print(what, flush=True)


if __name__ == "__main__":
    sys.exit(main())
