"""Forms of a study that are made of what its file says: the quick one, and further studies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, ClassVar, Protocol, TypeVar

from dumbbell import _native
from dumbbell.study.declared import Declared, Values
from dumbbell.study.errors import StudyError
from dumbbell.study.reader import read_arm, read_axis, read_by_size, read_metric
from dumbbell.study.sizes import BySize
from dumbbell.study.spec import Arm, Axis, Metric, StopRule


class _Parts(Protocol):
    """What forms of a study are made of."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def question(self) -> str: ...
    @property
    def scenario(self) -> dict[str, Any]: ...
    @property
    def axes(self) -> tuple[Axis, ...]: ...
    @property
    def arms(self) -> tuple[Arm, ...]: ...
    @property
    def metrics(self) -> tuple[Metric, ...]: ...
    @property
    def seeds(self) -> tuple[int, ...]: ...
    @property
    def by_size(self) -> BySize | None: ...
    @property
    def stop(self) -> StopRule | None: ...
    @property
    def declared(self) -> Declared: ...


_T = TypeVar("_T")
_S = TypeVar("_S", bound=_Parts)


def quick_form(study: _S) -> _S:
    """Return the study with what ``[quick]`` leaves: fewer seeds, values of axes, a changed scenario.

    Runs of it that are runs of the full study too are shared when both use one folder.

    Raises
    ------
    StudyError
        If the file has no ``[quick]``; everything wrong with it.
    """
    quick = study.declared.quick
    if quick is None:
        raise StudyError(f"quick: {study.name} has no quick form; add [quick] with seeds = 3, for example")
    problems: list[str] = []
    seeds = len(study.seeds) if quick["seeds"] is None else quick["seeds"]
    if seeds > len(study.seeds):
        problems.append(f"quick.seeds: {seeds} of {len(study.seeds)} seeds; give how many of the first")
    chosen = quick["axes"] or {}
    known = {axis.name: axis for axis in study.axes}
    axes = {
        name: _fewer(known, name, values, f"quick.axes.{name}", problems) for name, values in chosen.items()
    }
    if problems:
        raise StudyError(problems)
    return replace(
        study,
        seeds=study.seeds[:seeds],
        axes=tuple(axis for name in known if (axis := axes.get(name, known[name])) is not None),
        scenario=changed(study.scenario, quick["change"] or {}),
    )


def companion_of(study: _S, entry: Values) -> _S:
    """Return the further study that an entry of ``[[companions]]`` describes.

    Raises
    ------
    StudyError
        Everything that does not fit the study.
    """
    place = f"companions: {entry['name']}"
    problems: list[str] = []

    def chosen(key: str, own: Sequence[_T], make: Callable[[Values], _T | None]) -> tuple[_T, ...]:
        if entry[key] is None:
            return tuple(own)
        named = {entry.name: entry for entry in own}  # type: ignore[attr-defined]
        return tuple(_picked(entry[key], named, make, f"{place}: {key}", problems))

    known = {axis.name: axis for axis in study.axes}

    def axis(values: Values) -> Axis | None:
        if "label" in values:
            return read_axis(values)
        return _fewer(known, values["name"], values["values"], f"{place}: axes", problems)

    own = entry["scenario"]
    metrics = chosen("metrics", study.metrics, read_metric)
    arms = chosen("arms", study.arms, read_arm)
    scenario = own if own is not None else _without(study.scenario, entry["remove"], place, problems)
    made = replace(
        study,
        name=f"{study.name}-{entry['name']}",
        title=study.title if entry["title"] is None else entry["title"],
        question=study.question if entry["question"] is None else entry["question"],
        scenario=changed(scenario, entry["change"] or {}),
        axes=chosen("axes", study.axes, axis),
        arms=arms,
        metrics=metrics,
        seeds=study.seeds if entry["seeds"] is None else tuple(entry["seeds"]),
        by_size=_by_size(study, entry, f"{place}: by_size", problems),
        stop=study.stop if study.stop and study.stop.metric in {m.name for m in metrics} else None,
        declared=_declared(study, entry, {arm.name for arm in arms}, place, problems),
    )
    problems += [f"{place}: {problem}" for problem in made.declared.clashes()]
    if problems:
        raise StudyError(problems)
    return made


