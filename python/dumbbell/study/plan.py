"""The plan of a study: every run and its id, every scenario checked."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dumbbell._scenario import Scenario
from dumbbell.errors import ScenarioError
from dumbbell.study.errors import StudyError
from dumbbell.study.metric import check_against, write_source
from dumbbell.study.reader import Problems, check_names
from dumbbell.study.spec import Arm, Axis, Point, RunSpec, Study
from dumbbell.study.version import code_version

_MOST_PLANS = 512
"""Planned scenarios that are kept; of what goes beyond, each run is planned anew."""


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
        return hashlib.sha256(self.digest + str(seed).encode()).hexdigest()[:32]


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
        Names that stand twice; every point that makes an invalid scenario, all at once.
    """

    def __init__(self, study: Study, version: str | None = None) -> None:
        problems = Problems()
        check_names(problems, study)
        if problems.lines:
            raise StudyError(problems.lines)
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


def _cells(study: Study, version: str) -> list[Cell]:
    """Plan every arm at every point, all checked."""
    what = [(metric.name, write_source(metric.source)) for metric in study.metrics]
    by_size = [study.by_size.write()] if study.by_size else []
    common = json.dumps([version, what, *by_size], sort_keys=True)
    # The names of links and groups, which take a while to explain, matter to some metrics only.
    named = [m for m in study.metrics if not callable(m.source) and {"link", "group"} & set(m.source)]
    group = study.by_size.group if study.by_size else None

    def plan(job: tuple[int, tuple[Point, tuple[str, ...]], Arm]) -> tuple[Cell, list[str]]:
        index, (point, settings), arm = job
        settings = (*settings, *arm.settings)
        problems: list[str] = []
        digest, scenario = b"", None
        try:
            # Seeds change random draws and nothing in the plan: one plan stands for those of all seeds.
            scenario = study.plan([*settings, "seed=0"])
            digest = hashlib.sha256(f"{scenario.plan_hash} {common}".encode()).digest()
            explained = scenario.explain() if named or group else {}
            problems = [
                line
                for metric in named
                for line in check_against(f"metrics.{metric.name}", metric.source, explained)
            ]
            if group:
                problems += check_against("by_size.group", {"group": group}, explained)
        except ScenarioError as error:
            problems = [str(error)]
        kept = scenario if index < _MOST_PLANS // len(study.arms) else None
        return Cell(point, index, arm, settings, digest, kept), problems

    jobs = ((index, entry, arm) for index, entry in enumerate(study.grid()) for arm in study.arms)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
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
