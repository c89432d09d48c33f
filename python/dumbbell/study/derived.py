"""Derived metrics: numbers made from the metrics of finished runs, without running anything again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dumbbell.study.errors import StudyError
from dumbbell.study.metric import write_source
from dumbbell.study.result import StudyResult
from dumbbell.study.spec import Metric

Floats: TypeAlias = NDArray[np.float64]

Columns: TypeAlias = Mapping[str, Floats]
"""Metrics by name, each of shape (runs,); not-a-number where a run gave no value. Axes of numbers too."""


@dataclass(frozen=True)
class Derived:
    """A number made from the metrics of a run, or from those of two runs of the same point and seed."""

    name: str
    label: str
    unit: str
    function: Callable[..., Floats]
    """From the :data:`Columns` of the runs, and with `reference` from those of its runs, to shape (runs,)."""
    reference: str = ""
    """Name of an arm: the second argument holds its runs at the same points and seeds."""
    better: Literal["lower", "higher"] | None = None


def derive(result: StudyResult, derived: Sequence[Derived]) -> StudyResult:
    """Return the result with derived metrics beside its own; one may use those before it.

    Raises
    ------
    StudyError
        If there is a metric of that name, no arm of the name of the reference, or no metric that a function
        uses.
    """
    for entry in derived:
        result = _with(result, entry)
    return result


def _with(result: StudyResult, derived: Derived) -> StudyResult:
    study = result.study
    if derived.name in result.table.column_names:
        raise StudyError(f"derived metric {derived.name!r}: the study has a column of this name; rename it")
    columns = _columns(result)
    arguments = [columns]
    if derived.reference:
        rows = _rows_of_reference(result, derived)
        arguments.append({name: np.append(values, math.nan)[rows] for name, values in columns.items()})
    try:
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.asarray(derived.function(*arguments), dtype=np.float64)
    except KeyError as error:
        known = ", ".join(columns)
        raise StudyError(
            f"derived metric {derived.name!r}: the study has no metric {error.args[0]!r}; it has {known}"
        ) from None
    values = np.where(np.isfinite(values), values, math.nan)
    metric = Metric(derived.name, derived.label, derived.unit, write_source(derived.function), derived.better)
    return replace(
        result,
        study=replace(study, metrics=(*study.metrics, metric)),
        table=result.table.append_column(derived.name, pa.array(values, from_pandas=True)),
    )


def _columns(result: StudyResult) -> dict[str, Floats]:
    numbers = [axis.name for axis in result.study.axes if not isinstance(axis.values[0], str)]
    names = [*numbers, *(metric.name for metric in result.study.metrics)]
    return {name: pc.fill_null(result.table[name].cast(pa.float64()), math.nan).to_numpy() for name in names}


def _rows_of_reference(result: StudyResult, derived: Derived) -> NDArray[np.intp]:
    """Return for each run the row of the reference at its point and seed; minus one if that is not there."""
    arms = [arm.name for arm in result.study.arms]
    if derived.reference not in arms:
        raise StudyError(
            f"derived metric {derived.name!r}: the study has no arm {derived.reference!r}; "
            f"it has {', '.join(arms)}"
        )
    names = ["seed", *(axis.name for axis in result.study.axes)]
    keys = list(zip(*(result.table[name].to_pylist() for name in names), strict=True))
    there = {
        key: row
        for row, (key, arm) in enumerate(zip(keys, result.table["arm"].to_pylist(), strict=True))
        if arm == derived.reference
    }
    return np.array([there.get(key, -1) for key in keys], dtype=np.intp)
