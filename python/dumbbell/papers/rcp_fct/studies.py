"""What Python adds to the further studies: metrics, derived metrics, figures with computed lines, a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from dumbbell.papers import Companion
from dumbbell.papers.rcp_fct import dynamics, traffic
from dumbbell.papers.rcp_fct.derived import OVER_LINE
from dumbbell.papers.rcp_fct.tables import INTERVALS, of_arms
from dumbbell.report import TableSpec
from dumbbell.study import Metric, Study


def _with(*metrics: Metric, at: int = 0) -> Callable[[Study], Study]:
    """Put metrics among those of the study, from a place on."""
    return lambda study: replace(study, metrics=(*study.metrics[:at], *metrics, *study.metrics[at:]))


_BOTTLENECK = TableSpec(
    "bottleneck", "What flows of RCP lose at the bottleneck, and how long they wait there",
    partial(of_arms, ("loss", "delay")), INTERVALS,
)  # fmt: skip

STUDIES = (
    Companion("sizes", figures=traffic.SIZES, derived=(OVER_LINE,)),
    Companion("measured", figures=traffic.MEASURED, derived=(OVER_LINE,)),
    Companion("tcp", figures=(traffic.TCP,)),
    Companion("gains", figures=(traffic.GAINS,)),
    Companion("paths", derived=(traffic.TIMES,)),
    Companion("steps", derived=(traffic.STEP,)),
    Companion("newcomer", _with(*dynamics.NEWCOMER)),
    Companion("storm", _with(dynamics.STORM, at=1)),
    Companion("change", _with(*dynamics.CHANGE, at=1)),
    Companion("row", _with(*dynamics.ROW)),
    Companion("some-routers", tables=(_BOTTLENECK,)),
)
