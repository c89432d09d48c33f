"""Studies on a real Ray cluster: two workers on this machine, some of which are killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dumbbell.study import Progress, Study, StudyError, StudyResult, run_study
from dumbbell.study import plan as plan_module
from tests.study.conftest import STUDY, changed, content, shards

pytestmark = [
    pytest.mark.cluster,
    # Of Ray itself.
    pytest.mark.filterwarnings(
        "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning"
    ),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

# 400 runs of some 40 ms.
LONG = changed(seeds=100, scenario=STUDY["scenario"] | {"duration": "1000s"})


class Machines:
    """A head that does no work and machines of one core each, as processes here."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self.cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
        self.nodes = [self.cluster.add_node(num_cpus=1) for _ in range(2)]

    def kill_one(self) -> None:
        """Kill a machine's manager with SIGKILL; its workers go with it."""
        node = self.nodes.pop()
        for processes in node.all_processes.values():
            for entry in processes:
                os.kill(entry.process.pid, signal.SIGKILL)


@pytest.fixture
def machines(monkeypatch: pytest.MonkeyPatch) -> Iterator[Machines]:
    pytest.importorskip("ray")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    made = Machines()
    monkeypatch.setenv("RAY_ADDRESS", made.cluster.address)
    try:
        yield made
    finally:
        made.cluster.shutdown()


def test_same_tables_as_on_threads_though_a_worker_is_killed(machines: Machines, tmp_path: Path) -> None:
    study = Study.from_dict(LONG)
    reports: list[Progress] = []

    def kill_half_way(progress: Progress) -> None:
        reports.append(progress)
        if progress.done >= 150 and len(machines.nodes) == 2:
            assert progress.done < 300, "the kill should come half-way"
            machines.kill_one()

    result = run_study(study, tmp_path / "cluster", executor="ray", progress=kill_half_way)
    assert len(machines.nodes) == 1
    assert (result.finished, result.expected) == (400, 400)
    assert reports[-1].done == 400, "no run missing, none counted twice"
    run_study(study, tmp_path / "threads")
    assert content(tmp_path / "cluster") == content(tmp_path / "threads")
    assert [p.name for p in shards(tmp_path / "cluster")] == [p.name for p in shards(tmp_path / "threads")]


def test_stop_rule_on_a_cluster(machines: Machines, tmp_path: Path) -> None:
    stop = {"metric": "fct", "relative": 0.1, "minimum": 3}
    early = Study.from_dict(changed(seeds=40, stop=stop))
    result = run_study(early, tmp_path / "cluster", executor="ray")
    assert result.complete
    assert result.expected < 160
    run_study(early, tmp_path / "threads")
    assert content(tmp_path / "cluster") == content(tmp_path / "threads")
    assert len(machines.nodes) == 2


def test_a_worker_of_another_version_is_refused(
    machines: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = Study.from_dict(STUDY)
    run_study(study, tmp_path / "out", share=(1, 2))
    before = len(StudyResult.load(tmp_path / "out").table)
    monkeypatch.setattr(plan_module, "code_version", lambda: "9.9.9-here")
    with pytest.raises(
        StudyError, match=r"worker .*: has dumbbell .* run with 9\.9\.9-here; install the same"
    ):
        run_study(study, tmp_path / "out", executor="ray")
    monkeypatch.undo()
    result = run_study(study, tmp_path / "out")
    assert before == 10
    assert result.complete
    assert len(machines.nodes) == 2


def test_what_a_run_raises_ends_the_study(machines: Machines, tmp_path: Path) -> None:
    from dataclasses import replace

    from dumbbell.study import Metric

    def fails(_results: object) -> float:
        raise IndexError("nothing there")

    broken = replace(Study.from_dict(STUDY), metrics=(Metric("mine", "mine", "", fails),))
    start = time.monotonic()
    with pytest.raises(StudyError, match="metric mine: IndexError: nothing there, in the run with"):
        run_study(broken, tmp_path / "out", executor="ray")
    assert time.monotonic() - start < 60
    assert len(machines.nodes) == 2