def _by_size(study: _Parts, entry: Values, place: str, problems: list[str]) -> BySize | None:
    """Return metrics by size of its own, those of the study that it names, or all."""
    given, own = entry["by_size"], study.by_size
    if given is None:
        return None if entry["scenario"] else own
    if isinstance(given, Mapping):
        return read_by_size(given)
    if own is None:
        problems.append(f"{place}: the study has no metrics by size; give a table")
        return None
    named = {metric.name: metric for metric in own.metrics}
    return replace(own, metrics=tuple(_picked(given, named, read_metric, place, problems)))


def _declared(study: _Parts, entry: Values, arms: set[str], place: str, problems: list[str]) -> Declared:
    """Return what a further study declares: claims and figures that it names are those of the study."""

    def chosen(key: str, own: Iterable[Values]) -> tuple[Values, ...]:
        named = {values["id"]: values for values in own}
        return tuple(_picked(entry[key], named, lambda values: values, f"{place}: {key}", problems))

    kept = (_of_arms(figure, arms) for figure in study.declared.figures)
    return Declared(
        quick=entry["quick"],
        sources={**({} if entry["scenario"] else study.declared.sources), **(entry["sources"] or {})},
        claims=chosen("claims", study.declared.claims),
        figures=chosen("figures", [figure for figure in kept if figure is not None]),
        index=tuple(entry["index"]),
        own_scenario=entry["scenario"] is not None,
    )


def _of_arms(figure: Values, arms: set[str]) -> Values | None:
    """Return the figure with those of its arms that are there; ``None`` if it would lose all."""
    kept = [arm for arm in figure["arms"] if arm in arms]
    return None if figure["arms"] and not kept else {**figure, "arms": kept}


def _picked(
    entries: Sequence[Any],
    own: Mapping[str, _T],
    make: Callable[[Values], _T | None],
    place: str,
    problems: list[str],
) -> list[_T]:
    """Return what entries choose: by name or pattern among `own`, or as they describe it."""
    found: list[_T] = []
    for entry in entries:
        if not isinstance(entry, str):
            made = make(entry)
            found += [] if made is None else [made]
            continue
        pattern = entry.removeprefix("!")
        matching = [value for name, value in own.items() if fnmatchcase(name, pattern)]
        if not matching:
            remedy = _native.suggest(pattern, list(own))
            problems.append(f"{place}: the study has none that is called {pattern!r}; {remedy}")
        if entry != pattern:
            found = [value for value in found if value not in matching]
        else:
            found += [value for value in matching if value not in found]
    return found


def _fewer(
    known: Mapping[str, Axis], name: str, values: Sequence[Any], place: str, problems: list[str]
) -> Axis | None:
    """Return an axis with some of its values alone."""
    if name not in known:
        remedy = _native.suggest(name, list(known))
        problems.append(f"{place}: the study has no axis {name!r}; {remedy}")
        return None
    strange = [value for value in values if value not in known[name].values]
    if strange:
        some = ", ".join(map(str, known[name].values[:16]))
        problems.append(f"{place}: {strange[0]!r} is not a value of the axis {name!r}; give some of {some}")
        return None
    return known[name].keeping(values)


def changed(table: Values, change: Values) -> dict[str, Any]:
    """Return a table with the values of another instead of its own, table by table.

    A table that names another ``kind`` takes the place of the old one.
    """
    merged = dict(table)
    for key, value in change.items():
        below = merged.get(key)
        merged[key] = value
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            kind = below.get("kind")
            merged[key] = changed(below, value) if value.get("kind", kind) == kind else value
    return merged


def _without(table: Values, paths: Sequence[str], place: str, problems: list[str]) -> dict[str, Any]:
    """Return a scenario without some entries."""
    left = dict(table)
    for path in paths:
        *above, last = path.split(".")
        here: Any = left
        for key in above:
            here[key] = below = dict(here[key]) if isinstance(here.get(key), Mapping) else {}
            here = below
        if here.pop(last, None) is None:
            problems.append(f"{place}: remove: the scenario has no {path!r}; leave it out")
    return left
