"""A study and its plan: every run and its id, every scenario checked."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import os
import runpy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dumbbell._files.foreign import blamed
from dumbbell._files.read import opened, read_toml
from dumbbell._lookup import look_up
from dumbbell._results import html
from dumbbell._scenario import Scenario
from dumbbell._system import usable_cores
from dumbbell.errors import DumbbellError, ScenarioError
from dumbbell.stats import FEWEST
from dumbbell.study.companion import companion_of, quick_form
from dumbbell.study.declared import Declared
from dumbbell.study.errors import StudyError
from dumbbell.study.metric import check_against, write_metric, write_source
from dumbbell.study.reader import problems_of, read_parts
from dumbbell.study.sizes import BySize
from dumbbell.study.spec import Arm, Axis, Metric, Point, RunSpec, StopRule, filled
from dumbbell.study.version import code_version

_Part = TypeVar("_Part", Arm, Axis, Metric)

_MOST_PLANS = 512
"""Planned scenarios that are kept; of what goes beyond, each run is planned anew."""


@dataclass(frozen=True, repr=False)
class Study:
    """A question, and the runs that answer it.

    Examples
    --------
    >>> from dumbbell.study import Study
    >>> study = Study.from_dict(
    ...     {
    ...         "name": "two-controllers",
    ...         "scenario": {
    ...             "duration": "2s",
    ...             "topology": {"kind": "dumbbell", "pairs": 1},
    ...             "transport": {"kind": "tcp"},
    ...             "flows": [{"from": "senders", "to": "receivers"}],
    ...         },
    ...         "seeds": 3,
    ...         "arms": [
    ...             {"name": "newreno", "set": "transport.controller=newreno"},
    ...             {"name": "cubic", "set": "transport.controller=cubic"},
    ...         ],
    ...         "metrics": [{"name": "goodput", "source": {"table": "runs", "column": "goodput"}}],
    ...     }
    ... )
    >>> len(study.runs())
    6
    """

    name: str
    """The name in folders and reports."""
    title: str
    """The headline of its report."""
    question: str
    """What it answers."""
    scenario: dict[str, Any]
    """The base scenario, as the dictionary that :meth:`dumbbell.Scenario.from_dict` takes."""
    base_dir: Path
    """Names of files in the scenario count from here."""
    axes: tuple[Axis, ...]
    """What it varies; its points are all combinations of their values."""
    arms: tuple[Arm, ...]
    """The designs that are compared."""
    seeds: tuple[int, ...]
    """Of the runs of each arm at each point."""
    metrics: tuple[Metric, ...]
    """The numbers that a run gives."""
    stop: StopRule | None = None
    """When a point may end early; ``None``: it has all seeds."""
    control: Literal["fluid", "none"] | None = None
    """What takes the luck of the arrivals out of completion times; ``None``: a fluid, from 40 seeds on."""
    by_size: BySize | None = None
    """Metrics that a run gives for each bin of flow sizes."""
    confined: bool = False
    """Whether scenarios open no file outside :attr:`base_dir`: those of a folder or an archive do not."""
    declared: Declared = field(default_factory=Declared, compare=False)
    """What its file says besides: quick form, sources, claims, figures, index, further studies."""

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Study:
        """Read ``study.toml``, or a Python file that defines ``study``.

        Parameters
        ----------
        path
            Names of files in it count from its folder.

        Raises
        ------
        StudyError
            Everything wrong with the file itself; :meth:`runs` checks what the axes make of the scenario.
        OSError
            If the file cannot be read.
        """
        path = Path(path)
        if path.suffix == ".py":
            opened(path).close()
            try:
                study = runpy.run_path(str(path)).get("study")
            except DumbbellError:
                raise
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a program may raise anything.
                raise StudyError(f"{path}: {blamed(error, path)}") from None
            if not isinstance(study, Study):
                raise StudyError(f"{path}: defines no study; add `study = dumbbell.study.Study(...)`")
            return study
        values = read_toml(path, StudyError)
        if "topology" in values and "scenario" not in values:
            raise StudyError(f"{path}: is a scenario, not a study; run it with `dumbbell run`")
        values.setdefault("name", path.stem if path.stem != "study" else path.absolute().parent.name)
        try:
            return cls.from_dict(values, path.parent)
        except StudyError as error:
            raise StudyError([f"{path}: {problem}" for problem in error.problems]) from None

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], base_dir: str | os.PathLike[str] = ".") -> Study:
        """Read a dictionary of the same keys and values as a TOML file.

        Parameters
        ----------
        values
            The study.
        base_dir
            The folder from which names of files count.

        Raises
        ------
        StudyError
            Everything wrong with it.
        """
        return cls(**read_parts(values, Path(base_dir), confined=False))

    @classmethod
    def from_folder(cls, values: object, folder: str | os.PathLike[str]) -> Study:
        """Read what :meth:`to_dict` wrote into a folder or an archive, which may be somebody else's.

        The scenario stands in it as a table, and opens no file outside the folder.

        Parameters
        ----------
        values
            What :meth:`to_dict` wrote.
        folder
            Where it stood.

        Raises
        ------
        StudyError
            Everything wrong with it.
        """
        return cls(**read_parts(values, Path(folder), confined=True))

    def to_dict(self) -> dict[str, Any]:
        """Return JSON types that :meth:`from_dict` reads. Functions are named, and cannot be read back."""
        values: dict[str, Any] = {
            "name": self.name,
            "title": self.title,
            "question": self.question,
            "scenario": self.scenario,
            "seeds": list(self.seeds),
            "axes": [axis.write() for axis in self.axes],
            "arms": [{"name": arm.name, "label": arm.label, "set": list(arm.settings)} for arm in self.arms],
            "metrics": [write_metric(metric) for metric in self.metrics],
        }
        if self.by_size is not None:
            values["by_size"] = self.by_size.write()
        if self.stop is not None:
            values["stop"] = self.stop.write()
        if self.control is not None:
            values["control"] = self.control
        return values | self.declared.write()

    @property
    def controlled(self) -> bool:
        """Whether means of completion times have a control: see :mod:`dumbbell.study.fluid`."""
        return self.control == "fluid" or (self.control is None and len(self.seeds) >= FEWEST)

    @property
    def companions(self) -> tuple[str, ...]:
        """Names of the further studies that its file describes."""
        return tuple(entry["name"] for entry in self.declared.companions)

    def companion(self, name: str) -> Study:
        """Return the further study of that name; it is called ``<study>-<name>``.

        Raises
        ------
        UnknownNameError
            If there is none.
        StudyError
            Everything in it that does not fit the study.
        """
        entries = {entry["name"]: entry for entry in self.declared.companions}
        return companion_of(self, look_up(entries, name, f"the study {self.name!r} has no companion"))

    def quick(self) -> Study:
        """Return the quick form: what ``[quick]`` leaves of seeds, axes and scenario.

        Raises
        ------
        StudyError
            If there is none; everything in it that does not fit the study.
        """
        return quick_form(self)

    def plan(self, settings: Iterable[str]) -> Scenario:
        """Return the base scenario with some changes.

        Parameters
        ----------
        settings
            Changes, each ``path=value``.

        Raises
        ------
        ScenarioError
            The first thing wrong with it.
        """
        return Scenario.from_dict(self.scenario, settings, self.base_dir, confined=self.confined)

    def points(self) -> list[Point]:
        """Return every combination of axis values, the last axis fastest."""
        return [point for point, _ in self.grid()]

    def grid(self) -> Iterator[tuple[Point, tuple[str, ...]]]:
        """Yield every point and its settings, the last axis fastest."""
        choices = [list(zip(axis.values, axis.settings, strict=True)) for axis in self.axes]
        names = [axis.name for axis in self.axes]
        for combination in itertools.product(*choices):
            point = dict(zip(names, (value for value, _ in combination), strict=True))
            yield point, tuple(itertools.chain.from_iterable(settings for _, settings in combination))

    def runs(self) -> list[RunSpec]:
        """Return every run, seed by seed: all points and arms at the first seed, then at the second.

        Raises
        ------
        StudyError
            Every point that makes an invalid scenario, all at once.
        """
        return list(StudyPlan(self).runs())

    @cached_property
    def columns(self) -> list[str]:
        """Names of the numbers that a run gives: those of the metrics, then those by size."""
        names = [metric.name for metric in self.metrics]
        return names if self.by_size is None else [*names, *self.by_size.columns]

    def metric(self, name: str) -> Metric:
        """Return the metric of that name; `UnknownNameError` if there is none."""
        return self._part("metric", name, self.metrics)

    def arm(self, name: str) -> Arm:
        """Return the arm of that name; `UnknownNameError` if there is none."""
        return self._part("arm", name, self.arms)

    def axis(self, name: str) -> Axis:
        """Return the axis of that name; `UnknownNameError` if there is none."""
        return self._part("axis", name, self.axes)

    def _part(self, what: str, name: str, parts: Sequence[_Part]) -> _Part:
        return look_up({part.name: part for part in parts}, name, f"the study {self.name!r} has no {what}")

    @property
    def _most_runs(self) -> int:
        return math.prod(len(axis.values) for axis in self.axes) * len(self.arms) * len(self.seeds)

    def _repr_html_(self) -> str:
        axes = ((axis.name, axis.unit, ", ".join(map(str, axis.values))) for axis in self.axes)
        arms = ((arm.name, arm.label, ", ".join(arm.settings)) for arm in self.arms)
        metrics = ((entry.name, entry.label, entry.unit, entry.better or "") for entry in self.metrics)
        size = f"{self._most_runs:,} runs{' at most' if self.stop else ''}: {len(self.seeds)} seeds each"
        return (
            html.heading(self.title, self.question or size)
            + (html.table(("axis", "unit", "values"), axes) if self.axes else "")
            + html.table(("arm", "label", "changes"), arms)
            + html.table(("metric", "label", "unit", "better"), metrics, size)
        )

    def __repr__(self) -> str:
        return f"<Study {self.name!r}: {self._most_runs:,} runs>"


@dataclass(frozen=True)
class Cell:
    """One arm at one point."""

    point: Point
    point_index: int
    arm: Arm
    settings: tuple[str, ...]
    digest: bytes
    """Of the plan without its seed, of the metrics, and of the version of the code."""
    scenario: Scenario | None = field(default=None, compare=False, repr=False)
    """Planned, with any seed; ``None`` beyond the first cells of a large study."""

    def run_id(self, seed: int) -> str:
        """Return the id of the run with that seed: 32 hexadecimal digits."""
        return run_id(self.digest, seed)


class StudyPlan:
    """Every run of a study.

    Runs have numbers, seed by seed: number = index of the seed x cells + index of the cell.

    Parameters
    ----------
    study
        What to plan.
    version
        The version of the code; this one by default.

    Raises
    ------
    StudyError
        What a study file could not say; every point that makes an invalid scenario, all at once.
    """

    def __init__(self, study: Study, version: str | None = None) -> None:
        # What a file could not say runs to its end and cannot be opened.
        problems = problems_of(study.to_dict(), study.by_size)
        if problems:
            raise StudyError(problems)
        self.study = study
        self.version = code_version() if version is None else version
        self.cells = _cells(study, self.version)

    def __len__(self) -> int:
        return len(self.cells) * len(self.study.seeds)

    def run(self, number: int) -> RunSpec:
        """Return the run of that number."""
        seed_index, cell_index = divmod(number, len(self.cells))
        cell, seed = self.cells[cell_index], self.study.seeds[seed_index]
        return RunSpec(cell.run_id(seed), cell.point, cell.arm.name, seed, (*cell.settings, f"seed={seed}"))

    def runs(self) -> Iterator[RunSpec]:
        """Yield every run in the order of its number."""
        return map(self.run, range(len(self)))

    @cached_property
    def twins(self) -> dict[int, list[int]]:
        """Cells that come to the same scenario, by the first of them: one run serves them all."""
        found: dict[bytes, list[int]] = {}
        for index, cell in enumerate(self.cells):
            found.setdefault(cell.digest, []).append(index)
        return {cells[0]: cells for cells in found.values()}

    @property
    def different(self) -> NDArray[np.bool_]:
        """Of every run by number: whether it is not served by another."""
        first = np.isin(np.arange(len(self.cells)), list(self.twins))
        return np.tile(first, len(self.study.seeds))

    @property
    def planned(self) -> dict[tuple[str, ...], Scenario]:
        """Scenarios by their settings without the seed, as far as they are kept."""
        return {cell.settings: cell.scenario for cell in self.cells if cell.scenario is not None}

    @cached_property
    def catalogue(self) -> pa.Table:
        """The runs as a table in the order of their numbers: ``run_id, arm, seed``, one column per axis."""
        ids = (cell.run_id(seed) for seed in self.study.seeds for cell in self.cells)
        return points_of_runs(self.study).add_column(0, "run_id", pa.array(ids, pa.string(), size=len(self)))


def points_of_runs(study: Study) -> pa.Table:
    """Return what tells every run in the order of their numbers: ``arm, seed``, one column per axis."""
    points, arms = study.points(), [arm.name for arm in study.arms]
    cells = len(points) * len(arms)
    cell_of_run = np.tile(np.arange(cells, dtype=np.int32), len(study.seeds))
    columns: dict[str, pa.Array] = {
        "arm": pa.array(arms, pa.string()).take(pa.array(cell_of_run % len(arms))),
        "seed": pa.array(np.repeat(np.array(study.seeds, dtype=np.int64), cells)),
    }
    point_of_run = pa.array(cell_of_run // len(arms))
    for axis in study.axes:
        values = pa.array([point[axis.name] for point in points], axis_type(axis))
        columns[axis.name] = values.take(point_of_run)
    return pa.table(columns)


def axis_type(axis: Axis) -> pa.DataType:
    """Return the type of an axis' column."""
    if all(isinstance(value, str) for value in axis.values):
        return pa.string()
    return pa.int64() if all(isinstance(value, int) for value in axis.values) else pa.float64()


