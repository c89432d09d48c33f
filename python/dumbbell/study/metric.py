"""Metrics: from the result tables of a run to one number.

A source is a table of names:

========== ==========================================================================================
key        meaning
========== ==========================================================================================
table      ``runs``, ``links``, ``flows`` or ``states``
column     a column of numbers in it; not of ``states``
link       of ``links`` and ``states``: the name of the link
group      of ``flows``: the name of the flow group or workload; all flows without it
statistic  of ``flows``: ``mean``, ``sum``, ``count``, ``min``, ``max``, ``p50``, ``p90``, ``p95``, ``p99``;
           of ``states``: ``share`` of time, or ``saving`` of energy against full power all the time
state      of a ``share``: ``busy``, ``idle``, ``pause``, ``sleep`` or ``waking``; any without it
rate       of a ``share``: a rate in bit/s; any without it
model      of a ``saving``: keys of :func:`dumbbell.network.power_model`
counted    of ``flows``: leave out flows that started in the warm-up; ``true`` by default
factor     multiplies the number: 1e-6 for a rate in Mbit/s
========== ==========================================================================================

or, in Python, a function of :class:`dumbbell.Results` that returns a number.
"""

from __future__ import annotations

import difflib
import hashlib
import inspect
import math
import types
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from dumbbell._declared import STATES, numbers_of
from dumbbell._results import Results
from dumbbell._results.energy import power_model, saving
from dumbbell.errors import ScenarioError
from dumbbell.study.errors import StudyError
from dumbbell.study.spec import Metric, Source

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Quantile:
    share: float

    def __call__(self, values: Floats) -> float:
        return float(np.quantile(values, self.share)) if values.size else math.nan


STATISTICS: dict[str, Callable[[Floats], float]] = {
    "mean": lambda x: float(x.mean()) if x.size else math.nan,
    "sum": lambda x: float(x.sum()),
    "count": lambda x: float(x.size),
    "min": lambda x: float(x.min()) if x.size else math.nan,
    "max": lambda x: float(x.max()) if x.size else math.nan,
    # Linear interpolation between order statistics, as in the summary of a run.
    **{f"p{percent}": _Quantile(percent / 100) for percent in (50, 90, 95, 99)},
}
"""Numbers that stand for the flows of a run. Flows without a value do not count."""

_KEYS = {
    "runs": ("table", "column", "factor"),
    "links": ("table", "column", "link", "factor"),
    "flows": ("table", "column", "group", "statistic", "counted", "factor"),
    "states": ("table", "link", "statistic", "state", "rate", "model", "factor"),
}

_OF_STATES = {"share": ("state", "rate"), "saving": ("model",)}
"""Statistics of states, and the keys that each takes."""


def evaluate(metric: Metric, results: Results) -> float:
    """Return the number that a run gives, in the unit of the metric; not-a-number if it gives none."""
    source = metric.source
    if callable(source):
        return float(source(results))
    factor = float(source.get("factor", 1))
    match source.get("table"):
        case "runs":
            return float(results.runs[source["column"]][0]) * factor
        case "links":
            here = results.links.where("link", source["link"])
            return float(results.links[source["column"]][here][0]) * factor
        case "flows":
            return STATISTICS[source.get("statistic", "mean")](_flows(source, results)) * factor
        case "states":
            if source["statistic"] == "saving":
                return saving(results, source.get("model", {}), source["link"]) * factor
            return _share(source, results) * factor
    raise StudyError(f"metric {metric.name}: was a function; give the study as its Python file")


def _flows(source: Mapping[str, Any], results: Results) -> Floats:
    flows = results.flows
    values = flows[source["column"]].astype(np.float64)
    kept = ~np.isnan(values)
    if source.get("counted", True):
        kept &= flows["counted"]
    if "group" in source:
        kept &= flows.where("group", source["group"])
    return values[kept]


def _share(source: Mapping[str, Any], results: Results) -> float:
    """Return a share of the link's time; not-a-number without power control."""
    states = results.states
    here = states.where("link", source["link"])
    chosen = here.copy()
    if "state" in source:
        chosen &= states["state"] == source["state"]
    if "rate" in source:
        chosen &= np.isclose(states["rate"], source["rate"])
    total = states["time"][here].sum()
    return float(states["time"][chosen].sum() / total) if total > 0 else math.nan


