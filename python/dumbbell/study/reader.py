"""Study files: TOML, Python or a dictionary in, a :class:`Study` out; all problems are told at once."""

from __future__ import annotations

import difflib
import math
import re
import runpy
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

from dumbbell._files.foreign import NotDataError, check_values
from dumbbell._files.read import read_toml
from dumbbell._files.text import control_character, shortened
from dumbbell.errors import ScenarioError
from dumbbell.study.errors import StudyError
from dumbbell.study.metric import check_source, write_source
from dumbbell.study.sizes import BySize, check_by_size
from dumbbell.study.spec import Arm, Axis, AxisValue, Metric, StopRule, Study

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_RESERVED = frozenset(("run_id", "arm", "seed"))
"""Columns of every study's table."""

_MOST_CHARS = 200
"""Of a name, a label or a unit: what a figure has room for, with some to spare."""

_MOST_PROSE = 4096
"""Characters of a title or a question."""

_QUOTED = 100
"""Characters of a wrong value that a message quotes."""

_FORMULA = re.compile(r"[=@]|[+-](?![0-9.]+[A-Za-z/%]*$)")
"""How a text begins that a spreadsheet takes for a formula; a signed quantity is none."""

_MOST_VALUES = 10_000
"""Values of an axis, and seeds."""

_MOST_RUNS = 1_000_000
"""Above this a study is taken for a mistake."""

_SEED_LIMIT = 2**63


def quoted(value: object) -> str:
    """Return a wrong value for a message: in quotes, its beginning if it is long."""
    return shortened(repr(value), _QUOTED)


