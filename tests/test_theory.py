"""The offline optima and closed forms as Python has them: shapes, units, errors."""

from __future__ import annotations

import numpy as np
import pytest

from dumbbell import theory

RATE = 10e6
"""bit/s."""


def web(seconds: float, load: float, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return Poisson arrivals of packets of 1500 bytes."""
    rng = np.random.default_rng(seed)
    count = rng.poisson(load * RATE / 12_000 * seconds)
    return np.sort(rng.uniform(0, seconds, count)), np.full(count, 1500)


def test_the_schedule_sends_everything_in_time() -> None:
    times, sizes = web(20, 0.4)
    best = theory.optimal_rates(times, sizes, 0.04)
    assert best.times[0] == pytest.approx(times[0], abs=1e-9)
    assert best.times[-1] == pytest.approx(times[-1] + 0.04, abs=1e-9)
    assert best.sent[-1] == sizes.sum()
    assert best.durations @ best.rates / 8 == pytest.approx(sizes.sum())
    arrived = np.cumsum(sizes)
    at_deadlines = np.interp(times + 0.04, best.times, best.sent)
    at_arrivals = np.interp(times, best.times, best.sent)
    # To the nanosecond at the peak rate.
    slack = best.peak / 8 * 2e-9
    assert (at_deadlines >= arrived - slack).all()
    assert (at_arrivals <= arrived - sizes + slack).all()


def test_more_delay_costs_at_least_the_mean_rate() -> None:
    times, sizes = web(20, 0.4)
    horizon = 21.0
    energies = [
        theory.optimal_rates(times, sizes, delay).energy(lambda rate: (rate / RATE) ** 3, horizon)
        for delay in (0.005, 0.02, 0.08, 0.5)
    ]
    assert energies == sorted(energies, reverse=True)
    mean = sizes.sum() * 8 / horizon / RATE
    assert energies[-1] >= horizon * mean**3


def test_energy_counts_idle_time_up_to_the_horizon() -> None:
    best = theory.optimal_rates([1.0], [1000], 0.5)
    # 16 kbit/s for 0.5 s of 4 s.
    assert best.energy(lambda rate: 2 + rate / 16_000, 4.0) == pytest.approx(2 * 4 + 0.5)
    assert best.energy(lambda rate: 2 + rate / 16_000) == pytest.approx(2 * 0.5 + 0.5)
    with pytest.raises(theory.TheoryError, match=r"ends before the schedule at 1\.5 s"):
        best.energy(lambda rate: rate, 1.2)


def test_levels_bound_the_continuous_curve_from_above() -> None:
    levels = np.arange(1, 11) * 1e6
    shared = theory.time_shared(levels, (levels / RATE) ** 3)
    rates = np.linspace(0, RATE, 101)
    assert (shared(rates) >= (rates / RATE) ** 3 - 1e-12).all()
    assert shared(levels) == pytest.approx((levels / RATE) ** 3)
    assert shared(np.array([0.0])) == pytest.approx(1e-3)
    assert np.isinf(shared(np.array([1.1 * RATE])))


def test_the_smallest_delay_is_where_the_peak_reaches_the_rate() -> None:
    times, sizes = web(5, 0.7)
    least = theory.smallest_delay(times, sizes, RATE)
    # To the nanosecond that times are rounded to.
    assert theory.optimal_rates(times, sizes, least + 2e-9).peak <= RATE * (1 + 1e-5)
    assert theory.optimal_rates(times, sizes, 0.95 * least).peak > RATE


def test_sleep_lies_between_nothing_and_the_idle_time() -> None:
    times, sizes = web(20, 0.1)
    idle = 21 - sizes.sum() * 8 / RATE
    slept = [theory.longest_sleep(times, sizes, RATE, delay, 1e-3, 21) for delay in (0.01, 0.02, 0.1)]
    assert 0 < slept[0] < slept[1] < slept[2] < idle
    # Waking for nothing: all idle time is sleep.
    assert theory.longest_sleep(times, sizes, RATE, 0.01, 0, 21) == pytest.approx(idle)


def test_processor_sharing_and_its_lines() -> None:
    assert theory.processor_sharing([0, 1], [2, 1], 1).tolist() == [3, 2]
    assert theory.processor_sharing([0, 1], [2, 1], 1, cap=0.5).tolist() == [4, 2]
    assert theory.sharing_line([25], 300e3, 0.9, 0.1) == pytest.approx([0.1508], abs=5e-5)
    assert theory.slow_start_line([25], 300e3, 0.1) == pytest.approx([0.5201], abs=5e-5)


def test_max_min_sharing_gives_what_others_leave() -> None:
    # The first flow has the 4 of its own link for 10 s, the second the other 6 of the last one.
    row = [[0, 1], [1]]
    assert theory.max_min_sharing([0, 0], [40, 60], [0, 1], row, [4, 10]) == pytest.approx([10, 10])
    # Alone from 5 s on, the second has all: 6 x 5 + 10 x 3.
    assert theory.max_min_sharing([0, 0], [20, 60], [0, 1], row, [4, 10]) == pytest.approx([5, 8])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theory.optimal_rates([1, 2], [1], 1), "2 times and 1 sizes"),
        (lambda: theory.optimal_rates([2, 1], [1, 1], 1), "arrival 1 is before arrival 0"),
        (lambda: theory.optimal_rates([-1], [1], 1), "a time of -1 s is out of range"),
        (lambda: theory.optimal_rates([1], [1], 0), "a delay of zero"),
        (lambda: theory.longest_sleep([1], [1], 0, 1, 1, 9), "a rate of 0 bit/s is out of range"),
        (lambda: theory.time_shared([1, 2], [1]), "2 rates and 1 powers"),
        (lambda: theory.time_shared([], []), "there are no levels"),
        (lambda: theory.processor_sharing([0], [-1], 1), "job 0: start 0, work -1"),
        (lambda: theory.processor_sharing([0], [1], 0), "a capacity of 0 serves nothing"),
        (lambda: theory.max_min_sharing([0], [1], [1], [[0]], [1]), "flow 0 is of class 1 of 1"),
        (lambda: theory.max_min_sharing([0], [1], [-1], [[0]], [1]), "a class or link below 0"),
        (lambda: theory.max_min_sharing([0], [1], [0], [[1]], [1]), "class 0 crosses link 1 of 1"),
        (lambda: theory.max_min_sharing([0], [1, 2], [0], [[0]], [1]), "1 starts, 2 works and 1 classes"),
    ],
)
def test_what_cannot_be_is_refused(call, message: str) -> None:
    with pytest.raises(theory.TheoryError, match=message):
        call()
