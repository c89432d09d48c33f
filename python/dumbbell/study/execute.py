"""Running a study: what is left of it, on the threads of this machine or on a cluster."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from dumbbell._results import Results
from dumbbell._scenario import MemoryLimitError, Scenario
from dumbbell._scenario import Progress as Watch
from dumbbell.study.errors import StudyError
from dumbbell.study.metric import evaluate
from dumbbell.study.plan import StudyPlan
from dumbbell.study.queue import RunQueue, Share
from dumbbell.study.result import StudyResult
from dumbbell.study.spec import Metric, RunSpec, Study
from dumbbell.study.store import Store, load_result, open_store, select, versions

PERIOD = 0.5
"""Seconds between two reports of progress."""


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


class Maker:
    """Makes runs of a study, in any thread.

    Parameters
    ----------
    study
        Whose runs.
    planned
        Scenarios by their settings without the seed; others are planned when they come.
    memory
        The bytes that each run may take; see :meth:`dumbbell.Scenario.run`.
    """

    def __init__(
        self,
        study: Study,
        planned: Mapping[tuple[str, ...], Scenario] | None = None,
        memory: int | None = None,
    ) -> None:
        self._study = study
        self._planned = planned or {}
        self._memory = memory

    def __call__(self, run: RunSpec, watch: Watch | None = None) -> list[float]:
        """Make a run and return its numbers, in the order of the study's columns."""
        try:
            results = self._scenario(run).run(watch, self._memory)
        except MemoryLimitError as error:
            raise StudyError(
                f"the run with {', '.join(run.settings)}: {error}; finished runs are kept"
            ) from None
        numbers = [self._evaluate(metric, results, run) for metric in self._study.metrics]
        by_size = self._study.by_size
        return numbers if by_size is None else numbers + by_size.evaluate(results)

    def _evaluate(self, metric: Metric, results: Results, run: RunSpec) -> float:
        try:
            return evaluate(metric, results)
        except StudyError:
            raise
        except Exception as error:
            # A function of the user's.
            raise StudyError(
                f"metric {metric.name}: {type(error).__name__}: {error}, in the run with "
                f"{', '.join(run.settings)}; correct the function"
            ) from error

    def _scenario(self, run: RunSpec) -> Scenario:
        # The seed is the last setting.
        settings = run.settings[:-1]
        planned = self._planned.get(settings)
        if planned is None:
            planned = self._study.plan(settings)
        return planned.with_seed(run.seed)


def run_study(
    study: Study,
    folder: str | os.PathLike[str],
    *,
    share: tuple[int, int] = (1, 1),
    executor: str = "threads",
    workers: int | None = None,
    memory: int | None = None,
    progress: Callable[[Progress], object] = lambda _: None,
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
        Called about every half second.

    Raises
    ------
    StudyError
        Every point that makes an invalid scenario, before anything is run; another study in the folder; a run
        that would take more memory than its part.
    FolderError
        If the folder cannot be written, is full, or is being used by another process.
    """
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
        foreign = scan.table.num_rows - int(there.finished.sum())
        notes = _notes(store, plan, foreign, len(scan.damaged))
        del scan, there
        start = time.perf_counter()
        done = 0

        def tell(newly: int) -> None:
            nonlocal done
            done += newly
            total = needed if study.stop is None else int((own & tracker.mask()).sum())
            progress(Progress(total, reused, done, time.perf_counter() - start, notes))

        tell(0)
        execute(study, store, queue, tell)
        store.compact()
    # The folder knows neither where names of files count from nor functions.
    return replace(load_result(Path(folder), plan.version), study=study)


def _executor(name: str, workers: int | None, memory: int | None) -> Executor:
    if workers is not None and workers < 1:
        raise StudyError(f"{workers} workers do nothing; use 1 or more")
    if name == "threads":
        from dumbbell.study.threads import Threads

        return Threads(workers or len(os.sched_getaffinity(0)), memory)
    if name == "ray" or name.startswith("ray://"):
        from dumbbell.study.cluster import Cluster

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
