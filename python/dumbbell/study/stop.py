"""The stop rule: when a point has enough seeds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dumbbell import stats
from dumbbell.study.spec import StopRule

Floats: TypeAlias = NDArray[np.float64]

Controls: TypeAlias = Callable[[int, tuple[int, ...], int], "tuple[Floats, Floats] | None"]
"""The controls of a point (its number) in an arm, or of a difference, over so many of the first seeds:
see :func:`dumbbell.study.fluid.control_of`."""

_STEP = 1.05
"""A stage is at least this much longer than the one before (choice: to look seldom costs few seeds)."""


class StopTracker:
    """Decides, point by point, how many seeds count.

    A decision looks at a completed prefix of the list of seeds in all arms, and at nothing else: whatever
    order runs end in, and whatever runs beyond the prefix are there, it comes out the same.

    Parameters
    ----------
    rule
        The rule, or ``None``: all seeds count everywhere.
    points, arms, seeds
        How many there are. A run's number is (seed x points + point) x arms + arm.
    controls
        Of the metric of the rule; ``None``: it has none.
    """

    def __init__(
        self, rule: StopRule | None, points: int, arms: int, seeds: int, controls: Controls | None = None
    ) -> None:
        self._rule = rule
        self._shape = (seeds, points, arms)
        self._length = np.full(points, seeds, np.int64)
        self._controls = controls
        if rule is not None:
            self._values = np.full(self._shape, np.nan)
            self._there = np.zeros(self._shape, np.bool_)
            self._length = np.full(points, min(rule.minimum, seeds), np.int64)
            self._ended = np.zeros(points, np.bool_)

    def add(self, number: int, value: float) -> None:
        """Take note of a finished run: its number, and what the metric of the rule was."""
        if self._rule is None:
            return
        place = np.unravel_index(number, self._shape)
        self._values[place], self._there[place] = value, True
        self._judge(int(place[1]), self._rule)

    def mask(self) -> NDArray[np.bool_]:
        """Return for every run whether the result contains it, as far as is known now."""
        seeds, points, arms = self._shape
        wanted = np.arange(seeds)[:, None, None] < self._length[None, :, None]
        return np.broadcast_to(wanted, (seeds, points, arms)).reshape(-1)

    @property
    def expected(self) -> int:
        """How many runs the result contains, as far as is known now."""
        return int(self._length.sum()) * self._shape[2]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many seeds count, of each point, as far as is known now."""
        return self._length

    def _judge(self, point: int, rule: StopRule) -> None:
        """Go on from stage to stage, as far as runs are there."""
        while not self._ended[point]:
            length = int(self._length[point])
            if not self._there[:length, point].all():
                return
            needed = self._needed(point, length, rule)
            self._ended[point] = needed <= length or length == self._shape[0]
            self._length[point] = max(length, min(needed, self._shape[0]))

    def _needed(self, point: int, length: int, rule: StopRule) -> int:
        """Return how many seeds it takes, as far as so many tell: no more than those where they do."""
        values = self._values[:length, point]
        found = length
        for arms in contrasts(rule, self._shape[2]):
            x = values[:, arms[0]] - (values[:, arms[1]] if len(arms) > 1 else 0)
            control = None if self._controls is None else self._controls(point, arms, length)
            if control is None:
                half_width = stats.mean(x, rule.confidence).half_width
            else:
                half_width = stats.controlled(x, *control, rule.confidence).half_width
            if half_width is None:
                return math.ceil(length * _STEP)
            of = values[:, arms[-1]]
            bound = rule.half_width * (abs(float(of[~np.isnan(of)].mean())) if rule.relative else 1.0)
            if half_width > bound:
                needed = length * max((half_width / bound) ** 2, _STEP) if bound else math.inf
                found = max(found, math.ceil(min(needed, self._shape[0])))
        return found


def contrasts(rule: StopRule, arms: int) -> list[tuple[int, ...]]:
    """Return what a rule looks at, by numbers of arms: single ones, or pairs with the first arm last."""
    if rule.of == "differences":
        return [(arm, 0) for arm in range(1, arms)]
    return [(arm,) for arm in range(arms)]
