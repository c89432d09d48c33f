"""What the further studies compute: metrics from runs, axes of all that is registered, maps, tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dumbbell import Scenario, ScenarioError, _native
from dumbbell.papers import Companion
from dumbbell.papers.capacity_scaling import offline, policies
from dumbbell.papers.capacity_scaling.plots import PLOTS
from dumbbell.papers.capacity_scaling.tables import SUPPORT
from dumbbell.papers.capacity_scaling.together import TABLES
from dumbbell.study import AT_LEAST_ZERO, Axis, Metric, Study

if TYPE_CHECKING:
    from dumbbell import Results

_QUEUE = "topology.bottleneck.queue"


def _rate_memory(results: Results) -> float:
    """Return the time (s) in which the autocorrelation of the configured rate falls below 1/e."""
    ((times, rates),) = results.series("rate").values()
    counted = rates[times >= float(results.runs["warmup"][0])]
    part = counted - counted.mean()
    if not part.any():
        return float("nan")
    # By FFT of twice the length, so that the ends do not meet.
    power = np.abs(np.fft.rfft(part, 2 * part.size)) ** 2
    correlation = np.fft.irfft(power)[: part.size]
    below = np.flatnonzero(correlation < correlation[0] / np.e)
    return float(below[0] * (times[1] - times[0])) if below.size else float("nan")


def _data_time(results: Results) -> float:
    """Return the mean time (s) from the SYN to the last byte, less the flow's least round-trip time."""
    flows = results.flows
    times = (flows["completion_time"] - flows["rtt_min"])[flows["counted"]]
    ended = times[~np.isnan(times)]
    return float(ended.mean()) if ended.size else math.nan


_MEMORY = Metric(
    "memory", "memory of the rate: autocorrelation above 1/e", "s", _rate_memory, possible=AT_LEAST_ZERO
)

_DATA_TIME = Metric(
    "fct-data", "mean completion time without that of opening the connection", "s", _data_time, "lower",
    possible=AT_LEAST_ZERO,
)  # fmt: skip


def _with(*metrics: Metric) -> Callable[[Study], Study]:
    return lambda study: replace(study, metrics=(*study.metrics, *metrics))


def _over(family: str, settings: Callable[[str], Sequence[tuple[str, ...]]]) -> Callable[[Study], Study]:
    """Add an axis of the registered members of a family, each with settings that the scenario takes."""

    def grown(study: Study) -> Study:
        found: dict[str, tuple[str, ...]] = {}
        # Names alone: with all parameters, the registry takes half a second to make.
        for name, _, _ in dict(_native.algorithms())[family]:
            for choice in settings(name):
                try:
                    Scenario.from_dict(study.scenario, [*choice, "workloads[0].load=0.5"], study.base_dir)
                except ScenarioError:
                    continue
                found[name] = choice
                break
        return replace(
            study, axes=(Axis(family, family, "", tuple(found), tuple(found.values())), *study.axes)
        )

    return grown


_MARKING = {"dctcp": (f"{_QUEUE}={{ kind = 'threshold', threshold = '6pkt', limit = '42pkt' }}",)}
"""What a controller needs of the queue: DCTCP marks, above a seventh of 42 packets (RFC 8257 section 4.1)."""


def _controller(name: str) -> list[tuple[str, ...]]:
    return [(f"transport.controller={name}", *_MARKING.get(name, ()))]


def _queue(name: str) -> list[tuple[str, ...]]:
    return [(f"{_QUEUE}={name}", f"{_QUEUE}.limit=42pkt"), (f"{_QUEUE}={name}",)]


STUDIES = (
    Companion("delay", _with(_MEMORY)),
    Companion("readings", _with(_DATA_TIME), tables=TABLES),
    Companion("fitted", _with(_DATA_TIME), tables=(SUPPORT, *TABLES), plots=PLOTS),
    Companion("twice", _with(_DATA_TIME), tables=(SUPPORT, *TABLES), plots=PLOTS),
    Companion("ns2", tables=(SUPPORT,), plots=PLOTS),
    Companion("senders", _over("controller", _controller)),
    Companion("queues", _over("queue", _queue)),
    Companion("policies", maps=policies.MAPS),
    Companion("offline", _with(*offline.METRICS)),
)
