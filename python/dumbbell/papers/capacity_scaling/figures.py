"""Figures 2 to 7 of the paper, and what explains them."""

from dumbbell.report import FigureSpec

_BOTH = ("tcp-pc", "udp-pc", "tcp-pc-n08", "udp-pc-n08")
_TCP = ("tcponly", "tcp-pc", "tcp-pc-n08", "tcp-sleep")
_READINGS = "Both readings of the down rule: as printed, and that of its source (N08)."
_QOS = "Sleep is not in the paper."

FIGURES = (
    FigureSpec(
        "transitions", "Rate transitions (paper: figure 2)", "load", "transitions", _BOTH,
        note=f"In the 540 s that count. {_READINGS}",
    ),
    *(
        FigureSpec(
            f"saving-{scaling}-{share}",
            f"Energy saving, {scaling.upper()}, static share {share / 100:g} (paper: figure 3{panel})",
            "load", f"saving-{scaling}-{share}", _BOTH, answers=(scaling, share) == ("fs", 0),
        )
        for scaling, panel in (("fs", "a"), ("dvs", "b"))
        for share in (0, 25, 50, 75)
    ),
    FigureSpec(
        "loss", "Loss probability at N1 (paper: figure 4)", "load", "loss", ("tcponly", *_BOTH), answers=True,
    ),
    FigureSpec("fct", "Mean completion time (paper: figure 5)", "load", "fct", _TCP, note=_QOS, answers=True),
    FigureSpec(
        "slowdown", "Mean completion time over that of TCPonly", "load", "slowdown", _TCP[1:], note=_QOS,
    ),
    FigureSpec("net-goodput", "ES - QoS_D, goodput, FS (paper: figure 6)", "load", "net-goodput", _TCP[1:]),
    FigureSpec(
        "net-time", "ES - QoS_D, completion time, FS (paper: figure 7)", "load", "net-time", _TCP[1:],
        note="QoS_D relative to TCPonly: twice the time is a loss of 100 %.",
    ),
    FigureSpec(
        "net-time-bounded", "ES - QoS_D, completion time, FS (paper: figure 7), bounded form", "load",
        "net-time-bounded", _TCP[1:],
        note="QoS_D relative to the longer time: twice the time is a loss of 50 %.",
    ),
    FigureSpec("net-goodput-dvs", "ES - QoS_D, goodput, DVS", "load", "net-goodput-dvs", _TCP[1:3]),
    FigureSpec("net-time-dvs", "ES - QoS_D, completion time, DVS", "load", "net-time-dvs", _TCP[1:3]),
    FigureSpec("blocked", "Transitions that the guard refused", "load", "blocked", _BOTH),
    FigureSpec("paused", "Time in pauses", "load", "paused", _BOTH),
    FigureSpec("window", "Packets in flight per flow in progress", "load", "window", _TCP),
    FigureSpec("resent-share", "Segments sent again", "load", "resent-share", _TCP),
    FigureSpec("timeouts", "Timeouts per flow", "load", "timeouts", _TCP),
    FigureSpec("unfinished", "Flows that have not ended when the run does", "load", "unfinished", _TCP),
)  # fmt: skip
