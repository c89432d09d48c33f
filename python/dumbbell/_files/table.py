"""Tables of TOML files whose keys are not declared in Rust."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

from dumbbell import _native
from dumbbell.errors import DumbbellError, ScenarioError

_T = TypeVar("_T")


class Table:
    """A table of a TOML file, whose keys are taken one by one; what is left is unknown.

    Parameters
    ----------
    values
        What stands in the file.
    place
        Its path in the file; empty for the whole.
    error
        What is raised for the first thing that is wrong.
    """

    def __init__(self, values: object, place: str, error: type[DumbbellError]) -> None:
        self._error = error
        if not isinstance(values, Mapping):
            raise error(f"{place or 'the file'}: {values!r} is not a table; write a table")
        self._values, self.place, self._known = dict(values), place, set[str]()

    def at(self, key: str) -> str:
        """Return where a key stands."""
        return f"{self.place}.{key}" if self.place else key

    def take(self, key: str, kind: type[_T], what: str, default: _T | None = None) -> _T:
        """Return the value of a key, which must be of a kind."""
        self._known.add(key)
        value = self._values.get(key, default)
        if value is None:
            raise self._error(f"{self.at(key)}: missing; give {what}")
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self._error(f"{self.at(key)}: {value!r} is not {what}; give {what}")
        return value

    def has(self, key: str) -> bool:
        self._known.add(key)
        return key in self._values

    def text(self, key: str, default: str | None = None) -> str:
        return self.take(key, str, "a text", default)

    def name(self, key: str) -> str:
        name = self.text(key)
        try:
            _native.check_name(name, self.at(key))
        except ScenarioError as error:
            raise self._error(str(error)) from None
        return name

    def flag(self, key: str) -> bool:
        return self.take(key, bool, "true or false", False)

    def number(
        self, key: str, default: float | None = None, *, least: float = -math.inf, most: float = math.inf
    ) -> float:
        value = float(self.take(key, cast("type[float]", (int, float)), "a number", default))
        if not least <= value <= most or not math.isfinite(value):
            raise self._error(f"{self.at(key)}: {value:g} is out of range; give {_range(least, most)}")
        return value

    def integer(self, key: str, default: int, *, least: int, most: int) -> int:
        value = self.take(key, int, "a whole number", default)
        if not least <= value <= most:
            raise self._error(f"{self.at(key)}: {value} is out of range; give {least} to {most}")
        return value

    def tables(self, key: str, default: Sequence[Any] | None = None) -> Iterator[Table]:
        entries = self.take(key, cast("type[Sequence[Any]]", (list, tuple)), "a list of tables", default)
        for index, entry in enumerate(entries):
            table = Table(entry, f"{self.at(key)}[{index}]", self._error)
            yield table
            table.close()

    def texts(self, key: str, default: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return a text or a list of texts."""
        value = self.take(key, cast("type[Any]", (str, list, tuple)), "a text or a list of texts", default)
        found = (value,) if isinstance(value, str) else tuple(value)
        if not all(isinstance(entry, str) for entry in found):
            raise self._error(f"{self.at(key)}: {value!r} is not a list of texts; put each in quotes")
        return found

    def seeds(self, key: str) -> tuple[int, ...]:
        """Return seeds: a count from 1 on, or ``{ first = 1001, count = 100 }``."""
        if isinstance(self._values.get(key), Mapping):
            self._known.add(key)
            table = Table(self._values[key], self.at(key), self._error)
            first = table.integer("first", 1, least=0, most=2**62)
            count = table.integer("count", 0, least=1, most=1_000_000)
            table.close()
        else:
            first, count = 1, self.integer(key, 0, least=1, most=1_000_000)
        return tuple(range(first, first + count))

    def close(self) -> None:
        """Refuse keys that were not asked for."""
        for key in self._values:
            if key not in self._known:
                remedy = _native.suggest(str(key), sorted(self._known))
                raise self._error(f"{self.at(str(key))}: unknown key; {remedy}")


def _range(least: float, most: float) -> str:
    if math.isinf(least) and math.isinf(most):
        return "a number"
    if math.isinf(most):
        return f"{least:g} or more"
    return f"{most:g} or less" if math.isinf(least) else f"{least:g} to {most:g}"
