"""Our times next to the published ones, how many times longer TCP and XCP take, and what the link does."""

from __future__ import annotations

import math
from functools import partial

from dumbbell import stats
from dumbbell.papers.rcp_fct.reference import bins
from dumbbell.report import TableData, TableSpec
from dumbbell.stats import Estimate
from dumbbell.stats.estimate import digits
from dumbbell.study import StudyResult
from dumbbell.study.estimates import level, ratio
from dumbbell.study.spec import Point


def _cell(found: Estimate) -> str:
    """Write a number and its interval; a dash where there is none."""
    if not math.isfinite(found.value):
        return "-"
    ends = found.interval
    return digits(found.value) + (f" [{digits(ends[0])}, {digits(ends[1])}]" if ends else "")


def _of(result: StudyResult, metric: str, arm: str, size: int) -> Estimate:
    return level(result.by_size, metric, (arm, {"flow_size": size}))(stats.CONFIDENCE)


def _published(protocol: str) -> dict[int, str]:
    return {
        entry.size: f"{entry.median:g} [{entry.ends[0]:g}, {entry.ends[1]:g}]" for entry in bins(protocol)
    }


def _beside(result: StudyResult) -> TableData:
    told = {protocol: _published(protocol) for protocol in ("rcp", "tcp")}
    places = (("rcp", "afct_by_65", "over_rcp"), ("tcp", "afct_by_10", "over_tcp"))
    rows = []
    for size in result.by_size.study.axis("flow_size").values:
        cells = [f"{size:,}"]
        for arm, ours, over in places:
            cells.append(told[arm].get(int(size), "-"))
            cells += [_cell(_of(result, metric, arm, int(size))) for metric in (ours, over)]
        rows.append(tuple(cells))
    columns = (
        "packets",
        *(f"{name}, {what}" for name in ("RCP", "TCP") for what in ("published", "ours", "ratio")),
    )
    return TableData(columns, tuple(rows))


_ORDERS = (5, 10, 25, 100, 500, 1000, 2000, 5000, 10_000)
"""The last sizes of the bins shown."""


def _orders(result: StudyResult) -> TableData:
    def over(metric: str, arm: str, point: Point) -> str:
        return _cell(ratio(result.by_size, metric, (arm, point), ("rcp", point))(stats.CONFIDENCE))

    rows = []
    for entry in bins("rcp"):
        if entry.up_to in _ORDERS:
            point: Point = {"flow_size": entry.size}
            rows.append(
                (
                    f"{entry.size:,}", over("mean", "tcp", point), over("mean", "xcp", point),
                    over("worst", "tcp", point), over("worst", "xcp", point),
                    _cell(_of(result, "over_exact", "rcp", entry.size)),
                )
            )  # fmt: skip
    columns = (
        "packets", "TCP / RCP, average", "XCP / RCP, average", "TCP / RCP, longest", "XCP / RCP, longest",
        "RCP / processor sharing, average",
    )  # fmt: skip
    return TableData(columns, tuple(rows))


def of_arms(metrics: tuple[str, ...], result: StudyResult) -> TableData:
    """Return metrics of a study without axes, a row each, with a column for each arm."""
    study = result.study
    rows = []
    for name in metrics:
        metric = study.metric(name)
        cells = (_cell(level(result, name, (arm.name, {}))(stats.CONFIDENCE)) for arm in study.arms)
        rows.append((f"{metric.label} ({metric.unit})", *cells))
    return TableData(("", *(arm.label for arm in study.arms)), tuple(rows))


INTERVALS = "95 % intervals over seeds."

TABLES = (
    TableSpec(
        "orders", "How many times longer flows take than under RCP", _orders,
        f"Ratios at equal seeds. {INTERVALS}",
    ),
    TableSpec(
        "beside", "Our average completion times beside the published ones, in seconds", _beside,
        "Published: median over the sizes of a bin, and the least and the largest of them, one run. Ours: "
        f"means over seeds, of flows that end within 65 s (RCP) and 10 s (TCP), as published. {INTERVALS}",
    ),
    TableSpec(
        "link", "Load, queue and loss of the link",
        partial(of_arms, ("load", "utilisation", "delay", "queue_p99", "loss")), INTERVALS,
    ),
)  # fmt: skip
