"""The figures of the study."""

from dumbbell.report import FigureSpec, Reference

LINE = Reference("line rate", (973.3,), source="1460 of 1500 bytes")
_THEN = ("reno", "newreno", "sack")
_TIMERS = ("newreno", "rto-10ms", "rto-1ms", "rto-200us")
_NOW = ("newreno", "rto-200us", "linux", "linux-5ms")

FIGURES = (
    FigureSpec(
        "today",
        "Goodput then and now",
        "servers",
        "goodput",
        _NOW,
        x_scale="log",
        references=(LINE,),
        answers=True,
    ),
    FigureSpec("goodput", "Goodput of the TCP of the time (I1)", "servers", "goodput", _THEN, x_scale="log"),
    FigureSpec("timers", "Goodput with finer timers (I4)", "servers", "goodput", _TIMERS, x_scale="log"),
    FigureSpec("timeouts", "Timeouts", "servers", "timeouts", scale="log", x_scale="log"),
)
