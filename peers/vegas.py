"""Vegas of ns-2.35 beside ours: long flows through one link whose queue is longer than they ever need.

The law decides how many packets wait for each flow. A flow that starts into a queue takes its round trip for
the shortest, as in any Vegas. So with several flows the order of arrivals decides how long the queue is, and
the bound is for one flow.
"""

from __future__ import annotations

from bench.measure import ROOT, SCENARIOS, simulate, timed
from peers.row import Row

SCRIPT = ROOT / "peers" / "ns2" / "vegas.tcl"
LIMIT = 100
"""Packets that may wait."""

FLOWS = (1, 2, 4)
GOODPUT = "goodput Mbit/s"
WAITING = "packets that wait"
BOUNDS = {GOODPUT: 0.01, WAITING: 0.05}
"""Largest relative difference with one flow."""


def peer(flows: int) -> dict[str, float]:
    """Run ns-2."""
    lines = timed(["ns", str(SCRIPT), str(flows), str(LIMIT)]).output.splitlines()
    values = {name: float(value) for name, value in (line.split() for line in lines)}
    return {GOODPUT: values["goodput"] / 1e6, WAITING: values["queue_waiting"]}


def own(program: str, flows: int) -> dict[str, float]:
    """Run dumbbell."""
    values = simulate(program, SCENARIOS / "vegas.toml", [f"topology.pairs={flows}"]).results
    link = next(link for link in values["links"] if link["link"] == "left->right")
    return {GOODPUT: values["goodput"] / 1e6, WAITING: link["queue_mean"] - link["utilisation"]}


def compare(program: str, flows: int) -> list[Row]:
    """Run both."""
    theirs, ours = peer(flows), own(program, flows)
    bounds = BOUNDS if flows == 1 else {}
    return [Row(str(flows), name, theirs[name], ours[name], bounds.get(name)) for name in theirs]
