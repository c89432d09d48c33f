"""Metrics by size: from the flows of a run to one number for each bin of flow sizes.

A study measures them under the key ``by_size``; docs/reference/study.md says what it holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dumbbell import theory
from dumbbell.study.metric import STATISTICS, write_metric
from dumbbell.study.spec import Axis, Metric

if TYPE_CHECKING:
    from dumbbell._results import Results

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

AXIS = "flow_size"
"""The axis that metrics by size have besides those of the study."""


@dataclass(frozen=True)
class BySize:
    """Bins of flow sizes, and what is measured in each."""

    packet: int
    """Bytes of data in a packet."""
    up_to: tuple[int, ...]
    """The largest size of each bin, in packets."""
    metrics: tuple[Metric, ...]
    """Their sources are described in :mod:`dumbbell.study.sizes`."""
    group: str | None = None
    """Whose flows; ``None`` for all."""

    @property
    def bins(self) -> list[tuple[int, int]]:
        """The smallest and the largest size of each bin, in packets."""
        return [(low + 1, high) for low, high in zip((0, *self.up_to[:-1]), self.up_to, strict=True)]

    @cached_property
    def axis(self) -> Axis:
        """The bins as an axis: each stands at the geometric mean of its ends, the first at its upper one."""
        first, *others = self.bins
        values = (first[1], *(round(math.sqrt(low * high)) for low, high in others))
        return Axis(AXIS, "flow size", "packets", values, ((),) * len(values))

    @property
    def columns(self) -> list[str]:
        """Names of the numbers of a run: for each metric those of its bins."""
        return [column for metric in self.metrics for column in self.columns_of(metric.name)]

    def columns_of(self, metric: str) -> list[str]:
        """Return the names of the numbers of one metric, bin by bin."""
        return [f"{metric}_{size}" for size in self.axis.values]

    def evaluate(self, results: Results) -> list[float]:
        """Return the numbers of a run in the order of :attr:`columns`; not-a-number where there are none."""
        flows = _Flows(self, results)
        return [number for metric in self.metrics for number in flows.numbers(metric)]

    def write(self) -> dict[str, Any]:
        """Return JSON types, as in a study file."""
        return {
            "packet": self.packet,
            "up_to": list(self.up_to),
            **({"group": self.group} if self.group is not None else {}),
            "metrics": [write_metric(metric) for metric in self.metrics],
        }


class _Flows:
    """The flows of a run that count, by size."""

    def __init__(self, by_size: BySize, results: Results) -> None:
        self._flows = flows = results.flows
        every = np.ones(len(flows), np.bool_)
        chosen = every if by_size.group is None else flows.where("group", by_size.group)
        self._rows = np.flatnonzero(chosen)
        self._counted = flows["counted"][self._rows].astype(np.bool_)
        self._start = flows["start"][self._rows].astype(np.float64)
        self._packets = np.rint(flows["size"][self._rows] / by_size.packet).astype(np.int64)
        self._up_to = by_size.up_to

    def numbers(self, metric: Metric) -> list[float]:
        """Return one number for each bin."""
        source: Mapping[str, Any] = metric.source  # type: ignore[assignment]
        values = self._values(source)
        kept = ~np.isnan(values) & (self._packets <= self._up_to[-1])
        if source.get("counted", True):
            kept &= self._counted
        if "finished_by" in source:
            kept &= self._start + values <= source["finished_by"]
        sizes, each = EACH[source.get("each", "mean")](self._packets[kept], values[kept])
        ends = np.searchsorted(sizes, self._up_to, side="right")
        statistic, factor = STATISTICS[source.get("statistic", "mean")], float(source.get("factor", 1))
        return [statistic(part) * factor for part in np.split(each, ends[:-1])]

    def _values(self, source: Mapping[str, Any]) -> Floats:
        sharing = source.get("sharing")
        if sharing is None:
            return self._flows[source["column"]][self._rows].astype(np.float64)
        times = theory.processor_sharing(self._start, self._packets, sharing["capacity"], sharing.get("cap"))
        return times + float(sharing.get("added", 0))


def _mean(sizes: Whole, values: Floats) -> tuple[Whole, Floats]:
    known = np.bincount(sizes)
    there = np.flatnonzero(known)
    return there, np.bincount(sizes, values)[there] / known[there]


def _count(sizes: Whole, _values: Floats) -> tuple[Whole, Floats]:
    known = np.bincount(sizes)
    there = np.flatnonzero(known)
    return there, known[there].astype(np.float64)


def _ranked(share: float) -> Callable[[Whole, Floats], tuple[Whole, Floats]]:
    """Return the value of a rank among those of each size: 0 the least, 1 the largest, 1/2 the median."""

    def ranked(sizes: Whole, values: Floats) -> tuple[Whole, Floats]:
        order = np.lexsort((values, sizes))
        there, first, known = np.unique(sizes[order], return_index=True, return_counts=True)
        place = share * (known - 1)
        low, high = (
            values[order][first + part.astype(np.int64)] for part in (np.floor(place), np.ceil(place))
        )
        return there, (low + high) / 2

    return ranked


EACH: dict[str, Callable[[Whole, Floats], tuple[Whole, Floats]]] = {
    "mean": _mean,
    "median": _ranked(0.5),
    "min": _ranked(0.0),
    "max": _ranked(1.0),
    "count": _count,
}
"""From sizes and values of flows, both of shape (flows,), to the sizes there are and a number for each."""
