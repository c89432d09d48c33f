"""The further studies: CoDel and PIE on a scenario of RFC 7928, and the region in which RED is stable."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dumbbell.claims import Claim, Level, Ratio
from dumbbell.papers import Companion
from dumbbell.papers.aqm_outcomes.guidelines import GUIDELINES
from dumbbell.papers.aqm_outcomes.rfc7928 import ARMS, TARGETS, UTILISATION, WAIT, of_link
from dumbbell.report import FigureSpec
from dumbbell.study import Arm, Axis, Study

_SAMPLED = {"period": "200ms", "queues": ["left->right"]}
_RECORD = {"samples": False, "queues": "none"}


def _long_flows(pairs: int, bottleneck: dict[str, Any], access: dict[str, Any]) -> dict[str, Any]:
    return {
        "topology": {"kind": "dumbbell", "pairs": pairs, "bottleneck": bottleneck, "access": access},
        "transport": {"kind": "tcp", "profile": "rfc", "controller": "newreno"},
        "flows": [{"from": "senders", "to": "receivers", "jitter": "1s", "sampled": False}],
        "record": _RECORD,
    }


_COMMON = {
    "duration": "choice: long enough for the queue to settle",
    "warmup": "choice: after slow start",
    "topology.kind": "RFC 7928 section 3.1",
    "topology.pairs": "the axis, or [H01] section 5: 60 flows",
    "topology.access.rate": "choice: no second bottleneck",
    "topology.access.delay": "choice: with the bottleneck, the round-trip time",
    "transport.kind": "RFC 7928 section 5.1: TCP-friendly senders",
    "transport.profile": "choice: TCP by the RFCs",
    "transport.controller": "RFC 7928 section 5.1: TCP NewReno",
    "flows[0].from": "choice: all pairs",
    "flows[0].to": "choice: all pairs",
    "flows[0].jitter": "choice: so that seeds differ",
    "flows[0].sampled": "choice: the study uses totals only",
    "record.samples": "choice: the study uses totals only",
    "record.queues": "choice: the study uses totals only",
}


def _friendly(paper: Study) -> Study:
    bottleneck = {"rate": "15Mbit/s", "delay": "20ms", "queue": {"kind": "droptail", "limit": "1000pkt"}}
    scenario = _long_flows(5, bottleneck, {"rate": "100Mbit/s", "delay": "5ms"})
    return replace(
        paper,
        title="CoDel and PIE with TCP-friendly senders (RFC 7928 section 5.1)",
        question="How long do packets wait, and is the link used, with few TCP flows and with many?",
        scenario={"duration": "60s", "warmup": "20s"} | scenario,
        axes=(Axis.of("flows", "TCP flows", "", (5, 15, 30), "topology.pairs={value}"),),
        arms=ARMS,
        metrics=(WAIT, UTILISATION),
        seeds=paper.seeds,
    )


FRIENDLY = Companion(
    "rfc7928",
    _friendly,
    {"seeds": 3},
    (
        FigureSpec(
            "wait", "Mean wait against the number of flows", "flows", "wait", scale="log",
            references=TARGETS,
        ),
        FigureSpec("utilisation", "Utilisation of the link", "flows", "utilisation"),
    ),
    (
        Claim(
            "pie-at-its-target",
            "With 5 to 30 TCP flows packets wait 10 to 20 ms under PIE.",
            "RFC 8033 section 4.2: a target of 15 ms",
            "wait",
            Level("pie", 10, 20),
            ours="a third of the target to either side",
        ),
        Claim(
            "codel-short-wait",
            "With 5 to 30 TCP flows packets wait less than 25 ms under CoDel.",
            "RFC 8289 section 4.3: a target of 5 ms, which the law approaches slowly with many flows",
            "wait",
            Level("codel", high=25),
            ours="five times the target: the law reaches many flows in some seconds",
        ),
        Claim(
            "both-use-the-link",
            "PIE uses more than 95 % of the link.",
            "RFC 7928 section 2.7: the trade between delay and goodput",
            "utilisation",
            Level("pie", low=95),
            ours="what DropTail loses nothing of",
        ),
        Claim(
            "less-than-droptail",
            "Packets wait less than a fifth as long under CoDel as under DropTail.",
            "RFC 7928 section 2.7: the trade between delay and goodput",
            "wait",
            Ratio("codel", "droptail", high=0.2),
            ours="the target is a hundredth of the buffer's time",
        ),
    ),
    sources=_COMMON
    | {
        "topology.bottleneck.rate": "choice: a home's link",
        "topology.bottleneck.delay": "choice: a wide-area link",
        "topology.bottleneck.queue": "the arms; RFC 7928 section 3.2: buffers are large",
    },
    own_scenario=True,
)  # fmt: skip

_WEIGHTS = (1.33, 13.3, 133.0)
"""In millionths. Hollot et al. 2001, section 5, has the first; the condition holds for that one alone."""


def _red(weight: float) -> tuple[str, ...]:
    return (
        "topology.bottleneck.queue={ kind = 'red', min_threshold = '150pkt', max_threshold = '700pkt', "
        f"max_probability = 0.1, weight = {weight * 1e-6:.9f}, limit = '800pkt', mean_packet = '500B' }}",
    )


def _region(paper: Study) -> Study:
    bottleneck = {"rate": "15Mbit/s", "delay": "40ms", "mtu": "500B", "queue": {"kind": "droptail"}}
    scenario = _long_flows(60, bottleneck, {"rate": "100Mbit/s", "delay": "30ms", "mtu": "500B"})
    return replace(
        paper,
        title="RED within and without its region of stability",
        question="Does the queue settle where the condition of Hollot et al. holds, and swing elsewhere?",
        scenario={"duration": "1000s", "warmup": "600s"} | scenario | {"record": _SAMPLED},
        axes=(Axis("weight", "weight of the average", "1e-6", tuple(_WEIGHTS), tuple(map(_red, _WEIGHTS))),),
        arms=(Arm("red", "RED"),),
        metrics=(
            of_link("utilisation", "utilisation of the link", "%", "utilisation", 100.0),
            of_link("queue", "mean queue", "packets", "queue_mean"),
            of_link("p50", "median queue", "packets", "queue_p50"),
            of_link("p99", "99th percentile of the queue", "packets", "queue_p99"),
        ),
        seeds=paper.seeds,
    )


REGION = Companion(
    "red",
    _region,
    {"seeds": 3},
    (
        FigureSpec("p99", "99th percentile of the queue against the weight", "weight", "p99", x_scale="log"),
        FigureSpec("utilisation", "Utilisation of the link", "weight", "utilisation", x_scale="log"),
    ),
    (
        Claim(
            "red-settles",
            "Within the region the queue settles: its 99th percentile is less than 320 packets.",
            "[H01] section 5, figure 8: the queue settles",
            "p99",
            Level("red", low=100, high=320, at={"weight": 1.33}),
            ours="twice the queue of some 160 packets at which p is what 60 flows need",
        ),
        Claim(
            "red-never-idle-within",
            "Within the region the link never idles.",
            "[H01] section 5: the queue does not run empty",
            "utilisation",
            Level("red", low=99.9, at={"weight": 1.33}),
            ours="a thousandth for the start of the flows",
        ),
        Claim(
            "red-swings-without",
            "With a hundred times the weight the queue swings: its 99th percentile is more than 340 packets.",
            "[H01] section 5, figure 6: oscillations outside of the region",
            "p99",
            Level("red", low=340, at={"weight": 133.0}),
            ours="above what a stable queue has, and twice its median",
        ),
        Claim(
            "red-idles-without",
            "Then the queue also runs empty, and the link is used less.",
            "[H01] section 5, figure 6: oscillations outside of the region",
            "utilisation",
            Level("red", high=99, at={"weight": 133.0}),
            ours="a hundredth",
        ),
    ),
    sources=_COMMON
    | {
        "topology.bottleneck.rate": "[H01] section 5: 3750 packets of 500 bytes per second",
        "topology.bottleneck.delay": "[H01] section 5: a propagation delay of 0.2 s, there and back",
        "topology.bottleneck.mtu": "[H01] section 5: packets of 500 bytes",
        "topology.bottleneck.queue": "[H01] section 5: thresholds, probability, weight, buffer",
        "topology.access.mtu": "[H01] section 5: packets of 500 bytes",
        "record.period": "choice: a round-trip time",
        "record.queues": "choice: percentiles of the queue need samples",
    },
    own_scenario=True,
)  # fmt: skip

STUDIES = (FRIENDLY, GUIDELINES, REGION)
