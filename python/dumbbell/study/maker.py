"""Makes runs of a study, wherever that is: on a thread here, or on a worker of a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dumbbell import _native
from dumbbell._progress import Progress as Watch
from dumbbell._results import Results
from dumbbell._run import MemoryLimitError
from dumbbell._scenario import Scenario, run_seeds
from dumbbell.study.errors import StudyError
from dumbbell.study.metric import evaluate, in_python
from dumbbell.study.plan import Study, digests, run_id
from dumbbell.study.spec import Metric, RunSpec

PERIOD = 0.5
"""Seconds between two reports of progress."""


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
    version
        That of the plan which gave the runs their ids. With it, a scenario that is planned when its run comes
        must still be the one of the id: a file that it names, such as a law, may have changed.
    """

    def __init__(
        self,
        study: Study,
        planned: Mapping[tuple[str, ...], Scenario] | None = None,
        memory: int | None = None,
        version: str | None = None,
    ) -> None:
        self._study = study
        self._planned = planned or {}
        self._memory = memory
        self._digest = None if version is None else digests(study, version)
        self._in_python = [(i, m) for i, m in enumerate(study.metrics) if in_python(m)]
        left = {index for index, _ in self._in_python}
        sources: list[Any] = [None if i in left else m.source for i, m in enumerate(study.metrics)]
        self._metrics = _native.Metrics(sources, bool(left) or study.by_size is not None)

    def __call__(self, run: RunSpec) -> list[float]:
        """Make a run and return its numbers, in the order of the study's columns."""
        made, failure = self.several([run])
        if failure is not None:
            raise failure
        return made[0]

    def several(
        self, runs: Sequence[RunSpec], watch: Watch | None = None
    ) -> tuple[list[list[float]], BaseException | None]:
        """Make runs one after the other.

        Returns the numbers of those that have ended, in the order of the study's columns, and what kept the
        next from it, if anything has.
        """
        scenarios = [(self._scenario(run), run.seed) for run in runs]
        ended, failure = run_seeds(scenarios, watch, self._memory, self._metrics)
        if isinstance(failure, MemoryLimitError):
            settings = ", ".join(runs[len(ended)].settings)
            failure = StudyError(f"the run with {settings}: {failure}; finished runs are kept")
        made: list[list[float]] = []
        for run, (numbers, results) in zip(runs, ended, strict=False):
            try:
                made.append(numbers if results is None else self._completed(numbers, results, run))
            except StudyError as error:
                return made, error
        return made, failure

    def _completed(self, numbers: list[float], results: Results, run: RunSpec) -> list[float]:
        """Evaluate what is left to Python."""
        for index, metric in self._in_python:
            numbers[index] = self._evaluate(metric, results, run)
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
        if planned is not None:
            return planned
        # As the study planned it: another seed comes with the run.
        planned = self._study.plan([*settings, "seed=0"])
        if self._digest is not None and run_id(self._digest(planned), run.seed) != run.id:
            raise StudyError(
                f"the run with {', '.join(run.settings)}: a file of its scenario changed while the study "
                "ran; finished runs are kept: start the study again"
            )
        return planned
