"""TCP and XCP of ns-2.35 beside ours, on the flows of the published figure of RCP against TCP.

The script draws the flows from the generators of ns-2 with the published seeds. It leaves the agents of ns-2
as they are, so that this also compares our profile ``ns2`` with the defaults that it names. RCP is not in
ns-2: it came as a patch, and :mod:`dumbbell.papers.rcp_fct.published` compares ours with published averages.
"""

from __future__ import annotations

from bench.measure import BUILD, ROOT, simulate, timed
from peers.row import Row

SCRIPT = ROOT / "peers" / "ns2" / "published.tcl"
SCENARIO = ROOT / "peers" / "published.toml"
UNTIL = 1.0
"""Flows that arrive until then take part, s: about 10,800."""

BOUND = 0.03
"""Largest relative difference of mean completion times."""

SETTINGS: dict[str, tuple[str, ...]] = {
    "reno": (),
    "xcp": ("transport.controller=xcp", "topology.link.router=xcp"),
}


def compare(program: str, kind: str) -> list[Row]:
    """Run both: ns-2 first, which writes the list of flows."""
    BUILD.mkdir(exist_ok=True)
    flows = BUILD / f"published-{kind}.csv"
    lines = timed(["ns", str(SCRIPT), kind, str(UNTIL), str(flows)]).output.splitlines()
    theirs = {name: float(value) for name, value in (line.split() for line in lines)}
    trace = f'workloads=[{{ kind = "trace", name = "web", file = "{flows}" }}]'
    ours = simulate(program, SCENARIO, [trace, *SETTINGS[kind]]).results
    return [
        Row(kind, "flows completed", theirs["flows"], ours["flows_completed"], 0),
        Row(kind, "mean completion s", theirs["time"], ours["sender_fct_mean"], BOUND),
    ]
