"""A study of made-up numbers on a real scenario, in every state a report can meet."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from dumbbell.claims import Claim, Ratio, judge
from dumbbell.report import FigureSpec, Reference
from dumbbell.study import Arm, Axis, Metric, Study, StudyResult

LOADS = (0.2, 0.4, 0.6, 0.8, 0.9)
QUEUES = ("droptail", "codel")
SEEDS = tuple(range(1, 9))

SCENARIO: dict[str, Any] = {
    "name": "web",
    "duration": "60s",
    "topology": {"kind": "dumbbell", "pairs": 4, "bottleneck": {"rate": "10Mbit/s", "queue": "droptail"}},
    "transport": {"kind": "tcp", "initial_window": 2},
    "workloads": [
        {
            "kind": "poisson",
            "name": "web",
            "from": "senders",
            "to": "receivers",
            "load": 0.5,
            "size": "campus-web",
        }
    ],
}

STUDY = Study(
    name="web-<demo>",
    title="Completion time of campus web traffic against load",
    question="Does CUBIC finish campus web transfers sooner than NewReno, and at which loads?",
    scenario=SCENARIO,
    base_dir=Path(),
    axes=(
        Axis("load", "offered load", "", LOADS, tuple((f"workloads[0].load={load}",) for load in LOADS)),
        Axis("queue", "queue", "", QUEUES, tuple((f"topology.bottleneck.queue={name}",) for name in QUEUES)),
    ),
    arms=(
        Arm("newreno", "NewReno", ("transport.controller=newreno",)),
        Arm("cubic", "CUBIC", ("transport.controller=cubic",)),
        Arm("reno", "Reno <& friends>", ("transport.controller=reno",)),
    ),
    seeds=SEEDS,
    metrics=(
        Metric("fct", "mean completion time", "s", {"table": "flows", "column": "completion_time"}, "lower"),
        Metric("loss", "loss at the bottleneck", "", {"table": "links", "column": "loss"}, "lower"),
    ),
)

FIGURES = (
    FigureSpec(
        "fct", "Completion time against load, DropTail", "load", "fct", at={"queue": "droptail"},
        references=(
            Reference("one round trip", (0.05,)),
            Reference("as published", (0.2, 0.35, 0.9), (0.2, 0.6, 0.9), "Example et al. (2012), figure 3"),
        ),
        note="The mean over all transfers that ended in the run.",
    ),
    FigureSpec("ratio", "Over NewReno", "load", "fct", at={"queue": "droptail"}, relative_to="newreno"),
    FigureSpec(
        "loss", "Loss, logarithmic", "load", "loss", at={"queue": "codel"}, scale="log", factor=100, unit="%"
    ),
    FigureSpec("queues", "Two queues", "queue", "fct", at={"load": 0.8}, arms=("newreno", "cubic")),
)  # fmt: skip

CLAIMS = (
    Claim("slower", "CUBIC is at least 10 % slower at low load.", "our question", "fct",
          Ratio("cubic", "newreno", low=1.1, at={"load": 0.2, "queue": "droptail"})),
    Claim("not-slower", "CUBIC is never slower than NewReno by more than 1 %.", "Example (2012)", "fct",
          Ratio("cubic", "newreno", high=1.01, at={"queue": "droptail"})),
    Claim("reno", "Reno is within 0.1 % of NewReno at load 0.9.", "Example (2012), section 5.2", "fct",
          Ratio("reno", "newreno", low=0.999, high=1.001, at={"load": 0.9, "queue": "droptail"})),
)  # fmt: skip


def made_up(study: Study, runs: int | None = None) -> StudyResult:
    """Numbers that grow with load and differ by arm and seed; the first `runs` runs only."""
    rng = np.random.default_rng(1)
    rows = []
    for seed in study.seeds:
        for point in study.points():
            shared = rng.normal(1, 0.06)
            for slot, arm in enumerate(study.arms):
                busy = float(point["load"]) / (1.05 - float(point["load"]))
                fct = (0.12 + 0.08 * busy) * (1 + 0.12 * slot) * shared * rng.normal(1, 0.03)
                loss = 0.0 if point["load"] == 0.2 else 0.001 * busy**2 * shared * rng.normal(1, 0.1)
                rows.append(
                    {
                        "run_id": f"{len(rows):04x}",
                        "arm": arm.name,
                        "seed": seed,
                        **point,
                        "fct": fct,
                        "loss": loss,
                    }
                )
    table = pa.Table.from_pylist(rows)
    return StudyResult(study, table.slice(0, runs), len(rows), "0.1.0+test")


@pytest.fixture(scope="session")
def result() -> StudyResult:
    return made_up(STUDY)


@pytest.fixture(scope="session")
def incomplete() -> StudyResult:
    return made_up(STUDY, 101)


@pytest.fixture(scope="session")
def one_seed() -> StudyResult:
    return made_up(replace(STUDY, seeds=(1,)))


@pytest.fixture(scope="session")
def judgements(result: StudyResult) -> list[Any]:
    return judge(CLAIMS, result)


@pytest.fixture(scope="session")
def nothing(result: StudyResult) -> StudyResult:
    return replace(result, table=result.table.slice(0, 0))


@pytest.fixture(scope="session")
def specs() -> tuple[FigureSpec, ...]:
    return FIGURES
