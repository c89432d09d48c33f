"""Every parameter of a study with the source of its value, and every algorithm that the study uses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from dumbbell import _native
from dumbbell._files.foreign import NotDataError, parse_toml
from dumbbell._scenario import Scenario
from dumbbell.study.spec import filled

if TYPE_CHECKING:
    from dumbbell.study import Arm, Study
    from dumbbell.study.spec import Point

Origin = Literal["study", "axis", "arm", "seed", "default"]

_ABSENT = "absent"


@cache
def _registry() -> dict[str, Any]:
    return _native.registry()


@dataclass(frozen=True)
class Parameter:
    """One value of the resolved scenarios of a study."""

    path: str
    """The place: ``topology.bottleneck.rate``."""
    values: tuple[tuple[str, str], ...]
    """Labels of arms and the value there; one entry with an empty label where all arms agree."""
    origin: Origin
    """Who set it."""
    source: str
    """Where the value comes from, in words."""
    doc: str
    """What it means."""


@dataclass(frozen=True)
class Algorithm:
    """A registered algorithm in use."""

    family: str
    """``controller``, ``queue``."""
    name: str
    title: str
    reference: str
    """Where it is published, or ``choice: ...``."""


@dataclass(frozen=True)
class _Leaf:
    """A resolved value and its entry in the registry."""

    text: str
    source: str
    doc: str


def study_scenarios(study: Study) -> dict[str, Scenario]:
    """Return the first scenario of each arm, by name: first value of each axis, first seed."""
    point, settings = next(study.grid())
    return {arm.name: _scenario(study, point, settings, arm) for arm in study.arms}


def study_algorithms(study: Study) -> list[Algorithm]:
    """Return the registered algorithms that any run of a study uses."""
    return algorithms([*study_scenarios(study).values(), *(scenario for _, scenario in _variants(study))])


def _scenario(study: Study, point: Point, settings: Sequence[str], arm: Arm) -> Scenario:
    return study.plan([*filled([*settings, *arm.settings], point), f"seed={study.seeds[0]}"])


def _variants(study: Study) -> Iterator[tuple[str, Scenario]]:
    """Yield a scenario for each later value of each axis, with the first value of the others."""
    first, _ = next(study.grid())
    for which, axis in enumerate(study.axes):
        for value, changed in list(zip(axis.values, axis.settings, strict=True))[1:]:
            settings = [
                setting
                for index, other in enumerate(study.axes)
                for setting in (changed if index == which else other.settings[0])
            ]
            yield (
                f"{axis.label} {value}",
                _scenario(study, {**first, axis.name: value}, settings, study.arms[0]),
            )


def parameters(study: Study, sources: Mapping[str, str] | None = None) -> list[Parameter]:
    """Return every parameter of a study in the order of the schema.

    Parameters
    ----------
    study
        The study.
    sources
        Where values that the study sets come from, by path; ``"topology.bottleneck": "section 4.1"`` also
        speaks for what is below it.
    """
    labels = {arm.name: arm.label for arm in study.arms}
    arms = {labels[name]: dict(_leaves(scenario)) for name, scenario in study_scenarios(study).items()}
    # What an algorithm on an axis has and none of the arms at the first point.
    known = {path for leaves in arms.values() for path in leaves}
    others = {label: dict(_leaves(scenario)) for label, scenario in _variants(study)}
    origins = _origins(study, sources or {})
    found = []
    for path in _in_order([*arms.values(), *others.values()]):
        by_label = {
            label: leaves[path]
            for label, leaves in (arms if path in known else others).items()
            if path in leaves
        }
        origin, source, many = (
            origins.get(path) or origins.get(path.removesuffix(".kind")) or ("default", "", "")
        )
        values = (("", many),) if many else _merge(by_label, "text", len(arms))
        if origin == "default":
            source = _joined(by_label, "source")
        found.append(Parameter(path, values, origin, source, _joined(by_label, "doc")))
    return found


def algorithms(scenarios: Sequence[Scenario]) -> list[Algorithm]:
    """Return the registered algorithms that scenarios use, each once, by family and name."""
    found = {
        (algorithm.family, algorithm.name): algorithm
        for scenario in scenarios
        for algorithm in _algorithms(scenario.to_dict(), _registry()["tables"]["scenario"])
    }
    return [found[key] for key in sorted(found)]


def spread(values: Sequence[str]) -> str:
    """Write many values short: ``0.2, 0.3, ..., 0.9 (8 values)``."""
    if len(values) <= 5:
        return ", ".join(values)
    return f"{values[0]}, {values[1]}, …, {values[-1]} ({len(values)} values)"


def _merge(leaves: Mapping[str, _Leaf], what: str, all_of: int) -> tuple[tuple[str, str], ...]:
    """Return labels and texts; one without a label where all have it and agree."""
    texts = {label: str(getattr(leaf, what)) for label, leaf in leaves.items()}
    distinct = set(texts.values())
    return (("", distinct.pop()),) if len(distinct) == 1 and len(texts) == all_of else tuple(texts.items())


def _joined(leaves: Mapping[str, _Leaf], what: str) -> str:
    merged = _merge(leaves, what, len(leaves))
    return "; ".join(f"{label}: {text}" if label else text for label, text in merged)


def _in_order(arms: Sequence[Mapping[str, _Leaf]]) -> list[str]:
    """Return the paths of all arms; what only a later one has follows what it follows there."""
    order: list[str] = []
    for leaves in arms:
        place = 0
        for path in leaves:
            if path in order:
                place = order.index(path) + 1
            else:
                order.insert(place, path)
                place += 1
    return order


def _origins(study: Study, sources: Mapping[str, str]) -> dict[str, tuple[Origin, str, str]]:
    """Return who sets each place, in which words, and its values if there are several in an arm.

    Later settings take the place of earlier ones.
    """
    origins: dict[str, tuple[Origin, str, str]] = {}

    def replace(path: str, places: Iterator[str], origin: Origin, source: str, many: str = "") -> None:
        for below in [
            place for place in origins if place == path or place.startswith((f"{path}.", f"{path}["))
        ]:
            del origins[below]
        origins.update((place, (origin, source, many)) for place in places)

    for place in _stated("", study.scenario):
        origins[place] = ("study", _source(place, sources), "")
    for axis in study.axes:
        texts: dict[str, list[str]] = {}
        for path, text in (_split(setting) for settings in axis.settings for setting in settings):
            texts.setdefault(path, []).append(text)
        for path, values in texts.items():
            places = (place for text in values for place in _setting(path, text))
            replace(path, places, "axis", f"axis: {axis.label}", spread(values))
    for arm in study.arms:
        for path, text in map(_split, arm.settings):
            replace(path, _setting(path, text), "arm", _source(path, sources, "set by the arm"))
    origins["seed"] = ("seed", "one replication each", spread([str(seed) for seed in study.seeds]))
    return origins


def _source(place: str, sources: Mapping[str, str], otherwise: str = "set by the study") -> str:
    """Return the source said for the place or the nearest place above it."""
    while place:
        if place in sources:
            return sources[place]
        place = place[: max(place.rfind("."), place.rfind("["), 0)]
    return otherwise


def _stated(path: str, value: Any) -> Iterator[str]:
    """Yield the places that a description sets."""
    if isinstance(value, Mapping) and value:
        for key, entry in value.items():
            yield from _stated(f"{path}.{key}" if path else str(key), entry)
    elif isinstance(value, list) and value and all(isinstance(entry, Mapping) for entry in value):
        for index, entry in enumerate(value):
            yield from _stated(f"{path}[{index}]", entry)
    else:
        yield path


def _split(setting: str) -> tuple[str, str]:
    path, _, text = setting.partition("=")
    return path.strip(), text.strip()


def _setting(path: str, text: str) -> Iterator[str]:
    """Yield the places that ``path=text`` sets."""
    try:
        value = parse_toml(f"value = {text}")["value"]
    except NotDataError:
        value = text
    yield from _stated(path, value)


def _text(value: Any) -> str:
    if value is None:
        return _ABSENT
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return spread([_text(entry) for entry in value]) if value else "none"
    return json.dumps(value, ensure_ascii=False)


def _leaves(scenario: Scenario) -> Iterator[tuple[str, _Leaf]]:
    for path, value, entry, member in _walk(scenario.to_dict(), _registry()["tables"]["scenario"], ""):
        if member is not None:
            doc = f"{member['title']} ({member['reference']})"
            yield f"{path}.kind", _Leaf(_text(member["name"]), entry["source"], doc)
        else:
            yield path, _Leaf(_text(value), entry["source"] or "required", entry["doc"])


def _algorithms(values: Mapping[str, Any], fields: Sequence[Mapping[str, Any]]) -> Iterator[Algorithm]:
    for _, _, entry, member in _walk(values, fields, ""):
        if member is not None:
            yield Algorithm(_family(entry), member["name"], member["title"], member["reference"])


_Step = tuple[str, Any, Mapping[str, Any], Mapping[str, Any] | None]
"""Path, value, field of the registry, and the member of the registry where the value is an algorithm."""


def _walk(values: Mapping[str, Any], fields: Sequence[Mapping[str, Any]], above: str) -> Iterator[_Step]:
    for entry in fields:
        path = f"{above}.{entry['name']}" if above else str(entry["name"])
        value = values.get(entry["name"])
        tables = isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value)
        if isinstance(value, Mapping):
            yield from _walk_table(value, entry, path)
        elif tables:
            for index, item in enumerate(value or ()):
                yield from _walk_table(item, entry, f"{path}[{index}]")
        else:
            yield path, value, entry, None


def _walk_table(value: Mapping[str, Any], entry: Mapping[str, Any], path: str) -> Iterator[_Step]:
    if "kind" not in value:
        yield from _walk(value, entry["fields"], path)
        return
    members = _registry()["families"][_family(entry)]
    member = next(member for member in members if member["name"] == value["kind"])
    yield path, value, entry, member
    yield from _walk(value, member["fields"], path)


def _family(entry: Mapping[str, Any]) -> str:
    """Return the family of the algorithms that a field takes.

    A list is named after what it holds, or refers to the family that it is within: queues within a queue.
    """
    reference = entry["schema"].get("items", {}).get("$ref")
    if reference is not None:
        return str(reference).rsplit("/", 1)[1]
    kind, name = str(entry["kind"]), str(entry["name"])
    return name.removesuffix("s") if kind == "list" else kind
