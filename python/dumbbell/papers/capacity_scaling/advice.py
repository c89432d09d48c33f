"""S8: window advice from the router, that senders may match the rate that the port has.

Advice that is followed fixes what is in flight. Long flows with fixed windows are senders that follow it to
the letter, so the windows in this study are the advice, and no router has to rewrite acknowledgements.

The rule for a step up from r asks for a backlog of d r, or nearly: with what is on the way, for r (RTT + d)
in flight. At 9 Mbit/s, 50 ms and d = 40 ms these are 101 kB. Advice that matches senders to the rate of the
port leaves no backlog, and the port stays at its rate. Advice for the highest rate, 62.5 kB, takes the port
to the rate at which 62.5 kB = r (RTT + d), 5.6 Mbit/s, and to the next one above.
"""

from __future__ import annotations

from dataclasses import replace

from dumbbell.claims import Claim, Level
from dumbbell.papers import Companion
from dumbbell.report import FigureSpec
from dumbbell.study import Axis, Metric, Study

_POLICY = "topology.bottleneck.power.policy"
_OURS = "our question, on Bruschi et al., ICC 2013: match senders to the available rate"

FLOWS = 20
WINDOWS = (1, 2, 3, 4, 5)
"""Packets of 1500 B a flow. Twenty flows with two have 60 kB in flight, about the bandwidth-delay product."""


def _study(paper: Study) -> Study:
    flows = {"name": "web", "from": "senders", "to": "receivers", "jitter": "1s"}
    scenario = {key: value for key, value in paper.scenario.items() if key not in ("workloads", "drain")}
    topology = paper.scenario["topology"]
    power = {**topology["bottleneck"]["power"], "start": "lowest"}
    port = {**topology["bottleneck"], "power": power}
    names = ("utilisation", "transitions", "saving-fs-0", "loss")
    return replace(
        paper,
        title="S8: window advice from the router",
        question="Can a router repair the coupling by telling senders the window that suits its rate?",
        scenario={
            **scenario,
            "duration": "60s",
            "warmup": "10s",
            "flows": [flows],
            "topology": {**topology, "bottleneck": port},
            "transport": {**paper.scenario["transport"], "overhead": "100us"},
        },
        axes=(
            Axis(
                "window", "window that the router advises to each of 20 flows", "packets", WINDOWS,
                tuple((f"transport.max_window={window}",) for window in WINDOWS),
            ),
        ),
        arms=(
            paper.arm("tcponly"),
            paper.arm("tcp-pc"),
            replace(
                paper.arm("tcp-pc"), name="tcp-pc-10", label="TCP+PC, d = 10 ms",
                settings=(*paper.arm("tcp-pc").settings, f"{_POLICY}.delay=10ms"),
            ),
        ),
        metrics=(
            *map(paper.metric, names),
            Metric(
                "rate", "goodput", "Mbit/s", {"table": "runs", "column": "goodput", "factor": 1e-6}, "higher",
            ),
        ),
        seeds=paper.seeds[:10],
    )  # fmt: skip


_SCALED = ("tcp-pc", "tcp-pc-10")

COMPANION = Companion(
    "advice",
    _study,
    {"seeds": 3},
    (
        FigureSpec("rate", "Goodput of senders that follow the advice", "window", "rate", answers=True),
        FigureSpec("saving", "Energy saving, FS, no static power", "window", "saving-fs-0", _SCALED),
        FigureSpec("transitions", "Rate transitions", "window", "transitions", _SCALED),
    ),
    (
        Claim(
            "S8-fixed",
            "Windows that fill the link at its highest rate do fill a link of fixed rate: above 9 Mbit/s.",
            _OURS, "rate", Level("tcponly", low=9, at={"window": 2}),
        ),
        Claim(
            "S8-match", "They fill the link under rate adaptation too.",
            _OURS, "rate", Level("tcp-pc", low=9, at={"window": 2}),
            reason="the port stays at the first rate r for which r (RTT + d) is more than what is in flight",
        ),
        Claim(
            "S8-more", "Windows of 4 packets do: 120 kB, more than r (RTT + d) at 9 Mbit/s.",
            _OURS, "rate", Level("tcp-pc", low=9, at={"window": 4}),
        ),
    ),
    sources={
        "duration": "choice: the rate settles within seconds",
        "warmup": "choice: until it has",
        "flows[0].name": "choice: a name",
        "flows[0].from": "choice: every sender has data, so that windows decide alone",
        "flows[0].to": "choice: every sender has data, so that windows decide alone",
        "flows[0].jitter": "choice: flows do not run in step",
        "topology.bottleneck.power.start": "choice: where rate adaptation leaves the port at low load",
        "transport.overhead": "choice: so that seeds differ where nothing else does",
        "transport.max_window": "the axis: advice that is followed",
    },
)  # fmt: skip
