"""Metrics: from the result tables of a run to one number.

A source is a table: docs/reference/study.md says what it holds for each table of results;
or, in Python, a function of :class:`dumbbell.Results` that returns a number.
"""

from __future__ import annotations

import hashlib
import inspect
import math
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dumbbell import _native
from dumbbell._results import Results
from dumbbell._results.energy import saving
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
"""Numbers that stand for the flows or transfers of a run. Those without a value do not count."""


def evaluate(metric: Metric, results: Results) -> float:
    """Return the number that a run gives, in the unit of the metric; not-a-number if it gives none.

    Where a study makes a run, those that are not :func:`in_python` are evaluated without results.
    """
    source = metric.source
    if callable(source):
        return float(source(results))
    if not in_python(metric):
        [number] = _native.Metrics([source], True).of([table.native for table in results.tables])
        return number
    factor = float(source.get("factor", 1))
    if source["statistic"] == "saving":
        return saving(results, source.get("model", {}), source["link"]) * factor
    return _share(source, results) * factor


def in_python(metric: Metric) -> bool:
    """Return whether a metric is evaluated in Python: a function of the user's, and states with power models.

    Raises
    ------
    StudyError
        If it is a function of which only the name is known.
    """
    source = metric.source
    if callable(source):
        return True
    if "function" in source:
        raise StudyError(f"metric {metric.name}: was a function; give the study as its Python file")
    return source.get("table") == "states"


_SHARES = ("loss", "utilisation", "fairness")
"""Columns of shares of a whole; no column of results is below zero."""


def possible(metric: Metric) -> tuple[float, float]:
    """Return the least and the largest value that a metric can have, so that no interval needs to go beyond.

    No column of results is below 0, and no share above its whole. A saving lies between 0 and 1, because no
    state of a port draws more than full power (``crates/net/src/power/model.rs``). A function may give
    anything, unless :attr:`Metric.possible` says what.
    """
    return metric.possible or of_source(metric.source)


def of_source(source: Source) -> tuple[float, float]:
    """Return the least and the largest value that a source can give, as far as its columns tell."""
    if callable(source) or "function" in source:
        return -math.inf, math.inf
    factor = float(source.get("factor", 1))
    ends = (0.0, math.inf)
    if source.get("table") == "states" or (
        source.get("column") in _SHARES and source.get("statistic") not in ("count", "sum")
    ):
        ends = (0.0, 1.0)
    low, high = (0.0 if end == 0 else end * factor for end in ends)
    return min(low, high), max(low, high)


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


def check_against(place: str, source: Any, explained: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a source asks for that the plan of a scenario does not have; `place` names it."""
    if callable(source):
        return
    for key, family in (("link", "links"), ("group", "groups")):
        names = [entry["name"] for entry in explained[family]]
        if key in source and source[key] not in names:
            yield f"{place}: the scenario has no {key} {source[key]!r}; {_native.suggest(source[key], names)}"


def write_source(source: Source | Callable[..., Any]) -> dict[str, Any]:
    """Return a source in JSON types: a function by its name and the fingerprint of its text."""
    if callable(source):
        text = "\n".join(_texts(source, set()))
        return {"function": name_of(source), "fingerprint": hashlib.sha256(text.encode()).hexdigest()}
    return dict(source)


def name_of(function: Callable[..., Any]) -> str:
    """Return what to call a function."""
    return str(getattr(function, "__name__", type(function).__name__))


def write_metric(metric: Metric) -> dict[str, Any]:
    """Return a metric in JSON types, as in a study file."""
    better = {"better": metric.better} if metric.better else {}
    about = {"name": metric.name, "label": metric.label, "unit": metric.unit}
    ends = zip(("least", "most"), metric.possible or (), strict=False)
    declared = {key: end for key, end in ends if math.isfinite(end)}
    return {**about, **better, **declared, "source": write_source(metric.source)}


@lru_cache(maxsize=1024)
def _text(function: types.FunctionType) -> str:
    return inspect.getsource(function)


def _texts(function: Any, seen: set[int]) -> Iterator[str]:
    """Yield the text of a function, and of the functions and constants of its own file that it uses."""
    if id(function) in seen:
        return
    seen.add(id(function))
    if not isinstance(function, types.FunctionType):
        raise StudyError(f"metric: {function!r} is not a plain function; wrap it into one")
    try:
        yield _text(function)
    except (OSError, TypeError):
        raise StudyError(f"metric: the text of {function.__name__} is nowhere; define it in a file") from None
    closure = inspect.getclosurevars(function)
    for name, value in sorted({**closure.globals, **closure.nonlocals}.items()):
        if isinstance(value, types.FunctionType):
            if value.__module__ == function.__module__:
                yield from _texts(value, seen)
        elif isinstance(value, bool | int | float | str | tuple | list | dict):
            yield f"{name} = {value!r}"
