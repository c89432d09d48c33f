"""Where no mean over runs can be relied on: sizes with heavy tails.

The sizes of flows may have a tail so heavy that their variance is infinite. A mean over runs then hangs on
the few largest flows that the seeds happen to draw, and Student's t interval holds the true mean in half of
the cases instead of 95 %, with nothing in the sample that would tell. The scenario knows its law. Where the
law is such, the median over seeds takes the place of the mean, with an interval that needs no variance. The
same holds where the variance is finite, but the study draws too few flows for it to show.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from dumbbell.study.plans import Plans
from dumbbell.study.sizes import AXIS
from dumbbell.study.spec import Point

if TYPE_CHECKING:
    from dumbbell.study.plan import Study

_MOST_SKEW = 0.5
"""Of the mean of all flows of a study: the error of a t interval grows with it (Hall, The Bootstrap and
Edgeworth Expansion, 1992, section 3.3). choice: up to here the interval of five seeds or more covers 90 % of
power laws that are cut off; `tools/coverage.py` shows it."""


_MATTERS = re.compile(r"workloads|duration|.*rate")
"""Settings that change sizes of flows, or how many there are: to plan every arm at every point takes long."""


class Tails:
    """Where a study needs medians.

    Parameters
    ----------
    study
        With metrics by size as an axis, it needs none: they compare flows of one size, none of which can be
        far larger than the others.
    plans
        Of the study.
    """

    def __init__(self, study: Study, plans: Plans) -> None:
        self._study = study
        self._plans = plans
        self._by_size = any(axis.name == AXIS for axis in study.axes)
        self._found: dict[tuple[str, ...], str | None] = {}

    def why_median(self, arm: str, point: Point) -> str | None:
        """Return why no mean over the runs of an arm at a point can be relied on; ``None`` if one can."""
        if self._by_size:
            return None
        settings = self._plans.settings(arm, point)
        key = tuple(filter(_MATTERS.match, settings))
        if key not in self._found:
            self._found[key] = self._why(settings)
        return self._found[key]

    def _why(self, settings: tuple[str, ...]) -> str | None:
        explained = self._plans.explained(settings)
        drawn = (group for group in (explained["groups"] if explained else ()) if group["tail"] is not None)
        # With a stop rule, no point is sure to have more than the first stage.
        stop, seeds = self._study.stop, len(self._study.seeds)
        seeds = seeds if stop is None else min(stop.minimum, seeds)
        return next(filter(None, (_of_group(group, seeds) for group in drawn)), None)


def _of_group(group: dict[str, Any], seeds: int) -> str | None:
    tail, flows = group["tail"], group["flows"] * seeds
    if tail["variation"] is None:
        return f"sizes of {group['name']} have a tail of index {tail['index']:g} and no variance"
    skewness = tail["skewness"]
    if skewness is None or not flows or skewness <= _MOST_SKEW * math.sqrt(flows):
        return None
    needed = (skewness / _MOST_SKEW) ** 2
    return (
        f"sizes of {group['name']} are so uneven (skewness {skewness:.3g}) that a mean needs {needed:,.0f} "
        f"flows, and all seeds have {flows:,.0f}"
    )
