"""What a run leaves behind: its tables, their summary, the energy of its links."""

from __future__ import annotations

from dumbbell._results.results import TABLES, Column, Results, Table, load

__all__ = ["TABLES", "Column", "Results", "Table", "load"]