def check_source(source: Any) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a source, and the remedy, as far as it does not depend on the scenario."""
    if callable(source):
        return
    if isinstance(source, Mapping) and set(source) == {"function", "fingerprint"}:
        return
    example = '{ table = "runs", column = "goodput" }'
    if not isinstance(source, Mapping):
        yield ("is missing" if source is None else f"{source!r} is not a source"), f"write source = {example}"
        return
    table = source.get("table")
    if not is_one_of(table, _KEYS):
        yield f"{table!r} is not a table of results", f"use one of {', '.join(_KEYS)}"
        return
    for key in source:
        if key not in _KEYS[table]:
            yield f"the table {table} has no key {key!r}", f"use some of {', '.join(_KEYS[table])}"
    if table == "states":
        yield from _check_states(source)
    else:
        yield from _check_column(source, table)
    if table in ("links", "states") and not isinstance(source.get("link"), str):
        yield "names no link", 'add link = "left->right"; `dumbbell check` lists the links'
    if not isinstance(source.get("counted", True), bool):
        yield f"counted = {source['counted']!r}", "use true or false"
    if not isinstance(source.get("group", ""), str):
        yield f"group = {source['group']!r}", "give a text in quotes"
    if not _is_number(source.get("factor", 1)):
        yield f"factor = {source['factor']!r}", "give a number"


def is_one_of(value: object, names: Container[str]) -> TypeGuard[str]:
    """Whether a value, which may be anything, is one of some names."""
    return isinstance(value, str) and value in names


def _check_column(source: Mapping[str, Any], table: str) -> Iterator[tuple[str, str]]:
    column, numeric = source.get("column"), numbers_of(table)
    if column not in numeric:
        nearest = difflib.get_close_matches(str(column), numeric, n=1)
        yield (
            f"{table} has no column of numbers {column!r}",
            f"did you mean {nearest[0]!r}?" if nearest else f"use one of {', '.join(numeric)}",
        )
    if not is_one_of(source.get("statistic", "mean"), STATISTICS):
        yield f"{source['statistic']!r} is not a statistic", f"use one of {', '.join(STATISTICS)}"


def _check_states(source: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    statistic = source.get("statistic")
    if not is_one_of(statistic, _OF_STATES):
        yield f"{statistic!r} is not a statistic of states", f"use one of {', '.join(_OF_STATES)}"
        return
    for key in ("state", "rate", "model"):
        if key in source and key not in _OF_STATES[statistic]:
            yield f"a {statistic} has no {key}", f"use {' or '.join(_OF_STATES[statistic])}"
    if statistic == "share" and not {"state", "rate"} & set(source):
        yield "a share of what", 'add state = "pause", or rate = 1e6, or both'
    if source.get("state", "busy") not in STATES:
        yield f"{source['state']!r} is not a state", f"use one of {', '.join(STATES)}"
    if not _is_number(source.get("rate", 1)):
        yield f"rate = {source['rate']!r}", "give a number of bit/s"
    model = source.get("model", {})
    if not isinstance(model, Mapping):
        yield f"model = {model!r}", 'give a table: { scaling = "dvs", static_share = 0.25 }'
        return
    try:
        power_model(model)
    except ScenarioError as error:
        yield f"{error.path}: {error.message}", error.remedy


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def check_against(place: str, source: Any, explained: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a source asks for that the plan of a scenario does not have; `place` names it."""
    if callable(source):
        return
    for key, family in (("link", "links"), ("group", "groups")):
        names = [entry["name"] for entry in explained[family]]
        if key in source and source[key] not in names:
            nearest = difflib.get_close_matches(source[key], names, n=1)
            remedy = f"did you mean {nearest[0]!r}?" if nearest else "`dumbbell check` lists what there is"
            yield f"{place}: the scenario has no {key} {source[key]!r}; {remedy}"


def write_source(source: Source | Callable[..., Any]) -> dict[str, Any]:
    """Return a source in JSON types: a function by its name and the fingerprint of its text."""
    if callable(source):
        text = "\n".join(_texts(source, set()))
        name = getattr(source, "__name__", type(source).__name__)
        return {"function": name, "fingerprint": hashlib.sha256(text.encode()).hexdigest()}
    return dict(source)


def _texts(function: Any, seen: set[int]) -> Iterator[str]:
    """Yield the text of a function, and of the functions and constants of its own file that it uses."""
    if id(function) in seen:
        return
    seen.add(id(function))
    if not isinstance(function, types.FunctionType):
        raise StudyError(f"metric: {function!r} is not a plain function; wrap it into one")
    try:
        yield inspect.getsource(function)
    except (OSError, TypeError):
        raise StudyError(f"metric: the text of {function.__name__} is nowhere; define it in a file") from None
    closure = inspect.getclosurevars(function)
    for name, value in sorted({**closure.globals, **closure.nonlocals}.items()):
        if isinstance(value, types.FunctionType):
            if value.__module__ == function.__module__:
                yield from _texts(value, seen)
        elif isinstance(value, bool | int | float | str | tuple | list | dict):
            yield f"{name} = {value!r}"
