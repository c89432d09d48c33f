"""Which values a metric can have in an arm at a point, so that no interval needs to go beyond.

What a metric declares comes first (:attr:`dumbbell.study.Metric.possible`), then what its source tells, then
what the network can carry: goodput is at most the data in full packets at the rate of the links.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from dumbbell.study.metric import possible
from dumbbell.study.plans import Plans
from dumbbell.study.spec import Metric, Point

_OF_ONE = ("mean", "min", "max", "p50", "p90", "p95", "p99")
"""Statistics of flows that are no more than the largest of one flow."""

Edge = tuple[str, str]


class Limits:
    """The possible ranges of metrics.

    Parameters
    ----------
    plans
        Of the study.
    """

    def __init__(self, plans: Plans) -> None:
        self._plans = plans
        self._ends: dict[tuple[str, int], float] = {}

    def of(self, metric: Metric, arm: str, point: Point) -> tuple[float, float]:
        """Return the least and the largest value of a metric in an arm at a point."""
        low, high = possible(metric)
        source = metric.source
        if metric.possible is not None or callable(source) or source.get("column") != "goodput":
            return low, high
        explained = self._plans.explained(self._plans.settings(arm, point))
        if explained is None:
            return low, high
        # Arms and points of equal plans share one dictionary, which stays.
        key = metric.name, id(explained)
        if key not in self._ends:
            self._ends[key] = float(source.get("factor", 1)) * _goodput(explained, source)
        end = self._ends[key]
        return min(0.0, end), max(0.0, end)


def _goodput(explained: Mapping[str, Any], source: Mapping[str, Any]) -> float:
    """Return the most that a metric of goodput can be, in bit/s; infinity where the plan does not tell."""
    pairs = explained["pairs"]
    chosen = [group for group in explained["groups"] if source.get("group") in (None, group["name"])]
    if not chosen or not pairs or any(pair["paths"] > 1 for pair in pairs):
        return math.inf
    payload = max(group["payload"] for group in chosen)
    # A link whose rate changes may be faster than it says.
    rates = {
        (link["from"], link["to"]): link["rate"] if link["service"] == "constant" else math.inf
        for link in explained["links"]
    }
    paths = [set(_edges(pair["path"])) for pair in pairs]
    slowest = [min(rates[edge] for edge in path) for path in paths]
    if source.get("table") == "runs":
        return float(payload * _together(paths, slowest, rates))
    statistic = source.get("statistic", "mean")
    if statistic in _OF_ONE:
        return float(payload * max(slowest))
    # The goodput of a flow with a size is that of its own time, and times of flows differ.
    if statistic == "sum" and all(group["mean_size"] is None for group in chosen):
        return float(payload * _together(paths, slowest, rates))
    return math.inf


def _together(paths: list[set[Edge]], slowest: list[float], rates: Mapping[Edge, float]) -> float:
    """Return what all paths together carry: what a link does that all share, and no more than each alone."""
    shared = set.intersection(*paths)
    return min([sum(slowest), *(rates[edge] for edge in shared)])


def _edges(path: list[str]) -> Iterator[Edge]:
    return pairwise(path)
