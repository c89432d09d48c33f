"""Measure the overhead of studies, the gain from a second worker, and how fast a large study opens.

``python -m bench.study`` prints the table and exits with 1 if a figure misses its bound.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bench.measure import unfit
from bench.run import Figure
from dumbbell import _native
from dumbbell.study import Study, run_study
from dumbbell.study.plan import StudyPlan

REPEATS = 3

RUN = 0.050
"""Seconds of the run that the overhead is a share of."""

BASE: dict[str, Any] = {
    "transport": {"kind": "tcp", "profile": "rfc"},
    "topology": {"kind": "dumbbell", "pairs": 2, "bottleneck": {"rate": "10Mbit/s"}},
    "workloads": [
        {
            "kind": "poisson", "name": "web", "from": "senders", "to": "receivers", "load": 0.6,
            "size": {"kind": "exponential", "mean": "20kB"},
        }
    ],
    "record": {"samples": False},
}  # fmt: skip

LOAD = """
import sys, time
from dumbbell.study import StudyResult
start = time.perf_counter()
result = StudyResult.load(sys.argv[1])
print(time.perf_counter() - start, result.finished)
"""


def study(duration: float, seeds: int, changes: Mapping[str, Any] = MappingProxyType({})) -> Study:
    """Return a study of two arms at one load; `duration` in simulated s, `changes` of its scenario."""
    return Study.from_dict(
        {
            "name": "bench",
            "scenario": BASE | {"duration": f"{round(duration * 1e3)}ms"} | dict(changes),
            "seeds": seeds,
            "arms": [{"name": c, "set": f"transport.controller={c}"} for c in ("newreno", "cubic")],
            "metrics": [
                {"name": "fct", "source": {"table": "flows", "column": "completion_time"}},
                {"name": "goodput", "source": {"table": "runs", "column": "goodput"}},
            ],
        }
    )


def bare(of: Study) -> None:
    """Make the runs of a study without the study."""
    scenarios = [cell.scenario for cell in StudyPlan(of).cells]
    for seed in of.seeds:
        for scenario in scenarios:
            assert scenario is not None, "so few cells are kept"
            scenario.with_seed(seed).run()


def seconds(work: Callable[[], object], clock: Callable[[], float]) -> float:
    """Return what a piece of work takes."""
    start = clock()
    work()
    return clock() - start


def calibrate() -> float:
    """Return the simulated seconds that take `RUN`."""
    bare(study(100, 2))
    trial = study(1000, 10)
    return 1000 * RUN * 20 / seconds(lambda: bare(trial), time.process_time)


def measure(folder: Path) -> Iterator[Figure]:
    """Measure everything, in new folders below `folder`."""
    counter = iter(range(10**6))

    def whole(of: Study, workers: int) -> Callable[[], object]:
        return lambda: run_study(of, folder / str(next(counter)), workers=workers)

    # Processor time, which other work on the machine hardly changes; the smallest, since that only adds.
    tiny = study(0.3, 1000)
    rest = [
        min(seconds(work, time.process_time) for _ in range(REPEATS))
        for work in (whole(tiny, 1), lambda: bare(tiny))
    ]
    overhead = (rest[0] - rest[1]) / 2000
    yield Figure("overhead of a run, ms", overhead * 1e3)
    yield Figure("overhead of a run of 50 ms, %", 100 * overhead / RUN, must=2)

    if len(os.sched_getaffinity(0)) > 1:
        usual = study(calibrate(), 50)
        one, two = (
            min(seconds(whole(usual, workers), time.perf_counter) for _ in range(REPEATS))
            for workers in (1, 2)
        )
        yield Figure("two workers to one", one / two, must=1.9, larger_is_better=True)

    flows = {"flows": [{"from": "senders", "to": "receivers", "count": 2}], "workloads": []}
    second = study(1, 500, flows)
    taken = min(seconds(whole(second, 1), time.process_time) for _ in range(REPEATS))
    yield Figure("runs of 1 s, 2 flows, per CPU s", 1000 / taken, must=3000, larger_is_better=True)

    large = folder / "large"
    many = study(0.3, 5000)
    two = seconds(lambda: run_study(many, large), time.perf_counter)
    yield Figure("10,000 tiny runs, s", two)
    if len(os.sched_getaffinity(0)) > 1:
        one = seconds(whole(many, 1), time.perf_counter)
        yield Figure("two workers to one, tiny runs", one / two, must=1.8, larger_is_better=True)
    command = [sys.executable, "-c", LOAD, str(large)]
    told = [
        subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        for _ in range(REPEATS)
    ]
    assert {int(finished) for _, finished in told} == {10_000}
    yield Figure("to open them, s", statistics.median(float(time) for time, _ in told), must=1)


def main() -> int:
    """Command line."""
    if wrong := unfit(_native.profile):
        sys.exit(wrong)
    missed = False
    print(f"{'':36}{'measured':>10}{'must':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for figure in measure(Path(folder)):
            bound = "" if figure.must is None else f"{figure.must:.4g}"
            print(f"{figure.name:36}{figure.value:>10.4g}{bound:>10}{'  MISSED' if figure.missed() else ''}")
            missed |= figure.missed()
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
