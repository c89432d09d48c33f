"""What a study costs beside its runs."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from dumbbell.study import Study, StudyResult, run_study
from dumbbell.study.plan import StudyPlan
from tests.study.conftest import STUDY, changed

TINY = STUDY["scenario"] | {"duration": "600ms"}
"""A run of some 0.1 ms."""


def measured(code: str, *arguments: object) -> list[float]:
    """What code prints, run in a process of its own."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float(word) for word in told.stdout.split()]


MEMORY = """
import resource, sys
from pathlib import Path
from dumbbell.study import Study, run_study
from tests.study.conftest import changed
from tests.study.test_scale import TINY
run_study(Study.from_dict(changed(seeds=int(sys.argv[2]), scenario=TINY)), sys.argv[1])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def test_ten_thousand_runs(tmp_path: Path) -> None:
    (small,) = measured(MEMORY, tmp_path / "small", 50)
    (large,) = measured(MEMORY, tmp_path / "large", 2500)
    # Results go to the disk as they come. What is left, some 2 kB a run, is the list of what to do.
    assert large - small < 32, f"{small:.0f} MiB for 200 runs, {large:.0f} MiB for 10,000"
    start = time.process_time()
    result = StudyResult.load(tmp_path / "large")
    assert time.process_time() - start < 1
    assert result.finished == result.expected == 10_000
    assert len(list((tmp_path / "large").glob("results/*/shards/*"))) == 1


def test_a_run_costs_less_than_two_per_cent_of_50_ms(tmp_path: Path) -> None:
    study = Study.from_dict(changed(seeds=500, scenario=TINY))
    scenarios = [cell.scenario for cell in StudyPlan(study).cells]

    def processor_time(function: object) -> float:
        start = time.process_time()
        function()  # type: ignore[operator]
        return time.process_time() - start

    def bare() -> None:
        for seed in study.seeds:
            for scenario in scenarios:
                scenario.with_seed(seed).run()

    def whole() -> None:
        run_study(study, tmp_path / str(time.monotonic_ns()), workers=1)

    bare()
    # The smallest of three: other work on the machine only ever adds.
    overhead = min(processor_time(whole) for _ in range(3)) - min(processor_time(bare) for _ in range(3))
    assert overhead / 2000 < 0.02 * 0.050, f"{overhead / 2000 * 1e3:.3f} ms a run"
