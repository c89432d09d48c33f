"""Studies on a real Ray cluster: two workers on this machine, some of which are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dumbbell import Results
from dumbbell.study import Metric, Progress, Study, StudyError, StudyResult, run_study
from dumbbell.study import plan as plan_module
from tests.conftest import COMMAND_TIMEOUT
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
    """A head that does no work and machines of one core each, as processes here.

    Parameters
    ----------
    environments
        For each machine, what its environment has beside that of this process.
    """

    def __init__(self, *environments: dict[str, str]) -> None:
        from ray.cluster_utils import Cluster

        self.cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
        self.nodes = [self.cluster.add_node(num_cpus=1, env_vars=more) for more in environments]

    def kill_one(self) -> None:
        """Kill a machine's manager with SIGKILL; its workers go with it."""
        node = self.nodes.pop()
        for process in self._processes(node):
            process.kill()
            process.wait()

    def shutdown(self) -> None:
        """End everything, and see it ended."""
        processes = [p for node in (self.cluster.head_node, *self.nodes) for p in self._processes(node)]
        self.cluster.shutdown()
        for process in processes:
            process.wait(timeout=COMMAND_TIMEOUT)

    @staticmethod
    def _processes(node: Any) -> list[subprocess.Popen[bytes]]:
        return [entry.process for entries in node.all_processes.values() for entry in entries]


Start = Callable[..., Machines]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts a cluster, which ends with the test."""
    pytest.importorskip("ray", reason="Ray is not installed: `make test-cluster` does, where it can be had")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    started: list[Machines] = []

    def begin(*environments: dict[str, str]) -> Machines:
        try:
            started.append(Machines(*environments))
        except (OSError, RuntimeError, ConnectionError) as error:
            pytest.skip(f"Ray does not start on this machine: {error}")
        monkeypatch.setenv("RAY_ADDRESS", started[-1].cluster.address)
        return started[-1]

    try:
        yield begin
    finally:
        for machines in started:
            machines.shutdown()


@pytest.fixture
def machines(start: Start) -> Machines:
    """Two machines that work."""
    return start({}, {})


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
    assert not list(tmp_path.rglob(".*.part"))


def deadly(marks: Path, deaths: int) -> Study:
    """The small study, whose runs of seed 3 kill their worker so many times each."""

    def metric(results: Results) -> float:
        if int(results.runs["seed"][0]) == 3:
            mark = marks / str(results.runs["goodput"][0])
            times = len(mark.read_text()) if mark.exists() else 0
            if times < deaths:
                mark.write_text("x" * (times + 1))
                os.kill(os.getpid(), signal.SIGKILL)
        return float(results.runs["goodput"][0])

    return replace(Study.from_dict(STUDY), metrics=(Metric("mine", "mine", "", metric),))


def test_runs_of_a_killed_process_are_made_again(machines: Machines, tmp_path: Path) -> None:
    study = deadly(tmp_path, deaths=2)
    reports: list[Progress] = []
    result = run_study(study, tmp_path / "out", executor="ray", progress=reports.append)
    assert (result.finished, result.expected, reports[-1].done) == (20, 20, 20)
    killed = [path.read_text() for path in tmp_path.iterdir() if path.is_file()]
    assert set(killed) == {"xx"}
    # The marks are there, so here it lives.
    run_study(study, tmp_path / "threads")
    assert content(tmp_path / "out") == content(tmp_path / "threads")
    assert len(machines.nodes) == 2


def test_a_run_that_always_kills_is_named(machines: Machines, tmp_path: Path) -> None:
    study = deadly(tmp_path, deaths=99)
    with pytest.raises(StudyError, match=r"seed=3\): 5 workers have died with it; try it alone with"):
        run_study(study, tmp_path / "out", executor="ray")
    # What the others have made is kept.
    assert StudyResult.load(tmp_path / "out").finished > 0
    assert len(machines.nodes) == 2


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
    with pytest.raises(StudyError, match=r"worker .*: has dumbbell .* with 9\.9\.9-here; install the same"):
        run_study(study, tmp_path / "out", executor="ray")
    monkeypatch.undo()
    result = run_study(study, tmp_path / "out")
    assert before == 10
    assert result.complete
    assert len(machines.nodes) == 2


def test_a_worker_with_a_package_too_different_is_refused(start: Start, tmp_path: Path) -> None:
    old = tmp_path / "old" / "dumbbell"
    old.mkdir(parents=True)
    (old / "__init__.py").write_text("")
    start({"PYTHONPATH": os.fspath(old.parent)})
    message = r"a worker has no dumbbell, or one too different .*No module named 'dumbbell\.study'\); install"
    with pytest.raises(StudyError, match=message):
        run_study(Study.from_dict(STUDY), tmp_path / "out", executor="ray")


def test_what_a_run_raises_ends_the_study(machines: Machines, tmp_path: Path) -> None:
    def fails(_results: object) -> float:
        raise IndexError("nothing there")

    broken = replace(Study.from_dict(STUDY), metrics=(Metric("mine", "mine", "", fails),))
    start = time.monotonic()
    with pytest.raises(StudyError, match="metric mine: IndexError: nothing there, in the run with"):
        run_study(broken, tmp_path / "out", executor="ray")
    assert time.monotonic() - start < COMMAND_TIMEOUT
    assert len(machines.nodes) == 2
