"""What the tournament measures of a controller over a queue and a link."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dumbbell.stats import CONFIDENCE, Estimate
from dumbbell.study import AT_LEAST_ZERO, StudyResult
from dumbbell.study.estimates import scored

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Place:
    """A link with a queue."""

    link: str
    queue: str


@dataclass(frozen=True)
class Measure:
    """A number of each controller at each place."""

    name: str
    title: str
    unit: str
    values: Callable[[StudyResult, str, Place], Floats]
    """Of an arm at a place, by seed: shape (runs,)."""
    text: str
    better: str
    """``high`` or ``low``."""
    possible: tuple[float, float]
    """The least and the largest value there can be."""

    def estimate(self, result: StudyResult, arm: str, place: Place) -> Estimate:
        """Return the mean over seeds with its interval."""
        return scored(self.values(result, arm, place), self.possible)(CONFIDENCE)


def _of(metric: str, against: str) -> Callable[[StudyResult, str, Place], Floats]:
    def values(result: StudyResult, arm: str, place: Place) -> Floats:
        return result.values(metric, arm, queue=place.queue, link=place.link, against=against)[1]

    return values


def harm(result: StudyResult, arm: str, place: Place) -> Floats:
    """Return how much less CUBIC gets beside the arm than alone, in percent: Ware et al. 2019, section 4."""
    alone = _of("own", "nobody")(result, "cubic", place)
    beside = _of("other", "cubic")(result, arm, place)
    # Runs alone may all be one run, so that seeds do not pair.
    solo = alone.mean() if alone.size else np.nan
    return np.asarray(100 * (1 - beside / solo), np.float64)


MEASURES = (
    Measure(
        "utilisation", "Utilisation of the link by one flow alone", "%", _of("utilisation", "nobody"),
        "how much of the link one flow uses", "high", (0, 100),
    ),
    Measure(
        "wait", "Mean time in the queue and in transmission, one flow alone", "ms", _of("wait", "nobody"),
        "how long its packets wait in the queue and are sent", "low", AT_LEAST_ZERO,
    ),
    Measure(
        "fairness", "Jain's index of two flows of the controller", "", _of("fairness", "itself"),
        "how evenly two flows of it share: 1 is equal, 0.5 is all for one", "high", (0.5, 1),
    ),
    Measure(
        "harm", "Harm to CUBIC: how much less it gets beside the controller than alone", "%", harm,
        "how much of its goodput CUBIC loses; an equal share is a half, the row cubic is CUBIC itself", "low",
        (-math.inf, 100),
    ),
)  # fmt: skip
