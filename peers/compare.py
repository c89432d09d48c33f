"""Run the same scenarios on ns-2.35 and on dumbbell, and compare results and speed.

``python -m peers.compare`` exits with 1 if the results differ by more than the bounds, and with 2 if ns-2 is
missing.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable
from itertools import chain
from pathlib import Path

from bench.arrivals import SEEDS
from bench.measure import ROOT, engine, missing, simulate, timed
from bench.works import Work, works
from peers import incast, published, queues, vegas
from peers.row import Row, print_rows

TCL = ROOT / "peers" / "ns2"

GOODPUT = "goodput Mbit/s"
LOSS = "bottleneck loss"
QUEUE = "mean queue, packets"
JAIN = "Jain index"
FCT = "mean completion s"
HOPS = "packet-hops M"

BOUNDS = {GOODPUT: 0.01, LOSS: 0.15, FCT: 0.10}
"""Largest relative difference."""


Physics = dict[str, float]


def peer_command(work: Work, mode: str, arrivals: Path | None) -> list[str]:
    """Return the command that runs a work on ns-2."""
    return ["ns", str(TCL / f"{work.name.lower()}.tcl"), mode, *([str(arrivals)] if arrivals else [])]


def peer_physics(work: Work, arrivals: Path | None) -> Physics:
    """Run ns-2 with its monitors on."""
    lines = timed(peer_command(work, "physics", arrivals)).output.splitlines()
    values = {name: float(value) for name, value in (line.split() for line in lines)}
    physics = {
        GOODPUT: values["goodput"] / 1e6,
        LOSS: values["loss"],
        # ns-2 counts the packets that wait; with the one in transmission the two count the same.
        QUEUE: values["queue_waiting"] + values["utilisation"],
        HOPS: values["packet_hops"] / 1e6,
    }
    return physics | ({JAIN: values["jain"]} if "jain" in values else {FCT: values["fct"]})


def own_physics(program: str, work: Work, arrivals: Path | None) -> Physics:
    """Run dumbbell."""
    values = simulate(program, work.scenario, work.settings(arrivals)).results
    link = next(link for link in values["links"] if link["link"] == "left->right")
    physics = {
        GOODPUT: values["goodput"] / 1e6,
        LOSS: link["loss"],
        QUEUE: link["queue_mean"],
        HOPS: values["packet_hops"] / 1e6,
    }
    # ns-2 calls a flow done when its sender has the last acknowledgement.
    return physics | (
        {FCT: values["sender_fct_mean"]} if values["fairness"] is None else {JAIN: values["fairness"]}
    )


def mean_physics(work: Work, run: Callable[[Work, Path | None], Physics]) -> tuple[Physics, list[Physics]]:
    """Run every list of a work; return the means and the single runs."""
    runs = [run(work, arrivals) for arrivals in work.runs()]
    return {key: statistics.fmean(r[key] for r in runs) for key in runs[0]}, runs


def compare(program: str, work: Work) -> tuple[list[Row], list[Physics], list[Physics]]:
    """Run a work on both; return the quantities and the single runs of ns-2 and of dumbbell."""
    peer, peer_runs = mean_physics(work, peer_physics)
    own, own_runs = mean_physics(work, lambda w, arrivals: own_physics(program, w, arrivals))
    rows = [Row(work.name, key, peer[key], own[key], BOUNDS.get(key)) for key in peer]
    return rows, peer_runs, own_runs


def speeds(program: str, work: Work, repeats: int) -> tuple[float, float]:
    """Run both in turn and return the median processor seconds of ns-2 and of dumbbell."""
    arrivals = work.runs()[0]
    peer, own = [], []
    for _ in range(repeats):
        peer.append(timed(peer_command(work, "speed", arrivals)).cpu)
        own.append(simulate(program, work.scenario, work.settings(arrivals)).cpu)
    return statistics.median(peer), statistics.median(own)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5, help="runs of each tool for the times (default 5)")
    repeats = parser.parse_args().repeats
    if message := missing("ns", "ns2"):
        print(message, file=sys.stderr)
        return 2
    program = engine()

    print("Physics. W2 is the mean over five arrival lists.")
    broken, seconds = False, []
    for work in works():
        rows, peer_runs, own_runs = compare(program, work)
        broken |= print_rows("work", 4, rows)
        if FCT in peer_runs[0]:
            for tool, runs in (("ns-2.35", peer_runs), ("dumbbell", own_runs)):
                print(f"      completion, {tool + ':':9}", *(f"{run[FCT]:.3f}" for run in runs))
        hops = (peer_runs[0][HOPS], own_runs[0][HOPS])
        seconds.append((work, hops, speeds(program, work, repeats)))

    print("\nQueues, on the same arrivals. Bounds of losses are absolute; without one ns-2 has another law.")
    found = chain.from_iterable(queues.compare(program, queue) for queue in queues.QUEUES)
    broken |= print_rows("queue", 14, found)

    print("\nIncast rounds, by processing times. Without them the order of simultaneous arrivals decides.")
    found = chain.from_iterable(incast.compare(program, rounds) for rounds in incast.ALL)
    broken |= print_rows("processing", 29, found)

    print("\nVegas, long flows. The law decides how many packets wait; of several flows, also the order.")
    found = chain.from_iterable(vegas.compare(program, flows) for flows in vegas.FLOWS)
    broken |= print_rows("flows", 5, found)

    print("\nThe flows of the published figure of RCP against TCP, at 2.4 Gbit/s; RCP itself is not in ns-2.")
    found = chain.from_iterable(published.compare(program, kind) for kind in published.SETTINGS)
    broken |= print_rows("kind", 5, found)

    print(f"\nSpeed: whole processes, median of {repeats}, run in turn; W2 on list {SEEDS[0]}.")
    print("Million packet-hops per CPU second, and in brackets the CPU seconds.")
    print(f"{'work':4}  {'ns-2.35':>16} {'dumbbell':>16} {'ratio':>7}")
    for work, hops, cpu in seconds:
        rates = [h / s for h, s in zip(hops, cpu, strict=True)]
        cells = [f"{rate:.2f} ({s:.2f})" for rate, s in zip(rates, cpu, strict=True)]
        print(f"{work.name:4}  {cells[0]:>16} {cells[1]:>16} {rates[1] / rates[0]:7.1f}")

    print("\n" + (ROOT / "peers" / "differences.txt").read_text(), end="")
    if broken:
        print("\nThe physics differ by more than the bounds.", file=sys.stderr)
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
