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


TABLES: Mapping[str, Mapping[str, str]] = {
    table["name"]: {column["name"]: column["kind"] for column in table["columns"]}
    for table in _DECLARED["results"]
}
"""The tables in order, and of each the columns with their kind: integer, number, boolean or label."""

SERIES: Mapping[str, Series] = {entry["name"]: Series(**entry) for entry in _DECLARED["series"]}
"""The series by name."""

STATES: tuple[str, ...] = tuple(entry["name"] for entry in _DECLARED["labels"]["state of a port"])
"""The states of a port under power control."""


def numbers_of(table: str) -> list[str]:
    """Return the columns of a table that hold numbers or truth values."""
    return [name for name, kind in TABLES[table].items() if kind != "label"]
