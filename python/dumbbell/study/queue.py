"""The runs that are left to do."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dumbbell.study.plan import StudyPlan
from dumbbell.study.spec import RunSpec
from dumbbell.study.stop import StopTracker


@dataclass(frozen=True)
class Share:
    """A fixed share of the runs: number `index` of `count`, from 1."""

    index: int = 1
    count: int = 1

    def mask(self, plan: StudyPlan) -> NDArray[np.bool_]:
        """Return which runs belong to the share, by number."""
        seeds, cells = len(plan.study.seeds), len(plan.cells)
        if plan.study.stop is not None:
            # Whole points, since the rule looks at all arms and seeds of a point.
            owner = np.array([cell.point_index for cell in plan.cells]) + np.zeros((seeds, 1), np.int64)
        else:
            # Shifted from seed to seed, so that every share has some of each cell, cheap and dear.
            owner = np.arange(cells) + np.arange(seeds)[:, None]
        return np.asarray(owner % self.count == self.index - 1).reshape(-1)


class RunQueue:
    """Hands out runs in order of their numbers, to any thread; leaves out those of points that have ended.

    Parameters
    ----------
    plan
        All runs.
    wanted
        Which of them are to be done, by number.
    tracker
        Which points have ended, as far as known from finished runs.
    """

    def __init__(self, plan: StudyPlan, wanted: NDArray[np.bool_], tracker: StopTracker) -> None:
        self.plan = plan
        self._looked = -1
        self._numbers = np.empty(0, np.int64)
        self._next = 0
        self._waiting = wanted.copy()
        self._tracker = tracker
        self._again: list[int] = []
        self._out: dict[str, int] = {}
        self._lock = threading.Lock()
        stop = plan.study.stop
        self.judged_name = None if stop is None else stop.metric
        """The metric that the stop rule looks at."""
        names = [metric.name for metric in plan.study.metrics]
        self.judged = None if stop is None else names.index(stop.metric)
        """Its place among the metrics."""

    @property
    def settled(self) -> bool:
        """Whether nothing that is handed out can make more runs necessary."""
        with self._lock:
            return self.judged is None or not self._out

    def take(self, count: int = 1) -> list[RunSpec]:
        """Return the next runs, at most so many; none if nothing is left now, see :attr:`settled`."""
        taken: list[RunSpec] = []
        with self._lock:
            # Alone, so that a run that kills its worker is known.
            numbers = [self._again.pop()] if self._again else self._first(count)
            for number in numbers:
                run = self.plan.run(number)
                self._out[run.id] = number
                taken.append(run)
        return taken

    def _first(self, count: int) -> list[int]:
        """Take the next numbers out of those that wait."""
        found = self._needed()[:count]
        self._waiting[found] = False
        self._next += len(found)
        return [int(number) for number in found]

    def _needed(self) -> NDArray[np.int64]:
        """Return the numbers of runs that wait and that their points need now; others may be needed later."""
        seeds = int(self._tracker.lengths.sum())
        # It grows whenever a point needs more.
        if seeds != self._looked:
            needed = self._tracker.mask().reshape(-1, len(self.plan.cells)).copy()
            for first, twins in self.plan.twins.items():
                if len(twins) > 1:
                    needed[:, first] = needed[:, twins].any(axis=1)
            self._looked, self._next = seeds, 0
            self._numbers = np.flatnonzero(needed.reshape(-1) & self._waiting)
        return self._numbers[self._next :]

    def done(self, values: Mapping[str, float]) -> None:
        """Take note of runs that have ended, by id, and of the metric of each that the stop rule looks at."""
        with self._lock:
            for run_id, value in values.items():
                for number in self._served(self._out.pop(run_id)):
                    self._tracker.add(number, value)

    def give_back(self, run_ids: Sequence[str]) -> None:
        """Take back runs whose worker has died."""
        with self._lock:
            self._again.extend(sorted((self._out.pop(run_id) for run_id in run_ids), reverse=True))

    def _served(self, number: int) -> list[int]:
        """The runs that a run gives the result of: itself, and those of the same scenario and seed."""
        cells = len(self.plan.cells)
        seed_index, cell = divmod(number, cells)
        return [seed_index * cells + twin for twin in self.plan.twins[cell]]

    @property
    def left(self) -> int:
        """How many runs have not ended, those handed out included."""
        with self._lock:
            return len(self._needed()) + len(self._again) + len(self._out)
