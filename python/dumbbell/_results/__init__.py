"""What a run leaves behind: its tables, their summary, the energy of its links."""

from __future__ import annotations

from dumbbell._results.results import Results, load
from dumbbell._results.table import Column, Table

__all__ = ["Column", "Results", "Table", "load"]
