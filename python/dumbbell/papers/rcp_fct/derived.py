"""Metrics made from others."""

from dumbbell.papers.rcp_fct.reference import Floats, published, sharing
from dumbbell.study import AT_LEAST_ZERO, Derived
from dumbbell.study.derived import Columns


def _over_line(runs: Columns) -> Floats:
    return runs["afct"] / sharing(runs["flow_size"])


def _over_exact(runs: Columns) -> Floats:
    return runs["mean"] / runs["ps_mean"]


def _over_rcp(runs: Columns) -> Floats:
    return runs["afct_by_65"] / published("rcp", runs["flow_size"])


def _over_tcp(runs: Columns) -> Floats:
    return runs["afct_by_10"] / published("tcp", runs["flow_size"])


OVER_LINE = Derived(
    "over_line",
    "average completion time / line of processor sharing",
    "",
    _over_line,
    by_size=True,
    possible=AT_LEAST_ZERO,
)

DERIVED = (
    OVER_LINE,
    Derived(
        "over_exact",
        "average completion time / exact processor sharing",
        "",
        _over_exact,
        by_size=True,
        possible=AT_LEAST_ZERO,
    ),
    Derived(
        "over_rcp", "average by 65 s / published RCP", "", _over_rcp, by_size=True, possible=AT_LEAST_ZERO
    ),
    Derived(
        "over_tcp", "average by 10 s / published TCP", "", _over_tcp, by_size=True, possible=AT_LEAST_ZERO
    ),
)
