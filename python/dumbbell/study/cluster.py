"""Runs on a Ray cluster. A task is a chunk of runs, of some seconds; any worker may die at any time."""

from __future__ import annotations

import collections
import contextlib
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dumbbell._extras import how_to_install
from dumbbell._memory import limit_of_run
from dumbbell._scenario import Scenario
from dumbbell._system import usable_cores
from dumbbell.study.errors import StudyError
from dumbbell.study.maker import PERIOD, Maker
from dumbbell.study.plan import Study
from dumbbell.study.queue import RunQueue
from dumbbell.study.spec import RunSpec
from dumbbell.study.store import Store
from dumbbell.study.version import code_version
from dumbbell.study.writer import Writer

_CHUNK = 3.0
"""Seconds that a chunk should take: long against the few ms that a task costs."""

_AHEAD = 2
"""Chunks handed out for each core, so that none waits for its next."""

_MOST_DEATHS = 5
"""A run whose worker has died so often is taken for the cause."""

_PATIENCE = 60.0
"""Seconds that a cluster may be without workers."""


@dataclass(frozen=True)
class Chunk:
    """A task for a worker."""

    version: str
    folder: Path
    runs: tuple[RunSpec, ...]
    judged: int | None
    """Which metric the stop rule looks at."""
    memory: int | None
    """The bytes that all runs of a machine may take together."""


@dataclass(frozen=True)
class Report:
    """What a worker tells: the runs themselves are on the disk."""

    done: list[tuple[str, float]]
    """Ids, and the metric that the stop rule looks at."""
    seconds: float


def run_chunk(study: Study, chunk: Chunk) -> Report:
    """Make the runs of a chunk durable; runs in a worker."""
    if code_version() != chunk.version:
        raise StudyError(
            f"worker {platform.node()}: has dumbbell {code_version()}, and this study is run with "
            f"{chunk.version}; install the same build everywhere"
        )
    store = Store(chunk.folder, chunk.version)
    if not store.shards.is_dir():
        raise StudyError(
            f"worker {platform.node()}: {chunk.folder} is not there; "
            "give a folder of a file system that all workers share"
        )
    start = time.perf_counter()
    done = []
    # One run on each core.
    memory = limit_of_run(chunk.memory, os.cpu_count() or 1)
    make = Maker(study, _planned(study, chunk.runs), memory)
    with Writer(store, study.columns) as writer:
        for run in chunk.runs:
            values = make(run)
            writer.add([(run.id, values)])
            done.append((run.id, 0.0 if chunk.judged is None else values[chunk.judged]))
    return Report(done, time.perf_counter() - start)


def _planned(study: Study, runs: Sequence[RunSpec]) -> dict[tuple[str, ...], Scenario]:
    """Plan each arm at each point of a chunk once for all seeds."""
    different = dict.fromkeys(run.settings[:-1] for run in runs)
    return {settings: study.plan(settings) for settings in different}


