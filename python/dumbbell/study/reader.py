"""Study files: the extension reads and checks them, and what it has read becomes the parts of a study.

What a study file may say is declared in ``crates/study``; the reference has it: ``docs/reference/study.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dumbbell import _native
from dumbbell._files.foreign import NotDataError, check_values
from dumbbell._files.read import read_toml
from dumbbell._files.text import control_character, shortened
from dumbbell.errors import DumbbellError, ScenarioError
from dumbbell.study.declared import declared_of
from dumbbell.study.errors import StudyError
from dumbbell.study.metric import name_of, of_source
from dumbbell.study.names import clashes
from dumbbell.study.sizes import BySize
from dumbbell.study.spec import Arm, Axis, Metric, StopRule, check_name

Values = dict[str, Any]

_MOST_PATH = 4096
"""Characters of a path (``PATH_MAX``)."""


def read_parts(values: object, base_dir: Path, confined: bool) -> Values:
    """Return the parts of the study that a dictionary describes, by the names of its fields.

    Raises
    ------
    StudyError
        Everything wrong with it.
    """
    try:
        check_values(values)
    except NotDataError as error:
        raise StudyError(f"{error}; correct it") from None
    if not isinstance(values, Mapping):
        shown = shortened(repr(values), 100)
        raise StudyError(f"{shown} is not a study; give a table with `scenario` and `metrics`")
    functions = _functions(values)
    read, problems = _read(_without(values, functions))
    included, more = _included(values.get("include"), base_dir, confined)
    problems += more
    try:
        scenario, base_dir = _scenario(values.get("scenario"), base_dir, confined)
    except StudyError as error:
        problems += error.problems
    if read is None or problems:
        raise StudyError([*problems, *_cross_checks(values)])
    parts = {
        "name": read["name"],
        "title": read["name"] if read["title"] is None else read["title"],
        "question": read["question"],
        "scenario": scenario,
        "base_dir": base_dir,
        "axes": tuple(map(read_axis, read["axes"])),
        "arms": tuple(map(read_arm, read["arms"])) or (Arm("base", "base scenario"),),
        "seeds": tuple(read["seeds"]),
        "metrics": tuple(
            read_metric(entry | ({"source": functions[index]} if index in functions else {}))
            for index, entry in enumerate(read["metrics"] or ())
        ),
        "stop": _stop(read["stop"]),
        "control": read["control"],
        "by_size": read_by_size(read["by_size"]),
        "confined": confined,
        "declared": declared_of(read, included),
    }
    problems = [*_cross_checks(values, parts["by_size"]), *parts["declared"].clashes()]
    if problems:
        raise StudyError(problems)
    return parts


def problems_of(values: Values, by_size: BySize | None) -> list[str]:
    """Return everything that a study file could not say, of a study that Python has made.

    Parameters
    ----------
    values
        What :meth:`dumbbell.study.Study.to_dict` returns.
    by_size
        Metrics by size, whose columns are names too.
    """
    _, problems = _read(values)
    return [*problems, *_cross_checks(values, by_size)]


def _read(values: Values) -> tuple[Values | None, list[str]]:
    try:
        return _native.read_study(values)
    except ScenarioError as error:
        raise StudyError(str(error)) from None


def _included(names: Any, base_dir: Path, confined: bool) -> tuple[list[Values], list[str]]:
    """Return what the files say that a study file includes, and everything that is wrong with them."""
    if confined or not isinstance(names, list):
        return [], [
            "include: a folder holds all itself; get it again from where it was made"
        ] if names else []
    found: list[Values] = []
    problems: list[str] = []
    for name in names:
        if not isinstance(name, str) or control_character(name, lines=True) or len(name) > _MOST_PATH:
            continue  # The extension has told it.
        try:
            read, more = _native.read_report(read_toml(base_dir / name, StudyError))
        except DumbbellError as error:
            problems.append(f"include: {error}")
            continue
        except OSError as error:
            shown = shortened(str(base_dir / name), 200)
            problems.append(f"include: {shown}: {error.strerror}; give the name of a file in the same folder")
            continue
        found += [] if read is None else [read]
        problems += [f"{shortened(name, 200)}: {problem}" for problem in more]
    return found, problems


def _functions(values: Mapping[str, Any]) -> dict[int, Any]:
    """The metrics whose source is a function of Python, by their number."""
    return {
        index: entry["source"]
        for index, entry in enumerate(_entries(values, "metrics"))
        if isinstance(entry, Mapping) and callable(entry.get("source"))
    }


def _without(values: Mapping[str, Any], functions: Mapping[int, Any]) -> Values:
    """The values with functions as they are written: by name."""
    if not functions:
        return dict(values)
    metrics = [
        {**entry, "source": {"function": name_of(functions[index]), "fingerprint": ""}}
        if index in functions
        else entry
        for index, entry in enumerate(_entries(values, "metrics"))
    ]
    return {**values, "metrics": metrics}


def _entries(values: Any, key: str) -> list[Any]:
    """A list in values that may be anything."""
    found = values.get(key) if isinstance(values, Mapping) else None
    return list(found) if isinstance(found, list | tuple) else []


def _name(entry: Any) -> str | None:
    """The name in an entry of a list; ``None`` if it is none, which the extension tells."""
    name = entry.get("name") if isinstance(entry, Mapping) else None
    try:
        check_name(name, "")
    except StudyError:
        return None
    return str(name)


def _cross_checks(values: Mapping[str, Any], by_size: BySize | None = None) -> Iterator[str]:
    """Yield what is wrong between parts of a study, as far as its values can be read at all."""

    def names(table: Any, key: str) -> list[str | None]:
        return [_name(entry) for entry in _entries(table, key)]

    metrics = names(values, "metrics")
    sized = names(values.get("by_size"), "metrics")
    yield from clashes(names(values, "axes"), names(values, "arms"), metrics, sized, by_size)
    stop = values.get("stop")
    if isinstance(stop, Mapping) and isinstance(stop.get("metric"), str) and stop["metric"] not in metrics:
        known = [name for name in metrics if name is not None]
        shown = shortened(repr(stop["metric"]), 200)
        yield f"stop.metric: {shown} is not a metric of the study; {_native.suggest(stop['metric'], known)}"


def _scenario(value: Any, base_dir: Path, confined: bool) -> tuple[Values, Path]:
    """The base scenario, and the folder from which names of files in it count."""
    if isinstance(value, Mapping):
        return dict(value), base_dir
    if not isinstance(value, str) or control_character(value, lines=True) or len(value) > _MOST_PATH:
        return {}, base_dir  # The extension has told it.
    if confined:
        raise StudyError("scenario: is not a table; get the folder again from where it was made")
    path = base_dir / value
    try:
        return read_toml(path), path.parent
    except DumbbellError as error:
        raise StudyError(f"scenario: {error}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        shown = shortened(str(path), 200)
        raise StudyError(f"scenario: {shown}: {reason}; give the path of a readable scenario file") from None


def _label(entry: Mapping[str, Any]) -> str:
    return str(entry["name"] if entry["label"] is None else entry["label"])


def read_axis(entry: Mapping[str, Any]) -> Axis:
    """Return an axis as the extension has read it."""
    about, values = (entry["name"], _label(entry), entry["unit"]), tuple(entry["values"])
    if entry["set"] is not None:
        return Axis.of(*about, values, *entry["set"])
    return Axis(*about, values, tuple(map(tuple, entry["settings"])))


def read_arm(entry: Mapping[str, Any]) -> Arm:
    """Return an arm as the extension has read it."""
    return Arm(entry["name"], _label(entry), tuple(entry["set"]))


def read_metric(entry: Mapping[str, Any]) -> Metric:
    """Return a metric as the extension has read it."""
    least, most = entry["least"], entry["most"]
    declared = None
    if least is not None or most is not None:
        low, high = of_source(entry["source"])
        declared = (low if least is None else least, high if most is None else most)
    return Metric(entry["name"], _label(entry), entry["unit"], entry["source"], entry["better"], declared)


def read_by_size(entry: Mapping[str, Any] | None) -> BySize | None:
    """Return metrics by size as the extension has read them."""
    if entry is None:
        return None
    return BySize(
        entry["packet"], tuple(entry["up_to"]), tuple(map(read_metric, entry["metrics"])), entry["group"]
    )


def _stop(entry: Values | None) -> StopRule | None:
    if entry is None:
        return None
    relative = entry["relative"] is not None
    bound = float(entry["relative"] if relative else entry["absolute"])
    return StopRule(entry["metric"], bound, relative, entry["confidence"], entry["minimum"], entry["of"])
