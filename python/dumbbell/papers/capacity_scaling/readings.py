"""Other readings of what the paper leaves open, in all combinations: how many claims come out together.

A reading that is searched for is a fit. So this study judges nothing: its best reading is judged by
``capacity-scaling-half-buffer``, at other seeds.
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
_POLICY = "topology.bottleneck.power.policy"

BUFFERS = ("42 packets", "21 packets", "62500 B", "31250 B")
"""One bandwidth-delay product and a half of it."""

DELAYS = (40, 60, 80)

STARTS = {
    "2 packets": (),
    "4 packets": ("transport.initial_window=4",),
    "ns2": ("transport.profile=ns2",),
}
"""First window of a flow (RFC 2581, RFC 3390), or the agents of ns-2, which wait 3 s for a lost SYN."""

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


def limit(buffer: str) -> str:
    """Return the setting of a buffer: ``"42 packets"``, ``"62500 B"``."""
    return f"{_QUEUE}={buffer.replace(' packets', 'pkt').replace(' ', '')}"


def _study(paper: Study) -> Study:
    return replace(
        paper,
        title="Capacity scaling under other readings of the paper, in all combinations",
        question="Under which reading of what the paper leaves open do most of its claims come out together?",
        axes=(
            Axis("buffer", "buffer", "", BUFFERS, tuple((limit(buffer),) for buffer in BUFFERS)),
            Axis(
                "delay", "delay constraint", "ms", DELAYS,
                tuple((f"{_POLICY}.delay={delay}ms",) for delay in DELAYS),
            ),
            Axis("start", "start of a flow", "", tuple(STARTS), tuple(STARTS.values())),
            paper.axis("load").keeping(LOADS),
        ),
        arms=tuple(paper.arm(name) for name in ("tcponly", "tcp-pc", "udp-pc")),
        seeds=paper.seeds[:SEEDS],
        metrics=(*paper.metrics, *METRICS),
    )  # fmt: skip


COMPANION = Companion(
    "readings",
    _study,
    {"seeds": 2, "axes": {"buffer": ["42 packets", "21 packets", "31250 B"], "start": ["2 packets", "ns2"]}},
    tuple(
        FigureSpec(
            f"slowdown-{100 * load:.0f}-{delay}",
            f"Mean completion time over that of TCPonly at load {load}, d = {delay} ms", "buffer", "slowdown",
            ("tcp-pc",), at={"load": load, "delay": delay, "start": "2 packets"}, scale="log",
            answers=(load, delay) == (0.8, DELAYS[0]),
        )
        for load in (0.1, 0.8)
        for delay in DELAYS
    ),
    derived=DERIVED,
    tables=TABLES,
)  # fmt: skip
