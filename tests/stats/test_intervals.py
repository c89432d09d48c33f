"""Intervals: known values, coverage, and what cannot be known."""

import math

import numpy as np
import pytest
import scipy.stats

from dumbbell import stats


def covered(interval_of, truth, draws=1000):
    """The part of intervals, each of one generated sample, that hold the truth."""
    rng = np.random.default_rng(20)
    hits = 0
    for _ in range(draws):
        low, high = interval_of(rng).interval
        hits += low <= truth <= high
    return hits / draws


def test_mean_by_hand():
    # t(0.975, 4 degrees) = 2.776; standard deviation of 1..5 = 1.5811; 2.776 * 1.5811 / sqrt(5) = 1.963.
    estimate = stats.mean([1, 2, 3, 4, 5])
    assert estimate.value == 3
    assert estimate.interval == pytest.approx((1.0368, 4.9632), abs=1e-4)
    assert stats.mean([1, 2, 3, 4, 5], 0.99).half_width > estimate.half_width


def test_mean_covers_its_level():
    # 0.95 within four standard errors of 1000 draws.
    assert covered(lambda rng: stats.mean(rng.normal(3, 1, 5)), 3) == pytest.approx(0.95, abs=0.028)


def test_pairing_removes_what_is_common():
    rng = np.random.default_rng(1)
    common = rng.normal(0, 10, 8)
    a, b = common + rng.normal(1, 0.1, 8), common + rng.normal(0, 0.1, 8)
    estimate = stats.paired_difference(a, b)
    assert estimate.value == pytest.approx(1, abs=0.2)
    assert estimate.half_width < stats.mean(a).half_width / 20
    assert estimate.interval == stats.mean(a - b).interval


def test_ratio_of_exact_multiples_has_no_width():
    b = np.array([1.0, 2.0, 3.0, 5.0])
    estimate = stats.paired_ratio(1.5 * b, b)
    assert estimate.value == pytest.approx(1.5)
    assert estimate.interval == pytest.approx((1.5, 1.5))


def test_ratio_covers_its_level():
    def draw(rng):
        common = rng.normal(0, 0.3, 6)
        return stats.paired_ratio(2 + common + rng.normal(0, 0.3, 6), 4 + common + rng.normal(0, 0.3, 6))

    assert covered(draw, 0.5) == pytest.approx(0.95, abs=0.028)


def test_ratio_to_zeros_has_no_value():
    estimate = stats.paired_ratio([1.0, 2.0], [0.0, 0.0])
    assert math.isnan(estimate.value)
    assert "denominator is zero" in estimate.note


def test_median_lies_between_observations():
    # Of nine, as of ten or eleven, the second from each end: 2 (1 + 9) / 2^9 = 3.9 % lie outside.
    mice = [52, 104, 146, 10, 50, 31, 40, 27, 46]
    estimate = stats.median(mice)
    assert estimate.value == 46
    assert estimate.interval == (27, 104)
    assert stats.median(mice, 0.99).interval == (10, 146)
    assert estimate.method == "median, interval of order statistics"


def test_medians_of_pairs_are_of_differences_and_ratios():
    a, b = np.array([3.0, 5, 9, 1, 7, 8]), np.array([1.0, 2, 3, 4, 5, 6])
    assert stats.median_difference(a, b).interval == stats.median(a - b).interval == (-3, 6)
    assert stats.median_ratio(a, b).interval == stats.median(a / b).interval == (0.25, 3)
    zeros = stats.median_ratio([1.0, 0.0, 2.0], [0.0, 0.0, 1.0])
    assert zeros.n == 2
    assert zeros.note == "1 of 3 pairs are zeros; n=2 is too few: an interval with two ends needs 6"


def test_too_few_have_no_interval_and_say_how_many_do():
    assert stats.median([1.0, 2.0, 3.0, 4.0, 5.0]).interval is None
    # 2 / 2^6 = 3.1 %, and 2 / 2^5 would be 6.3 %.
    assert "n=5 is too few: an interval with two ends needs 6" in stats.median(np.arange(5.0)).note
    assert stats.median(np.arange(6.0)).interval == (0, 5)
    # 0.99^367 is just above 2.5 %.
    high = stats.quantile(np.arange(20.0), 0.99)
    assert high.interval == (18.0, math.inf)
    assert "needs 368" in high.note
    assert not stats.quantile(np.arange(1000.0), 0.9).note


def test_quantiles_interpolate():
    values = np.random.default_rng(2).normal(size=37)
    for q in (0.1, 0.5, 0.77):
        assert stats.quantile(values, q).value == pytest.approx(np.quantile(values, q))
    assert stats.median_ratio([1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.0]).value == math.inf


@pytest.mark.parametrize("q", [0, 1, -0.1, math.nan])
def test_quantile_order_is_checked(q):
    with pytest.raises(ValueError, match="between 0 and 1"):
        stats.quantile([1.0, 2.0], q)


def test_equal_values_are_noted():
    assert stats.mean([4.0, 4.0]).interval == (4, 4)
    assert stats.mean([4.0, 4.0]).note == "all values are equal"
    assert stats.median([4.0] * 10).interval == (4, 4)


def test_missing_values_are_counted():
    estimate = stats.mean([1.0, math.nan, 3.0])
    assert (estimate.value, estimate.n, estimate.note) == (2, 2, "1 of 3 values missing")
    pairs = stats.paired_difference([1.0, math.nan, 3.0], [1.0, 1.0, math.nan])
    assert (pairs.n, pairs.interval) == (1, None)
    assert pairs.note == "n=1, no interval; 2 of 3 pairs missing"


def test_unmatched_pairs_are_refused():
    with pytest.raises(ValueError, match="not pairs"):
        stats.paired_ratio([1.0], [1.0, 2.0])


def test_mean_warns_of_a_heavy_tail():
    assert "heavy tail" in stats.mean([1.0, 1.0, 1.0, 100.0]).note


def test_difference_of_samples_that_vary_unequally():
    a, b = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9], [27.1, 22.0, 20.8, 23.4]
    estimate = stats.difference(a, b)
    # Variances 15.9 and 7.3; the error of the difference is sqrt(2.65 + 1.83), with 7.9 degrees of freedom.
    assert estimate.value == pytest.approx(-2.325)
    theirs = scipy.stats.ttest_ind(a, b, equal_var=False).confidence_interval()
    assert estimate.interval == pytest.approx(theirs)
    unequal = covered(lambda rng: stats.difference(rng.normal(3, 1, 5), rng.normal(1, 4, 4)), 2)
    assert unequal == pytest.approx(0.95, abs=0.028)


def test_one_observation_is_taken_to_vary_as_the_others_do():
    a = [1.0, 2.0, 3.0, 4.0, 5.0]
    estimate = stats.difference(a, [3.0])
    # t(0.975, 4 degrees) = 2.776, as above, times the standard deviation of a mean of five less one more.
    assert estimate.half_width == pytest.approx(2.776 * 1.5811 * math.sqrt(1 / 5 + 1), abs=1e-3)
    assert "one observation" in estimate.note
    alone = covered(lambda rng: stats.difference([rng.normal(0, 2)], rng.normal(0, 2, 6)), 0)
    assert alone == pytest.approx(0.95, abs=0.028)
    assert stats.difference([1.0], [2.0]).interval is None
    assert stats.difference([1.0, 1.0], [2.0, 2.0]).interval == (-1.0, -1.0)
    assert stats.difference([], [2.0, 1.0]).n == 0
