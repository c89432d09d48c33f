"""A run of a chapter on real packets: the flows of a scenario as connections, and its metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dumbbell import _native
from dumbbell._scenario import Scenario
from dumbbell.judge.chapter import JudgeError
from dumbbell.live.counted import Counted, Order
from dumbbell.live.kernel import NAMES, Flow
from dumbbell.live.pooled import jain
from dumbbell.study import Metric
from dumbbell.study.metric import STATISTICS

LINKS = ("left->right", "right->left")
"""The link that packets pass, the bottleneck of a dumbbell, and its way back."""

_OF_FLOWS = ("goodput", "completion_time", "retransmissions", "timeouts")
"""Columns of the table of flows that the kernel tells."""

_OF_RUNS = ("goodput", "fairness")
"""The same of the table of the run."""


class Ordered(NamedTuple):
    """A run on real packets, with what its numbers need to know of its scenario."""

    order: Order
    groups: tuple[str, ...]
    """Of each connection."""
    span: tuple[float, float]
    """The end of the warm-up, and that of the run (s)."""


def lacks(metric: Metric) -> str | None:
    """Return what of a metric the kernel does not tell; ``None`` if it tells all."""
    source = metric.source
    table, column = (source.get("table"), source.get("column")) if isinstance(source, Mapping) else ("", "")
    known = {"links": True, "flows": column in _OF_FLOWS, "runs": column in _OF_RUNS}
    return None if known.get(str(table), False) else f"{metric.label}: the kernel does not tell"


def order_of(scenario: Scenario) -> Ordered:
    """Return the run of a scenario on real packets.

    Its flows become connections of the kernel, with their starts, sizes, round-trip times and controllers.
    Those that begin after the end are left out.

    Raises
    ------
    JudgeError
        If packets do not meet all that the scenario says, or a flow is no TCP, does not cross the link, or
        has a controller that the kernel lacks.
    """
    about = _native.emulated(scenario._native, LINKS[0])
    if about["unmet"]:
        raise JudgeError(f"real packets do not meet {about['unmet'][0]}")
    addresses = {tuple(pair): i for i, pairs in enumerate(about["addresses"]) for pair in pairs}
    planned = scenario.explain()
    rows, end = scenario.run().flows, planned["duration"]
    flows, groups = [], []
    for row in map(rows.row, range(len(rows))):
        address = addresses.get((row["source"], row["destination"]))
        if row["transport"] != "tcp" or address is None:
            raise JudgeError(f"the kernel has no flow from {row['source']}: it is no TCP over {LINKS[0]}")
        if row["controller"] not in NAMES:
            raise JudgeError(f"the kernel has no {row['controller']}; it has {', '.join(NAMES)}")
        if row["start"] < end:
            flows.append(Flow(row["start"], row["size"], address, controller=NAMES[row["controller"]]))
            groups.append(row["group"])
    order = Order(scenario.to_toml(), LINKS[0], tuple(flows), asks_for_ecn(scenario))
    return Ordered(order, tuple(groups), (planned["warmup"], end))


def asks_for_ecn(scenario: Scenario) -> bool:
    """Return whether some flow of a scenario asks for ECN: the kernel's connections then all do."""
    written = scenario.to_dict()
    entries = (*written["flows"], *written["workloads"])
    transports = [entry.get("transport") or written["transport"] for entry in entries]
    return any(transport["ecn"] != "off" for transport in transports if transport["kind"] == "tcp")


def value(metric: Metric, counted: Counted, ordered: Ordered) -> float | None:
    """Return the number that a run gives, in the unit of a metric that :func:`lacks` nothing.

    Parameters
    ----------
    metric, counted
        Which, and of what.
    ordered
        From :func:`order_of`.
    """
    source = metric.source
    assert isinstance(source, Mapping), "functions lack tables"
    number = _number(source, counted, ordered)
    return None if number is None or not np.isfinite(number) else number * float(source.get("factor", 1))


def _number(source: Mapping[str, Any], counted: Counted, ordered: Ordered) -> float | None:
    begin, end = ordered.span
    if source["table"] == "links":
        found: float | None = counted.links[LINKS.index(source["link"])][source["column"]]
        return found
    if source["table"] == "runs":
        if source["column"] == "goodput":
            return 8 * float(sum(row["delivered"] for row in counted.flows)) / (end - begin)
        rates = [row["goodput"] for row in counted.flows]
        return jain(rates) if any(rates) else None
    # As in the table of flows: those that start after the warm-up count, unless the source takes all.
    chosen = [
        row[source["column"]]
        for row, flow, group in zip(counted.flows, ordered.order.flows, ordered.groups, strict=True)
        if source.get("group") in (None, group) and (flow.start >= begin or not source.get("counted", True))
    ]
    values = np.array([entry for entry in chosen if entry is not None], float)
    return STATISTICS[source["statistic"]](values)