def run_id(digest: bytes, seed: int) -> str:
    """Return the id of a run: 32 hexadecimal digits."""
    return hashlib.sha256(digest + str(seed).encode()).hexdigest()[:32]


def digests(study: Study, version: str) -> Callable[[Scenario], bytes]:
    """Return what gives the digest of a planned scenario with seed 0: see :class:`Cell`."""
    what = [(metric.name, write_source(metric.source)) for metric in study.metrics]
    by_size = [study.by_size.write()] if study.by_size else []
    common = json.dumps([version, what, *by_size], sort_keys=True)
    return lambda scenario: hashlib.sha256(f"{scenario.plan_hash} {common}".encode()).digest()


def _cells(study: Study, version: str) -> list[Cell]:
    """Plan every arm at every point, all checked."""
    digest_of = digests(study, version)
    # The names of links and groups, which take a while to explain, matter to some metrics only.
    named = [m for m in study.metrics if not callable(m.source) and {"link", "group"} & set(m.source)]
    group = study.by_size.group if study.by_size else None
    of_drops = [m for m in study.metrics if not callable(m.source) and m.source.get("table") == "drops"]

    def plan(job: tuple[int, tuple[Point, tuple[str, ...]], Arm]) -> tuple[Cell, list[str]]:
        index, (point, settings), arm = job
        settings = (*settings, *arm.settings)
        problems: list[str] = []
        digest, scenario = b"", None
        try:
            settings = filled(settings, point)
            # Seeds change random draws and nothing in the plan: one plan stands for those of all seeds.
            scenario = study.plan([*settings, "seed=0"])
            digest = digest_of(scenario)
            explained = scenario.explain() if named or group else {}
            problems = [
                line
                for metric in named
                for line in check_against(f"metrics.{metric.name}", metric.source, explained)
            ]
            if of_drops and not scenario.to_dict()["record"]["drops"]:
                problems.append(
                    f"metrics.{of_drops[0].name}: drops are not recorded; add record.drops = true"
                )
            if group:
                problems += check_against("by_size.group", {"group": group}, explained)
        except ScenarioError as error:
            problems = [str(error)]
        kept = scenario if index < _MOST_PLANS // len(study.arms) else None
        return Cell(point, index, arm, settings, digest, kept), problems

    jobs = ((index, entry, arm) for index, entry in enumerate(study.grid()) for arm in study.arms)
    with ThreadPoolExecutor(usable_cores()) as pool:
        planned = list(pool.map(plan, jobs))
    _refuse(study, planned)
    return [cell for cell, _ in planned]


def _refuse(study: Study, planned: list[tuple[Cell, list[str]]]) -> None:
    """Raise if anything is wrong anywhere; what all arms of a point, or all points, share is said once."""
    found: dict[str, list[Cell]] = {}
    for cell, problems in planned:
        for problem in problems:
            found.setdefault(problem, []).append(cell)
    if not found:
        return
    lines = []
    for problem, cells in found.items():
        if len(cells) == len(planned):
            lines.append(f"scenario: {problem}" if len(planned) > 1 else problem)
            continue
        for _, group in itertools.groupby(cells, key=lambda cell: cell.point_index):
            of_point = list(group)
            place = ", ".join(f"{name}={value}" for name, value in of_point[0].point.items())
            if len(study.arms) > 1:
                arms = ", ".join(cell.arm.name for cell in of_point)
                place = f"{place}{', ' if place else ''}arm {arms}"
            lines.append(f"{place}: {problem}")
    raise StudyError(lines)
