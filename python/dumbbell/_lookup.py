"""Looking up what users name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from dumbbell import _native
from dumbbell.errors import UnknownNameError

_Entry = TypeVar("_Entry")


def look_up(entries: Mapping[str, _Entry], name: str, missing: str) -> _Entry:
    """Return the entry of a name.

    Raises
    ------
    UnknownNameError
        If there is none: what `missing` says, the name, and the names that are there.
    """
    if name in entries:
        return entries[name]
    raise unknown(name, entries, missing)


def unknown(name: object, known: Iterable[str], missing: str) -> UnknownNameError:
    """Return the error for a name that is not among those known."""
    return UnknownNameError(f"{missing} {name!r}; {_native.suggest(str(name), list(known))}")


class Numbered(dict[int, _Entry]):
    """Entries by the number of a flow or a link; an unknown number raises an error that names it.

    Parameters
    ----------
    entries
        By number.
    missing
        What the message begins with: ``"there is no cwnd of flow"``.
    """

    def __init__(self, entries: Mapping[int, _Entry], missing: str) -> None:
        super().__init__(entries)
        self._missing = missing

    def __missing__(self, key: int) -> _Entry:
        there = (
            f"there are {_ranges(sorted(self))}" if self else "there are none: see `record` of the scenario"
        )
        raise UnknownNameError(f"{self._missing} {key!r}; {there}")


def _ranges(numbers: list[int]) -> str:
    """Write numbers in rising order: ``0 to 3, 7``."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    return ", ".join(" to ".join(map(str, part)) for part in parts)
