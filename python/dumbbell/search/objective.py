"""How far a reading is from what was published."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from dumbbell.claims import Verdict, judge
from dumbbell.search.spec import AXIS, Search, SearchError, Statistic, Target
from dumbbell.study import Arm, StudyResult, derive
from dumbbell.study.spec import AxisValue

MOST = 5.0
"""The largest cost of a target. choice: what is off by the fifth power of its factor is simply wrong."""

_COSTS: dict[Verdict, float] = {"reproduced": 0.0, "inconclusive": 1.0, "not reproduced": 2.0}
"""Of a claim. choice: what is not reproduced costs as much as a target missed by its factor squared."""


def _zeros(values: NDArray[np.float64]) -> float:
    return float(np.mean(values == 0))


_STATISTICS: dict[Statistic, Callable[[NDArray[np.float64]], float]] = {
    "median": lambda values: float(np.median(values)),
    "mean": lambda values: float(np.mean(values)),
    "sum": lambda values: float(np.sum(values)),
    "low": lambda values: float(np.quantile(values, 0.05)),
    "high": lambda values: float(np.quantile(values, 0.95)),
    "zeros": _zeros,
}


@dataclass(frozen=True)
class Cost:
    """What a reading made of the targets and of the claims."""

    total: float
    """The objective: the weighted mean cost. 1 is that of targets missed by exactly their factor."""
    made: tuple[float, ...]
    """What the runs gave, target by target; not-a-number where they gave nothing."""
    verdicts: tuple[Verdict, ...]
    """On each claim."""

    def within(self, targets: Sequence[Target]) -> int:
        """How many targets were made within their factors."""
        pairs = zip(targets, self.made, strict=True)
        return sum(of_target(target, made) <= 1 for target, made in pairs)

    @property
    def reproduced(self) -> int:
        """How many claims hold."""
        return self.verdicts.count("reproduced")


def of_target(target: Target, made: float) -> float:
    """Return the cost of a number: its distance from the published one on a logarithmic scale.

    1 at the factor `within`, 2 at its square, at most :data:`MOST`.
    """
    if not made > 0:
        return MOST
    return min(abs(math.log(made / target.value)) / math.log(target.within), MOST)


def cost(search: Search, result: StudyResult) -> Cost:
    """Return what a reading costs.

    Parameters
    ----------
    search
        Its targets and claims.
    result
        The runs of the reading.
    """
    result = derive(result, search.derived)
    made = tuple(_made(target, result) for target in search.targets)
    verdicts = tuple(judgement.verdict for _, judgement in judge(search.claims, result))
    terms = [
        (target.weight, of_target(target, value)) for target, value in zip(search.targets, made, strict=True)
    ]
    terms += [(search.claim_weight, _COSTS[verdict]) for verdict in verdicts]
    weight = sum(weight for weight, _ in terms)
    if not weight:
        raise SearchError("all weights are 0; give one above 0")
    return Cost(sum(weight * entry for weight, entry in terms) / weight, made, verdicts)


def _made(target: Target, result: StudyResult) -> float:
    statistic = _STATISTICS[target.statistic]

    def of(arm: str) -> float:
        _, values = result.values(target.metric, arm, **target.at)
        values = values[np.isfinite(values)]
        return statistic(values) if values.size else math.nan

    made = of(target.arm)
    if not target.over:
        return made
    below = of(target.over)
    return made / below if below else math.nan


def of_reading(search: Search, result: StudyResult, index: int, settings: tuple[str, ...]) -> StudyResult:
    """Return the runs of one reading, as those of a study without the axis of readings."""
    table: Any = result.table
    rows = table.filter(pc.equal(table[AXIS], index)).drop_columns([AXIS])
    arms = tuple(Arm(arm.name, arm.label, (*settings, *arm.settings)) for arm in search.study.arms)
    study = replace(search.study, arms=arms, seeds=result.study.seeds)
    return replace(result, study=study, table=rows, expected=rows.num_rows)


def value_text(value: AxisValue) -> str:
    """Return a value as reports show it."""
    return f"{value:g}" if isinstance(value, float) else str(value)
