"""The metrics of ``sawtooth``, I10: the queue of long DCTCP flows, whose closed form is known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dumbbell.papers import Companion
from dumbbell.study import AT_LEAST_ZERO, Metric, Study

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


_METRICS = (
    Metric("longest", "longest queue", "packets", _longest, possible=AT_LEAST_ZERO),
    Metric("swing", "swing of the queue", "packets", _swing, possible=AT_LEAST_ZERO),
)


def _sawtooth(study: Study) -> Study:
    return replace(study, metrics=(*_METRICS, *study.metrics))


STUDIES = (Companion("sawtooth", _sawtooth),)
