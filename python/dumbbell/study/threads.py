"""Runs on the threads of this machine. The interpreter lock is not held while a run goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable

from dumbbell._memory import limit_of_run
from dumbbell.study.maker import PERIOD, Maker
from dumbbell.study.plan import Study
from dumbbell.study.queue import RunQueue
from dumbbell.study.store import Store
from dumbbell.study.writer import Writer


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
        make = Maker(study, queue.plan.planned, limit_of_run(self._memory, self._workers))

        def watch(_now: float, _duration: float, _events: int) -> None:
            if stop.is_set():
                raise _CancelledError

        def work() -> None:
            try:
                while not stop.is_set() and (runs := queue.take()):
                    values = make(runs[0], watch)
                    writer.add(runs[0].id, values)
                    queue.done(runs[0].id, 0.0 if queue.judged is None else values[queue.judged])
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
