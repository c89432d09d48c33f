"""What docs/evidence says of each algorithm: what it is, what its reference leaves open, tests, witnesses.

A file is ``<family>-<name>.toml``; its keys are those of :class:`Evidence`, of which only `bed`
may be missing. CONTRIBUTING.md shows one. An algorithm without a file gets a warning; a file that is
malformed, or belongs to no algorithm, is an error.
Of several witnesses the first is the best: the one that has the same law, in the setting nearest to ours.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "evidence"

BEDS = {
    "wide-area": "10 Mbit/s, a round trip of 50 ms, a buffer of one bandwidth-delay product (42 packets)",
    "step-marking": "10 Mbit/s, a round trip of 50 ms, a queue that marks above 10 packets: a seventh of a "
    "bandwidth-delay product is the least for full use (Alizadeh et al., SIGCOMM 2010, section 3.4)",
    "dual-queue": "50 Mbit/s, a round trip of 20 ms, DualPI2 (RFC 9332)",
    "data-centre": "10 Gbit/s, a round trip of 20 us, a queue that marks by a ramp from 5 to 200 kB",
}
"""Where a controller is drawn, and what that is."""

FAMILIES = ("controller", "queue", "transport")
"""Families whose members have a page each."""


class EvidenceError(ValueError):
    """A file that is not as it should be."""


@dataclass(frozen=True)
class Check:
    """A test of this project."""

    name: str
    """Path of the file, a colon, the name of the function."""
    catches: str
    """The fault that it fails on."""

    @property
    def exists(self) -> bool:
        """Whether the file has a function of that name."""
        path, _, function = self.name.rpartition(": ")
        try:
            text = (ROOT / path).read_text(encoding="utf-8")
        except OSError:
            return False
        return re.search(rf"\b(?:fn|def) {re.escape(function)}\(", text) is not None


@dataclass(frozen=True)
class Witness:
    """Somebody else's number beside ours."""

    who: str
    what: str
    """The quantity, and the setting in which it was measured."""
    ours: float
    theirs: float
    unit: str
    """Empty for counts, `share` for what lies between 0 and 1."""
    command: str
    """Measures it again; empty where the number was printed once."""

    @property
    def difference(self) -> str:
        """Of ours from theirs: in percent; of shares, which may be all but zero, in percentage points."""
        if self.unit == "share":
            return f"{100 * (self.ours - self.theirs):+.2f} points"
        if self.theirs == 0:
            return "none" if self.ours == 0 else f"{self.ours:+.3g}"
        return f"{self.ours / self.theirs - 1:+.1%}".replace("%", " %")

    @property
    def size(self) -> float:
        """How large the difference is; beyond all others where theirs is 0 and ours is not."""
        if self.unit == "share" or self.ours == self.theirs:
            return abs(self.ours - self.theirs)
        return abs(self.ours / self.theirs - 1) if self.theirs else math.inf


@dataclass(frozen=True)
class Evidence:
    """What is known of an algorithm."""

    what: str
    reference: str
    choices: tuple[str, ...]
    tests: tuple[Check, ...]
    witnesses: tuple[Witness, ...]
    bed: str = "wide-area"
    """Of a controller: where its figure is drawn, one of :data:`BEDS`."""

    @property
    def best(self) -> Witness | None:
        """Of the rows of the best witness, the one with the largest difference."""
        rows = [row for row in self.witnesses if row.who == self.witnesses[0].who]
        return max(rows, key=lambda row: row.size, default=None)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("give text")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError("give a number")
    return float(value)


_CHECK: Mapping[str, Callable[[Any], Any]] = {"name": _text, "catches": _text}
_WITNESS: Mapping[str, Callable[[Any], Any]] = {
    "who": _text, "what": _text, "ours": _number, "theirs": _number, "unit": _text, "command": _text,
}  # fmt: skip


def _table(value: Any, keys: Mapping[str, Callable[[Any], Any]], place: str) -> dict[str, Any]:
    """Return the values of a table that has exactly these keys."""
    if not isinstance(value, dict):
        raise EvidenceError(f"{place}: no table; give one with the keys {', '.join(keys)}")
    if unknown := sorted(value.keys() - keys.keys()):
        raise EvidenceError(f"{place}: {unknown[0]}: unknown key; use {', '.join(keys)}")
    if missing := [key for key in keys if key not in value]:
        raise EvidenceError(f"{place}: {missing[0]}: missing; give it")
    found = {}
    for key, read in keys.items():
        try:
            found[key] = read(value[key])
        except TypeError as error:
            raise EvidenceError(f"{place}: {key}: {value[key]!r} is of another type; {error}") from None
    return found


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("give a list")
    return value


def _choices(value: Any) -> tuple[str, ...]:
    return tuple(map(_text, _listed(value)))


def _bed(value: Any) -> str:
    if value not in BEDS:
        raise TypeError(f"use {' or '.join(BEDS)}")
    return str(value)


def read_evidence(path: Path) -> Evidence:
    """Return what a file says.

    Raises
    ------
    EvidenceError
        What is wrong with it, with its place, in one line.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EvidenceError(f"{path.name}: {error}") from None
    keys: dict[str, Callable[[Any], Any]] = {
        "what": _text, "reference": _text, "choices": _choices, "tests": _listed, "witnesses": _listed,
    }  # fmt: skip
    if "bed" in values:
        keys["bed"] = _bed
    found = _table(values, keys, path.name)
    for key, of, kind in (("tests", _CHECK, Check), ("witnesses", _WITNESS, Witness)):
        found[key] = tuple(
            kind(**_table(entry, of, f"{path.name}: {key}[{i}]")) for i, entry in enumerate(found[key])
        )
    return Evidence(**found)


def keys(registry: Mapping[str, Any]) -> list[str]:
    """Return family and name, joined with a hyphen, of each algorithm that has a page."""
    return [f"{family}-{member['name']}" for family in FAMILIES for member in registry["families"][family]]


def missing(algorithms: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return a warning for each algorithm without evidence.

    Raises
    ------
    EvidenceError
        Evidence belongs to no algorithm.
    """
    there, algorithms = set(known), list(algorithms)
    if strays := sorted(there.difference(algorithms)):
        raise EvidenceError(f"{strays[0]}.toml: no algorithm has this name; rename or remove the file")
    return [
        f"no evidence for {key}: write docs/evidence/{key}.toml, as CONTRIBUTING.md shows"
        for key in algorithms
        if key not in there
    ]


def all_evidence(folder: Path = FOLDER) -> dict[str, Evidence]:
    """Return what all files of a folder say, by family and name joined with a hyphen."""
    return {path.stem: read_evidence(path) for path in sorted(folder.glob("*.toml"))}
