"""What runs leave behind, as the extension declares it: tables, series, names in columns of labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from dumbbell import _native

_DECLARED = _native.declarations()


@dataclass(frozen=True)
class Series:
    """A quantity that may be sampled over time."""

    name: str
    """In the column ``metric`` of the table ``samples``."""
    of: Literal["flow", "link"]
    """What it is of."""
    unit: str
    doc: str
    """What it means."""


TABLES: tuple[str, ...] = tuple(table["name"] for table in _DECLARED["results"])
"""The names of the tables, in order."""

UNITS: Mapping[str, Mapping[str, str]] = {
    table["name"]: {column["name"]: column["unit"] for column in table["columns"]}
    for table in _DECLARED["results"]
}
"""The units of columns by name, of each table."""

SERIES: Mapping[str, Series] = {entry["name"]: Series(**entry) for entry in _DECLARED["series"]}
"""The series by name."""
