"""Figures 2 to 7 of the paper, and what explains them."""

from collections.abc import Collection
from dataclasses import replace

from dumbbell.papers.capacity_scaling.derived import SHARES
from dumbbell.report import FigureSpec, Measured

_BOTH = ("tcp-pc", "udp-pc", "tcp-pc-n08", "udp-pc-n08")
_TCP = ("tcponly", "tcp-pc", "tcp-pc-n08", "tcp-sleep")
_READINGS = "Both readings of the down rule: as printed, and that of its source (N08)."
_AFFINE = "With a static share P_s of power all is 1 - P_s times as much."
_QOS = "Sleep is not in the paper."
_OPEN = "The paper has four static shares of power and does not say which this figure has."


def _per_share(metric: str, title: str, note: str = "", arms: tuple[str, ...] = ("tcp-pc",)) -> FigureSpec:
    """Draw a metric of figures 6 and 7 for every static share of power: the first with its intervals."""
    first, *others = SHARES
    return FigureSpec(
        metric, title, "load", f"{metric}-{first}", arms, note=f"{note} {_OPEN}".strip(),
        references=tuple(
            Measured(f"TCP+PC, static share {share / 100:g}", f"{metric}-{share}", "tcp-pc")
            for share in others
        ),
    )  # fmt: skip


FIGURES = (
    FigureSpec(
        "transitions", "Rate transitions (paper: figure 2)", "load", "transitions", _BOTH,
        note=f"In the 540 s that count. {_READINGS}",
    ),
    *(
        FigureSpec(
            f"saving-{scaling}-0",
            f"Energy saving, {scaling.upper()}, no static power (paper: figure 3{panel})",
            "load", f"saving-{scaling}-0", _BOTH, answers=scaling == "fs", note=_AFFINE,
        )
        for scaling, panel in (("fs", "a"), ("dvs", "b"))
    ),
    FigureSpec(
        "loss", "Loss probability at N1 (paper: figure 4)", "load", "loss", ("tcponly", *_BOTH), answers=True,
    ),
    FigureSpec("fct", "Mean completion time (paper: figure 5)", "load", "fct", _TCP, note=_QOS, answers=True),
    FigureSpec(
        "slowdown", "Mean completion time over that of TCPonly", "load", "slowdown", _TCP[1:], note=_QOS,
    ),
    _per_share("net-goodput-fs", "ES - QoS_D, goodput, FS (paper: figure 6)", arms=_TCP[1:]),
    _per_share(
        "net-time-fs", "ES - QoS_D, completion time, FS (paper: figure 7)",
        "QoS_D relative to TCPonly: twice the time is a loss of 100 %.", _TCP[1:],
    ),
    _per_share(
        "net-time-bounded-fs", "ES - QoS_D, completion time, FS (paper: figure 7), bounded form",
        "QoS_D relative to the longer time: twice the time is a loss of 50 %.", _TCP[1:],
    ),
    _per_share("net-goodput-dvs", "ES - QoS_D, goodput, DVS"),
    _per_share("net-time-dvs", "ES - QoS_D, completion time, DVS"),
    _per_share("net-time-bounded-dvs", "ES - QoS_D, completion time, DVS, bounded form"),
    FigureSpec("blocked", "Transitions that the guard refused", "load", "blocked", _BOTH),
    FigureSpec("paused", "Time in pauses", "load", "paused", _BOTH),
    FigureSpec("window", "Packets in flight per flow in progress", "load", "window", _TCP),
    FigureSpec("resent-share", "Segments sent again", "load", "resent-share", _TCP),
    FigureSpec("timeouts", "Timeouts per flow", "load", "timeouts", _TCP),
    FigureSpec("unfinished", "Flows that have not ended when the run does", "load", "unfinished", _TCP),
)  # fmt: skip


def figures_of(arms: Collection[str]) -> tuple[FigureSpec, ...]:
    """Return the figures with some of the arms alone, without those that would have none."""
    kept = (replace(spec, arms=tuple(arm for arm in spec.arms if arm in arms)) for spec in FIGURES)
    return tuple(spec for spec in kept if spec.arms)
