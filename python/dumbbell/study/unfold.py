"""Metrics by size as a study of their own: one row for each run and bin."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dumbbell.study.sizes import AXIS, BySize
from dumbbell.study.spec import Metric

if TYPE_CHECKING:
    from dumbbell.study.result import StudyResult

Floats = NDArray[np.float64]


def unfold(result: StudyResult) -> StudyResult:
    """Return the metrics by size of a result, with the bins as one more axis.

    Raises
    ------
    KeyError
        If the study has none.
    """
    study, by_size = result.study, _required(result)
    sizes = by_size.axis.values
    runs, bins = result.table.num_rows, len(sizes)
    rows = np.repeat(np.arange(runs), bins)
    names = ["run_id", "arm", "seed", *(axis.name for axis in study.axes)]
    table = result.table.select(names).take(pa.array(rows))
    table = table.append_column(AXIS, pa.array(np.tile(np.array(sizes), runs)))
    for metric in by_size.metrics:
        values = matrix(result, by_size.columns_of(metric.name)).reshape(-1)
        table = table.append_column(metric.name, pa.array(values, from_pandas=True))
    axes, metrics = (*study.axes, by_size.axis), by_size.metrics
    return replace(
        result,
        study=replace(study, axes=axes, metrics=metrics, stop=None, by_size=None),
        table=table,
        expected=result.expected * bins,
    )


def matrix(result: StudyResult, columns: list[str]) -> Floats:
    """Return columns of numbers, shape (runs, columns); not-a-number where a run gave no value."""
    return np.column_stack(
        [result.table[name].cast(pa.float64()).fill_null(np.nan).to_numpy() for name in columns]
    )


def fold(result: StudyResult, metric: Metric, values: Floats) -> StudyResult:
    """Return the result with one more metric by size.

    Parameters
    ----------
    result
        Of a study that has metrics by size.
    metric
        The new one.
    values
        Its numbers, shape (runs, bins).
    """
    by_size = _required(result)
    table = result.table
    for name, column in zip(by_size.columns_of(metric.name), values.T, strict=True):
        table = table.append_column(name, pa.array(column, from_pandas=True))
    wider = replace(by_size, metrics=(*by_size.metrics, metric))
    return replace(result, study=replace(result.study, by_size=wider), table=table)


def _required(result: StudyResult) -> BySize:
    if result.study.by_size is None:
        raise KeyError("the study has no metrics by size")
    return result.study.by_size
