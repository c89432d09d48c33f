"""Finds the place of a name that is no algorithm: another name, a value of a parameter, or a parameter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

from dumbbell import _native
from dumbbell._printing import Output, Text

_MOST_NAMED = 8
"""Algorithms that are named of those with the same parameter."""


@dataclass(frozen=True)
class Place:
    """Where scenarios have what a name stands for."""

    family: str
    """``alias``, ``value`` or ``parameter``."""
    name: str
    title: str
    """What it is."""
    settings: tuple[str, ...]
    """How scenarios write it: of an alias for ``--set``, of a value ``parameter = "value"``."""
    described_by: tuple[tuple[str, str], ...]
    """Families and names of what has it, ``table`` for tables."""


def plain(name: str) -> str:
    """Return a name as the registry writes names: in lower case, with hyphens."""
    return "-".join(name.lower().replace("_", " ").split())


def find(name: str) -> list[Place]:
    """Return the places of a name: as an alias, or else as a value, or else as a parameter."""
    wanted = plain(name)
    found = [
        Place("alias", alias, title, tuple(settings), (place,))
        for alias, title, settings, place in _native.aliases()
        if alias == wanted
    ]
    if found:
        return found
    places = _joined(_places(_registry(), wanted))
    values = [place for place in places if place.family == "value"]
    return values or places


@cache
def _registry() -> Mapping[str, Any]:
    """Return all algorithms with their parameters, which takes a second to make."""
    return _native.registry()


def names() -> list[str]:
    """Return the names that others use."""
    return [name for name, *_ in _native.aliases()]


def show(out: Output, places: Sequence[Place]) -> None:
    """Print places of a name, and which command tells more."""
    for place in places:
        shown = [f"{name} ({family})" for family, name in place.described_by[:_MOST_NAMED]]
        more = len(place.described_by) - len(shown)
        of = f"{', '.join(shown)}{f' and {more} more' if more else ''}"
        kind = "" if place.family == "alias" else f", a {place.family}"
        out.print(Text(place.name, "bold"), f"{kind} in {of}: {place.title}")
        for setting in place.settings:
            out.print(Text(f"  --set '{setting}'" if place.family == "alias" else f"  {setting}"))
        _, first = place.described_by[0]
        out.print(Text(f"More: dumbbell describe {first.replace(' ', '-')}"))


def as_json(places: Sequence[Place]) -> list[dict[str, Any]]:
    """Return places as JSON has them."""
    return [asdict(place) for place in places]


def _places(registry: Mapping[str, Any], wanted: str) -> Iterator[Place]:
    owners = [
        ((family, member["name"]), member["fields"])
        for family, members in registry["families"].items()
        for member in members
    ]
    owners += [(("table", name), fields) for name, fields in registry["tables"].items()]
    for owner, fields in owners:
        for path, field in _with_nested(fields):
            title = field["doc"]
            if plain(field["name"]) == wanted:
                yield Place("parameter", path, title, (), (owner,))
            values = field["schema"].get("enum", ()) if field["kind"] == "word" else ()
            for value in values:
                if plain(value) == wanted:
                    yield Place("value", value, title, (f'{path} = "{value}"',), (owner,))


def _with_nested(fields: Sequence[Mapping[str, Any]], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every field with its path."""
    for field in fields:
        path = above + field["name"]
        yield path, field
        yield from _with_nested(field["fields"], path + ("[]." if field["kind"] == "list" else "."))


def _joined(places: Iterator[Place]) -> list[Place]:
    """Join the places that differ only in what has them."""
    found: dict[Place, list[tuple[str, str]]] = {}
    for place in places:
        found.setdefault(replace(place, described_by=()), []).extend(place.described_by)
    return [replace(place, described_by=tuple(dict.fromkeys(owners))) for place, owners in found.items()]
