"""Verify an archive: repeat a sample of its runs, and compare."""

from __future__ import annotations

import itertools
import json
import math
import os
import secrets
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dumbbell import __version__
from dumbbell._files.foreign import parse_json
from dumbbell._results import Results, load
from dumbbell._system import usable_cores
from dumbbell.archive.files import ArchiveError, read_zip
from dumbbell.archive.follows import Findings, check_files, check_runs, plan_again
from dumbbell.archive.lock import changes
from dumbbell.archive.pack import INPUTS, read_scenario
from dumbbell.errors import DumbbellError
from dumbbell.stats.intervals import quantile_of_t
from dumbbell.study import RunSpec, Study, StudyResult
from dumbbell.study.maker import Maker
from dumbbell.study.plan import StudyPlan
from dumbbell.study.store import read_catalogue
from dumbbell.study.version import code_version

Outcome = Literal["bit-equal", "within interval", "different"]

OUTCOMES: tuple[Outcome, ...] = ("bit-equal", "within interval", "different")
"""From best to worst."""

BESIDE_RUNS = "figures, CITATIONS.bib, ro-crate-metadata.json"

CONFIDENCE = 0.99
"""Of the interval in which a run that is not bit-equal is expected (choice: one false alarm in 100 runs)."""


@dataclass(frozen=True)
class Check:
    """One run, made again."""

    run: str
    """Which: ``NewReno, load = 0.2, seed 3``."""
    outcome: Outcome
    detail: str
    """What differs; empty if nothing."""


@dataclass(frozen=True)
class Verification:
    """What came out of running a sample again."""

    checks: tuple[Check, ...]
    runs: int
    """How many the archive holds."""
    then: str
    """The version of the code that made the archive's results."""
    now: str
    """The version of the code that made them again."""
    differences: tuple[str, ...] = ()
    """What in the archive does not follow from its study and its runs: the file, and what in it."""
    unchecked: tuple[str, ...] = ()
    """What was not checked, and why."""
    versions: tuple[str, ...] = ()
    """What the archive was made with in another version than is here: ``numpy 2.4.1, here 2.4.6``."""

    @property
    def outcome(self) -> Outcome:
        """The worst of all checks; ``different`` if anything in the archive does not follow."""
        if self.differences:
            return "different"
        return max((check.outcome for check in self.checks), key=OUTCOMES.index)


def verify(
    path: str | os.PathLike[str],
    *,
    sample: int | None = 8,
    workers: int | None = None,
    progress: Callable[[int, int], object] = lambda _done, _total: None,
) -> Verification:
    """Check an archive and run a sample of it again.

    The study gives the seed, arm, point and id of every run anew; what stands beside the runs is made anew
    from them as far as the archive says how: the table of runs, claims, citations, report and figures.

    A run is ``bit-equal`` if every metric has the same value (of a single run: every value of every table).
    Else it is ``within interval`` if every metric that differs lies in the 99 % prediction interval of one
    more run, made from the archived runs of its arm and point over all seeds. Else, or with fewer than two
    seeds, it is ``different``.

    Parameters
    ----------
    path
        What ``dumbbell pack`` wrote.
    sample
        How many runs, spread over the archive; ``None`` for all. Which ones is drawn each time, so that
        nobody knows which of them will be made again.
    workers
        Runs at a time; by default one per usable core.
    progress
        Called with the number of runs made and to make.

    Raises
    ------
    ArchiveError
        If the file is not an archive, is damaged, or holds nothing to run.
    """
    path = Path(path)
    with tempfile.TemporaryDirectory(prefix="dumbbell-verify-") as unpacked:
        folder = Path(unpacked)
        read_zip(path, folder)
        (folder / INPUTS).mkdir(exist_ok=True)
        try:
            if (folder / "study.json").is_file():
                return _verify_study(folder, sample, workers or usable_cores(), progress)
            if (folder / "scenario.toml").is_file():
                return _verify_run(folder)
        except DumbbellError as error:
            # Where it was unpacked is nobody's business.
            text = str(error).replace(f"{folder}/", "").replace(str(folder), "archive")
            raise ArchiveError(f"{path}: {text}") from None
        raise ArchiveError(f"{path}: holds neither a study nor a run; make an archive with `dumbbell pack`")