class Problems:
    """What is wrong so far."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, place: str, wrong: str, remedy: str) -> None:
        """Note one problem."""
        wrong = shortened(wrong, _MOST_CHARS)
        self.lines.append(f"{place}: {wrong}; {remedy}" if place else f"{wrong}; {remedy}")

    def keys(self, place: str, table: Mapping[str, Any], known: Iterable[str]) -> None:
        """Note every key that is not known."""
        known = list(known)
        for key in table:
            if key not in known:
                nearest = difflib.get_close_matches(str(key), known, n=1)
                remedy = f"did you mean {nearest[0]!r}?" if nearest else f"use one of {', '.join(known)}"
                shown = str(key) if _NAME.fullmatch(str(key)) else quoted(key)
                self.add(f"{place}.{shown}" if place else shown, "unknown key", remedy)

    def text(
        self, place: str, table: Mapping[str, Any], key: str, default: str | None = None, lines: bool = False
    ) -> str:
        """Return the text under a key, or note that it is not there, or cannot be shown.

        Parameters
        ----------
        place
            Of the table.
        table, key
            Where it stands.
        default
            What it is if it is absent; without it, it must be there.
        lines
            Whether it may be long and have several lines.
        """
        value = table.get(key, default)
        where = f"{place}.{key}" if place else key
        if isinstance(value, str) and (value or default is not None):
            return self.shown(where, value, lines)
        wrong = (
            "is missing" if value is None else f"{quoted(value)} is not text" if value != "" else "is empty"
        )
        self.add(where, wrong, "give a text in quotes")
        return default or "?"

    def shown(self, where: str, text: str, lines: bool = False) -> str:
        """Return a text that tables and figures can show, or note why they cannot."""
        most = _MOST_PROSE if lines else _MOST_CHARS
        control = control_character(text, lines)
        if control:
            self.add(where, f"holds the control character {control}", "write text without control characters")
        elif len(text) > most:
            self.add(where, f"{len(text):,} characters are above the limit of {most:,}", "shorten it")
        else:
            return text
        return "?"

    def name(self, place: str, table: Mapping[str, Any]) -> str:
        """Return the name in a table, or note that it is no name."""
        name = self.text(place, table, "name")
        if name != "?" and not _NAME.fullmatch(name):
            where = f"{place}.name" if place else "name"
            self.add(where, f"{quoted(name)} is not a name", "use letters, digits, - and _, a letter first")
        return name

    def tables(self, values: Mapping[str, Any], key: str) -> list[tuple[str, Mapping[str, Any]]]:
        """Return the entries of a list of tables with their places, or note what is not one."""
        entries = values.get(key, [])
        if not isinstance(entries, list | tuple):
            self.add(key, "is not a list of tables", f"write [[{key}]] before each entry")
            return []
        found = []
        for index, entry in enumerate(entries):
            if isinstance(entry, Mapping):
                found.append((f"{key}[{index}]", entry))
            else:
                self.add(
                    f"{key}[{index}]", f"{quoted(entry)} is not a table", f"write [[{key}]] before each entry"
                )
        return found


def read_file(path: Path) -> Study:
    """Read a TOML or Python file; see :meth:`Study.from_file`."""
    if path.suffix == ".py":
        study = runpy.run_path(str(path)).get("study")
        if not isinstance(study, Study):
            raise StudyError(f"{path}: defines no study; add `study = dumbbell.study.Study(...)`")
        return study
    try:
        values = read_toml(path)
    except UnicodeDecodeError as error:
        raise StudyError(f"{path}: not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except ScenarioError as error:
        raise StudyError(f"{path}: {error}") from None
    values.setdefault("name", path.stem if path.stem != "study" else path.absolute().parent.name)
    try:
        return read_dict(values, path.parent)
    except StudyError as error:
        raise StudyError([f"{path}: {problem}" for problem in error.problems]) from None


def read_dict(values: object, base_dir: Path, confined: bool = False) -> Study:
    """Read a dictionary; see :meth:`Study.from_dict` and :meth:`Study.from_folder`."""
    try:
        check_values(values)
    except NotDataError as error:
        raise StudyError(f"{error}; correct it") from None
    if not isinstance(values, Mapping):
        raise StudyError(f"{quoted(values)} is not a study; give a table with `scenario` and `metrics`")
    problems = Problems()
    keys = ("name", "title", "question", "scenario", "seeds", "axes", "arms", "metrics", "by_size", "stop")
    problems.keys("", values, keys)
    name = problems.name("", values)
    scenario, base_dir = _scenario(problems, values.get("scenario"), base_dir, confined)
    metrics = tuple(_metric(problems, *entry, check_source) for entry in problems.tables(values, "metrics"))
    if not metrics and not {"metrics", "by_size"} & set(values):
        problems.add("metrics", "the study measures nothing", "add [[metrics]]")
    study = Study(
        name=name,
        title=problems.text("", values, "title", name, lines=True),
        question=problems.text("", values, "question", "", lines=True),
        scenario=scenario,
        base_dir=base_dir,
        axes=tuple(_axis(problems, *entry) for entry in problems.tables(values, "axes")),
        arms=tuple(_arm(problems, *entry) for entry in problems.tables(values, "arms"))
        or (Arm("base", "base scenario"),),
        seeds=_seeds(problems, values.get("seeds", 1)),
        metrics=metrics,
        stop=_stop(problems, values.get("stop"), metrics),
        by_size=_by_size(problems, values.get("by_size")),
        confined=confined,
    )
    check_names(problems, study)
    runs = math.prod(len(axis.values) for axis in study.axes) * len(study.arms) * len(study.seeds)
    if runs > _MOST_RUNS:
        problems.add("axes", f"{runs:,} runs are above the limit of {_MOST_RUNS:,}", "split the study")
    if problems.lines:
        raise StudyError(problems.lines)
    return study


def write_dict(study: Study) -> dict[str, Any]:
    """Write a study; see :meth:`Study.to_dict`."""
    values: dict[str, Any] = {
        "name": study.name,
        "title": study.title,
        "question": study.question,
        "scenario": study.scenario,
        "seeds": list(study.seeds),
        "axes": [
            {
                "name": axis.name,
                "label": axis.label,
                "unit": axis.unit,
                "values": list(axis.values),
                "settings": [list(settings) for settings in axis.settings],
            }
            for axis in study.axes
        ],
        "arms": [{"name": arm.name, "label": arm.label, "set": list(arm.settings)} for arm in study.arms],
        "metrics": [
            {"name": metric.name, "label": metric.label, "unit": metric.unit}
            | ({"better": metric.better} if metric.better else {})
            | {"source": write_source(metric.source)}
            for metric in study.metrics
        ],
    }
    if study.by_size is not None:
        values["by_size"] = study.by_size.write()
    if study.stop is not None:
        bound = "relative" if study.stop.relative else "absolute"
        values["stop"] = {
            "metric": study.stop.metric,
            bound: study.stop.half_width,
            "confidence": study.stop.confidence,
            "minimum": study.stop.minimum,
        }
    return values


def _scenario(problems: Problems, value: Any, base_dir: Path, confined: bool) -> tuple[dict[str, Any], Path]:
    """The base scenario, and the folder from which names of files in it count."""
    if isinstance(value, Mapping):
        return dict(value), base_dir
    if confined:
        problems.add("scenario", "is not a table", "get the folder again from where it was made")
        return {}, base_dir
    if not isinstance(value, str):
        wrong = "is missing" if value is None else f"{quoted(value)} is not a scenario"
        problems.add("scenario", wrong, "give the path of a scenario file, or write a [scenario] table")
        return {}, base_dir
    path = base_dir / problems.shown("scenario", value, lines=True)
    try:
        return read_toml(path), path.parent
    except OSError as error:
        problems.add("scenario", f"{path}: {error.strerror}", "give the path of a readable scenario file")
    except UnicodeDecodeError as error:
        problems.add("scenario", f"{path}: not UTF-8 text (byte {error.start})", "save it as UTF-8")
    except ScenarioError as error:
        problems.add("scenario", f"{path}: {error.path}: {error.message}", error.remedy)
    return {}, base_dir


def _axis(problems: Problems, place: str, table: Mapping[str, Any]) -> Axis:
    problems.keys(place, table, ("name", "label", "unit", "values", "set", "settings"))
    name = problems.name(place, table)
    values = _values(problems, f"{place}.values", table.get("values"))
    settings: list[tuple[str, ...]] = []
    if ("set" in table) == ("settings" in table):
        wrong = "both `set` and `settings` are given" if "set" in table else "the axis sets nothing"
        problems.add(place, wrong, 'add set = "path={value}", or settings with one list for each value')
    elif "set" in table:
        templates = _settings(problems, f"{place}.set", table["set"])
        if templates and not any("{value}" in template for template in templates):
            remedy = 'write {value} where it belongs: set = "topology.bottleneck.rate={value}Mbit/s"'
            problems.add(f"{place}.set", "does not use the value", remedy)
        settings = [tuple(text.replace("{value}", str(value)) for text in templates) for value in values]
    else:
        lists = table["settings"]
        if not isinstance(lists, list | tuple) or len(lists) != len(values):
            wrong = f"not one list of settings for each of the {len(values)} values"
            problems.add(f"{place}.settings", wrong, "give as many lists as values")
        else:
            settings = [_settings(problems, f"{place}.settings[{i}]", s) for i, s in enumerate(lists)]
    return Axis(
        name=name,
        label=problems.text(place, table, "label", name),
        unit=problems.text(place, table, "unit", ""),
        values=values,
        settings=tuple(settings),
    )


def _values(problems: Problems, place: str, given: Any) -> tuple[AxisValue, ...]:
    if isinstance(given, Mapping):
        return _range(problems, place, given)
    if not isinstance(given, list | tuple) or not given:
        remedy = "give a list, or { start, stop, step }, or { start, stop, count }"
        problems.add(
            place, "no values" if given in (None, [], ()) else f"{quoted(given)} is not a list", remedy
        )
        return ()
    if len(given) > _MOST_VALUES:
        problems.add(place, f"{len(given):,} values are above the limit of {_MOST_VALUES:,}", "give fewer")
        return ()
    if not all(isinstance(v, int | float | str) and not isinstance(v, bool) for v in given):
        problems.add(place, "mixes numbers and other things", "give numbers only, or texts only")
        return ()
    numbers = [v for v in given if isinstance(v, int | float)]
    if any(not math.isfinite(number) for number in numbers):
        problems.add(place, "holds a number that is not finite", "leave it out")
        return ()
    if len(set(given)) < len(given):
        problems.add(place, "holds the same value twice", "leave one of them out")
    if len(numbers) == len(given):
        whole = all(isinstance(number, int) for number in numbers)
        return tuple(numbers) if whole else tuple(map(float, numbers))
    if numbers:
        problems.add(place, "mixes numbers and other things", "give numbers only, or texts only")
        return ()
    for index, text in enumerate(given):
        problems.shown(f"{place}[{index}]", text)
        if _FORMULA.match(text):
            problems.add(
                f"{place}[{index}]", f"{quoted(text)} is a formula to spreadsheets", "begin with a letter"
            )
    return tuple(given)


def _range(problems: Problems, place: str, given: Mapping[str, Any]) -> tuple[AxisValue, ...]:
    problems.keys(place, given, ("start", "stop", "step", "count", "scale"))
    numbers = {key: value for key, value in given.items() if key != "scale"}
    remedy = 'write { start, stop, step }, or { start, stop, count }, or the latter with scale = "log"'
    real = all(
        isinstance(v, int | float) and not isinstance(v, bool) and math.isfinite(v) for v in numbers.values()
    )
    keys = set(numbers)
    if not real or keys not in ({"start", "stop", "step"}, {"start", "stop", "count"}):
        problems.add(place, "not a range of numbers", remedy)
        return ()
    start, stop, scale = numbers["start"], numbers["stop"], given.get("scale", "linear")
    if "step" in numbers:
        step = numbers["step"]
        count = 1 + math.floor((stop - start) / step + 1e-9) if step else 0
        if scale != "linear" or count < 1 or count > _MOST_VALUES:
            wrong = f"gives {max(count, 0):,} values" if scale == "linear" else "a step has no scale"
            problems.add(place, wrong, "correct start, stop and step" if scale == "linear" else remedy)
            return ()
        if all(isinstance(v, int) for v in numbers.values()):
            return tuple(start + i * step for i in range(count))
        return tuple(_tidy(start + i * step) for i in range(count))
    count = numbers["count"]
    if not isinstance(count, int) or not 2 <= count <= _MOST_VALUES or start == stop:
        problems.add(place, "not two or more different values", "correct start, stop and count")
        return ()
    shares = [i / (count - 1) for i in range(count)]
    if scale == "linear":
        return tuple(_tidy(start + share * (stop - start)) for share in shares)
    if scale == "log" and start > 0 and stop > 0:
        return tuple(_tidy(start * (stop / start) ** share) for share in shares)
    wrong = "a log scale needs numbers above zero" if scale == "log" else f"{quoted(scale)} is not a scale"
    problems.add(place, wrong, 'use "linear" or "log"')
    return ()


def _tidy(value: float) -> float:
    """Without the last digits, in which sums of decimal fractions differ from what a reader expects."""
    return float(f"{value:.12g}")


def _settings(problems: Problems, place: str, given: Any) -> tuple[str, ...]:
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list | tuple) or not all(isinstance(t, str) and "=" in t for t in texts):
        problems.add(place, f"{quoted(given)} is not a setting", 'write "path=value", or a list of these')
        return ()
    return tuple(texts)


def _arm(problems: Problems, place: str, table: Mapping[str, Any]) -> Arm:
    problems.keys(place, table, ("name", "label", "set"))
    name = problems.name(place, table)
    label = problems.text(place, table, "label", name)
    return Arm(name, label, _settings(problems, f"{place}.set", table.get("set", [])))


Checks: TypeAlias = Callable[[Any], Iterator[tuple[str, str]]]


def _metric(problems: Problems, place: str, table: Mapping[str, Any], check: Checks) -> Metric:
    problems.keys(place, table, ("name", "label", "unit", "better", "source"))
    name = problems.name(place, table)
    better = table.get("better")
    if better not in (None, "lower", "higher"):
        problems.add(f"{place}.better", f"{quoted(better)} is not a direction", 'use "lower" or "higher"')
    source = table.get("source")
    for wrong, remedy in check(source):
        problems.add(f"{place}.source", wrong, remedy)
    return Metric(
        name=name,
        label=problems.text(place, table, "label", name),
        unit=problems.text(place, table, "unit", ""),
        source=source if source is not None else {},
        better=better,
    )


def _by_size(problems: Problems, given: Any) -> BySize | None:
    if given is None:
        return None
    if not isinstance(given, Mapping):
        problems.add(
            "by_size",
            f"{quoted(given)} is not a table",
            "write [by_size] packet = 1460, up_to = [1, 10, 100]",
        )
        return None
    problems.keys("by_size", given, ("packet", "up_to", "group", "metrics"))
    packet, group = given.get("packet"), given.get("group")
    if not isinstance(packet, int) or isinstance(packet, bool) or packet < 1:
        wrong = "is missing" if packet is None else f"{quoted(packet)} are not bytes"
        problems.add("by_size.packet", wrong, "give the bytes of data in a packet")
        packet = 1
    if group is not None and not isinstance(group, str):
        problems.add("by_size.group", f"{quoted(group)} is not text", "give a text in quotes")
    entries = problems.tables({"by_size.metrics": given.get("metrics", [])}, "by_size.metrics")
    if not entries:
        problems.add("by_size.metrics", "nothing is measured", "add [[by_size.metrics]]")
    metrics = tuple(_metric(problems, *entry, check_by_size) for entry in entries)
    return BySize(packet, _up_to(problems, given.get("up_to")), metrics, group)


def _up_to(problems: Problems, given: Any) -> tuple[int, ...]:
    if isinstance(given, list | tuple) and 0 < len(given) <= _MOST_VALUES and all(map(_whole, given)):
        ends = tuple(given)
        if all(low < high for low, high in pairwise((0, *ends))):
            return ends
    remedy = "give the largest size of each bin, in packets"
    problems.add("by_size.up_to", "not whole numbers above zero that rise", remedy)
    return (1,)


def _seeds(problems: Problems, given: Any) -> tuple[int, ...]:
    remedy = "give how many, a list, or { first = 1, count = 20 }"
    if isinstance(given, Mapping):
        problems.keys("seeds", given, ("first", "count"))
        first, count = given.get("first", 1), given.get("count")
    else:
        first, count = 1, given
    if isinstance(given, list | tuple):
        seeds: tuple[Any, ...] = tuple(given)
    elif isinstance(first, int) and isinstance(count, int) and 0 < count <= _MOST_VALUES:
        seeds = tuple(range(first, first + count))
    else:
        problems.add("seeds", f"{quoted(given)} are not seeds", remedy)
        return (1,)
    if not seeds or len(seeds) > _MOST_VALUES or not all(_whole(s) and 0 <= s < _SEED_LIMIT for s in seeds):
        problems.add("seeds", "not a list of 1 to 10,000 whole numbers from 0", remedy)
        return (1,)
    if len(set(seeds)) < len(seeds):
        problems.add("seeds", "holds the same seed twice", "leave one of them out: it would count twice")
    return seeds


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _stop(problems: Problems, given: Any, metrics: tuple[Metric, ...]) -> StopRule | None:
    if given is None:
        return None
    if not isinstance(given, Mapping):
        problems.add("stop", f"{quoted(given)} is not a rule", 'write [stop] metric = "..." relative = 0.05')
        return None
    problems.keys("stop", given, ("metric", "relative", "absolute", "confidence", "minimum"))
    metric = problems.text("stop", given, "metric")
    if metric not in {m.name for m in metrics}:
        problems.add("stop.metric", f"{metric!r} is not a metric of the study", "name one of them")
    bounds = [key for key in ("relative", "absolute") if key in given]
    bound = given[bounds[0]] if bounds else None
    if len(bounds) != 1 or not isinstance(bound, int | float) or not 0 < bound < math.inf:
        remedy = "give either relative = 0.05 or absolute, above zero"
        problems.add("stop", "no half-width to reach", remedy)
        bound = 1.0
    confidence, minimum = given.get("confidence", 0.95), given.get("minimum", 5)
    if not isinstance(confidence, float) or not 0.5 <= confidence < 1:
        problems.add("stop.confidence", f"{quoted(confidence)} is not a confidence", "use 0.95, for example")
    if not _whole(minimum) or minimum < 2:
        problems.add("stop.minimum", f"{quoted(minimum)} seeds give no interval", "use 2 or more")
    return StopRule(metric, float(bound), "relative" in bounds, confidence, minimum)


def check_names(problems: Problems, study: Study) -> None:
    """Note names that stand twice: axes and metrics are columns of one table, arms are values in another."""
    by_size = study.by_size
    seen: set[str] = set()
    for place, name in (
        *((f"axes[{i}].name", axis.name) for i, axis in enumerate(study.axes)),
        *((f"metrics[{i}].name", metric.name) for i, metric in enumerate(study.metrics)),
        *(
            (f"by_size.metrics[{i}].name", metric.name)
            for i, metric in enumerate(by_size.metrics if by_size else ())
        ),
        *(("by_size", name) for name in (by_size.columns if by_size else ())),
        *((("by_size", by_size.axis.name),) if by_size else ()),
    ):
        if name in _RESERVED:
            problems.add(place, f"{name!r} is a column of every study", "choose another name")
        elif name in seen and name != "?":
            problems.add(place, f"a second {name!r}", "choose another name")
        seen.add(name)
    names = [arm.name for arm in study.arms]
    for index, name in enumerate(names):
        if name in names[:index] and name != "?":
            problems.add(f"arms[{index}].name", f"a second {name!r}", "choose another name")
