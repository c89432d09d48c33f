"""The warning of heavy tails: given where it is due, and not elsewhere."""

import numpy as np
import pytest

from dumbbell import stats


def test_hill_finds_the_index_of_pareto():
    sizes = np.random.default_rng(3).pareto(1.2, 100_000) + 1
    found = stats.tail(sizes)
    # One standard error is 1.2 / sqrt(316) = 0.07.
    assert found.index == pytest.approx(1.2, abs=0.2)
    assert found.largest == 1000
    assert found.share > 0.3


def test_infinite_variance_is_warned_of():
    warning = stats.heavy_tail(np.random.default_rng(3).pareto(1.2, 2000) + 1)
    assert warning is not None
    assert "Hill" in warning


@pytest.mark.parametrize("draw", ["exponential", "uniform"])
def test_light_tails_are_not(draw):
    rng = np.random.default_rng(4)
    assert stats.heavy_tail(getattr(rng, draw)(size=5000)) is None


def test_one_giant_among_few():
    assert stats.heavy_tail([1, 1, 1, 10]) == (
        "heavy tail: the largest observation holds 77 % of the total of 4"
    )
    assert stats.heavy_tail([0, 0, 0, 0.1]) is not None
    assert stats.heavy_tail([1, 1, 1, 2]) is None


@pytest.mark.parametrize("values", [[], [0.0] * 200, [1.0] * 200, [-1.0, -2.0, -3.0, -4.0, -5.0]])
def test_nothing_to_warn_of(values):
    assert stats.heavy_tail(values) is None
