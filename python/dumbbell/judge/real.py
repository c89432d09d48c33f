"""Chapters on real packets: every arm is a controller of the kernel, live or in virtual time.

Each run is a file in the folder of its chapter, named by the fingerprint of what it is made of. In virtual
time it has a kernel of its own, so that it is the same whichever runs were made before.
"""

from __future__ import annotations

import hashlib
import json
import platform
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from dumbbell import _native
from dumbbell._files.foreign import replace_file
from dumbbell._files.read import read_bytes
from dumbbell.errors import FolderError
from dumbbell.judge.candidate import Candidate
from dumbbell.judge.chapter import Chapter, JudgeError
from dumbbell.judge.packets import lacks, order_of, value
from dumbbell.live import boots, virtual
from dumbbell.live.counted import Counted, Order, count
from dumbbell.live.kernel import NAMES
from dumbbell.study import Progress, Study, StudyResult
from dumbbell.study.version import code_version

_ATTEMPTS = 3
"""Live runs until one is valid; a busy machine makes packets late."""


@dataclass(frozen=True)
class Kernel:
    """Where the kernel's controllers run."""

    virtual: virtual.Kernel | None = None
    """A kernel in virtual time; ``None`` for that of this machine, live."""

    @property
    def name(self) -> str:
        """What results rest on, in words."""
        if self.virtual is None:
            return f"Linux {platform.release().partition('-')[0]}, live"
        return f"Linux {self.virtual.release} in virtual time, {self.virtual.hz} ticks a second"


def kernel_candidate(name: str) -> Candidate:
    """Return a controller of the kernel, by our name or by the kernel's.

    Raises
    ------
    JudgeError
        If the kernel has none of that name that a scenario can name too.
    """
    ours = {kernels: own for own, kernels in reversed(NAMES.items())} | {own: own for own in NAMES}
    if name not in ours:
        remedy = _native.suggest(name, list(ours))
        raise JudgeError(f"--kernel: the kernel has no controller {name!r}; {remedy}")
    return Candidate(f"kernel-{name}", ours[name], ours[name])


