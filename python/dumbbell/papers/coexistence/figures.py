"""The figures of the study."""

from dumbbell.report import FigureSpec, Reference

_PUBLISHED = Reference("published", (40.0,), source="[W19], abstract")

FIGURES = (
    FigureSpec("share", "Share of one flow of BBR", "flows", "share", references=(_PUBLISHED,), answers=True),
    FigureSpec("loss", "Loss at the link", "flows", "loss"),
    FigureSpec("utilisation", "Utilisation of the link", "flows", "utilisation"),
)
