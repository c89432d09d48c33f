"""Derived metrics: numbers made from the metrics of finished runs, without running anything again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dumbbell.study.errors import StudyError
from dumbbell.study.metric import write_source
from dumbbell.study.plans import sharing_plans
from dumbbell.study.result import StudyResult
from dumbbell.study.sizes import AXIS, BySize
from dumbbell.study.spec import Metric, check_name

Floats: TypeAlias = NDArray[np.float64]

Columns: TypeAlias = Mapping[str, Floats]
"""Metrics by name, each of shape (runs,); not-a-number where a run gave no value. Axes of numbers too.

Metrics by size are of shape (runs, bins). Where such a one is made, the others are of shape (runs, 1), and
``flow_size`` holds the sizes, shape (bins,).
"""


@dataclass(frozen=True)
class Derived:
    """A number made from the metrics of a run, or from those of two runs of the same point and seed."""

    name: str
    """What claims and tables call it."""
    label: str
    """What figures call it."""
    unit: str
    """Of the number; may be empty."""
    function: Callable[..., Floats]
    """From the :data:`Columns` of the runs, and with `reference` from those of its runs, to shape (runs,), or
    (runs, bins) by size."""
    reference: str = ""
    """Name of an arm: the second argument holds its runs at the same points and seeds."""
    better: Literal["lower", "higher"] | None = None
    """Which way it improves; ``None``: neither."""
    by_size: bool = False
    """Whether it is a metric by size."""
    possible: tuple[float, float] | None = None
    """The least and the largest value there can be; ``None``: any."""

    def __post_init__(self) -> None:
        check_name(self.name, "derived metric")


def derive(result: StudyResult, derived: Sequence[Derived]) -> StudyResult:
    """Return the result with derived metrics added to its own; one may use those before it.

    Raises
    ------
    StudyError
        If there is a metric of that name, no arm of the name of the reference, or no metric that a function
        uses.
    """
    # Runs and their order stay the same: only columns are added.
    columns = _columns(result) if derived else {}
    references: dict[str, NDArray[np.intp]] = {}
    for entry in derived:
        if entry.reference and entry.reference not in references:
            references[entry.reference] = _rows_of_reference(result, entry)
        result = _with(result, entry, columns, references)
    return result


class _Runs(Mapping[str, Floats]):
    """The columns of runs, or of those of a reference at their points and seeds: copies, made when used."""

    def __init__(self, columns: Columns, rows: NDArray[np.intp] | None, sizes: Floats | None) -> None:
        self._columns, self._rows, self._sizes = columns, rows, sizes

    def __getitem__(self, name: str) -> Floats:
        if self._sizes is not None and name == AXIS:
            return self._sizes.copy()
        values = self._columns[name]
        values = values.copy() if self._rows is None else _at(values, self._rows)
        # Numbers of runs as well as those of their bins.
        return values[:, None] if self._sizes is not None and values.ndim == 1 else values

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns if self._sizes is None else {**self._columns, AXIS: None})

    def __len__(self) -> int:
        return len(list(iter(self)))


def _with(
    result: StudyResult,
    derived: Derived,
    columns: dict[str, Floats],
    references: Mapping[str, NDArray[np.intp]],
) -> StudyResult:
    """Return the result with one more metric, which becomes one of the columns too."""
    study = result.study
    by_size = study.by_size if derived.by_size else None
    if derived.by_size and by_size is None:
        raise StudyError(f"derived metric {derived.name!r}: the study has no metrics by size; add by_size")
    if derived.name in columns or derived.name in result.table.column_names:
        raise StudyError(f"derived metric {derived.name!r}: the study has a column of this name; rename it")
    sizes = np.array(by_size.axis.values, np.float64) if by_size else None
    arguments = [_Runs(columns, None, sizes)]
    if derived.reference:
        arguments.append(_Runs(columns, references[derived.reference], sizes))
    try:
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.asarray(derived.function(*arguments), dtype=np.float64)
    except KeyError as error:
        raise StudyError(
            f"derived metric {derived.name!r}: the study has no metric {error.args[0]!r}; "
            f"it has {', '.join(columns)}"
        ) from None
    columns[derived.name] = values = np.where(np.isfinite(values), values, math.nan)
    source = write_source(derived.function)
    metric = Metric(derived.name, derived.label, derived.unit, source, derived.better, derived.possible)
    if by_size:
        return _fold(result, by_size, metric, values)
    return replace(
        result,
        study=sharing_plans(replace(study, metrics=(*study.metrics, metric)), study),
        table=result.table.append_column(derived.name, pa.array(values, from_pandas=True)),
    )


def _fold(result: StudyResult, by_size: BySize, metric: Metric, values: Floats) -> StudyResult:
    """Return the result with one more metric by size; its numbers have the shape (runs, bins)."""
    table = result.table
    for name, column in zip(by_size.columns_of(metric.name), values.T, strict=True):
        table = table.append_column(name, pa.array(column, from_pandas=True))
    wider = replace(by_size, metrics=(*by_size.metrics, metric))
    study = sharing_plans(replace(result.study, by_size=wider), result.study)
    return replace(result, study=study, table=table)


def _columns(result: StudyResult) -> dict[str, Floats]:
    study, by_size = result.study, result.study.by_size
    numbers = [axis.name for axis in study.axes if not isinstance(axis.values[0], str)]
    names = [*numbers, *(metric.name for metric in study.metrics)]
    columns = {name: result.matrix([name])[:, 0] for name in names}
    if by_size is not None:
        columns |= {entry.name: result.matrix(by_size.columns_of(entry.name)) for entry in by_size.metrics}
    return columns


def _at(values: Floats, rows: NDArray[np.intp]) -> Floats:
    """Return the values of runs; not-a-number for a run of number minus one."""
    return np.concatenate([values, np.full_like(values[:1], math.nan, shape=(1, *values.shape[1:]))])[rows]


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
