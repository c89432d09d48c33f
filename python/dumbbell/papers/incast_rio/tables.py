"""Whose doing a difference is: that of TCP Lite, or that of RIO."""

from __future__ import annotations

import math
from functools import partial

from dumbbell import stats
from dumbbell.report import TableData, TableSpec
from dumbbell.stats import Estimate
from dumbbell.study import StudyResult
from dumbbell.study.estimates import difference, level
from dumbbell.study.spec import Point

_READINGS = {10: "10 kbit/s", 10_000: "10 Mbit/s"}
"""Of the client's link, by its rate in kbit/s: the text of the paper, and its table."""

_COMPARED = (
    ("figure 3, received", "delivered"),
    ("figure 4, throughput (a)", "throughput"),
    ("figure 5, sent less received", "missing"),
    ("figure 5, still lacking", "undelivered"),
    ("figure 5, dropped", "dropped"),
    ("abstract, retransmissions", "retransmissions"),
)
"""What the paper compares, and the metric."""


def direction(found: Estimate) -> int:
    """Return the sign of a difference; 0 where its interval includes zero or there is none."""
    if found.interval is None or not math.isfinite(found.value):
        return 0
    low, high = found.interval
    return (low > 0) - (high < 0)


def doing(lite: int, rio: int) -> str:
    """Return whose doing a difference is, by the directions of what each does alone."""
    if not lite and not rio:
        return "nobody's"
    if lite and rio:
        return "both" if lite == rio else "one against the other"
    return "Lite's" if lite else "RIO's"


def _number(found: Estimate) -> str:
    return f"{found.value:.4g}" if math.isfinite(found.value) else "-"


def _signed(found: Estimate) -> str:
    if not math.isfinite(found.value):
        return "-"
    if found.value == 0 and found.interval == (0, 0):
        return "0"
    ends = f" [{found.interval[0]:.3g}, {found.interval[1]:.3g}]" if found.interval else ""
    return f"{found.value:+.3g}{ends}"


def _make(rate: int, result: StudyResult) -> TableData:
    rows = []
    for words, name in _COMPARED:
        metric = next(entry for entry in result.study.metrics if entry.name == name)
        for servers in result.study.axis("servers").values:
            point: Point = {"rate": rate, "servers": servers}

            def mean(arm: str, point: Point = point, name: str = name) -> Estimate:
                return level(result, name, (arm, point))(stats.CONFIDENCE)

            def gap(arm: str, base: str, point: Point = point, name: str = name) -> Estimate:
                return difference(result, name, (arm, point), (base, point))(stats.CONFIDENCE)

            lite, rio = gap("droptail", "tahoe"), gap("rio", "droptail")
            unit = f" ({metric.unit})" if metric.unit else ""
            rows.append(
                (
                    f"{words}{unit}, {servers} servers", _number(mean("tahoe")), _number(mean("rio")),
                    _signed(lite), _signed(rio), doing(direction(lite), direction(rio)),
                )
            )  # fmt: skip
    columns = ("", "basic TCP, DropTail", "Lite, RIO", "by Lite", "by RIO", "whose doing")
    return TableData(columns, tuple(rows))


TABLES = tuple(
    TableSpec(
        f"doing-{rate}",
        f"Basic TCP and DropTail against TCP Lite and RIO, and whose doing it is; client's link {words}",
        partial(_make, rate),
        note="By Lite: Lite less basic TCP, both with DropTail. By RIO: RIO less DropTail, both with Lite. "
        "95 % intervals of differences over seeds; what includes zero is nobody's doing.",
    )
    for rate, words in _READINGS.items()
)
