"""The grid: rates of the client's link, markers, queues, and forms of TCP."""

from __future__ import annotations

from dataclasses import replace

from dumbbell.claims import Claim, Difference, Level, Monotone, Ratio, Rule
from dumbbell.claims.points import At
from dumbbell.papers import Companion
from dumbbell.papers.incast_rio.base import (
    BURST,
    FAIR,
    GREEN,
    SEEDS,
    TOKENS,
    UNMARKED,
    YELLOW,
    marker,
    port,
)  # fmt: skip
from dumbbell.papers.incast_rio.derived import DERIVED
from dumbbell.report import FigureSpec
from dumbbell.report.spec import Value
from dumbbell.study import Arm, Axis, Study

RATES = {10: "10 kbit/s", 10_000: "10 Mbit/s", 1_000_000: "1 Gbit/s"}
_TAGS = {10: "10k", 10_000: "10M", 1_000_000: "1G"}
_SERVERS = (4, 8, 12, 16, 20)
_MANY = (12, 16, 20)

_TWO = {"yellow": 1, "red": 1}
"""Of three colours the worse two are one class."""

MARKERS = {
    "none": ("all green", UNMARKED),
    "tb": ("token bucket", TOKENS),
    "tsw": ("time sliding window", marker("tsw2cm", rate=FAIR)),
    "srtcm": ("srTCM", marker("srtcm", rate=FAIR, burst=BURST, excess_burst=BURST, **_TWO)),
    "trtcm": (
        "trTCM",
        marker("trtcm", rate=FAIR, burst=BURST, peak_rate="{rate}kbit/s", peak_burst=BURST, **_TWO),
    ),
    "static": ("half at random", marker("static", share=0.5)),
    "ends": ("head and tail", marker("head-tail", block="51200B", segment="512B", packets=4)),
}

QUEUES = {
    "rio-c": ("RIO-C", port("rio", YELLOW, GREEN)),
    "rio-dc": ("RIO-DC", port("rio", YELLOW, GREEN, more=", averages = 'decoupled'")),
    "wred": ("WRED", port("wred", YELLOW, GREEN)),
}

_RED = (
    "topology.port={ kind = 'red', limit = '300pkt', min_threshold = '50pkt', max_threshold = '100pkt',"
    " max_probability = 0.2 }"
)


def _arm(queue: str, how: str) -> Arm:
    (name, setting), (words, settings) = QUEUES[queue], MARKERS[how]
    return Arm(f"{queue}-{how}", f"{name}, {words}", (setting, *settings))


# First those that one figure compares: figures have a colour for each of the first arms.
ARMS = (
    Arm("droptail", "DropTail"),
    Arm("red", "RED", (_RED,)),
    *(_arm(queue, "tb") for queue in QUEUES),
    *(_arm(queue, how) for queue in QUEUES for how in MARKERS if how != "tb"),
)

_RFC = "transport.controller={ kind = 'reno', variant = 'rfc' }"
TCPS = {
    "Tahoe": ("transport.controller=tahoe", "transport.timestamps=false"),
    "Reno": (_RFC, "transport.timestamps=false", "transport.exit_inflation_fix=true"),
    "Lite": (),
    "NewReno": ("transport.controller=newreno", "transport.single_fast_retransmit=true"),
    "SACK": (_RFC, "transport.sack=true"),
}

_FAST = (
    "topology.link={ rate = '1Gbit/s', delay = '25us' }",
    "topology.receiver_link={ rate = '1Gbit/s', delay = '25us' }",
)
"""The network of a data centre, as in `incast-classic`."""


def _study(paper: Study) -> Study:
    slow = [(f"topology.receiver_link.rate={rate}kbit/s",) for rate in (10, 10_000)]
    return replace(
        paper,
        title="TCP Lite and RIO: the grid",
        question="Which queue, marker and TCP does better than DropTail, at which rate of the client's link?",
        axes=(
            Axis("rate", "client's link", "kbit/s", tuple(RATES), (*slow, _FAST)),
            Axis("tcp", "TCP", "", tuple(TCPS), tuple(TCPS.values())),
            paper.axis("servers").keeping(_SERVERS),
        ),
        arms=ARMS,
        seeds=paper.seeds[:SEEDS],
    )


