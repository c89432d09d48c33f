"""Means with controls: no bias, intervals that hold the truth, and what is left of the variance."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dumbbell import stats
from tools.control import POOL, Case, cases

FEW_RUNS = POOL // 5


def slow(values: np.ndarray, controls: np.ndarray, further: np.ndarray) -> np.ndarray:
    """What is left of each run, with slopes fitted to the others one by one."""
    left = []
    for i in range(len(values)):
        others = np.arange(len(values)) != i
        design = np.column_stack([np.ones(others.sum()), controls[others]])
        slopes = np.linalg.lstsq(design, values[others], rcond=None)[0][1:]
        left.append(values[i] - (controls[i] - further.mean(axis=0)) @ slopes)
    return np.array(left)


def test_slopes_are_those_of_all_other_runs() -> None:
    rng = np.random.default_rng(1)
    controls, further = rng.exponential(3, (50, 2)), rng.exponential(3, (1000, 2))
    values = controls @ [2.0, 0.3] + rng.normal(0, 1, 50)
    found = stats.controlled(values, controls, further)
    assert found.value == pytest.approx(slow(values, controls, further).mean(), rel=1e-9)


def test_luck_of_the_controls_is_taken_out() -> None:
    rng = np.random.default_rng(2)
    controls = rng.normal(5, 1, (60, 1))
    noise = rng.normal(0, 0.1, 60)
    found = stats.controlled(3 * controls[:, 0] + noise, controls, rng.normal(5, 1, (60 * 20, 1)))
    plain = stats.mean(3 * controls[:, 0] + noise)
    assert abs(found.value - 15) < 2 * found.half_width
    # What is left: 0.1 a run, and the error of the mean of 1,200 further runs, 3 / 20 of the variance.
    assert found.half_width == pytest.approx(2 * math.sqrt(0.01 / 60 + 9 / 1200), rel=0.15)
    assert found.half_width < plain.half_width / 3
    assert "leave" in found.note


@pytest.mark.parametrize(
    ("values", "controls"),
    [
        (np.arange(39.0), np.arange(39.0)[:, None] ** 2),
        (np.arange(50.0), np.ones((50, 1))),
    ],
    ids=["too few", "equal"],
)
def test_without_a_fit_the_mean_is_plain(values: np.ndarray, controls: np.ndarray) -> None:
    further = np.tile(controls, (20, 1))
    found = stats.controlled(values, controls, further)
    assert found.interval == stats.mean(values).interval
    assert "no control" in found.note


def test_controls_that_tell_the_same_count_once() -> None:
    rng = np.random.default_rng(4)
    control, further = rng.normal(5, 1, (50, 1)), rng.normal(5, 1, (1000, 1))
    values = control[:, 0] + rng.normal(0, 0.1, 50)
    once = stats.controlled(values, control, further)
    twice = stats.controlled(values, np.hstack([control, 2 * control]), np.hstack([further, 2 * further]))
    assert twice == once
    assert once.half_width < stats.mean(values).half_width / 2


def test_missing_values_are_noted() -> None:
    rng = np.random.default_rng(3)
    controls = rng.normal(5, 1, (50, 1))
    values = controls[:, 0] + rng.normal(0, 0.1, 50)
    values[3] = math.nan
    found = stats.controlled(values, controls, rng.normal(5, 1, (1000, 1)))
    assert found.n == 49
    assert "1 of 50 missing" in found.note


def covered(case: Case, trials: int, count: int) -> float:
    return case.covered(trials, count)[0] / trials


@pytest.mark.parametrize(
    "case", [c for c in cases() if c.used and c.n == 40], ids=lambda c: f"{c.what} {c.law}"
)
def test_intervals_hold_the_truth_of_heavy_tails(case: Case) -> None:
    # Of 300, 93 % have a standard error of 1.5 %; a study with a stop rule draws more runs.
    trials = 60 if "stop" in case.what else 300
    assert covered(case, trials, FEW_RUNS) > 0.93 - 4 * math.sqrt(0.93 * 0.07 / trials)


@pytest.mark.full
@pytest.mark.parametrize("case", [c for c in cases() if c.used], ids=lambda c: f"{c.what} {c.law} {c.n}")
def test_they_do_in_many_studies(case: Case) -> None:
    assert 0.91 < covered(case, 4000, POOL) < 0.975
