"""Compares CUBIC as a law with Linux's own, in this kernel: ``python -m tools.kernel_cubic [PAIRS]``.

Needs root, and what `dumbbell doctor` says of kernel laws. Prints the table of docs/own-controller.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dumbbell._scenario import Scenario
from dumbbell.errors import DumbbellError
from dumbbell.live.compare import Arm, kernel_arm, prepared
from dumbbell.live.kernel import Flow
from dumbbell.own import laws
from dumbbell.own.kernel import registered
from dumbbell.stats import mean, paired_difference

LAW = f"{Path(laws.__file__).parent / 'cubic.py'}:Cubic"
OWN = "cubic"
"""What Linux calls its own."""
BEDS = {
    "20 Mbit/s, 22 ms, 60 packets": ("20Mbit/s", "11ms", 60, 1),
    "20 Mbit/s, 80 ms, 60 packets, 2 flows": ("20Mbit/s", "40ms", 60, 2),
}
"""Rate, delay each way, packets of the queue, flows."""
_TRIES = 4
"""Of one run, where the emulation was not true enough."""
MEASURES: Mapping[str, Callable[[Arm], float]] = {
    "goodput, Mbit/s": lambda arm: arm.goodput / 1e6,
    "sent again": lambda arm: arm.retransmissions,
    "queue, ms": lambda arm: arm.queueing_delay * 1e3,
}


@dataclass(frozen=True)
class Pair:
    """One run of each, with the same starts."""

    law: Arm
    own: Arm


def bed(name: str, seconds: float) -> Scenario:
    """Return the scenario of a bed."""
    rate, delay, limit, flows = BEDS[name]
    link = {"rate": rate, "delay": delay, "queue": {"kind": "droptail", "limit": f"{limit}pkt"}}
    values = {
        "duration": f"{seconds}s",
        "topology": {"kind": "chain", "link": link},
        "flows": [{"from": "node0", "to": "node1"}] * flows,
    }
    return prepared(Scenario.from_dict(values), "cubic", "linux")


def run(given: Scenario, starts: Sequence[float], called: str) -> Arm:
    """Run a controller of the kernel; again if the emulation was not true enough.

    Raises
    ------
    DumbbellError
        If it never was.
    """
    for _ in range(_TRIES):
        arm, _ = kernel_arm(given, [Flow(start) for start in starts], called, None)
        if arm.valid:
            return arm
    raise DumbbellError(f"{called}: no run was valid ({'; '.join(arm.reasons)}); wait until others rest")


def pairs(name: str, count: int, seconds: float, seed: int = 1) -> list[Pair]:
    """Run the law and Linux's own in turn, so many times, each pair with starts of its own."""
    given, drawn = bed(name, seconds), np.random.default_rng(seed)
    found = []
    with registered(LAW) as called:
        for number in range(count):
            starts = drawn.uniform(0, 1, BEDS[name][3]).tolist()
            # Neither always comes first.
            order = (called, OWN) if number % 2 == 0 else (OWN, called)
            arms = {which: run(given, starts, which) for which in order}
            found.append(Pair(arms[called], arms[OWN]))
            print(f"{name}: {number + 1} of {count} pairs", file=sys.stderr)
    return found


def rows(name: str, found: Sequence[Pair]) -> list[str]:
    """Return the rows of the table."""
    lines = []
    for measure, of in MEASURES.items():
        law, own = (np.array([of(getattr(pair, which)) for pair in found]) for which in ("law", "own"))
        spread = f"{own.min():.4g} to {own.max():.4g}"
        cells = (f"{mean(law)}", f"{mean(own)}", f"{paired_difference(law, own)}", spread)
        lines.append(f"| {name} | {measure} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Run all, and print the table."""
    count = int(sys.argv[1]) if sys.argv[1:] else 12
    print("| bed | of a run of 20 s | law, `own_cubic` | Linux's `cubic` | difference | runs of Linux's |")
    print("|---|---|---|---|---|---|")
    for name in BEDS:
        for line in rows(name, pairs(name, count, 20)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
