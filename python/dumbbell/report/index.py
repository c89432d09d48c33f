"""The index of a report: each figure, table and claim of a publication, and what shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import NamedTuple

from dumbbell import _native
from dumbbell.report.errors import FigureError


@dataclass(frozen=True)
class IndexRow:
    """A figure, a table or a sentence of a publication, and what shows it."""

    printed: str
    """Where it stands in the publication: ``"Figure 3a"``, ``"Table 2"``, ``"section 3.2"``."""
    shows: str
    """What stands there."""
    here: tuple[str, ...] = ()
    """Ids of figures, maps and tables of this report."""
    claims: tuple[str, ...] = ()
    """Ids of claims of this report, or patterns of them: ``"A12-*"``."""
    elsewhere: tuple[str, ...] = ()
    """Names of further studies, each perhaps with the id of a figure or table of it:
    ``"capacity-scaling-buffer: loss-80"``."""
    note: str = ""
    """A sentence; without anything else, why nothing shows it."""

    def __post_init__(self) -> None:
        if not (self.here or self.claims or self.elsewhere or self.note):
            why = "points nowhere; name what shows it, or say in `note` why nothing does"
            raise FigureError(f"index: {self.printed!r} {why}")


class Target(NamedTuple):
    """What a row may point at."""

    anchor: str
    """Of the page."""
    text: str
    """Of the link."""


class Line(NamedTuple):
    """A row of the index as the page shows it."""

    about: IndexRow
    targets: list[Target]
    studies: list[tuple[str, str]]
    """Names of further studies, each with the id of a figure or table of it, or with nothing."""


def lines_of(
    index: Sequence[IndexRow], shown: Mapping[str, Target], claims: Mapping[str, Target]
) -> list[Line]:
    """Return the index as the page shows it.

    Parameters
    ----------
    index
        The rows.
    shown
        The figures, maps and tables of the page, by id.
    claims
        Its claims, by id.

    Raises
    ------
    FigureError
        If a row points at what the page does not have.
    """
    return [
        Line(
            row,
            [
                *_found(row, row.here, shown, "figure, map or table"),
                *_found(row, row.claims, claims, "claim"),
            ],
            [(study, id_.strip()) for study, _, id_ in (place.partition(":") for place in row.elsewhere)],
        )
        for row in index
    ]


def _found(row: IndexRow, wanted: Sequence[str], there: Mapping[str, Target], kind: str) -> Iterator[Target]:
    for pattern in wanted:
        names = [name for name in there if fnmatchcase(name, pattern)]
        if not names:
            remedy = _native.suggest(pattern, list(there))
            raise FigureError(f"index: {row.printed!r}: the report has no {kind} {pattern!r}; {remedy}")
        yield from (there[name] for name in names)
