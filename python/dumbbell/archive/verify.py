"""Running archived runs again."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.stats
from numpy.typing import NDArray

from dumbbell import __version__
from dumbbell._results import Results, load
from dumbbell._scenario import Scenario
from dumbbell.archive.files import ArchiveError, read_zip
from dumbbell.archive.pack import INPUTS
from dumbbell.study import RunSpec, Study, StudyResult
from dumbbell.study.execute import Maker
from dumbbell.study.version import code_version

Outcome = Literal["bit-equal", "within interval", "different"]

OUTCOMES: tuple[Outcome, ...] = ("bit-equal", "within interval", "different")
"""From best to worst."""

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
    unchecked: tuple[str, ...] = ()
    """Metrics that are Python functions, which no archive holds."""

    @property
    def outcome(self) -> Outcome:
        """The worst of all checks."""
        return max((check.outcome for check in self.checks), key=OUTCOMES.index)


def verify(
    path: str | os.PathLike[str],
    *,
    sample: int | None = 8,
    workers: int | None = None,
    progress: Callable[[int, int], object] = lambda _done, _total: None,
) -> Verification:
    """Check an archive and run a sample of it again.

    A run is ``bit-equal`` if every metric has the same value (of a single run: every value of every table).
    Else it is ``within interval`` if every metric that differs lies in the 99 % prediction interval of one
    more run, made from the archived runs of its arm and point over all seeds. Else, or with fewer than two
    seeds, it is ``different``.

    Parameters
    ----------
    path
        What ``dumbbell pack`` wrote.
    sample
        How many runs, spread evenly over the archive; ``None`` for all.
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
        if (folder / "study.json").is_file():
            return _verify_study(path, folder, sample, workers or len(os.sched_getaffinity(0)), progress)
        if (folder / "scenario.toml").is_file():
            return _verify_run(folder)
        raise ArchiveError(f"{path}: holds neither a study nor a run; make an archive with `dumbbell pack`")


def _verify_study(
    path: Path, folder: Path, sample: int | None, workers: int, progress: Callable[[int, int], object]
) -> Verification:
    result = StudyResult.load(folder)
    metrics = result.study.metrics
    unchecked = tuple(m.name for m in metrics if not callable(m.source) and "function" in m.source)
    if len(unchecked) == len(metrics):
        raise ArchiveError(
            f"{path}: measures by Python functions only, which no archive holds; nothing to verify"
        )
    checked = tuple(metric for metric in metrics if metric.name not in unchecked)
    study = replace(result.study, base_dir=folder / INPUTS, metrics=checked)
    total = result.finished
    if total == 0:
        raise ArchiveError(f"{path}: no run is finished in it; there is nothing to verify")
    count = total if sample is None else min(sample, total)
    rows = np.unique(np.linspace(0, total - 1, count).round().astype(int)).tolist()
    keys = [_key(study, result.table.slice(row, 1).to_pylist()[0]) for row in rows]
    runs = _specs(study, keys)
    with ThreadPoolExecutor(workers) as pool:
        checks = []
        for row, run, values in zip(rows, runs, pool.map(Maker(study), runs), strict=True):
            checks.append(_compare(result, study, row, run, values))
            progress(len(checks), len(runs))
    return Verification(tuple(checks), total, result.version, code_version(), unchecked)


def _key(study: Study, row: dict[str, Any]) -> tuple[Any, ...]:
    return (row["seed"], row["arm"], *(row[axis.name] for axis in study.axes))


def _specs(study: Study, keys: Sequence[tuple[Any, ...]]) -> list[RunSpec]:
    """Return the runs with these seeds, arms and points, in this order."""
    settings = {tuple(point.values()): changes for point, changes in study.grid()}
    specs = []
    for seed, arm, *values in keys:
        point = {axis.name: value for axis, value in zip(study.axes, values, strict=True)}
        changes = (*settings[tuple(values)], *study.arm(arm).settings, f"seed={seed}")
        specs.append(RunSpec("", point, arm, seed, changes))
    return specs


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
        inside = _predicted(seeds, value)
        worst = max(worst, "within interval" if inside else "different", key=OUTCOMES.index)
        was = "absent" if archived is None else f"{archived:.17g}"
        differences.append(f"{name} was {was}, is {value:.17g}")
    return Check(", ".join(place), worst, "; ".join(differences))


def _same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def _predicted(seeds: NDArray[np.float64], value: float) -> bool:
    """Whether one more run may well have this value (Student's t prediction interval)."""
    seeds = seeds[np.isfinite(seeds)]
    if seeds.size < 2 or not math.isfinite(value):
        return False
    t = float(scipy.stats.t.ppf((1 + CONFIDENCE) / 2, seeds.size - 1))
    half = t * float(seeds.std(ddof=1)) * math.sqrt(1 + 1 / seeds.size)
    return abs(value - float(seeds.mean())) <= half


def _verify_run(folder: Path) -> Verification:
    archived = load(folder)
    text = (folder / "scenario.toml").read_text(encoding="utf-8")
    again = Scenario.from_toml(text, base=folder / INPUTS).run()
    differing = _differing(archived, again)
    check = Check(
        f"{archived.name}, seed {archived.provenance['seed']}",
        "different" if differing else "bit-equal",
        f"columns that differ: {', '.join(differing)}" if differing else "",
    )
    return Verification((check,), 1, archived.provenance["version"], __version__)


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