class Cluster:
    """As many runs at a time as the cluster has cores, or as there are workers.

    Parameters
    ----------
    address
        ``ray://host:port``; ``None`` for what ``RAY_ADDRESS`` names, or a cluster on this machine.
    workers
        How many chunks at a time, at most.
    memory
        The bytes that all runs of a machine may take together.
    """

    def __init__(self, address: str | None, workers: int | None, memory: int | None) -> None:
        try:
            import ray
        except ModuleNotFoundError:
            raise StudyError(f"executor ray: is not installed; {how_to_install('cluster')}") from None
        self._ray: Any = ray
        self._address = address
        self._workers = workers
        self._memory = memory

    def __call__(self, study: Study, store: Store, queue: RunQueue, tell: Callable[[int], object]) -> None:
        """Make all runs of the queue durable; see :class:`dumbbell.study.execute.Executor`."""
        out: dict[Any, tuple[RunSpec, ...]] = {}
        with self._connected():
            try:
                self._work(study, store, queue, tell, out)
            finally:
                # Of a study that ends early, in a connection that goes on.
                for reference in out:
                    self._ray.cancel(reference)

    def _work(
        self,
        study: Study,
        store: Store,
        queue: RunQueue,
        tell: Callable[[int], object],
        out: dict[Any, tuple[RunSpec, ...]],
    ) -> None:
        """Hand out chunks until nothing is left; `out` holds those that are being worked on."""
        ray = self._ray
        # What a dead worker has not done is handed out again here, without what it has.
        remote = ray.remote(num_cpus=1, max_retries=0)(run_chunk)
        shared = ray.put(study)
        deaths: collections.Counter[str] = collections.Counter()
        pace = _Pace()
        seen = time.monotonic()
        while True:
            cores = int(ray.cluster_resources().get("CPU", 0))
            if cores:
                seen = time.monotonic()
            elif time.monotonic() - seen > _PATIENCE:
                raise StudyError(
                    f"executor ray: the cluster has had no workers for {_PATIENCE:.0f} s; "
                    "start some and give the same command again, finished runs are kept"
                )
            slots = cores * _AHEAD if self._workers is None else min(self._workers, cores)
            while len(out) < slots and (runs := tuple(queue.take(pace.chunk(queue.left, slots)))):
                chunk = Chunk(store.version, store.folder.absolute(), runs, queue.judged, self._memory)
                out[remote.remote(shared, chunk)] = runs
            if not out and not queue.left:
                return
            newly = 0
            ready: list[Any] = []
            if out:
                ready, _ = ray.wait(list(out), timeout=PERIOD)
            else:
                time.sleep(PERIOD)
            for reference in ready:
                newly += self._collect(reference, out.pop(reference), store, queue, pace, deaths)
            store.tidy()
            tell(newly)

    def _collect(
        self,
        reference: Any,
        runs: Sequence[RunSpec],
        store: Store,
        queue: RunQueue,
        pace: _Pace,
        deaths: collections.Counter[str],
    ) -> int:
        """Take note of what a chunk has made durable; return how many runs that is."""
        try:
            report: Report = self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, self._ray.exceptions.RaySystemError):
                # The worker could not even read what it was told.
                reason = str(error.cause).strip().splitlines()[-1]
                raise StudyError(
                    "executor ray: a worker has no dumbbell, or one too different to understand this study "
                    f"({reason}); install the same build everywhere"
                ) from None
            # What the task itself raised, as it was raised there.
            raise error.cause from None
        except self._ray.exceptions.RayError:
            done = store.find([run.id for run in runs], queue.judged_name)
            lost = [run.id for run in runs if run.id not in done]
            queue.give_back(lost)
            deaths.update(lost)
            for run in runs:
                if deaths[run.id] >= _MOST_DEATHS:
                    raise StudyError(
                        f"run {run.id} ({', '.join(run.settings)}): {_MOST_DEATHS} workers have died with "
                        "it; try it alone with `dumbbell run`"
                    ) from None
        else:
            done = dict(report.done)
            pace.learn(len(done), report.seconds)
        queue.done(done)
        return len(done)

    @contextlib.contextmanager
    def _connected(self) -> Iterator[None]:
        """Connect to the cluster unless this process is connected already."""
        ray = self._ray
        if ray.is_initialized():
            yield
            return
        # Ray reports usage to its makers unless told not to.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        given: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
        if self._address is not None:
            given["address"] = self._address
        elif "RAY_ADDRESS" not in os.environ:
            cores = self._workers or usable_cores()
            given |= {"address": "local", "num_cpus": cores, "include_dashboard": False}
        try:
            ray.init(**given)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise StudyError(
                f"executor ray: no connection to {self._address or 'the cluster'} ({error}); "
                "check the address and that the cluster runs the same version of Ray"
            ) from None
        try:
            yield
        finally:
            ray.shutdown()


class _Pace:
    """How long runs take, and so how many make a chunk."""

    def __init__(self) -> None:
        self._runs = 0
        self._seconds = 0.0

    def learn(self, runs: int, seconds: float) -> None:
        self._runs += runs
        self._seconds += seconds

    def chunk(self, left: int, slots: int) -> int:
        """How many runs to hand out: some seconds of work, but a share of what is left at the end."""
        if not self._runs:
            return 1
        wanted = _CHUNK * self._runs / max(self._seconds, 1e-9)
        return max(1, min(int(wanted), -(-left // (2 * slots))))
