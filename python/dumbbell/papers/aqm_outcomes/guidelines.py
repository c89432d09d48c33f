"""CoDel and PIE on further scenarios of RFC 7928: other senders, bursts, levels of congestion, capacity."""

from __future__ import annotations

from dataclasses import replace

from dumbbell.claims import Claim, Level, Ratio
from dumbbell.papers import Companion
from dumbbell.papers.aqm_outcomes.rfc7928 import ARMS, TARGETS, UTILISATION, WAIT, of_link
from dumbbell.report import FigureSpec
from dumbbell.study import Axis, Study

_PAIRS = 41
"""One more than the most flows of TCP: the last pair is that of the other flow."""


def _tcp(flows: int) -> str:
    return f"flows[0].count={flows}"


def _beside(transport: str) -> tuple[str, ...]:
    return (_tcp(5), "flows[1].start=5s", f"flows[1].transport={{ {transport} }}")


_CAPACITY = ", ".join(
    f"{{ at = '{at}s', rate = '{rate}Mbit/s' }}" for at, rate in ((20, 5), (30, 15), (40, 5), (50, 15))
)

_SCENARIOS = {
    "aggressive": _beside("kind = 'tcp', controller = 'cubic'"),
    "unresponsive": _beside("kind = 'cbr', rate = '5Mbit/s'"),
    "background": _beside("kind = 'tcp', profile = 'rfc', controller = 'ledbat'"),
    "bursts": _beside("kind = 'on-off', rate = '10Mbit/s', mean_on = '100ms', mean_off = '900ms'"),
    "mild": (_tcp(2),),
    "medium": (_tcp(10),),
    "heavy": (_tcp(40),),
    "varying": (_tcp(5), f"topology.bottleneck.rate_changes=[{_CAPACITY}]"),
    "ecn": (_tcp(10), "transport.ecn=true"),
}
"""By the sections of RFC 7928: 5.2, 5.3, 5.4, 7.2, 8.2.2 to 8.2.4, 8.2.6 and 4.5."""

_RESPONSIVE = ("aggressive", "background", "medium", "heavy", "ecn")


def _guidelines(paper: Study) -> Study:
    queue = {"kind": "droptail", "limit": "1000pkt"}
    bottleneck = {"rate": "15Mbit/s", "delay": "20ms", "queue": queue}
    return replace(
        paper,
        title="CoDel and PIE on further scenarios of RFC 7928",
        question="How long do packets wait, and is the link used, whoever sends and however much?",
        scenario={
            "duration": "60s",
            "warmup": "20s",
            "topology": {
                "kind": "dumbbell",
                "pairs": _PAIRS,
                "bottleneck": bottleneck,
                "access": {"rate": "100Mbit/s", "delay": "5ms"},
            },
            "transport": {"kind": "tcp", "profile": "rfc", "controller": "newreno"},
            "flows": [
                {
                    "name": "tcp",
                    "from": "senders",
                    "to": "receivers",
                    "count": 5,
                    "jitter": "1s",
                    "sampled": False,
                },
                {
                    "name": "other",
                    "from": f"sender{_PAIRS - 1}",
                    "to": f"receiver{_PAIRS - 1}",
                    "start": "1000s",
                    "sampled": False,
                },
            ],
            "record": {"samples": False, "queues": "none"},
        },
        axes=(Axis("scenario", "scenario of RFC 7928", "", tuple(_SCENARIOS), tuple(_SCENARIOS.values())),),
        arms=ARMS,
        metrics=(WAIT, UTILISATION, of_link("loss", "loss at the link", "%", "loss", 100.0)),
        seeds=paper.seeds,
    )


