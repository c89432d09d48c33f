"""Figures with computed lines, and derived metrics, of the further studies of the traffic of the figure."""

from __future__ import annotations

import numpy as np

from dumbbell.papers.rcp_fct.figures import EXACT, SHARING, SLOW_START
from dumbbell.papers.rcp_fct.reference import RTT, Floats
from dumbbell.report import FigureSpec
from dumbbell.study import AT_LEAST_ZERO, Derived
from dumbbell.study.derived import Columns


def _average(name: str, law: str, title: str) -> FigureSpec:
    return FigureSpec(
        name, f"Average completion time against flow size, {title}", "flow_size", "afct", at={"law": law},
        scale="log", x_scale="log", references=(SHARING, SLOW_START, EXACT),
    )  # fmt: skip


SIZES = (
    _average("steep", "30 / 1.8", "mean 30, shape 1.8"),
    _average("steeper", "25 / 2.2", "mean 25, shape 2.2"),
    _average("corrected", "25 / 1.2 at 0.9", "mean 25, shape 1.2, load corrected for rounding up"),
)

MEASURED = (
    _average("campus-1m", "campus web", "campus web"),
    _average("campus-10m", "campus web, 10 MB", "campus web, 10 MB"),
)

TCP = FigureSpec(
    "average", "Average completion time against flow size", "flow_size", "afct", scale="log", x_scale="log",
    references=(SHARING, SLOW_START),
)  # fmt: skip

GAINS = FigureSpec(
    "average", "Average completion time against flow size", "flow_size", "afct", scale="log", x_scale="log",
    references=(SHARING,),
)  # fmt: skip


def _times(runs: Columns, rcp: Columns) -> Floats:
    return runs["mean"] / rcp["mean"]


def _step(runs: Columns) -> Floats:
    return np.diff(runs["typical"], axis=1, prepend=np.nan) / RTT


TIMES = Derived(
    "times", "time / time under RCP", "", _times, reference="rcp", by_size=True, possible=AT_LEAST_ZERO
)
STEP = Derived("step", "increase of the median", "round-trip times", _step, by_size=True)
