"""Incast rounds of ns-2.35 beside ours: 64 reads into a port of 43 packets, each on a connection of its own.

Without processing times all packets arrive on one grid of transmission times. A full port takes one packet
when one leaves; then the first packet of one sender and the second of another arrive at the same instant, and
the order of the two decides which senders lose what. The two simulators order them differently, and
acknowledgements keep the grid whatever the starts. Processing times of up to a packet's transmission time
break it.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from bench.measure import ROOT, SCENARIOS, simulate, timed
from peers.row import Row

SCRIPT = ROOT / "peers" / "ns2" / "rounds.tcl"
ROUNDS = 20
SEEDS = (1, 2, 3)
PACKET_TIME = 12e-6
"""Of 1500 bytes at 1 Gbit/s, s."""

TIME = "mean time of a read s"
TIMEOUTS = "timeouts of a read"
BOUND = 0.1
"""Largest relative difference, as of completion times in the other works."""


@dataclass(frozen=True)
class Rounds:
    """The rounds with the options that move them."""

    limited_transmit: bool
    overhead: float
    """Longest processing time of a segment, s."""

    @property
    def bounded(self) -> bool:
        """True unless the order of simultaneous arrivals decides."""
        return self.overhead > 0

    def __str__(self) -> str:
        """Return what `make peers` calls them."""
        limited = "" if self.limited_transmit else ", no limited transmit"
        return f"{self.overhead * 1e6:g} us{limited}"


ALL = tuple(Rounds(limited, overhead) for overhead in (0.0, PACKET_TIME) for limited in (True, False))


def peer(rounds: Rounds, seed: int) -> dict[str, float]:
    """Run ns-2."""
    options = [str(seed), str(int(rounds.limited_transmit)), f"{rounds.overhead:.9f}", str(ROUNDS)]
    lines = timed(["ns", str(SCRIPT), *options]).output.splitlines()
    values = {name: float(value) for name, value in (line.split() for line in lines)}
    return {TIME: values["time"], TIMEOUTS: values["timeouts"]}


def own(program: str, rounds: Rounds, seed: int) -> dict[str, float]:
    """Run dumbbell: W3 with fresh connections."""
    settings = [
        "workloads[0].connections=fresh",
        f"workloads[0].rounds={ROUNDS}",
        "transport.rto_initial=200ms",
        f"transport.limited_transmit={str(rounds.limited_transmit).lower()}",
        f"transport.overhead={rounds.overhead * 1e9:.0f}ns",
        f"seed={seed}",
    ]
    values = simulate(program, SCENARIOS / "w3-incast-rounds.toml", settings).results
    return {TIME: values["sender_fct_mean"], TIMEOUTS: values["timeouts"] / values["flows_completed"]}


def compare(program: str, rounds: Rounds) -> list[Row]:
    """Run the rounds on both: means over seeds."""
    theirs = [peer(rounds, seed) for seed in SEEDS]
    ours = [own(program, rounds, seed) for seed in SEEDS]
    means = [
        {name: statistics.fmean(run[name] for run in runs) for name in runs[0]} for runs in (theirs, ours)
    ]
    bound = BOUND if rounds.bounded else None
    return [Row(str(rounds), name, means[0][name], means[1][name], bound) for name in means[0]]
