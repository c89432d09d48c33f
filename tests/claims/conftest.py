"""Study results with values made up for each test."""

import numpy as np
import pyarrow as pa
import pytest

from dumbbell.study import Arm, Axis, Metric, Study, StudyResult

LOADS = (0.2, 0.5, 0.8)
SEEDS = tuple(range(1, 9))


@pytest.fixture
def made():
    """Build a result from a function (arm, load, seed) -> value.

    Arms ``a``, ``b``, ``c``; the axis ``load``; the metric ``delay`` in s.
    """

    def make(value, seeds=SEEDS, loads=LOADS, lost=0):
        axis = Axis("load", "offered load", "", tuple(loads), tuple((f"load={load}",) for load in loads))
        arms = tuple(Arm(name, name.upper()) for name in "abc")
        metric = Metric("delay", "mean delay", "s", {"table": "runs", "column": "delay"}, "lower")
        study = Study("made", "Made up", "?", {}, ".", (axis,), arms, tuple(seeds), (metric,))
        rows = [
            {"run_id": f"{arm}{load}{seed}", "arm": arm, "seed": seed, "load": load,
             "delay": float(value(arm, load, seed))}
            for seed in seeds for load in loads for arm in "abc"
        ]  # fmt: skip
        table = pa.Table.from_pylist(rows[: len(rows) - lost])
        return StudyResult(study, table, len(rows), "0.0.0")

    return make


@pytest.fixture
def noise():
    """Noise of a seed: standard normal, the same for every arm, as common random numbers give."""
    draws = np.random.default_rng(7).normal(size=100)
    return lambda seed: float(draws[seed])


@pytest.fixture
def own_noise():
    """Noise of an arm, load and seed."""
    return lambda *key: float(np.random.default_rng([int(str(k).encode().hex(), 16) for k in key]).normal())