def real_form(chapter: Chapter, quick: bool) -> Chapter:
    """Return the form of a chapter for real packets. Its needs also name what real packets do not have.

    Parameters
    ----------
    chapter
        With or without a study; it comes back without one if real packets allow none of it.
    quick
        Whether to take half of its seeds.
    """
    study, form = chapter.study, chapter.real
    if study is None:
        return chapter
    if form is None:
        return replace(chapter, study=None, rows=(), needs=chapter.real_needs)
    study = replace(study, declared=replace(study.declared, quick=form)).quick()
    if quick:
        study = replace(study, seeds=study.seeds[: len(study.seeds) // 2])
    missing = {metric.name: why for metric in study.metrics if (why := lacks(metric))}
    needs = (*chapter.needs, *chapter.real_needs, *missing.values())
    metrics = tuple(metric for metric in study.metrics if metric.name not in missing)
    rows = tuple(row for row in chapter.rows if row.metric not in missing)
    return replace(chapter, study=replace(study, metrics=metrics), rows=rows, needs=needs)


def run_real(
    study: Study, folder: Path, kernel: Kernel, workers: int | None, progress: Callable[[Progress], object]
) -> StudyResult:
    """Make the runs of a study that are not in a folder yet, on real packets.

    Can be stopped at any moment; finished runs are kept, and the same call goes on where it was.

    Parameters
    ----------
    study
        From :func:`real_form`, with arms.
    folder
        Takes a file for each run, below ``packets``.
    kernel
        Where.
    workers
        Kernels in virtual time at once; by default one per usable core. Live, runs go one by one.
    progress
        As for :func:`dumbbell.study.run_study`.

    Raises
    ------
    JudgeError, DumbbellError
        What cannot be run.
    FolderError
        If the folder cannot be written.
    """
    place = folder / "packets"
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolderError(f"{place}: {error.strerror}; give another folder to -o") from None
    runs = study.runs()
    made = [order_of(study.plan(run.settings)) for run in runs]
    # Live, two runs of one scenario are two runs.
    marks = [run.arm if kernel.virtual is None else "" for run in runs]
    named = zip(made, marks, strict=True)
    paths = [place / f"{_fingerprint(each.order, kernel, mark)}.json" for each, mark in named]
    wanted = {path: each.order for path, each in zip(paths, made, strict=True)}
    found = {path: seen for path in wanted if (seen := _kept(path)) is not None}
    left = {path: order for path, order in wanted.items() if path not in found}
    start, reused = time.perf_counter(), len(found)

    def tell() -> None:
        done = len(found) - reused
        progress(Progress(len(wanted), reused, done, time.perf_counter() - start, ()))

    tell()
    for path, seen in _virtually(left, kernel.virtual, workers) if kernel.virtual else _live(left):
        found[path] = seen
        replace_file(path, (json.dumps(asdict(seen)) + "\n").encode())
        tell()
    rows = []
    for run, path, each in zip(runs, paths, made, strict=True):
        seen = found[path]
        numbers = {
            metric.name: None if seen.reasons else value(metric, seen, each) for metric in study.metrics
        }
        rows.append({"run_id": run.id, "arm": run.arm, "seed": run.seed, **run.point, **numbers})
    invalid = sum(bool(found[path].reasons) for path in paths)
    notes = (f"{invalid} of {len(paths)} runs are INVALID, and do not count",) if invalid else ()
    table = pa.Table.from_pylist(rows)
    for metric in study.metrics:
        column = table.schema.get_field_index(metric.name)
        table = table.set_column(column, metric.name, table[metric.name].cast(pa.float64()))
    return StudyResult(study, table, len(rows), code_version(), notes)


def _fingerprint(order: Order, kernel: Kernel, mark: str) -> str:
    text = f"{order.write()}\n{kernel.name}\n{mark}\n{code_version()}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _counted(told: Mapping[str, Any]) -> Counted:
    """Return what JSON tells of a run.

    Raises
    ------
    ValueError, TypeError, KeyError
        If it tells nothing of one.
    """
    there, back = told["links"]
    return Counted((there, back), tuple(told["flows"]), tuple(told["reasons"]))


def _kept(path: Path) -> Counted | None:
    """Return a run of an earlier call; ``None`` if there is none that is whole and valid."""
    try:
        seen = _counted(json.loads(read_bytes(path)))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return None if seen.reasons else seen


def _live(left: Mapping[Path, Order]) -> Iterator[tuple[Path, Counted]]:
    for path, order in left.items():
        for _ in range(_ATTEMPTS):
            seen = count(order)
            if not seen.reasons:
                break
        yield path, seen


def _virtually(
    left: Mapping[Path, Order], kernel: virtual.Kernel, workers: int | None
) -> Iterator[tuple[Path, Counted]]:
    """Make runs in kernels of their own, several at once; yield each when it has ended."""
    with tempfile.TemporaryDirectory() as folder:
        runs = {
            path: partial(count_in, order, kernel, Path(folder, str(number)))
            for number, (path, order) in enumerate(left.items())
        }
        yield from boots.at_once(runs, workers)


def count_in(order: Order, kernel: virtual.Kernel, place: Path, progress: virtual.Progress) -> Counted:
    """Make a run in a kernel of its own.

    Parameters
    ----------
    order, kernel
        What, and where.
    place
        A folder to make, for files of the run.
    progress
        Receives how far the run is; what it raises ends the run.

    Raises
    ------
    DumbbellError
        Why there is none.
    """
    place.mkdir()
    plan, out = place / "order", place / "out"
    plan.write_text(order.write(), encoding="utf-8")
    words = [str(plan), str(out)]
    return _counted(boots.Boots(kernel).answer("dumbbell.live.counted", words, out, progress))
