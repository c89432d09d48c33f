"""What the studies on scenarios of RFC 7928 have in common."""

from __future__ import annotations

from dumbbell.report import Reference
from dumbbell.study import Arm, Metric


def of_link(name: str, label: str, unit: str, column: str, factor: float = 1.0) -> Metric:
    """Return a metric from the row of the bottleneck."""
    source = {"table": "links", "link": "left->right", "column": column, "factor": factor}
    return Metric(name, label, unit, source)


ARMS = (
    Arm("droptail", "DropTail"),
    Arm("codel", "CoDel", ("topology.bottleneck.queue=codel",)),
    Arm("pie", "PIE", ("topology.bottleneck.queue=pie",)),
)

WAIT = of_link("wait", "mean time in the queue and in transmission", "ms", "sojourn_mean", 1e3)
UTILISATION = of_link("utilisation", "utilisation of the link", "%", "utilisation", 100.0)

TARGETS = (
    Reference("target of CoDel", (5.0,), source="RFC 8289 section 4.3"),
    Reference("target of PIE", (15.0,), source="RFC 8033 section 4.2"),
)
"""Lines in figures of the wait (ms)."""
