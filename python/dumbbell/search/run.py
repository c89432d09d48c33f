"""The search: a Sobol sequence, the best at more seeds, CMA-ES from there, fresh seeds for the winners."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dumbbell._extras import require
from dumbbell.search.objective import MOST, Cost, cost, of_reading
from dumbbell.search.optimise import POPULATION, Floats, improve, sobol
from dumbbell.search.spec import AXIS, Search, SearchError
from dumbbell.study import Axis, Progress, Study, StudyError, StudyResult, run_study
from dumbbell.study.plan import StudyPlan
from dumbbell.study.spec import AxisValue

Stage: TypeAlias = Literal["sobol", "best", "local", "fresh"]
"""Of a search, in order."""


@dataclass(frozen=True)
class Tried:
    """A reading and what became of it."""

    stage: Stage
    """Of the search: `sobol`, `best` (the best of these with all seeds), `local` or `fresh`."""
    number: int
    """Counts readings in the order in which they were tried."""
    values: tuple[AxisValue, ...]
    """Of each factor."""
    settings: tuple[str, ...]
    """What it changes in the scenario."""
    seeds: int
    """How many it was run with."""
    cost: Cost
    """What its runs made of the targets and the claims."""


@dataclass(frozen=True)
class SearchResult:
    """All readings that were tried, and the best at seeds that the search did not see."""

    search: Search
    """The search that was run."""
    tried: tuple[Tried, ...]
    """In the order in which they were tried; one that got more seeds stands there twice."""
    refused: int
    """Readings that make no valid scenario."""
    fresh: tuple[Tried, ...]
    """The best at fresh seeds, in the order of what the search thought of them."""

    @property
    def readings(self) -> int:
        """How many different readings were tried."""
        return len({tried.settings for tried in self.tried})

    @property
    def winner(self) -> Tried:
        """The best at fresh seeds."""
        return min(self.fresh, key=lambda tried: tried.cost.total)

    @property
    def verdict(self) -> str:
        """What may be said of the winner, in a sentence."""
        search, best = self.search, self.winner.cost
        made = (
            f"{best.within(search.targets)} of {len(search.targets)} published numbers within their factors"
        )
        claims = f"{best.reproduced} of {len(search.claims)} claims reproduced"
        parts = [*([made] if search.targets else []), *([claims] if search.claims else [])]
        return (
            f"fit: the best of {self.readings} readings makes {' and '.join(parts)} "
            f"at {len(search.fresh)} fresh seeds"
        )

    def shares(self) -> dict[str, float]:
        """Return how much of the objective's variance over the Sobol sequence each factor explains alone.

        The largest first. Each factor is cut into equal parts; the share is that of the variance between
        them, less what chance alone would explain (epsilon squared). It may be 0, and shares need not add up.
        """
        first = [tried for tried in self.tried if tried.stage == "sobol"]
        costs = np.array([tried.cost.total for tried in first])
        found = {}
        for index, factor in enumerate(self.search.factors):
            parts = _parts([tried.values[index] for tried in first], bool(factor.values))
            found[factor.name] = _explained(parts, costs)
        return dict(sorted(found.items(), key=lambda entry: -entry[1]))


def _parts(values: Sequence[AxisValue], named: bool) -> NDArray[np.int64]:
    """Return the part of a factor's range to which each value belongs."""
    if named:
        return np.unique([str(value) for value in values], return_inverse=True)[1].astype(np.int64)
    numbers = np.array(values, dtype=np.float64)
    count = max(2, min(6, len(numbers) // 8))
    edges = np.quantile(numbers, np.linspace(0, 1, count + 1)[1:-1])
    return np.searchsorted(edges, numbers, side="right").astype(np.int64)


def _explained(parts: NDArray[np.int64], costs: Floats) -> float:
    """Return the share of the variance that lies between parts (epsilon squared)."""
    total = float(((costs - costs.mean()) ** 2).sum())
    groups = [costs[parts == part] for part in np.unique(parts)]
    within = sum(float(((group - group.mean()) ** 2).sum()) for group in groups)
    freedom = len(costs) - len(groups)
    if not total or freedom < 1:
        return 0.0
    return max(0.0, 1 - within / freedom / (total / (len(costs) - 1)))


def run_search(
    search: Search,
    folder: str | os.PathLike[str],
    *,
    executor: str = "threads",
    workers: int | None = None,
    memory: int | None = None,
    progress: Callable[[Progress], object] = lambda _: None,
    stage: Callable[[str, int, int], object] = lambda _what, _done, _total: None,
) -> SearchResult:
    """Search for the reading that makes what was published.

    Can be killed at any moment; finished runs are kept, and the same call goes on where it was.

    Parameters
    ----------
    search
        What to vary, and what to aim at.
    folder
        Where runs are kept; made if need be.
    executor, workers, memory, progress
        As in :func:`dumbbell.study.run_study`.
    stage
        Called before each part of the search: what it is, how many readings were tried, and of how many.

    Raises
    ------
    SearchError
        If no reading makes a valid scenario, or all come to the same.
    StudyError, FolderError
        As :func:`dumbbell.study.run_study`.
    MissingExtraError
        If scipy or cmaes is not installed.
    """
    for package in ("scipy", "cmaes"):
        require(package)

    def run(study: Study) -> StudyResult:
        return run_study(study, folder, executor=executor, workers=workers, memory=memory, progress=progress)

    return _Searching(search, run, stage).whole()


class _Searching:
    """A search in progress."""

    def __init__(
        self, search: Search, run: Callable[[Study], StudyResult], stage: Callable[[str, int, int], object]
    ) -> None:
        self._search, self._run, self._stage = search, run, stage
        self._tried: list[Tried] = []
        self._refused: dict[tuple[str, ...], str] = {}
        self._total = search.readings + search.local + search.best

    def whole(self) -> SearchResult:
        """Search."""
        search = self._search
        places = sobol(len(search.factors), search.readings, search.seed)
        first = self._try("sobol", places, search.seeds[: search.first])
        if search.targets and all(np.isnan(tried.cost.made).all() for tried in first):
            raise SearchError("no run gave a number for any target; check metrics and arms")
        costs = {tried.cost.total for tried in first}
        if len(costs) == 1 and len(first) > 1:
            (same,) = costs
            remedy = (
                "each misses each number by the most that counts; widen the ranges of factors, or `within`"
                if same == MOST
                else "no factor acts on what is aimed at; vary another one, or aim at other numbers"
            )
            raise SearchError(f"the objective is {same:g} for all {len(first)} readings: {remedy}")
        kept = sorted(first, key=lambda tried: tried.cost.total)[: max(1, round(search.keep * len(first)))]
        best = self._again("best", kept, search.seeds) if search.first < len(search.seeds) else kept
        self._local(min(best, key=lambda tried: tried.cost.total))
        full = [tried for tried in self._tried if tried.seeds == len(search.seeds)]
        ranked = list({tried.settings: tried for tried in sorted(full, key=lambda t: t.cost.total)}.values())
        fresh = self._again("fresh", ranked[: search.best], search.fresh)
        tried = tuple(entry for entry in self._tried if entry.stage != "fresh")
        return SearchResult(search, tried, len(self._refused), tuple(fresh))

    def _local(self, best: Tried) -> None:
        """Improve on a reading."""
        search = self._search
        centre = np.array([f.place(v) for f, v in zip(search.factors, best.values, strict=True)])

        def costs_of(places: Floats) -> list[float]:
            costs = {tried.settings: tried.cost.total for tried in self._try("local", places, search.seeds)}
            worst = max(costs.values(), default=0.0)
            return [costs.get(self._reading(place)[1], worst) for place in places]

        improve(search.factors, centre, search.local // POPULATION, search.seed, costs_of)

    def _reading(self, place: Floats) -> tuple[tuple[AxisValue, ...], tuple[str, ...]]:
        factors = self._search.factors
        values = tuple(factor.value(float(u)) for factor, u in zip(factors, place, strict=True))
        return values, self._search.settings(values)

    def _try(self, stage: Stage, places: Floats, seeds: tuple[int, ...]) -> list[Tried]:
        """Try readings at places in the unit cube; those that make no scenario are left out."""
        readings = list(dict.fromkeys(self._reading(place) for place in places))
        valid = [reading for reading in readings if self._is_valid(reading[1])]
        if not valid:
            why = self._refused[readings[0][1]]
            raise SearchError(f"none of {len(readings)} readings makes a valid scenario: {why}")
        return self._evaluate(stage, valid, seeds)

    def _again(self, stage: Stage, tried: Sequence[Tried], seeds: tuple[int, ...]) -> list[Tried]:
        """Try readings once more with other seeds."""
        return self._evaluate(stage, [(entry.values, entry.settings) for entry in tried], seeds)

    def _is_valid(self, settings: tuple[str, ...]) -> bool:
        if settings in self._refused:
            return False
        try:
            StudyPlan(self._study([settings], self._search.seeds[:1]))
        except StudyError as error:
            self._refused[settings] = error.problems[0]
            return False
        return True

    def _study(self, settings: Sequence[tuple[str, ...]], seeds: tuple[int, ...]) -> Study:
        """Return the study of some readings: one more axis, which stands first."""
        study = self._search.study
        axis = Axis(AXIS, "reading", "", tuple(range(len(settings))), tuple(settings))
        return replace(study, name=self._search.name, axes=(axis, *study.axes), seeds=seeds)

    def _evaluate(
        self,
        stage: Stage,
        readings: Sequence[tuple[tuple[AxisValue, ...], tuple[str, ...]]],
        seeds: tuple[int, ...],
    ) -> list[Tried]:
        done = len({tried.settings for tried in self._tried})
        self._stage(f"readings tried; now {stage}", done, self._total)
        result = self._run(self._study([settings for _, settings in readings], seeds))
        found = []
        for index, (values, settings) in enumerate(readings):
            there = cost(self._search, of_reading(self._search, result, index, settings))
            found.append(Tried(stage, len(self._tried) + index, values, settings, len(seeds), there))
        self._tried += found
        return found
