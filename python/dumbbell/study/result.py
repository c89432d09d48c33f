"""The results of a study so far."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dumbbell import stats
from dumbbell._lookup import look_up
from dumbbell._results import html
from dumbbell.errors import UnknownNameError
from dumbbell.study.estimates import level
from dumbbell.study.fluid import Fluid, control_of
from dumbbell.study.limits import Limits
from dumbbell.study.plan import Study
from dumbbell.study.plans import plans_of, sharing_plans
from dumbbell.study.sizes import AXIS
from dumbbell.study.spec import Metric, Point
from dumbbell.study.store import read_catalogue, select, versions
from dumbbell.study.tails import Tails

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_SHOWN = 10
"""Points and arms, and metrics, of a result in a notebook."""


@dataclass(frozen=True, repr=False)
class StudyResult:
    """The runs of a study that are finished, one row each."""

    study: Study
    """What was asked."""
    table: pa.Table
    """Columns ``run_id, arm, seed``, one per axis, and :attr:`Study.columns`: one per metric, and one per bin
    of each metric by size (null where a run gave no value).

    In the order of :meth:`Study.runs`. With a stop rule, only the runs up to where their point ended.
    """
    expected: int
    """How many runs the study needs. With a stop rule, fewer than all as points end early."""
    version: str
    """The version of the code that made the runs."""
    notes: tuple[str, ...] = ()
    """What a reader should know: damaged shards, results of other versions."""

    @classmethod
    def load(cls, folder: str | os.PathLike[str], version: str | None = None) -> StudyResult:
        """Read the folder of a study.

        Parameters
        ----------
        folder
            What ``dumbbell study run`` wrote.
        version
            The version of the code whose results to read; that of the latest run by default.

        Raises
        ------
        StudyError
            If the folder does not hold a study, or no results of that version.
        """
        catalogue = read_catalogue(Path(folder), version)
        store = catalogue.store
        scan = store.scan()
        there = select(catalogue.study, catalogue.table, scan)
        notes = list(catalogue.notes)
        if scan.damaged:
            notes.append(f"{len(scan.damaged)} damaged shards are not read; run the study again")
        others = [other for other in versions(Path(folder)) if other != store.version]
        if others:
            notes.append(f"results of other versions of the code are kept apart: {', '.join(others)}")
        return cls(catalogue.study, there.table, there.tracker.expected, store.version, tuple(notes))

    @property
    def finished(self) -> int:
        """How many of the expected runs are there."""
        return int(self.table.num_rows)

    @property
    def complete(self) -> bool:
        """Whether all expected runs are there."""
        return self.finished == self.expected

    @property
    def stamp(self) -> str | None:
        """The text to put on every figure and table of an incomplete study, else ``None``."""
        return None if self.complete else f"INCOMPLETE: {self.finished:,} of {self.expected:,} runs"

    @cached_property
    def by_size(self) -> StudyResult:
        """The metrics by size alone, with the bins as one more axis: a row for each run and bin.

        Raises
        ------
        UnknownNameError
            If the study has none.
        """
        by_size = self.study.by_size
        if by_size is None:
            raise UnknownNameError(f"the study {self.study.name!r} has no metrics by size; add by_size")
        runs, bins = self.table.num_rows, len(by_size.axis.values)
        names = ["run_id", "arm", "seed", *(axis.name for axis in self.study.axes)]
        table = self.table.select(names).take(pa.array(np.repeat(np.arange(runs), bins)))
        table = table.append_column(AXIS, pa.array(np.tile(np.array(by_size.axis.values), runs)))
        for metric in by_size.metrics:
            values = self.matrix(by_size.columns_of(metric.name)).reshape(-1)
            table = table.append_column(metric.name, pa.array(values, from_pandas=True))
        axes = (*self.study.axes, by_size.axis)
        study = replace(self.study, axes=axes, metrics=by_size.metrics, stop=None, by_size=None)
        study = sharing_plans(study, self.study)
        return replace(self, study=study, table=table, expected=self.expected * bins)

    def matrix(self, columns: list[str]) -> NDArray[np.float64]:
        """Return columns of numbers, shape (runs, columns); not-a-number where a run gave no value."""
        return np.column_stack(
            [self.table[name].cast(pa.float64()).fill_null(np.nan).to_numpy() for name in columns]
        )

    def having(self, metric: str) -> StudyResult:
        """Return the result that has a metric: this one, or that by size."""
        by_size = self.study.by_size
        if by_size is not None and metric in (entry.name for entry in by_size.metrics):
            return self.by_size
        return self

    def points(self) -> list[Point]:
        """Return every point of the grid, the last axis fastest."""
        return self.study.points()

    def values(self, metric: str, arm: str, **point: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return what a metric was in one arm at one point.

        Parameters
        ----------
        metric, arm
            Their names; a number by size has the name of its column.
        point
            The value of every axis.

        Returns
        -------
        tuple
            Seeds in the order of the study, and values in the unit of the metric, both of shape (runs,).
            Not-a-number where a run gave no value. Of runs that are :meth:`repeated`, the first alone.

        Raises
        ------
        UnknownNameError
            If there is no such metric, arm or point.
        """
        look_up(self._measured, metric, f"the study {self.study.name!r} has no metric")
        key = self._key(arm, point)
        rows = self._rows[key][: 1 if key in self._repeated else None]
        return self._column("seed")[rows], self._column(metric)[rows]

    def paired(
        self, metric: str, arm_a: str, arm_b: str, **point: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what a metric was in two arms at one point, matched by seed; each of shape (pairs,).

        Parameters
        ----------
        metric
            Name of a column of :attr:`Study.columns`.
        arm_a, arm_b
            Names of the arms.
        point
            The value of each axis, by its name.

        Raises
        ------
        UnknownNameError
            If there is no such metric, arm or point.
        """
        return self.matched(metric, (arm_a, point), (arm_b, point))

    def matched(
        self, metric: str, a: tuple[str, Point], b: tuple[str, Point]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what a metric was in two arms and points, matched by seed; each of shape (pairs,).

        Where both are :meth:`repeated`, the pairs are all the same one, and the first stands for them.

        Parameters
        ----------
        metric
            Name of a column of :attr:`Study.columns`.
        a, b
            Of each side the name of the arm and the point.

        Raises
        ------
        UnknownNameError
            If there is no such metric, arm or point.
        """
        look_up(self._measured, metric, f"the study {self.study.name!r} has no metric")
        keys = [self._key(arm, point) for arm, point in (a, b)]
        rows_a, rows_b = (self._rows[key] for key in keys)
        seeds = self._column("seed")
        both = np.isin(seeds[rows_a], seeds[rows_b])
        place = {seed: index for index, seed in enumerate(seeds[rows_b].tolist())}
        chosen = np.array([place[seed] for seed in seeds[rows_a][both].tolist()], dtype=np.intp)
        some = slice(1 if self._repeated.issuperset(keys) else None)
        values = self._column(metric)
        return values[rows_a[both]][some], values[rows_b[chosen]][some]

    def repeated(self, arm: str, **point: Any) -> bool:
        """Whether the runs of an arm at a point are one run made again: every number is equal for all seeds.

        They are when a scenario draws no random number. They then say nothing of how runs vary.

        Raises
        ------
        UnknownNameError
            If there is no such arm or point.
        """
        return self._key(arm, point) in self._repeated

    def control(
        self, metric: str, *places: tuple[str, Point]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return the controls of the mean of a metric, or of the mean of its paired differences.

        Parameters
        ----------
        metric
            Its name.
        places
            The arm and the point; of a difference, both.

        Returns
        -------
        tuple
            Those of each run in the order of :meth:`values` or of :meth:`matched`, shape (runs, 3), and of
            further seeds, shape (20 x runs, 3); ``None`` without any.
        """
        if not self.study.controlled or any(axis.name == AXIS for axis in self.study.axes):
            return None
        measured = look_up(self._measured, metric, f"the study {self.study.name!r} has no metric")
        seeds, *others = (self.values(metric, arm, **point)[0] for arm, point in places)
        for other in others:
            seeds = seeds[np.isin(seeds, other)]
        return control_of(self._fluid, measured, places, seeds.tolist())

    def why_median(self, arm: str, **point: Any) -> str | None:
        """Why medians replace means in an arm at a point; ``None`` if they do not.

        See :mod:`dumbbell.study.tails`.
        """
        return self._tails.why_median(arm, point)

    def possible(self, metric: str, arm: str, **point: Any) -> tuple[float, float]:
        """Return the least and the largest value that a metric can have in an arm at a point.

        Of a metric by size, `metric` may be the name of one of its numbers. See :mod:`dumbbell.study.limits`.

        Raises
        ------
        UnknownNameError
            If there is no such metric or arm.
        """
        measured = look_up(self._measured, metric, f"the study {self.study.name!r} has no metric")
        return self._limits.of(measured, arm, point)

    @cached_property
    def _limits(self) -> Limits:
        return Limits(plans_of(self.study))

    @cached_property
    def _fluid(self) -> Fluid:
        return Fluid(self.study, plans_of(self.study))

    @cached_property
    def controls(self) -> str | None:
        """What a reader must know of means with a control, and how to do without; ``None`` without any."""
        if not self.study.controlled:
            return None
        point, arm = self.points()[0], self.study.arms[0].name
        if self.why_median(arm, **point):
            return None
        have = [m.label for m in self.study.metrics if self._fluid.of(m, arm, point) is not None]
        return (
            f"means and differences of {', '.join(have)} have a control: a fluid network serves the same "
            'arrivals, and its mean over further seeds is known; control = "none" in the study turns it off'
            if have
            else None
        )

    @cached_property
    def _tails(self) -> Tails:
        return Tails(self.study, plans_of(self.study))

    @cached_property
    def _measured(self) -> dict[str, Metric]:
        """Metrics by the names of all their numbers."""
        found = {metric.name: metric for metric in self.study.metrics}
        by_size = self.study.by_size
        for metric in by_size.metrics if by_size else ():
            found |= dict.fromkeys(by_size.columns_of(metric.name) if by_size else (), metric)
        return found

    @cached_property
    def repetition(self) -> str | None:
        """What a reader must know of runs that are :meth:`repeated`, and the remedy; ``None`` without any."""
        if not self._repeated:
            return None
        count, of = len(self._repeated), len(self._rows)
        where = "" if count == of else f" in {count} of {of} points and arms"
        return (
            f"every metric is the same for every seed{where}, so the runs count as one and have no "
            "interval; let something vary, such as flows.jitter, transport.overhead or a random workload"
        )

    @cached_property
    def _repeated(self) -> frozenset[tuple[Any, ...]]:
        """Arms and points of which all runs gave the same numbers."""
        return frozenset(key for key, rows in self._rows.items() if len(rows) > 1 and self._all_same(rows))

    def _all_same(self, rows: NDArray[np.intp]) -> bool:
        """Whether some metric has a number in these rows, and each that has one has no other."""
        given = False
        for name in self.study.columns:
            values = self._column(name)[rows]
            if not np.isnan(values[0]):
                given = True
            elif np.isnan(values).all():
                continue
            if not (values == values[0]).all():
                return False
        return given

    def _key(self, arm: str, point: dict[str, Any]) -> tuple[Any, ...]:
        self.study.arm(arm)
        axes = {axis.name: axis for axis in self.study.axes}
        if set(point) != set(axes):
            names = ", ".join(axes) or "there are none"
            raise UnknownNameError(
                f"{', '.join(point) or 'nothing'} is not a point; give a value for each axis: {names}"
            )
        for name, axis in axes.items():
            if point[name] not in axis.values:
                known = ", ".join(map(str, axis.values))
                raise UnknownNameError(f"axis {name!r} has no value {point[name]!r}; it has {known}")
        return (arm, *(point[name] for name in axes))

    @cached_property
    def _rows(self) -> dict[tuple[Any, ...], NDArray[np.intp]]:
        """The rows of each arm and point."""
        found: dict[tuple[Any, ...], list[int]] = {
            (arm.name, *point.values()): [] for arm in self.study.arms for point in self.study.points()
        }
        names = ["arm", *(axis.name for axis in self.study.axes)]
        columns = (self.table[name].to_pylist() for name in names)
        for row, key in enumerate(zip(*columns, strict=True)):
            found[key].append(row)
        return {key: np.array(rows, dtype=np.intp) for key, rows in found.items()}

    @cached_property
    def _columns(self) -> dict[str, NDArray[Any]]:
        return {}

    def _column(self, name: str) -> NDArray[Any]:
        if name not in self._columns:
            column = self.table[name]
            if name != "seed":
                column = pc.fill_null(column, float("nan"))
            self._columns[name] = column.to_numpy()
        return self._columns[name]

    def _repr_html_(self) -> str:
        done = f"{self.finished:,} of {self.expected:,} runs"
        axes, metrics = self.study.axes, self.study.metrics[:_MOST_SHOWN]
        places = [(arm.name, point) for point in self.points() for arm in self.study.arms]
        rows = [
            (
                arm, *point.values(), len(self._rows[self._key(arm, point)]),
                *(level(self, metric.name, (arm, point))(stats.CONFIDENCE).text() for metric in metrics),
            )
            for arm, point in places[:_MOST_SHOWN]
        ]  # fmt: skip
        named = [(axis.label, axis.unit) for axis in axes] + [(entry.label, entry.unit) for entry in metrics]
        heads = [f"{label} ({unit})" if unit else label for label, unit in named]
        rest = len(places) - len(rows)
        notes = [*([f"and {rest:,} points and arms more"] if rest else []), *self.notes]
        table = html.table(("arm", *heads[: len(axes)], "runs", *heads[len(axes) :]), rows, "; ".join(notes))
        return html.heading(self.study.title, done) + table

    def __repr__(self) -> str:
        return f"<StudyResult of {self.study.name!r}: {self.finished} of {self.expected} runs>"
