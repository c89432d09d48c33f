"""What the study asks, answered from the runs: what RIO-C changes, and whether this is incast."""

from __future__ import annotations

from dumbbell.stats import Estimate
from dumbbell.study import StudyResult
from dumbbell.study.estimates import level, ratio
from dumbbell.study.spec import AxisValue, Point

_WITHOUT, _WITH = "droptail", "rio"

_IDLE = 50
"""Percent of the time for which a collapse leaves the link idle, at least: claim B8-idle."""


def _of(result: StudyResult, rate: AxisValue) -> str:
    """Return the answer for one reading of the client's link (kbit/s), at the most servers."""
    servers = result.study.axis("servers").values[-1]
    at: Point = {"rate": rate, "servers": servers}

    def mean(metric: str) -> Estimate:
        return level(result, metric, (_WITHOUT, at))(0.95)

    gain = ratio(result, "throughput", (_WITH, at), (_WITHOUT, at))(0.95)
    used, timeouts, spurious = mean("used"), mean("timeouts"), mean("spurious")
    collapsed = used.value < 100 - _IDLE and timeouts.value > 2 * spurious.value
    return (
        f"Client's link {rate:,} kbit/s, {servers} servers, TCP Lite: with RIO-C throughput (a) is {gain} "
        f"times that without. Without it the link is busy for {used.text('%')} of the time; {spurious} of "
        f"{timeouts} timeouts are spurious: this is {'' if collapsed else 'no '}incast, "
        "which leaves the link idle."
    )


def _answer(result: StudyResult) -> str:
    return " ".join(_of(result, rate) for rate in result.study.axis("rate").values)


ANSWERS = (_answer,)
