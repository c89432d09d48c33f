"""Running a study: what is left of it, on the threads of this machine or on a cluster."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from dumbbell._extras import require
from dumbbell._progress import line_of_notebook
from dumbbell._system import usable_cores
from dumbbell.study.cluster import Cluster
from dumbbell.study.errors import StudyError
from dumbbell.study.plan import Study, StudyPlan
from dumbbell.study.queue import RunQueue, Share
from dumbbell.study.result import StudyResult
from dumbbell.study.store import Store, open_store, select, versions
from dumbbell.study.threads import Threads


@dataclass(frozen=True)
class Progress:
    """How far a study is."""

    total: int
    """Runs of this share of the study that its result needs, as far as is known now."""
    reused: int
    """Of these, there before."""
    done: int
    """Of these, made and durable now."""
    elapsed: float
    """Seconds since the first run started."""
    notes: tuple[str, ...]
    """What was found in the folder."""

    @property
    def remaining(self) -> float | None:
        """Seconds to go, if runs go on ending as they did; ``None`` before the first."""
        left = self.total - self.reused - self.done
        return self.elapsed / self.done * left if self.done else None


class Executor(Protocol):
    """A way to make runs."""

    def __call__(self, study: Study, store: Store, queue: RunQueue, tell: Callable[[int], object]) -> None:
        """Make all runs of the queue durable.

        `tell` takes the number of runs that have become durable since it was called last; it is called about
        every half second, in the main thread.
        """


def run_study(
    study: Study,
    folder: str | os.PathLike[str],
    *,
    share: tuple[int, int] = (1, 1),
    executor: str = "threads",
    workers: int | None = None,
    memory: int | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> StudyResult:
    """Make the runs of a study that are not in a folder yet.

    Can be killed at any moment; finished runs are kept, and the same call goes on where it was.

    Parameters
    ----------
    study
        What to run.
    folder
        Where results are kept; made if need be.
    share
        ``(3, 40)``: only the third of forty fixed shares of the runs. Folders of shares merge by copying.
    executor
        ``threads`` of this machine; ``ray`` for a Ray cluster on this machine, or for the one that
        ``RAY_ADDRESS`` names; ``ray://host:port`` for another.
    workers
        How many runs at a time; by default one per usable core, or all of the cluster.
    memory
        The bytes that the runs in progress on a machine may take, in equal parts; by default a share of what
        it has left.
    progress
        Called about every half second; by default a line below the cell of a notebook, and nothing elsewhere.

    Raises
    ------
    StudyError
        Every point that makes an invalid scenario, before anything is run; another study in the folder; a run
        that would take more memory than its part.
    FolderError
        If the folder cannot be written, is full, or is being used by another process.
    MissingExtraError
        If scipy, which the intervals need, is not installed.
    """
    require("scipy")
    index, count = share
    if not 1 <= index <= count:
        raise StudyError(f"share {index}/{count}: there is no such share; use 1/{count} to {count}/{count}")
    execute = _executor(executor, workers, memory)
    plan = StudyPlan(study)
    with open_store(Path(folder), plan) as store:
        scan = store.scan()
        store.set_aside(scan.damaged)
        there = select(study, plan.catalogue, scan)
        tracker = there.tracker
        own = Share(index, count).mask(plan) & plan.different
        queue = RunQueue(plan, own & ~there.finished, tracker)
        needed = int((own & tracker.mask()).sum())
        reused = needed - queue.left
        # Of arms that are the same, one run is kept.
        foreign = scan.table.num_rows - int((there.finished & plan.different).sum())
        notes = _notes(store, plan, foreign, len(scan.damaged))
        del scan, there
        start = time.perf_counter()
        show = line_of_notebook() if progress is None else None
        done = 0

        def tell(newly: int) -> None:
            nonlocal done
            done += newly
            total = needed if study.stop is None else int((own & tracker.mask()).sum())
            if progress is not None:
                progress(Progress(total, reused, done, time.perf_counter() - start, notes))
            elif show is not None:
                show(f"{reused + done:,} of {total:,} runs")

        tell(0)
        execute(study, store, queue, tell)
        store.compact()
    # The folder knows neither where names of files count from nor functions.
    return replace(StudyResult.load(folder, plan.version), study=study)


def _executor(name: str, workers: int | None, memory: int | None) -> Executor:
    if workers is not None and workers < 1:
        raise StudyError(f"{workers} workers do nothing; use 1 or more")
    if name == "threads":
        return Threads(workers or usable_cores(), memory)
    if name == "ray" or name.startswith("ray://"):
        return Cluster(None if name == "ray" else name, workers, memory)
    raise StudyError(f"{name!r} is not an executor; use threads, ray, or ray://host:port")


def _notes(store: Store, plan: StudyPlan, foreign: int, damaged: int) -> tuple[str, ...]:
    notes = []
    if damaged:
        notes.append(f"{damaged} damaged shards were set aside as *.corrupt; their runs are made again")
    if foreign:
        notes.append(f"{foreign} runs of earlier forms of this study are kept, and not counted")
    others = [version for version in versions(store.folder) if version != plan.version]
    if others:
        notes.append(
            f"results of other versions of the code are kept apart, and not reused: {', '.join(others)}"
        )
    return tuple(notes)
