"""Metrics of the further studies of long flows: newcomers, storms, changes, bottlenecks in a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dumbbell.study import AT_LEAST_ZERO, Metric

if TYPE_CHECKING:
    from dumbbell import Results

_RATE = 100e6
"""Of every link, in bit/s."""

_RTT = 0.05
"""In s."""

_STORM_PACKETS = 100


def _rate_of(results: Results, group: str, start: float, end: float) -> float:
    """Return the mean goodput of the flows of a group between two times, in bit/s."""
    members = results.flows.where("group", group)
    series = results.series("goodput")
    kept = [
        values[(times > start + 1e-9) & (times <= end + 1e-9)]
        for times, values in (series[int(number)] for number in results.flows["flow"][members])
    ]
    return float(np.mean([values.mean() for values in kept]))


def _start(results: Results) -> float:
    """When the newcomer starts, in s."""
    return float(results.flows["start"][results.flows.where("group", "new")][0])


def _early(results: Results) -> float:
    """The newcomer's rate over that of the others, in round trips 3 to 10 after its start."""
    start = _start(results)
    window = (start + 2 * _RTT, start + 10 * _RTT)
    return _rate_of(results, "new", *window) / _rate_of(results, "old", *window)


def _given(results: Results) -> float:
    """What the old flows keep of their rate after 100 round trips, over their share with the newcomer."""
    start, count = _start(results), len(results.flows) - 1
    after = _rate_of(results, "old", start + 100 * _RTT, start + 300 * _RTT)
    return after / _rate_of(results, "old", start - 200 * _RTT, start) * (count + 1) / count


def _storm_over_sharing(results: Results) -> float:
    """Mean completion time of the storm over that under exact sharing with the old flows, which is linear."""
    flows = results.flows
    times = flows["sender_completion_time"][flows.where("group", "storm")]
    old = int(flows.where("group", "old").sum())
    shared = (len(times) + old) * _STORM_PACKETS * 8000 / _RATE
    return float(times.mean() / (2 * _RTT + shared))


def _drained(results: Results) -> float:
    """Seconds after the fall until the queue stays below a tenth of what one round trip brings at first."""
    times, queue = results.series("queue")[0]
    after = (times >= 20) & (times < 40)
    high = np.flatnonzero(queue[after] > 62.5)
    return 0.0 if high.size == 0 else float(times[after][high[-1]] - 20 + _RTT)


def _refilled(results: Results) -> float:
    """Round trips after the rise until the throughput of one is 90 % of the capacity."""
    times, throughput = results.series("throughput")[0]
    after = times > 40 + 1e-9
    high = np.flatnonzero(throughput[after] >= 0.9 * _RATE)
    return float((times[after][high[0]] - 40) / _RTT) if high.size else np.nan


def _share(results: Results) -> float:
    flows = results.flows
    long, cross = (flows["goodput"][flows.where("group", group)].mean() for group in ("long", "cross"))
    return float(long / cross)


def _least_used(results: Results) -> float:
    links = results.links
    # The bottlenecks alone are filled; the links of the way back are not.
    used = links["utilisation"][links["rate"] == _RATE]
    return float(100 * np.sort(used)[len(used) // 2 :].min())


NEWCOMER = (
    Metric(
        "early", "newcomer's rate over that of the others, round trips 3 to 10", "", _early,
        possible=AT_LEAST_ZERO,
    ),
    Metric("given", "old flows' rate after it over their equal share", "", _given, possible=AT_LEAST_ZERO),
)  # fmt: skip

STORM = Metric(
    "over_sharing",
    "the same over processor sharing",
    "",
    _storm_over_sharing,
    "lower",
    possible=AT_LEAST_ZERO,
)

CHANGE = (
    Metric(
        "drained", "time until the queue is short after the fall", "s", _drained, "lower",
        possible=AT_LEAST_ZERO,
    ),
    Metric(
        "refilled", "time to fill the link after the rise", "round-trip times", _refilled, "lower",
        possible=AT_LEAST_ZERO,
    ),
)  # fmt: skip

ROW = (
    Metric(
        "share", "long flow's rate over that of the cross flows", "", _share, "higher", possible=AT_LEAST_ZERO
    ),
    Metric("used", "least utilisation of a bottleneck", "%", _least_used, "higher", possible=(0, 100)),
)
