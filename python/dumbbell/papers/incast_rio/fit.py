"""A reading of what the paper leaves open that a search found: `reading.toml` is the search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dumbbell.claims import Claim, Difference, Level, Monotone, Ratio
from dumbbell.claims.points import At
from dumbbell.papers import Companion
from dumbbell.papers.incast_rio.base import BASIC
from dumbbell.papers.incast_rio.derived import DERIVED
from dumbbell.report import FigureSpec, IndexRow, Reference
from dumbbell.study import Arm, Study

_SERVERS = (4, 8, 12, 16, 20)
_MANY = (8, 12, 16, 20)

READING: dict[str, str | float] = {
    "unit": "bytes",
    "weight": 0.8811,
    "limit": 81,
    "yellow": 0.06373,
    "green": 0.04805,
    "agreed-rate": 515.1,
    "burst": 9437,
    "buffers": 4,
    "delay": 19.67,
    "jitter": 0.06617,
}
"""What the search found, by the names of its factors."""

_NEVER = "{ min_threshold = '1000000pkt', max_threshold = '1000000pkt', max_probability = 0.0 }"
_DROPTAIL = (f"topology.port.classes=[{_NEVER}, {_NEVER}]",)
"""Thresholds that nothing reaches: DropTail, with the limit of the reading."""

ARMS = (
    Arm("basic", "Basic TCP, without RIO", (*_DROPTAIL, *BASIC)),
    Arm("rio", "Lite, with RIO"),
    Arm("lite", "Lite, without RIO", _DROPTAIL),
)


def _study(paper: Study) -> Study:
    unit = {"packets": "pkt", "bytes": "B"}[str(READING["unit"])]
    port = {
        "kind": "rio",
        "limit": f"{READING['limit']}pkt",
        "weight": READING["weight"],
        "classes": [
            {
                "min_threshold": f"{low}{unit}",
                "max_threshold": f"{high}{unit}",
                "max_probability": READING[colour],
            }
            for colour, low, high in (("yellow", 100, 200), ("green", 50, 100))
        ],
    }
    marker = {
        "kind": "token-bucket",
        "rate": f"{READING['agreed-rate']}bit/s",
        "burst": f"{READING['burst']}B",
    }
    given, buffers, delay = paper.scenario, f"{READING['buffers']}kB", f"{READING['delay']}ms"
    topology = {
        **given["topology"],
        "port": port,
        "link": {**given["topology"]["link"], "marker": marker, "delay": delay},
        "receiver_link": {**given["topology"]["receiver_link"], "delay": delay},
    }
    transport = {**given["transport"], "receive_window": buffers, "initial_receive_window": buffers}
    workload = {**given["workloads"][0], "jitter": f"{READING['jitter']}s"}
    scenario = {**given, "topology": topology, "transport": transport, "workloads": [workload]}
    return replace(
        paper,
        title="TCP Lite and RIO under a reading that was fitted to the paper",
        question="Which of the paper's statements hold at once, under the best of many readings?",
        scenario=scenario,
        axes=(paper.axis("servers").keeping(_SERVERS),),
        arms=ARMS,
        seeds=tuple(range(5001, 5021)),
    )


def _claims() -> Iterator[Claim]:
    at: At = {"servers": _SERVERS}
    many: At = {"servers": _MANY}
    yield Claim(
        "F2-falls", "Without RIO, throughput (a) falls with the servers.",
        "[A16] figure 2", "throughput", Monotone("servers", "basic", "falls", at),
    )  # fmt: skip
    yield Claim(
        "F3-more", "With RIO the client receives more, by a packet or more.",
        "[A16] figure 3; the bound is ours", "delivered", Difference("rio", "basic", low=0.512, at=many),
    )  # fmt: skip
    yield Claim(
        "F3-rises", "With RIO the bytes received rise with the servers.",
        "[A16] figure 3", "delivered", Monotone("servers", "rio", "rises", at),
    )  # fmt: skip
    yield Claim(
        "F4-falls", "Without RIO, throughput (c) falls with the servers.",
        "[A16] figure 4", "sum_goodput", Monotone("servers", "basic", "falls", at),
    )  # fmt: skip
    yield Claim(
        "F4-rises", "With RIO, throughput (c) rises with the servers.",
        "[A16] figure 4", "sum_goodput", Monotone("servers", "rio", "rises", at),
    )  # fmt: skip
    yield Claim(
        "F4-rio", "RIO against DropTail, both with Lite: throughput (a) is higher by a hundredth or more.",
        "[A16] section 5.2; the bound is ours", "throughput", Ratio("rio", "lite", low=1.01, at=many),
    )  # fmt: skip
    for name, metric, words in (
        ("", "missing", "packet loss, sent less received,"),
        ("-undelivered", "undelivered", "what the client still lacks"),
    ):
        yield Claim(
            f"F5-less{name}", f"With RIO, {words} is less, by a packet or more.",
            "[A16] figure 5; the bound is ours", metric, Difference("rio", "basic", high=-1, at=many),
        )  # fmt: skip
        for word, arm in (("without", "basic"), ("with", "rio")):
            yield Claim(
                f"F5-rises-{word}{name}", f"With the servers, {words} rises {word} RIO.",
                "[A16] figure 5", metric, Monotone("servers", arm, "rises", at),
            )  # fmt: skip
    yield Claim(
        "F6-green", "No yellow packet is dropped.",
        "[A16] figure 6", "protected_share", Level("rio", high=0, at=many),
    )  # fmt: skip
    yield Claim(
        "F6-early", "RIO drops by its law before the queue is full.",
        "[A16] section 5.1; the bound is ours", "early_lead", Level("rio", low=0.001, at=many),
    )  # fmt: skip


def _ticks(low: float, high: float) -> tuple[Reference, ...]:
    source = "[A16], the ticks of its axes: no data points are legible"
    return (
        Reference("published axis, lowest tick", (low,), source=source),
        Reference("published axis, highest tick", (high,), source=source),
    )


FIGURES = (
    FigureSpec(
        "figure-2", "Throughput (a), as in figure 2", "servers", "throughput", references=_ticks(5.4, 6.4)
    ),
    FigureSpec("figure-3", "Bytes received, as in figure 3", "servers", "delivered", answers=True),
    FigureSpec(
        "figure-4", "Throughput (c), as in figure 4", "servers", "sum_goodput", references=_ticks(4, 18)
    ),
    FigureSpec("figure-5", "Packet loss as in figure 5: sent less received", "servers", "missing"),
    FigureSpec(
        "figure-5-undelivered", "Packets that the client lacks, as in figure 5", "servers", "undelivered",
        references=_ticks(0, 2000),
    ),
    FigureSpec("figure-6", "Green packets, as in figure 6", "servers", "dropped_unprotected", ("rio",)),
    FigureSpec("figure-6-yellow", "Yellow packets, as in figure 6", "servers", "dropped_protected", ("rio",)),
    FigureSpec("retransmissions", "Retransmissions", "servers", "retransmissions"),
)  # fmt: skip

INDEX = (
    IndexRow("Figure 2", "Throughput against senders", ("figure-2",), ("F2-*",)),
    IndexRow("Figure 3", "Bytes received, without and with RIO", ("figure-3",), ("F3-*",)),
    IndexRow("Figure 4", "Throughput, without and with RIO", ("figure-4",), ("F4-*",)),
    IndexRow("Figure 5", "Packet loss, without and with RIO", ("figure-5*",), ("F5-*",)),
    IndexRow("Figure 6", "Packets dropped, by colour", ("figure-6*",), ("F6-*",)),
    IndexRow("Abstract", "Number of retransmissions", ("retransmissions",)),
)

FIT = Companion(
    "fit",
    _study,
    {"seeds": 5, "axes": {"servers": [4, 8, 12, 16, 20]}},
    FIGURES,
    tuple(_claims()),
    DERIVED,
    sources=dict.fromkeys(
        (
            "topology.port",
            "topology.link.marker",
            "topology.link.delay",
            "topology.receiver_link.delay",
            "transport.receive_window",
            "transport.initial_receive_window",
            "workloads[0].jitter",
        ),
        "fitted: the best reading of the search in reading.toml",
    ),
    index=INDEX,
)
