"""Maps: which arm is best, over an axis of a study and a quantity that is varied after the runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dumbbell import stats
from dumbbell.errors import UnknownNameError
from dumbbell.report.errors import FigureError
from dumbbell.report.spec import Value
from dumbbell.study.estimates import scored

if TYPE_CHECKING:
    from dumbbell.stats import Estimate
    from dumbbell.study import Arm, StudyResult

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MapSpec:
    """For each value of an axis and of a quantity: the arm with the highest score."""

    id: str
    """Short and unique in the report."""
    title: str
    x: str
    """Name of the axis of the study."""
    y_label: str
    """The quantity."""
    y_values: tuple[float, ...]
    """In rising order."""
    score: Callable[[Mapping[str, Floats], float], Floats]
    """From the metrics of an arm at a point, each of shape (seeds,), and a value of the quantity to scores of
    shape (seeds,): higher is better; all not-a-number rules the arm out."""
    score_label: str
    arms: tuple[str, ...]
    """Names of the arms to choose from; of equal ones the first is best."""
    unit: str = ""
    at: Mapping[str, Value] = field(default_factory=dict)
    """Values of the other axes, by name."""
    note: str = ""
    """A sentence under the map."""
    possible: tuple[float, float] = (-math.inf, math.inf)
    """The least and the largest score there can be."""


@dataclass(frozen=True)
class Cell:
    """The best arm at a point."""

    slot: int
    """Position of the arm in the study."""
    label: str
    """Of the arm."""
    score: Estimate
    sure: bool
    """Whether its score is above that of every other arm by more than chance: a paired 95 % interval."""


@dataclass(frozen=True)
class MapData:
    """What to draw."""

    spec: MapSpec
    x_label: str
    x_values: tuple[Value, ...]
    cells: tuple[tuple[Cell | None, ...], ...]
    """For each value of the quantity, one for each value of the axis; ``None`` where no arm has a score."""


def map_data(result: StudyResult, spec: MapSpec) -> MapData:
    """Return the cells of a map.

    Raises
    ------
    FigureError
        If the study has no such axis or arm, or the map leaves another axis open.
    """
    study = result.study
    try:
        axis, arms = study.axis(spec.x), [study.arm(name) for name in spec.arms]
        others = {entry.name: spec.at.get(entry.name) for entry in study.axes if entry is not axis}
    except UnknownNameError as error:
        raise FigureError(f"map {spec.id!r}: {error}") from None
    open_axes = [name for name, value in others.items() if value is None]
    if open_axes:
        raise FigureError(f"map {spec.id!r}: axis {open_axes[0]!r} is open; give its value in `at`")
    columns = [
        {arm.name: _metrics(result, arm, {**others, axis.name: value}) for arm in arms}
        for value in axis.values
    ]
    cells = [tuple(_best(result, spec, arms, metrics, y) for metrics in columns) for y in spec.y_values]
    x_label = f"{axis.label} ({axis.unit})" if axis.unit else axis.label
    return MapData(spec, x_label, tuple(axis.values), tuple(cells))


def _metrics(result: StudyResult, arm: Arm, point: Mapping[str, Value | None]) -> dict[str, Floats]:
    return {m.name: result.values(m.name, arm.name, **point)[1] for m in result.study.metrics}


def _best(
    result: StudyResult, spec: MapSpec, arms: list[Arm], metrics: Mapping[str, Mapping[str, Floats]], y: float
) -> Cell | None:
    scores = {arm.name: spec.score(metrics[arm.name], y) for arm in arms}
    means = {name: float(np.mean(values)) for name, values in scores.items() if values.size}
    there = [arm for arm in arms if math.isfinite(means.get(arm.name, math.nan))]
    if not there:
        return None
    best = max(there, key=lambda arm: means[arm.name])
    sure = all(_above(scores[best.name], scores[other.name]) for other in there if other.name != best.name)
    slot = list(result.study.arms).index(best)
    score = scored(scores[best.name], spec.possible)(stats.CONFIDENCE)
    return Cell(slot, best.label, score, sure)


def _above(a: Floats, b: Floats) -> bool:
    if a.shape != b.shape:
        return False
    low = stats.paired_difference(a, b).low
    return low is not None and low > 0
