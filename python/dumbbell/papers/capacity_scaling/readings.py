"""Other readings of what the paper leaves open, in all combinations: how many claims come out together.

A reading that is searched for is a fit. So this study judges nothing: its best reading is judged by
``capacity-scaling-fitted``, at other seeds.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dumbbell.papers import Companion
from dumbbell.papers.capacity_scaling.derived import DERIVED
from dumbbell.papers.capacity_scaling.together import TABLES
from dumbbell.report import FigureSpec
from dumbbell.study import AT_LEAST_ZERO, Axis, Metric, Study

if TYPE_CHECKING:
    from dumbbell import Results

_QUEUE = "topology.bottleneck.queue.limit"
_REVERSE = "topology.bottleneck.reverse.queue.limit"
_POLICY = "topology.bottleneck.power.policy"

BUFFERS = (42, 20, 22, 24, 26, 30, 36, 44)
"""Packets: "the bandwidth-delay product", of 50 ms in packets of 1500 B, and below."""

ROUND_TRIPS = {50: "10ms", 25: "3.75ms"}
"""Of an empty network in ms, each with the delay of an access link: an "average" may have queues in it."""

BACKLOGS = ("with-service", "waiting")
"""What q counts: the packet in transmission too, or what waits."""

SIZES = ("campus-web", "campus-10M", "campus-web-10M")
"""Measured ones."""

LOADS = (0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)
SEEDS = 4


def _data_time(results: Results) -> float:
    """Return the mean time (s) from the SYN to the last byte, less the flow's least round-trip time."""
    flows = results.flows
    times = (flows["completion_time"] - flows["rtt_min"])[flows["counted"]]
    ended = times[~np.isnan(times)]
    return float(ended.mean()) if ended.size else math.nan


METRICS = (
    Metric(
        "fct-sender", "mean completion time, up to the last acknowledgement", "s",
        {"table": "flows", "column": "sender_completion_time", "statistic": "mean"}, "lower",
    ),
    Metric(
        "fct-data", "mean completion time without that of opening the connection", "s", _data_time, "lower",
        possible=AT_LEAST_ZERO,
    ),
)  # fmt: skip
"""Completion times by other definitions."""


def limits(packets: int) -> tuple[str, str]:
    """Return the settings of a buffer, which both routers have."""
    return f"{_QUEUE}={packets}pkt", f"{_REVERSE}={packets}pkt"


def _study(paper: Study) -> Study:
    delays = tuple((f"topology.access.delay={delay}",) for delay in ROUND_TRIPS.values())
    return replace(
        paper,
        title="Capacity scaling under other readings of the paper, in all combinations",
        question="Under which reading of what the paper leaves open do most of its claims come out together?",
        axes=(
            Axis("buffer", "buffer", "packets", BUFFERS, tuple(map(limits, BUFFERS))),
            Axis("round-trip", "round-trip time of an empty network", "ms", tuple(ROUND_TRIPS), delays),
            Axis.of("q", "what q counts", "", BACKLOGS, f"{_POLICY}.backlog={{value}}"),
            Axis.of("sizes", "flow sizes", "", SIZES, "workloads[0].size={value}"),
            paper.axis("load").keeping(LOADS),
        ),
        arms=tuple(paper.arm(name) for name in ("tcponly", "tcp-pc", "udp-pc")),
        seeds=paper.seeds[:SEEDS],
        metrics=(*paper.metrics, *METRICS),
    )  # fmt: skip


COMPANION = Companion(
    "readings",
    _study,
    {"seeds": 2, "axes": {"buffer": [42, 22, 24], "q": ["with-service"], "sizes": ["campus-web"]}},
    tuple(
        FigureSpec(
            f"slowdown-{100 * load:.0f}-{round_trip}",
            f"Mean completion time over that of TCPonly at load {load}, {round_trip} ms", "buffer",
            "slowdown", ("tcp-pc",), scale="log", answers=(load, round_trip) == (0.8, 50),
            at={"load": load, "round-trip": round_trip, "q": BACKLOGS[0], "sizes": SIZES[0]},
        )
        for load in (0.1, 0.8)
        for round_trip in ROUND_TRIPS
    ),
    derived=DERIVED,
    tables=TABLES,
)  # fmt: skip
