"""The figures of the study."""

from dumbbell.report import FigureSpec, Reference

_MOST = Reference("largest with infinitely many TCP flows", (26.894,), source="[T04], theorem 2")

FIGURES = (
    FigureSpec("share", "Share of the datagrams", "rate", "share", references=(_MOST,), answers=True),
    FigureSpec("wait", "Time in the queue and in transmission", "rate", "wait"),
)
