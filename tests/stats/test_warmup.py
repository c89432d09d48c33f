"""The warm-up cut."""

import numpy as np
import pytest

from dumbbell import stats


def test_cut_falls_where_the_transient_ends():
    rng = np.random.default_rng(5)
    series = np.concatenate([np.linspace(50, 10, 40), np.full(160, 10.0)]) + rng.normal(0, 1, 200)
    cut = stats.warmup(series)
    assert 30 <= cut.index <= 45
    assert cut.steady
    assert cut.mean == pytest.approx(10, abs=0.3)
    assert series.mean() > 13


def test_least_error_by_definition():
    series = np.random.default_rng(6).normal(7, 2, 60) + np.where(np.arange(60) < 10, 9, 0)
    means = series.reshape(12, 5).mean(axis=1)
    by_hand = [((means[d:] - means[d:].mean()) ** 2).sum() / (12 - d) ** 2 for d in range(7)]
    assert stats.warmup(series).index == 5 * int(np.argmin(by_hand))


def test_a_trend_is_not_steady():
    assert not stats.warmup(np.linspace(0, 1, 100)).steady


def test_a_constant_needs_no_cut():
    assert stats.warmup(np.full(40, 3.0)) == stats.Cut(0, 3.0, True)


def test_too_short_is_refused():
    with pytest.raises(ValueError, match="at least 20 values"):
        stats.warmup(np.zeros(19))
    with pytest.raises(ValueError, match="not finite"):
        stats.warmup([np.nan] * 20)
