"""The figures of the study."""

from dumbbell.report import FigureSpec, Reference

LINE = Reference("line rate", (973.3,), source="1460 of 1500 bytes")
_THEN = ("reno", "newreno", "sack")
_KINDS = ("newreno", "sack", "linux")
_TIMERS = ("newreno", "rto-10ms", "rto-1ms", "rto-200us")
_NOW = ("linux", "linux-5ms", "linux-dctcp", "linux-ictcp", "linux-fair", "newreno")

FIGURES = (
    FigureSpec(
        "today", "Goodput then and now", "servers", "goodput", _NOW, x_scale="log", references=(LINE,),
        answers=True,
        note=(
            "NewReno as in 2008; Linux today (CUBIC, SACK, RACK-TLP, RTO from 200 ms), alone and with each "
            "remedy. Ports of 64 kB; that of DCTCP marks above 20 packets."
        ),
    ),
    FigureSpec("goodput", "Goodput of the TCP of the time (I1)", "servers", "goodput", _THEN, x_scale="log"),
    FigureSpec("timers", "Goodput with finer timers (I4)", "servers", "goodput", _TIMERS, x_scale="log"),
    FigureSpec(
        "timeouts", "Timeouts per transfer, then and now", "servers", "per_transfer", _NOW, x_scale="log"
    ),
    FigureSpec(
        "timeouts-timers", "Timeouts per transfer with finer timers (I4)", "servers", "per_transfer", _TIMERS,
        x_scale="log",
    ),
    FigureSpec(
        "full-window", "Timeouts of full windows (I12)", "servers", "full_window_share", _KINDS,
        x_scale="log",
    ),
    FigureSpec("tail", "Timeouts of tails (I12)", "servers", "tail_share", _KINDS, x_scale="log"),
    FigureSpec(
        "again", "Timeouts of segments that had been sent again", "servers", "resent_share",
        _KINDS, x_scale="log",
    ),
)  # fmt: skip
