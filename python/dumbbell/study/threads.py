"""Runs on the threads of this machine. The interpreter lock is not held while a run goes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from dumbbell._memory import limit_of_run
from dumbbell.study.maker import PERIOD, Maker
from dumbbell.study.plan import Study
from dumbbell.study.queue import RunQueue
from dumbbell.study.store import Store
from dumbbell.study.writer import Writer

TURN = 0.02
"""Seconds that a thread works without the interpreter lock, if its runs are shorter.

What the lock costs does not count then, and no thread waits much longer than another for its last run."""

MOST = 64
"""Runs that a thread takes at a time."""


class _CancelledError(Exception):
    """Ends the runs of the other threads when one fails or Ctrl-C is pressed."""


class Threads:
    """As many runs at a time as there are workers, each with its part of the memory."""

    def __init__(self, workers: int, memory: int | None) -> None:
        self._workers = workers
        self._memory = memory

    def __call__(self, study: Study, store: Store, queue: RunQueue, tell: Callable[[int], object]) -> None:
        """Make all runs of the queue durable; see :class:`dumbbell.study.execute.Executor`."""
        stop = threading.Event()
        durable = _Count()
        failures: list[BaseException] = []
        make = Maker(study, queue.plan.planned, limit_of_run(self._memory, self._workers), queue.plan.version)

        def watch(_now: float, _duration: float, _events: int) -> None:
            if stop.is_set():
                raise _CancelledError

        def work() -> None:
            count = 1
            try:
                while not stop.is_set():
                    if not (runs := queue.take(count)):
                        if queue.settled:
                            break
                        stop.wait(TURN)
                        continue
                    start = time.perf_counter()
                    made, failure = make.several(runs, watch)
                    rows = [(run.id, values) for run, values in zip(runs, made, strict=False)]
                    writer.add(rows)
                    queue.done({i: 0.0 if queue.judged is None else v[queue.judged] for i, v in rows})
                    if failure is not None:
                        raise failure
                    count = next_count(len(runs), time.perf_counter() - start)
            except _CancelledError:
                pass
            except BaseException as error:  # noqa: BLE001 - the thread that waits raises it.
                failures.append(error)
                stop.set()

        threads = [threading.Thread(target=work, name=f"worker {i}") for i in range(self._workers)]
        with Writer(store, study.columns, durable.add) as writer:
            try:
                for thread in threads:
                    thread.start()
                for thread in threads:
                    while thread.is_alive():
                        thread.join(PERIOD)
                        tell(durable.take())
            finally:
                stop.set()
                for thread in threads:
                    if thread.ident is not None:
                        thread.join()
            if failures:
                raise failures[0]
        tell(durable.take())


def next_count(count: int, took: float) -> int:
    """Return how many runs to take, after so many took so many seconds; at most twice as many."""
    fitting = int(count * TURN / max(took, 1e-9))
    return max(1, min(fitting, 2 * count, MOST))


class _Count:
    """A number that one thread adds to and another takes."""

    def __init__(self) -> None:
        self._number = 0
        self._lock = threading.Lock()

    def add(self, number: int) -> None:
        with self._lock:
            self._number += number

    def take(self) -> int:
        with self._lock:
            number, self._number = self._number, 0
            return number
