"""The stop rule: when a point has enough seeds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dumbbell.study.spec import StopRule


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
    """

    def __init__(self, rule: StopRule | None, points: int, arms: int, seeds: int) -> None:
        self._rule = rule
        self._shape = (seeds, points, arms)
        self._length = np.full(points, seeds, np.int64)
        if rule is not None:
            self._values = np.full(self._shape, np.nan)
            self._there = np.zeros(self._shape, np.bool_)
            self._judged = np.full(points, rule.minimum - 1, np.int64)
            self._ended = np.zeros(points, np.bool_)

    def add(self, number: int, value: float) -> None:
        """Take note of a finished run: its number, and what the metric of the rule was."""
        if self._rule is None:
            return
        place = np.unravel_index(number, self._shape)
        self._values[place], self._there[place] = value, True
        self._judge(int(place[1]), self._rule)

    def needed(self, number: int) -> bool:
        """Whether the result contains the run of that number, as far as is known now."""
        seed, cell = divmod(number, self._shape[1] * self._shape[2])
        return bool(seed < self._length[cell // self._shape[2]])

    def mask(self) -> NDArray[np.bool_]:
        """Return :meth:`needed` for every run."""
        seeds, points, arms = self._shape
        wanted = np.arange(seeds)[:, None, None] < self._length[None, :, None]
        return np.broadcast_to(wanted, (seeds, points, arms)).reshape(-1)

    @property
    def expected(self) -> int:
        """How many runs the result contains, as far as is known now."""
        return int(self._length.sum()) * self._shape[2]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many seeds count, of each point."""
        return self._length

    def _judge(self, point: int, rule: StopRule) -> None:
        if self._ended[point]:
            return
        there: NDArray[np.bool_] = np.asarray(self._there[:, point].all(axis=1))
        prefix = len(there) if there.all() else int(there.argmin())
        for length in range(int(self._judged[point]) + 1, prefix + 1):
            self._judged[point] = length
            if _narrow(self._values[:length, point], rule):
                self._length[point], self._ended[point] = length, True
                return


def _narrow(values: NDArray[np.float64], rule: StopRule) -> bool:
    """Whether the mean is known well enough in every arm; values of shape (seeds, arms)."""
    # Takes a tenth of a second to load, and few studies stop early.
    from scipy.special import stdtrit

    count = len(values)
    quantile = stdtrit(count - 1, 0.5 + rule.confidence / 2)
    half_width = quantile * values.std(axis=0, ddof=1) / np.sqrt(count)
    bound = rule.half_width * (np.abs(values.mean(axis=0)) if rule.relative else 1.0)
    return bool(np.all(half_width <= bound))
