"""Every kind of interval holds the truth as often as it says: by simulation, and by a binomial test."""

import pytest

from tools.coverage import TRIALS, Case, cases

CASES = list(cases())


def name(case: Case) -> str:
    return f"{case.kind}; {case.data}; n={case.n}"


@pytest.mark.parametrize("case", [case for case in CASES if case.used], ids=name)
def test_intervals_hold_the_truth(case):
    trials = TRIALS // 2
    covered = case.covered(trials)
    assert case.credible(covered, trials), f"{covered} of {trials} hold the truth"


@pytest.mark.parametrize("case", [case for case in CASES if not case.used], ids=name)
def test_means_of_heavy_tails_would_not(case):
    covered = case.covered(500)
    assert covered < 0.85 * 500
    assert not case.credible(covered, 500)


@pytest.mark.full
@pytest.mark.parametrize("case", [case for case in CASES if case.used], ids=name)
def test_intervals_hold_the_truth_in_many_trials(case):
    covered = case.covered(10 * TRIALS)
    assert case.credible(covered, 10 * TRIALS), f"{covered} of {10 * TRIALS} hold the truth"


def test_the_test_can_fail():
    assert not Case("", "", 5, _holds).credible(850, 1000)
    assert Case("", "", 5, _holds).credible(1000, 1000)
    assert not Case("", "", 5, _holds, exact=True).credible(1000, 1000)


def _holds(_rng, _n):
    return True
