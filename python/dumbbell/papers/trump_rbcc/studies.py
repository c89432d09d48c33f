"""The networks held apart: none of them was looked at when the delays and the starts were chosen."""

from __future__ import annotations

from dataclasses import replace

from dumbbell.papers import Companion
from dumbbell.papers.trump_rbcc.claims import HELD, ROWS
from dumbbell.papers.trump_rbcc.joint import JOINT
from dumbbell.papers.trump_rbcc.plots import PLOTS
from dumbbell.papers.trump_rbcc.scenarios import FAR, ROUTE
from dumbbell.papers.trump_rbcc.tables import TABLES
from dumbbell.study import Study

_FIRST = 501


def _apart(study: Study) -> Study:
    seeds = tuple(range(_FIRST, _FIRST + len(study.seeds)))
    return replace(study, seeds=seeds, title=f"{study.title}: the networks held apart")


STUDIES = (
    Companion(
        name="held-apart",
        study=_apart,
        quick={"seeds": 50},
        figures=(),
        claims=(*ROWS, *HELD),
        tables=TABLES,
        plots=PLOTS,
    ),
    JOINT,
    FAR,
    ROUTE,
)
