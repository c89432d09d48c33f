"""What the further studies share: they vary the scenario of the first, or its arms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dumbbell.papers.incast_classic.figures import LINE
from dumbbell.report import FigureSpec
from dumbbell.study import Arm, Axis, Study

SEEDS = 10
P08 = "[P08], on buffers, fragments and servers"

SOURCES = {
    "transport.ack_every": "the arms: [V09] and [C09] compare both",
    "transport.ack_delay": "the arms: Linux include/net/tcp.h: TCP_DELACK_MIN",
    "transport.rto_spread": "[V09]: up to half of the timeout",
    "transport.duplicate_threshold": "the arms, [P08]",
    "transport.limited_transmit": "the arms, [P08]",
    "transport.initial_threshold": "the arms, [P08]: no slow start",
    "transport.slow_start_after_idle": "the arms, [P08]: no slow start",
    "transport.initial_window": "[A10]: two packets",
    "transport.timestamps": "choice: ICTCP takes round-trip times from them",
    "transport.ecn": "the arms",
}
"""Where the values come from that the table of README.md does not have."""

NS2 = ("transport.profile=ns2", "transport.handshake=false", "transport.max_window=44")
RFC = ("transport.profile=rfc", "transport.controller=newreno")
LINUX = ("transport.profile=linux",)


def fine(least: str) -> tuple[str, ...]:
    """A timer of microseconds."""
    return (
        f"transport.rto_min={least}", "transport.rto_granularity=1us", "transport.rtt_tick=1us",
    )  # fmt: skip


def servers(*values: int) -> Axis:
    """Return an axis of numbers of servers."""
    return Axis.of("servers", "servers", "", values, "topology.senders={value}")


def varied(
    title: str, question: str, axes: Sequence[Axis], arms: Sequence[Arm],
    work: Mapping[str, Any] | None = None, line: float = 1e9, **scenario: Any,
) -> Callable[[Study], Study]:  # fmt: skip
    """Return what makes a study with other axes and arms; `work` replaces the size of a fragment.

    `line` is the rate of the links, in bit/s, that goodput is compared with.
    """

    def study(paper: Study) -> Study:
        (workload,) = paper.scenario["workloads"]
        if work is not None:
            workload = {**{key: value for key, value in workload.items() if key != "size"}, **work}
        used = paper.metric("used")
        assert isinstance(used.source, Mapping)
        used = replace(used, source={**used.source, "factor": 100 / (line * 1460 / 1500)})
        return replace(
            paper,
            metrics=tuple(used if metric.name == used.name else metric for metric in paper.metrics),
            title=title,
            question=question,
            axes=tuple(axes),
            arms=tuple(arms),
            seeds=paper.seeds[:SEEDS],
            scenario={**paper.scenario, **scenario, "workloads": [workload]},
        )

    return study


def goodput(x: str, title: str, line: float = 1e9, **at: Any) -> FigureSpec:
    """Return the figure of goodput, at given values of the other axes, beside links of a rate in bit/s."""
    most = replace(LINE, y=tuple(y * line / 1e9 for y in LINE.y))
    return FigureSpec("goodput", title, x, "goodput", at=at, x_scale="log", references=(most,), answers=True)


NEWRENO = Arm("newreno", "NewReno", NS2)
FAST_RTO = Arm("rto-200us", "NewReno, RTO from 200 us", (*NS2, *fine("200us")))
TODAY = Arm("linux", "Linux, CUBIC", LINUX)

STAR = {"kind": "star", "link": {"rate": "1Gbit/s", "delay": "25us"}}
