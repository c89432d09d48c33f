"""Tables and plots that a study makes itself, where no figure against an axis shows what it should."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from dumbbell.report.errors import FigureError

Of = TypeVar("Of")

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dumbbell.study import StudyResult


@dataclass(frozen=True)
class TableData:
    """The cells of a table, as text."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """Each as long as `columns`; the first cell names the row."""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise FigureError(f"table: {len(row)} cells under {len(self.columns)} columns; give as many")


@dataclass(frozen=True)
class TableSpec:
    """A table of a report."""

    id: str
    """Short and unique in the report: names its anchor and its file."""
    title: str
    make: Callable[[StudyResult], TableData]
    note: str = ""
    """A sentence under the table."""
    head: bool = False
    """Whether it stands at the head of the report, below the answer."""


@dataclass(frozen=True)
class PlotSpec(Generic[Of]):
    """A figure of a report that is drawn of a study's result, or of the results of a run."""

    id: str
    """Short and unique in the report: names its files and its anchor."""
    title: str
    draw: Callable[[Of], Figure]
    """Draws it; the report writes across the top what must stand there."""
    text: str
    """What it shows, for those who cannot see it."""
    note: str = ""
    """A sentence under it."""