GUIDELINES = Companion(
    "guidelines",
    _guidelines,
    {"seeds": 6},
    (
        FigureSpec(
            "wait", "Mean wait", "scenario", "wait", scale="log",
            references=TARGETS,
        ),
        FigureSpec("utilisation", "Utilisation of the link", "scenario", "utilisation"),
        FigureSpec("loss", "Loss at the link", "scenario", "loss"),
    ),
    (
        Claim(
            "pie-holds-its-target",
            "Whatever TCP flows send, and with marks, packets wait less than 20 ms under PIE.",
            "RFC 8033 section 4.2: a target of 15 ms; RFC 7928 sections 5.2, 5.4, 8.2 and 4.5",
            "wait",
            Level("pie", high=20, at={"scenario": _RESPONSIVE}),
            ours="a third above the target, as in the study of TCP-friendly senders",
        ),
        Claim(
            "codel-holds-the-wait",
            "There packets wait less than 25 ms under CoDel.",
            "RFC 8289 section 4.3: a target of 5 ms; RFC 7928 sections 5.2, 5.4, 8.2 and 4.5",
            "wait",
            Level("codel", high=25, at={"scenario": _RESPONSIVE}),
            ours="five times the target, as in the study of TCP-friendly senders",
        ),
        Claim(
            "both-survive-bursts",
            "Beside bursts, and where the capacity falls to a third, they wait less than a quarter as long "
            "under PIE as under DropTail.",
            "RFC 7928 sections 7.2 and 8.2.6",
            "wait",
            Ratio("pie", "droptail", high=0.25, at={"scenario": ("bursts", "varying")}),
            ours="the target is a fiftieth of the buffer's time; what comes before the law answers has room",
        ),
        Claim(
            "marks-save-losses",
            "With marks the link loses less than 0.1 % under CoDel.",
            "RFC 7928 section 4.5; RFC 8087 section 2.1",
            "loss",
            Level("codel", high=0.1, at={"scenario": "ecn"}),
            ours="none after slow start; segments without data are never marked",
        ),
        Claim(
            "link-is-used",
            "With ten flows and more PIE uses more than 95 % of the link.",
            "RFC 7928 section 8.2: goodput at each level of congestion",
            "utilisation",
            Level("pie", low=95, at={"scenario": ("medium", "heavy")}),
            ours="as in the study of TCP-friendly senders",
        ),
    ),
    sources={
        "duration": "choice: long enough for the queue to settle",
        "warmup": "choice: after slow start",
        "topology.kind": "RFC 7928 section 3.1",
        "topology.pairs": "choice: forty flows of TCP and one of another kind",
        "topology.bottleneck.rate": "choice: a home's link",
        "topology.bottleneck.delay": "choice: a wide-area link",
        "topology.bottleneck.queue": "the arms; RFC 7928 section 3.2: the buffer is large",
        "topology.bottleneck.rate_changes": "RFC 7928 section 8.2.6",
        "topology.access.rate": "choice: no second bottleneck",
        "topology.access.delay": "choice: with the bottleneck, the round-trip time",
        "transport.kind": "RFC 7928 section 5.1: TCP-friendly senders",
        "transport.profile": "choice: TCP by the RFCs",
        "transport.controller": "RFC 7928 section 5.1: TCP NewReno",
        "transport.ecn": "RFC 7928 section 4.5",
        "flows[0].name": "choice: a name",
        "flows[0].from": "choice: the first pairs",
        "flows[0].to": "choice: the first pairs",
        "flows[0].count": "the axis: levels of congestion, RFC 7928 section 8.2",
        "flows[0].jitter": "choice: so that seeds differ",
        "flows[0].sampled": "choice: the study uses totals only",
        "flows[1].name": "choice: a name",
        "flows[1].from": "choice: the last pair",
        "flows[1].to": "choice: the last pair",
        "flows[1].start": "the axis: never, or after the start of TCP",
        "flows[1].transport": "the axis: RFC 7928 sections 5.2 to 5.4 and 7.2",
        "flows[1].sampled": "choice: the study uses totals only",
        "record.samples": "choice: the study uses totals only",
        "record.queues": "choice: the study uses totals only",
    },
    own_scenario=True,
)  # fmt: skip
