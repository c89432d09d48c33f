"""The nine measurements of [T98], section 11.2, and further ones. A run ends with its last message."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dumbbell.study import AT_LEAST_ZERO, Metric

if TYPE_CHECKING:
    from dumbbell import Results


def _limit(results: Results) -> float:
    """When a run ends that never ends, in s: the duration of the scenario."""
    return float(results.runs["duration"][0])


def _end(results: Results) -> float:
    """When the last message was acknowledged, in s; the limit of time if one was not."""
    ends = results.flows["start"] + results.flows["completion_time"]
    return float(ends.max()) if np.isfinite(ends).all() else _limit(results)


def _of_routers(results: Results, at_arrivals: bool) -> list[float]:
    """Return the mean queue of each router, over the packets that arrive or over time."""
    links = results.links
    means = []
    for router, rows in links.groups("source"):
        if not router.startswith("router"):
            continue
        if at_arrivals:
            arrived = links["arrived"][rows]
            queue = links["queue_at_arrivals"][rows]
            used = arrived > 0
            total = arrived[used].sum()
            means.append(float((queue[used] * arrived[used]).sum() / total) if total else 0.0)
        else:
            means.append(float(links["queue_mean"][rows].sum()) * _limit(results) / _end(results))
    return means


def hiqueue(results: Results) -> float:
    """Return the mean queue of the router whose mean is highest, as arrivals make it, in packets."""
    # Not-a-number where no router looks at its queues; max() would skip it.
    return float(np.max(_of_routers(results, at_arrivals=True)))


def avqueue(results: Results) -> float:
    """Return the mean over all routers, idle ones as 0."""
    return float(np.mean(_of_routers(results, at_arrivals=True)))


def hiqueue_time(results: Results) -> float:
    """Return the mean queue over time of the router whose mean is highest: all its interfaces together."""
    return float(np.max(_of_routers(results, at_arrivals=False)))


def avqueue_time(results: Results) -> float:
    """Return the mean over all routers of the mean queue over time."""
    return float(np.mean(_of_routers(results, at_arrivals=False)))


def hiutil(results: Results) -> float:
    """Return the utilisation of the link that is used most, up to the end of the last message."""
    return float(results.links["utilisation"].max()) * _limit(results) / _end(results)


def avutil(results: Results) -> float:
    """Return the mean utilisation of all directed links, access links too."""
    return float(results.links["utilisation"].mean()) * _limit(results) / _end(results)


def e2edev(results: Results) -> float:
    """Return the standard deviation of the delay of data packets, mean over the sources, in s."""
    return float(np.mean(results.flows["delay_sd"]))


def hits(results: Results) -> float:
    """Return the packets that needed no decision, over all routers."""
    return _allocated(results, "hits")


def misses(results: Results) -> float:
    """Return the packets that needed a decision, over all routers."""
    return _allocated(results, "misses")


def abt(results: Results) -> float:
    """Return how often a table of allocated bandwidth was computed, over all routers."""
    return _allocated(results, "updates")


def _allocated(results: Results, column: str) -> float:
    # A transport that asks no routers has no such table.
    table = results.allocations
    return float(table[column].sum()) if len(table) else float("nan")


def finished(results: Results) -> float:
    """Return when the last message was acknowledged, in s."""
    return _end(results)


METRICS = (
    Metric("hiqueue", "longest mean queue of a router", "packets", hiqueue, "lower", possible=AT_LEAST_ZERO),
    Metric("avqueue", "mean queue of all routers", "packets", avqueue, "lower", possible=AT_LEAST_ZERO),
    Metric("hiutil", "utilisation of the busiest link", "", hiutil, possible=(0, 1)),
    Metric("avutil", "mean utilisation of all links", "", avutil, possible=(0, 1)),
    Metric("e2edev", "standard deviation of the delay", "s", e2edev, "lower", possible=AT_LEAST_ZERO),
    Metric("hits", "hits of the cache", "", hits, possible=AT_LEAST_ZERO),
    Metric("misses", "misses of the cache", "", misses, possible=AT_LEAST_ZERO),
    Metric("abt", "computations of tables", "", abt, possible=AT_LEAST_ZERO),
    Metric(
        "hiqueue_time",
        "longest mean queue of a router over time",
        "packets",
        hiqueue_time,
        "lower",
        possible=AT_LEAST_ZERO,
    ),
    Metric(
        "avqueue_time",
        "mean queue of all routers over time",
        "packets",
        avqueue_time,
        "lower",
        possible=AT_LEAST_ZERO,
    ),
    Metric("finished", "end of the last message", "s", finished, "lower", possible=AT_LEAST_ZERO),
)