def _claims_of(rate: int, arm: str, name: str) -> tuple[Claim, ...]:
    at: At = {"rate": rate, "tcp": "Lite", "servers": _MANY}
    tag = f"{_TAGS[rate]}-{arm}"

    def claim(id_: str, statement: str, figure: str, metric: str, rule: Rule) -> Claim:
        return Claim(
            f"{id_}-{tag}", f"{RATES[rate]}, {name}: {statement}.", f"[A16] {figure}; the bound is ours",
            metric, rule,
        )  # fmt: skip

    return (
        claim(
            "B2", "TCP Lite receives more than with DropTail, by a packet or more", "figure 3",
            "delivered", Difference(arm, "droptail", low=0.512, at=at),
        ),
        claim(
            "B3", "throughput (a) is higher than with DropTail, by a hundredth or more", "figure 4",
            "throughput", Ratio(arm, "droptail", low=1.01, at=at),
        ),
        claim(
            "B3-rises", "throughput (a) rises with the servers", "figure 4",
            "throughput", Monotone("servers", arm, "rises", at),
        ),
        claim(
            "B4", "packet loss is less than with DropTail, by a packet or more", "figure 5",
            "missing", Difference(arm, "droptail", high=-1, at=at),
        ),
        *(
            (
                claim(
                    "B5", "no yellow packet is dropped", "figure 6",
                    "protected_share", Level(arm, high=0, at=at),
                ),
            )
            if arm != "red"
            else ()
        ),
        claim(
            "B6", "it drops by its law before the queue is full", "section V",
            "early_lead", Level(arm, low=0.001, at=at),
        ),
    )  # fmt: skip


_MARKED = tuple((f"{queue}-tb", f"{name}, {MARKERS['tb'][0]}") for queue, (name, _) in QUEUES.items())

CLAIMS = tuple(
    claim
    for rate in RATES
    for arm, name in (("red", "RED"), *_MARKED)
    for claim in _claims_of(rate, arm, name)
)

_KINDS = ("droptail", "red", *(arm for arm, _ in _MARKED))


def _figures() -> tuple[FigureSpec, ...]:
    found = []
    for rate, words in RATES.items():
        lite: dict[str, Value] = {"rate": rate, "tcp": "Lite"}
        for metric, title in (("throughput", "Throughput (a)"), ("missing", "Packet loss")):
            found += [
                FigureSpec(
                    f"{metric}-queues-{rate}", f"{title} of TCP Lite with each queue; {words}", "servers",
                    metric, _KINDS, at=lite, answers=metric == "throughput",
                    note="RIO and WRED with a token bucket at each server.",
                ),
                FigureSpec(
                    f"{metric}-markers-{rate}", f"{title} of TCP Lite with RIO-C and each marker; {words}",
                    "servers", metric, ("droptail", *(f"rio-c-{how}" for how in MARKERS)), at=lite,
                ),
                FigureSpec(
                    f"{metric}-tcp-{rate}", f"{title} of each TCP from 20 servers; {words}", "tcp", metric,
                    _KINDS, at={"rate": rate, "servers": 20},
                ),
            ]  # fmt: skip
    return tuple(found)


GRID = Companion(
    "grid",
    _study,
    {"seeds": 3, "axes": {"servers": [12, 16, 20]}},
    _figures(),
    CLAIMS,
    DERIVED,
    sources={
        "topology.link": "[P08]: 1 Gbit/s and a round-trip time of 100 us, where the client's link has that",
        "transport.exit_inflation_fix": "the axis: Reno of RFC 2581",
        "transport.single_fast_retransmit": "the axis: RFC 6582",
    },
)