def _verify_study(
    folder: Path, sample: int | None, workers: int, progress: Callable[[int, int], object]
) -> Verification:
    versions = tuple(changes(folder))
    catalogue = read_catalogue(folder, None)
    result = StudyResult.load(folder)
    result = replace(result, study=replace(result.study, base_dir=folder / INPUTS))
    now = code_version()
    metrics = result.study.metrics
    functions = [m.name for m in metrics if not callable(m.source) and "function" in m.source]
    if len(functions) == len(metrics) and result.study.by_size is None:
        raise ArchiveError("measures by Python functions only, which no archive holds; nothing to verify")
    if result.finished == 0:
        raise ArchiveError("no run is finished in it; there is nothing to verify")
    plan = plan_again(result.study, result.version)
    found = Findings()
    check_runs(found, folder, catalogue, plan, result.version == now)
    rows = _drawn(result.finished, sample)
    numbers = _numbers(plan, result, rows)
    study = replace(result.study, metrics=tuple(m for m in metrics if m.name not in functions))
    runs = [plan.run(number) for number in numbers]
    with ThreadPoolExecutor(workers) as pool:
        checks = []
        for row, run, values in zip(rows, runs, pool.map(Maker(study), runs), strict=True):
            checks.append(_compare(result, study, row, run, values))
            progress(len(checks), len(runs))
    if functions:
        found.unchecked.append(f"Python functions, which are not archived: {', '.join(functions)}")
    check_files(found, folder, result, not versions and result.version == now)
    return Verification(
        tuple(checks), result.finished, result.version, now,
        tuple(found.differences), tuple(found.unchecked), versions,
    )  # fmt: skip


def _drawn(total: int, sample: int | None) -> list[int]:
    """Return the rows to make again: one drawn of each of as many equal parts as there are to be."""
    count = total if sample is None else min(sample, total)
    ends = np.linspace(0, total, count + 1).round().astype(int).tolist()
    return [low + secrets.randbelow(high - low) for low, high in itertools.pairwise(ends)]


def _numbers(plan: StudyPlan, result: StudyResult, rows: Sequence[int]) -> list[int]:
    """Return the numbers in the plan of rows of the result."""
    names = ["seed", "arm", *(axis.name for axis in plan.study.axes)]
    keys = zip(*(plan.catalogue[name].to_pylist() for name in names), strict=True)
    number_of = {key: number for number, key in enumerate(keys)}
    chosen = result.table.select(names).take(pa.array(rows)).to_pylist()
    return [number_of[tuple(row.values())] for row in chosen]


def _compare(result: StudyResult, study: Study, row: int, run: RunSpec, values: Sequence[float]) -> Check:
    place = [study.arm(run.arm).label]
    place += [f"{name} = {value}" for name, value in run.point.items()]
    place.append(f"seed {run.seed}")
    worst: Outcome = "bit-equal"
    differences = []
    # Numbers by size are metrics too.
    for name, value in zip(study.columns, values, strict=True):
        archived = result.table[name][row].as_py()
        if _same(math.nan if archived is None else archived, value):
            continue
        _, seeds = result.values(name, run.arm, **run.point)
        inside = predicted(seeds, value)
        worst = max(worst, "within interval" if inside else "different", key=OUTCOMES.index)
        was = "absent" if archived is None else f"{archived:.17g}"
        differences.append(f"{name} was {was}, is {value:.17g}")
    return Check(", ".join(place), worst, "; ".join(differences))


def _same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def predicted(seeds: NDArray[np.float64], value: float) -> bool:
    """Whether one more run may well have this value (Student's t prediction interval)."""
    seeds = seeds[np.isfinite(seeds)]
    if seeds.size < 2 or not math.isfinite(value):
        return False
    spread = float(seeds.std(ddof=1)) * math.sqrt(1 + 1 / seeds.size)
    return bool(abs(value - float(seeds.mean())) <= quantile_of_t(seeds.size - 1, CONFIDENCE) * spread)


def _verify_run(folder: Path) -> Verification:
    versions = tuple(changes(folder))
    archived = load(folder)
    again = read_scenario(folder, folder / INPUTS).run()
    differing = _differing(archived, again)
    differences = []
    if parse_json((folder / "summary.json").read_bytes()) != json.loads(json.dumps(archived.summary())):
        differences.append("summary.json: not what the tables give")
    check = Check(
        f"{archived.name}, seed {archived.provenance['seed']}",
        "different" if differing else "bit-equal",
        f"columns that differ: {', '.join(differing)}" if differing else "",
    )
    return Verification(
        (check,), 1, archived.provenance["version"], __version__, tuple(differences),
        (f"{BESIDE_RUNS}: what stands beside a run",), versions,
    )  # fmt: skip


def _differing(a: Results, b: Results) -> list[str]:
    """Return the columns in which two results differ."""
    found = []
    for old, new in zip(a.tables, b.tables, strict=True):
        if list(old) != list(new) or len(old) != len(new):
            found.append(f"{old.name} (shape)")
            continue
        for name in old:
            x, y = old[name], new[name]
            if x.dtype.kind == "U" or y.dtype.kind == "U":
                equal = bool(np.array_equal(x, y))
            else:
                equal = x.dtype == y.dtype and x.tobytes() == y.tobytes()
            if not equal:
                found.append(f"{old.name}.{name}")
    return found
