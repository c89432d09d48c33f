"""The further studies: Prague beside CUBIC over DualPI2, Copa and NewReno beside CUBIC."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dumbbell.claims import Claim, Level, Order, Ratio
from dumbbell.papers import Companion
from dumbbell.report import FigureSpec, Reference
from dumbbell.study import AT_LEAST_ZERO, Arm, Axis, Metric, Study

if TYPE_CHECKING:
    from dumbbell import Results


def _goodput(name: str, label: str, group: str, unit: str, factor: float) -> Metric:
    source = {"table": "flows", "column": "goodput", "group": group, "statistic": "sum", "counted": False}
    return Metric(name, label, unit, source | {"factor": factor})


_USE = Metric(
    "utilisation", "utilisation of the link", "%",
    {"table": "links", "link": "left->right", "column": "utilisation", "factor": 100},
)  # fmt: skip


def _pair(own: str, controller: str, bottleneck: dict[str, Any], sampled: bool) -> dict[str, Any]:
    """Return topology and flows of one flow of this controller beside one of CUBIC."""
    return {
        "topology": {
            "kind": "dumbbell",
            "pairs": 2,
            "access": {"rate": "1Gbit/s", "delay": "5ms"},
            "bottleneck": bottleneck,
        },
        "transport": {"kind": "tcp", "controller": "cubic"},
        "flows": [
            {"name": own, "from": "sender0", "to": "receiver0", "jitter": "1s", "sampled": sampled,
             "transport": {"kind": "tcp", "controller": controller}},
            {"name": "cubic", "from": "sender1", "to": "receiver1", "jitter": "1s", "sampled": False},
        ],
    }  # fmt: skip


def _wait(results: Results) -> float:
    """Return the 99th percentile of the smoothed round-trip time of Prague above the shortest, in ms."""
    ((times, rtt),) = results.series("rtt").values()
    found = rtt[times >= float(results.runs["warmup"][0])]
    return 1e3 * float(np.quantile(found, 0.99) - results.flows["rtt_min"][0])


def _factor(results: Results) -> float:
    """Return the goodput of Prague to that of CUBIC."""
    goodput, where = results.flows["goodput"], results.flows.where
    return float(goodput[where("group", "prague")].sum() / goodput[where("group", "cubic")].sum())


_RATE = "topology.bottleneck.rate={value}Mbit/s"


def _low_latency(paper: Study) -> Study:
    bottleneck = {"rate": "100Mbit/s", "delay": "10ms", "queue": "dualpi2"}
    record = {"samples": True, "queues": "none", "period": "5ms"}
    return replace(
        paper,
        title="Prague beside CUBIC over DualPI2",
        question="How do Prague and CUBIC share at the same round-trip time, and how long does Prague wait?",
        scenario={"duration": "120s", "warmup": "30s", "record": record}
        | _pair("prague", "prague", bottleneck, sampled=True),
        axes=(
            Axis.of("rate", "rate of the link", "Mbit/s", (50, 100), _RATE),
        ),
        arms=(Arm("dualpi2", "DualPI2"),),
        metrics=(
            Metric("factor", "goodput of Prague to that of CUBIC", "", _factor, possible=AT_LEAST_ZERO),
            Metric("wait", "99th percentile of Prague's wait", "ms", _wait, possible=AT_LEAST_ZERO),
            _USE,
        ),
    )  # fmt: skip


_FLOWS = {
    "duration": "choice: many round trips of CUBIC's cycle",
    "warmup": "choice: after slow start",
    "topology.kind": "choice: one bottleneck",
    "topology.pairs": "choice: a flow and its rival",
    "topology.access.rate": "choice: no second bottleneck",
    "topology.access.delay": "choice: with the bottleneck, the round-trip time",
    "transport.kind": "choice: both are TCP",
    "transport.controller": "choice: CUBIC is the default of systems",
    "flows[0].name": "choice: a name",
    "flows[0].from": "choice: the first pair",
    "flows[0].to": "choice: the first pair",
    "flows[0].jitter": "choice: so that seeds differ",
    "flows[0].transport": "the controller in question",
    "flows[1].name": "choice: a name",
    "flows[1].from": "choice: the second pair",
    "flows[1].to": "choice: the second pair",
    "flows[1].jitter": "choice: so that seeds differ",
    "flows[1].sampled": "choice: the study uses totals only",
    "record.queues": "choice: the study does not use them",
}

L4S = Companion(
    "l4s",
    _low_latency,
    {"seeds": 12},
    (
        FigureSpec("factor", "Goodput of Prague to that of CUBIC", "rate", "factor", answers=True),
        FigureSpec(
            "wait", "99th percentile of Prague's wait", "rate", "wait",
            references=(Reference("a millisecond", (1.0,), source="[R23] section 1"),),
        ),
    ),
    (
        Claim(
            "l4s-factor-of-two",
            "At the same round-trip time of 40 ms Prague has half to twice the rate of CUBIC.",
            "[R23] section 1: scalable and classic flows get roughly equal rates",
            "factor",
            Level("dualpi2", 0.5, 2),
            ours="a factor of two is what a user calls the same order",
        ),
        Claim(
            "l4s-millisecond",
            "Prague waits less than a millisecond for 99 % of the time.",
            "[R23] section 1: less than 1 ms at the 99th percentile",
            "wait",
            Level("dualpi2", high=1),
        ),
        Claim(
            "l4s-uses-the-link",
            "Together they use more than 90 % of the link.",
            "[R23] section 1: without loss of utilisation",
            "utilisation",
            Level("dualpi2", low=90),
            ours="a tenth for the classic flow, which has a short queue",
        ),
    ),
    sources=_FLOWS
    | {
        "topology.bottleneck.rate": "the axis",
        "topology.bottleneck.delay": "choice: with the access links, 40 ms there and back",
        "topology.bottleneck.queue": "[R23]",
        "flows[0].sampled": "choice: the wait is that of its round-trip times",
        "record.samples": "choice: the wait is that of round-trip times",
        "record.period": "choice: an eighth of a round-trip time",
    },
    own_scenario=True,
)  # fmt: skip


def _buffers(paper: Study) -> Study:
    bottleneck = {
        "rate": "10Mbit/s", "delay": "10ms", "queue": {"kind": "droptail", "limit": "4bdp"},
    }  # fmt: skip
    record = {"samples": False, "queues": "none"}
    return replace(
        paper,
        title="Copa and NewReno beside CUBIC",
        question="What share of the link does one flow of Copa get beside one of CUBIC, and one of NewReno?",
        scenario={"duration": "300s", "warmup": "20s", "record": record}
        | _pair("own", "copa", bottleneck, sampled=False),
        axes=(
            Axis.of("buffer", "buffer", "BDP", (0.5, 1, 2, 4), "topology.bottleneck.queue.limit={value}bdp"),
        ),
        arms=(
            Arm("newreno", "NewReno", ("flows[0].transport.controller=newreno",)),
            Arm("copa", "Copa", ("flows[0].transport.controller=copa",)),
            Arm("vegas", "Vegas", ("flows[0].transport.controller=vegas",)),
        ),
        metrics=(
            # Of the 10 Mbit/s of the link.
            _goodput("share", "share of the link that its own flow gets", "own", "%", 1e-5),
            _goodput("cubic", "goodput of CUBIC", "cubic", "Mbit/s", 1e-6),
            _USE,
        ),
    )


COPA = Companion(
    "copa",
    _buffers,
    {"seeds": 6, "axes": {"buffer": [1, 4]}},
    (FigureSpec("share", "Share of a flow beside one of CUBIC", "buffer", "share", answers=True),),
    (
        Claim(
            "copa-competes",
            "In buffers of half a BDP to 4 BDP, Copa gets more than a quarter beside CUBIC.",
            "[A18] section 2.2: the mode in which it competes",
            "share",
            Level("copa", low=25),
            ours="four fifths of what NewReno has in 4 BDP",
        ),
        Claim(
            "copa-like-newreno",
            "It gets at least as much as NewReno, less a quarter.",
            "[A18] section 2.2: 1 / delta grows by one a round trip, a loss halves it, as with Reno",
            "share",
            Ratio("copa", "newreno", low=0.75),
            ours="a quarter: its mode ends where the shortest round-trip time of 10 s contains CUBIC's queue",
        ),
        Claim(
            "vegas-does-not",
            "Vegas, which does not compete, gets less than Copa.",
            "[A18] section 1: delay-based controllers yield to those that fill the queue",
            "share",
            Order(("vegas", "copa")),
        ),
    ),
    sources=_FLOWS
    | {
        "topology.bottleneck.rate": "choice: slow enough for CUBIC to be as fast as Reno",
        "topology.bottleneck.delay": "choice: with the access links, 40 ms there and back",
        "topology.bottleneck.queue": "the axis",
        "flows[0].sampled": "choice: the study uses totals only",
        "record.samples": "choice: the study uses totals only",
    },
    own_scenario=True,
)

STUDIES = (L4S, COPA)
