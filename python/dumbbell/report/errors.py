"""What may be wrong with the figures and tables of a report."""

from __future__ import annotations

from dumbbell.errors import DumbbellError


class FigureError(DumbbellError, ValueError):
    """A figure that the study cannot give."""
