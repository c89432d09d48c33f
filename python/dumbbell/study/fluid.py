"""The control of a study: what a fluid network makes of the arrivals of a run.

The plan of a run tells its arrivals. If a fluid serves them, with max-min fair rates at every moment, their
mean completion time and the longest go up and down with the mean of the run: a large flow, or a burst of
them, is in all. How much the mean grows where all rates are a tenth lower is what a little rate is worth to
these arrivals, and of two transports one has a little more. A fluid takes a small part of the time of a run,
so the means of all three over many further seeds can be had, and :func:`dumbbell.stats.controlled` takes the
luck of the arrivals out of the mean over the runs.

Plans whose arrivals depend on what has ended have no fluid, nor have metrics other than the mean completion
time of flows: see :meth:`Fluid.why_not`.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dumbbell._system import usable_cores
from dumbbell.errors import DumbbellError
from dumbbell.stats import FEWEST, FURTHER
from dumbbell.study.plans import Plans
from dumbbell.study.spec import Metric, Point
from dumbbell.study.stop import Controls

if TYPE_CHECKING:
    from dumbbell._scenario import Scenario
    from dumbbell.study.plan import Study

Floats = NDArray[np.float64]

_FIRST = 1 << 62
"""The first of the further seeds: nobody takes such a seed for a study."""

SLOWER = 0.9
"""Part of the rates for the third control (choice: transports differ by some per cent of a link)."""

_PIECE = 8
"""Seeds that a thread takes at a time."""

_MOST_KNOWN = 1024
"""Controls that a process keeps: a stop rule, the tables and the report of a study ask for the same."""


@dataclass(eq=False)
class Control:
    """The control of a metric in the arms and points that meet the same arrivals in the same network."""

    scenario: Scenario
    group: str | None
    _known: dict[int, tuple[float, float, float]] = field(default_factory=dict)

    def of(self, seeds: Iterable[int]) -> Floats:
        """Return three numbers of each of some seeds, shape (seeds, 3), in s.

        They are the mean time, the longest, and the mean at nine tenths of the rates; not-a-number if no flow
        ended.
        """
        wanted = list(seeds)
        missing = [seed for seed in wanted if seed not in self._known]
        pieces = [missing[start : start + _PIECE] for start in range(0, len(missing), _PIECE)]
        if pieces:
            with ThreadPoolExecutor(usable_cores()) as pool:
                for piece, rows in zip(pieces, pool.map(self._rows, pieces), strict=True):
                    self._known.update(zip(piece, rows, strict=True))
        return np.array([self._known[seed] for seed in wanted]).reshape(-1, 3)

    def further(self, runs: int) -> Floats:
        """Return the same under so many further seeds as so many runs need, shape (20 x runs, 3)."""
        return self.of(range(_FIRST, _FIRST + FURTHER * runs))

    def _rows(self, seeds: Sequence[int]) -> list[tuple[float, float, float]]:
        both = zip(*(self.scenario.fluid(seeds, self.group, share) for share in (1.0, SLOWER)), strict=True)
        return [
            (float(times.mean()), float(times.max()), float(slow.mean()))
            if times.size and slow.size
            else (np.nan, np.nan, np.nan)
            for times, slow in both
        ]


class Fluid:
    """The controls of a study.

    Parameters
    ----------
    study
        Whose.
    plans
        Of the study.
    """

    def __init__(self, study: Study, plans: Plans) -> None:
        self._study = study
        self._plans = plans
        self._found: dict[tuple[tuple[str, ...], str | None], Control | str] = {}

    def of(self, metric: Metric, arm: str, point: Point) -> Control | None:
        """Return the control of a metric in an arm at a point; ``None`` if it has none."""
        found = self._look(metric, arm, point)
        return None if isinstance(found, str) else found

    def why_not(self, metric: Metric, arm: str, point: Point) -> str | None:
        """Return why a metric has no control in an arm at a point; ``None`` if it has one."""
        found = self._look(metric, arm, point)
        return found if isinstance(found, str) else None

    def _look(self, metric: Metric, arm: str, point: Point) -> Control | str:
        group, reason = _flows_of(metric)
        if reason is not None:
            return reason
        key = (self._plans.settings(arm, point), group)
        if key not in self._found:
            self._found[key] = self._make(*key)
        return self._found[key]

    def _make(self, settings: tuple[str, ...], group: str | None) -> Control | str:
        try:
            control = Control(self._study.plan(settings), group)
            two = control.scenario.fluid((_FIRST, _FIRST + 1), group)
        except (DumbbellError, OSError) as error:
            return str(error)
        if not any(times.size for times in two):
            return "no flow of known size ends in the fluid network"
        # Arms differ in what a fluid does not have: they share a control, and what it costs.
        same = hashlib.sha256(b"".join(times.tobytes() for times in two)).digest()
        with _lock:
            while len(_known) >= _MOST_KNOWN:
                _known.pop(next(iter(_known)))
            return _known.setdefault(same, control)


_known: dict[bytes, Control] = {}
_lock = threading.Lock()


def _flows_of(metric: Metric) -> tuple[str | None, str | None]:
    """Return the group of flows whose mean completion time a metric is, and why it is not such a mean."""
    source = metric.source
    if callable(source) or "function" in source:
        return None, "the metric is a function"
    if source.get("table") == "runs" and source.get("column") == "fct_mean":
        return None, None
    times = source.get("column") in ("completion_time", "sender_completion_time")
    if source.get("table") != "flows" or not times or source.get("statistic", "mean") != "mean":
        return None, "the metric is not the mean completion time of flows"
    if not source.get("counted", True):
        return None, "the metric counts flows of the warm-up"
    return source.get("group"), None


def controls_of(study: Study) -> Controls | None:
    """Return the controls of the metric of a study's stop rule; ``None`` if there is none to look at."""
    stop = study.stop
    if stop is None or not study.controlled:
        return None
    fluid, metric, points = Fluid(study, Plans(study)), study.metric(stop.metric), study.points()

    def controls(point: int, arms: tuple[int, ...], length: int) -> tuple[Floats, Floats] | None:
        places = [(study.arms[arm].name, points[point]) for arm in arms]
        return control_of(fluid, metric, places, study.seeds[:length])

    return controls


def control_of(
    fluid: Fluid, metric: Metric, places: Sequence[tuple[str, Point]], seeds: Sequence[int]
) -> tuple[Floats, Floats] | None:
    """Return the controls of a mean, or of the mean of paired differences, under some seeds.

    Parameters
    ----------
    fluid
        The controls of the study.
    metric
        Of which means are estimated.
    places
        The arm and the point; of a difference, both.
    seeds
        Of the runs, in order.

    Returns
    -------
    tuple
        The controls of each run, shape (seeds, 3), and of further seeds, shape (20 x seeds, 3); ``None`` if
        there are none.
    """
    if len(seeds) < FEWEST:
        return None
    controls = [fluid.of(metric, arm, point) for arm, point in places]
    first, last = controls[0], controls[-1]
    if first is None or last is None:
        return None
    if first is last:
        return first.of(seeds), first.further(len(seeds))
    return (
        first.of(seeds) - last.of(seeds),
        first.further(len(seeds)) - last.further(len(seeds)),
    )
