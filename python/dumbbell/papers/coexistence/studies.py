"""The metrics of ``l4s`` that are functions of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dumbbell.papers import Companion
from dumbbell.study import AT_LEAST_ZERO, Metric, Study

if TYPE_CHECKING:
    from dumbbell import Results


def _wait(results: Results) -> float:
    """Return the 99th percentile of the smoothed round-trip time of Prague above the shortest, in ms."""
    ((times, rtt),) = results.series("rtt").values()
    found = rtt[times >= float(results.runs["warmup"][0])]
    return 1e3 * float(np.quantile(found, 0.99) - results.flows["rtt_min"][0])


def _factor(results: Results) -> float:
    """Return the goodput of Prague to that of CUBIC."""
    goodput, where = results.flows["goodput"], results.flows.where
    return float(goodput[where("group", "prague")].sum() / goodput[where("group", "cubic")].sum())


_METRICS = (
    Metric("factor", "goodput of Prague to that of CUBIC", "", _factor, possible=AT_LEAST_ZERO),
    Metric("wait", "99th percentile of Prague's wait", "ms", _wait, possible=AT_LEAST_ZERO),
)


def _l4s(study: Study) -> Study:
    return replace(study, metrics=(*_METRICS, *study.metrics))


STUDIES = (Companion("l4s", _l4s),)
