"""The stop rule: what it decides does not depend on the order in which runs end."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats as scipy_stats

from dumbbell.study import StopRule, Study, StudyResult, run_study
from dumbbell.study.stop import StopTracker
from tests.study.conftest import changed, content

RULE = StopRule("x", 0.3, minimum=3)
POINTS, ARMS, SEEDS = 4, 2, 60


def by_definition(values: np.ndarray, rule: StopRule) -> int:
    """The first stage with narrow intervals in all arms; values of shape (seeds, arms)."""
    count = rule.minimum
    while count < len(values):
        needed = []
        for arm in values[:count].T:
            low, high = scipy_stats.t.interval(rule.confidence, count - 1, arm.mean(), scipy_stats.sem(arm))
            bound = rule.half_width * (abs(arm.mean()) if rule.relative else 1)
            needed.append(((high - low) / 2 / bound) ** 2)
        if max(needed) <= 1:
            return count
        count = min(math.ceil(count * max(1.05, *needed)), len(values))
    return len(values)


@pytest.mark.parametrize("relative", [True, False])
@pytest.mark.parametrize("order_seed", range(10))
def test_lengths_follow_the_definition_in_any_order(order_seed: int, relative: bool) -> None:
    rule = StopRule("x", 0.2, relative, minimum=8)
    values = np.random.default_rng(1).lognormal(0, [[[0.1], [0.5], [0.7], [3.0]]], (SEEDS, POINTS, ARMS))
    tracker = StopTracker(rule, POINTS, ARMS, SEEDS)
    for number in np.random.default_rng(order_seed).permutation(values.size).tolist():
        tracker.add(number, values.reshape(-1)[number])
    expected = [by_definition(values[:, point], rule) for point in range(POINTS)]
    assert len(set(expected)) > 2, "the case should tell points apart"
    assert tracker.lengths.tolist() == expected
    assert tracker.expected == sum(expected) * ARMS == tracker.mask().sum()


def test_a_gap_in_the_seeds_is_not_skipped() -> None:
    tracker = StopTracker(RULE, 1, 1, 10)
    for number in (0, 2, 3, 4, 5):
        tracker.add(number, 1.0)
    assert tracker.lengths.tolist() == [3]
    tracker.add(1, 1.0)
    assert tracker.lengths.tolist() == [3]


def test_no_value_no_end() -> None:
    tracker = StopTracker(RULE, 1, 1, 5)
    for number in range(5):
        tracker.add(number, np.nan)
    assert tracker.lengths.tolist() == [5]


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_study_ends_early_whatever_the_workers(tmp_path: Path, workers: int) -> None:
    stop = {"metric": "fct", "relative": 0.1, "minimum": 3}
    early = Study.from_dict(changed(seeds=40, stop=stop))
    result = run_study(early, tmp_path / "early", workers=workers)
    full = run_study(Study.from_dict(changed(seeds=40)), tmp_path / "full")
    assert 40 * 4 > result.expected == result.finished
    for point in early.points():
        values = np.stack([full.values("fct", arm.name, **point)[1] for arm in early.arms], axis=1)
        length = by_definition(values, early.stop)
        for index, arm in enumerate(early.arms):
            seeds, found = result.values("fct", arm.name, **point)
            assert seeds.tolist() == list(early.seeds[:length])
            assert np.array_equal(found, values[:length, index])


def test_more_than_needed_is_not_counted(tmp_path: Path) -> None:
    stop = {"metric": "fct", "relative": 0.1, "minimum": 3}
    early = Study.from_dict(changed(seeds=40, stop=stop))
    alone = run_study(early, tmp_path / "alone")
    # All runs are there before the rule is asked.
    run_study(Study.from_dict(changed(seeds=40)), tmp_path / "all")
    after = run_study(early, tmp_path / "all")
    assert content(tmp_path / "all") == content(tmp_path / "alone")
    assert after.expected == alone.expected < 160


def test_shares_of_points_give_the_same(tmp_path: Path) -> None:
    stop = {"metric": "fct", "relative": 0.1, "minimum": 3}
    early = Study.from_dict(changed(seeds=40, stop=stop))
    for index in (1, 2):
        run_study(early, tmp_path / "merged", share=(index, 2))
    run_study(early, tmp_path / "alone")
    assert StudyResult.load(tmp_path / "merged").complete
    assert content(tmp_path / "merged") == content(tmp_path / "alone")
