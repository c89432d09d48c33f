"""Many claims at once: the error of a whole report, and which verdicts stand when it is controlled."""

import numpy as np
import pytest
import scipy.stats

from dumbbell import stats
from dumbbell.claims import Claim, Level, Probe, decide, family_note, standing


def judgement(values, **bounds):
    return decide([Probe("", "x", "", lambda confidence: stats.mean(values, confidence), **bounds)])


def judged(*judgements):
    return [
        (Claim(f"c{place}", "", "", "delay", Level("a", high=1)), found)
        for place, found in enumerate(judgements)
    ]


def test_the_error_is_that_of_the_t_test():
    values = np.random.default_rng(3).normal(-1, 1, 12)
    found = judgement(values, high=0)
    assert found.verdict == "reproduced"
    # Both ends of an interval count, so the error is that of two sides.
    assert found.error == pytest.approx(scipy.stats.ttest_1samp(values, 0).pvalue, rel=0.01)
    broken = judgement(values + 3, high=0)
    assert broken.verdict == "not reproduced"
    assert broken.error == pytest.approx(scipy.stats.ttest_1samp(values + 3, 0).pvalue, rel=0.01)
    assert judgement(values + 1, high=0).error is None


def test_control_of_the_family_makes_false_claims_rare():
    rng = np.random.default_rng(4)
    trials, alone, together = 150, 0, 0
    for _ in range(trials):
        claims = judged(*(judgement(rng.normal(0.0, 1, 8), high=0) for _ in range(20)))
        alone += any(found.verdict == "reproduced" for _, found in claims)
        stands = standing(claims)
        together += any(
            stand and found.verdict == "reproduced" for stand, (_, found) in zip(stands, claims, strict=True)
        )
    # One end of a 95 % interval: 1 - 0.975^20 is 40 %, and 2.5 % with control; four standard errors each.
    assert alone / trials > 0.24
    assert together / trials < 0.08


def test_holm_steps_down():
    # Of four claims, the least error may be 1.25 %, the next 1.67 %, the next 2.5 %, the last 5 %.
    claims = judged(*(judgement([1.0, 1.0], high=2) for _ in range(4)))
    errors = (0.012, 0.02, 0.016, 0.04)
    claims = [
        (claim, type(found)(found.verdict, found.evidence, found.estimate, found.details, error))
        for (claim, found), error in zip(claims, errors, strict=True)
    ]
    assert standing(claims) == [True, True, True, True]
    worse = [
        (claim, type(found)(found.verdict, "", None, (), error))
        for (claim, found), error in zip(claims, (0.012, 0.026, 0.016, 0.04), strict=True)
    ]
    assert standing(worse) == [True, False, True, False]
    assert "all but c1, c3 stand" in family_note(worse)
    assert "with up to 19 %" in family_note(worse)


def test_an_inconclusive_claim_neither_stands_nor_falls():
    claims = judged(judgement([1.0], high=2), judgement([1.0, 1.1, 1.2], high=2))
    assert standing(claims) == [None, True]
    assert family_note(claims) == ""
