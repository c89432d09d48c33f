"""The optimum for arrivals known in advance, to compare with: optimal rates and the longest sleep.

The bounds hold for the packets that arrived in the same run and the longest delay of one of them. Nothing is
lost, and the last flows end before the run does, so that each controller has met that delay for all of them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from dumbbell import energy, theory
from dumbbell.study import AT_LEAST_ZERO, Metric

if TYPE_CHECKING:
    from dumbbell import Results

_LINK = "left->right"
_TOP = 1e7
_LEVELS = np.arange(1, 11) * 1e6


def _of_link(results: Results, column: str) -> float:
    return float(results.links[column][results.links.where("link", _LINK)][0])


def _schedule_energy(results: Results, discrete: bool) -> float:
    """Energy of the optimal schedule (DVS, no static power), s at full power; not-a-number after losses."""
    arrivals = results.arrivals
    if _of_link(results, "dropped") or not len(arrivals):
        return math.nan
    # A nanosecond for the rounding of times.
    delay = _of_link(results, "sojourn_max") + 1e-9
    best = theory.optimal_rates(arrivals["time"], arrivals["size"], delay)

    def power(rates: Any) -> Any:
        x = rates / _TOP
        return np.where(x >= 0.5, x**3, x / 4)

    horizon = max(float(results.runs["duration"][0]), best.times[-1])
    return best.energy(theory.time_shared(_LEVELS, power(_LEVELS)) if discrete else power, horizon)


def _over_optimum(results: Results) -> float:
    return energy(results, model={"scaling": "dvs"}, link=_LINK) / _schedule_energy(results, False)


def _over_levels(results: Results) -> float:
    return energy(results, model={"scaling": "dvs"}, link=_LINK) / _schedule_energy(results, True)


def _possible(results: Results) -> float:
    return 100 * (1 - _schedule_energy(results, True) / float(results.runs["duration"][0]))


def _of_longest_sleep(results: Results) -> float:
    arrivals, states = results.arrivals, results.states
    if _of_link(results, "dropped") or not len(arrivals):
        return math.nan
    asleep = float(states["time"][states["state"] == "sleep"].sum())
    horizon = float(results.runs["duration"][0])
    delay = _of_link(results, "sojourn_max") + 1e-9
    return 100 * asleep / theory.longest_sleep(arrivals["time"], arrivals["size"], _TOP, delay, 1e-3, horizon)


METRICS = (
    Metric(
        "over-optimum",
        "energy over that of the optimal schedule (DVS)",
        "",
        _over_optimum,
        "lower",
        possible=AT_LEAST_ZERO,
    ),
    Metric(
        "over-levels",
        "energy over that of the optimum with ten rates (DVS)",
        "",
        _over_levels,
        "lower",
        possible=AT_LEAST_ZERO,
    ),
    Metric(
        "possible", "saving that the optimum with ten rates makes (DVS)", "%", _possible, possible=(0, 100)
    ),
    Metric(
        "of-longest-sleep",
        "time asleep, of the most that is possible",
        "%",
        _of_longest_sleep,
        "higher",
        # That it is 100 at most is what the claims test.
        possible=AT_LEAST_ZERO,
    ),
)
"""Of the study ``offline``."""
