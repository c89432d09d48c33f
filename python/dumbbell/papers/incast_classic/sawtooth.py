"""The queue of long DCTCP flows against its closed form: I10."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dumbbell.claims import Claim, Level
from dumbbell.papers import Companion
from dumbbell.papers.incast_classic.base import SEEDS, STAR, servers
from dumbbell.report import FigureSpec, Reference
from dumbbell.study import AT_LEAST_ZERO, Arm, Metric, Study

if TYPE_CHECKING:
    from dumbbell import Results

Floats = NDArray[np.float64]

_SAMPLES = 17
"""Of 20 us in a round-trip time: 100 us of propagation, and 20 packets of 12 us. Packets come in bursts."""


def _packets(results: Results) -> Floats:
    """Return the samples of the queue of the port, of the measured part."""
    ((times, queue),) = results.series("queue").values()
    return queue[times >= float(results.runs["warmup"][0])]


def _longest(results: Results) -> float:
    """Return the longest queue, in packets that wait."""
    return float(_packets(results).max()) - 1


def _swing(results: Results) -> float:
    """Return how far the mean of the queue over a round trip swings, in packets, for 98 % of the time."""
    smooth = np.convolve(_packets(results), np.ones(_SAMPLES) / _SAMPLES, "valid")
    low, high = np.quantile(smooth, (0.01, 0.99))
    return float(high - low)


def _sawtooth(paper: Study) -> Study:
    return replace(
        paper,
        title="The queue of long DCTCP flows against its closed form",
        question="How long does the queue get, and how far does it swing?",
        scenario={
            "duration": "2s",
            "warmup": "1s",
            "topology": STAR | {
                "senders": 2, "port": {"kind": "threshold", "threshold": "20pkt", "limit": "100pkt"},
            },
            "transport": {"kind": "tcp", "profile": "rfc", "controller": "dctcp"},
            "flows": [{"from": "senders", "to": "receivers", "stagger": "10ms"}],
            "record": {"period": "20us", "queues": ["switch->receiver0"]},
        },
        axes=(servers(2, 4, 8),),
        arms=(
            Arm("prompt", "an acknowledgement for each segment", ("transport.ack_every=1",)),
            Arm("delayed", "one for two"),
        ),
        metrics=(
            Metric("longest", "longest queue", "packets", _longest, possible=AT_LEAST_ZERO),
            Metric("swing", "swing of the queue", "packets", _swing, possible=AT_LEAST_ZERO),
            paper.metric("goodput"),
        ),
        seeds=paper.seeds[:SEEDS],
    )  # fmt: skip


_BDP = 1e9 * 100e-6 / 8 / 1500
"""Of the propagation, in packets."""

_THRESHOLD = 20


SAWTOOTH = Companion(
    "sawtooth",
    _sawtooth,
    {"seeds": 3},
    (
        FigureSpec(
            "longest",
            "Longest queue (I10)",
            "servers",
            "longest",
            answers=True,
            references=(Reference("K + N", (22.0, 24.0, 28.0), (2, 4, 8), "[A10], section 3.3"),),
        ),
        FigureSpec(
            "swing",
            "Swing of the queue (I10)",
            "servers",
            "swing",
            references=(
                Reference(
                    "half the root of 2 N (C RTT + K)",
                    tuple(0.5 * math.sqrt(2 * n * (_BDP + _THRESHOLD)) for n in (2, 4, 8)),
                    (2, 4, 8),
                    "[A10], equation 8",
                ),
            ),
        ),
    ),
    (
        Claim(
            "I10-longest",
            "Two flows: the longest queue is K + N, 22 packets, within a fifth.",
            "[A10], section 3.3",
            "longest",
            Level("prompt", 17.6, 26.4, at={"servers": 2}),
        ),
        Claim(
            "I10-swing",
            "Two flows: the queue swings by 5.3 packets, within a fifth.",
            "[A10], equation 8",
            "swing",
            Level("prompt", 4.26, 6.38, at={"servers": 2}),
        ),
    ),
    sources={
        "duration": "choice: thousands of round-trip times",
        "warmup": "choice: the estimate starts at 1 and settles in some hundred",
        "topology.kind": "[A10]",
        "topology.senders": "the axis",
        "topology.link.rate": "[A10]: 1 Gbit/s",
        "topology.link.delay": "[A10]: a round-trip time of 100 us",
        "topology.port": "[A10]: K = 20",
        "topology.port.kind": "[A10]: marks above a threshold",
        "topology.port.threshold": "[A10]: K = 20",
        "topology.port.limit": "choice: never full",
        "transport.kind": "[A10]",
        "transport.profile": "RFC 8257",
        "transport.controller": "[A10]",
        "transport.ack_every": "the arms",
        "flows[0].from": "[A10]",
        "flows[0].to": "[A10]",
        "flows[0].stagger": "choice: one after the other",
        "record.period": "choice: a fifth of a round-trip time",
        "record.queues": "choice: the queue of the port",
    },
    own_scenario=True,
)
