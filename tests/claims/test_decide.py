"""From probes to a verdict: level, number of comparisons, and who decides."""

import numpy as np
import pytest

from dumbbell import stats
from dumbbell.claims import Claim, ClaimError, Level, Probe, decide, judge


def probe(values, **bounds):
    return Probe("", "x", "", lambda confidence: stats.mean(values, confidence), **bounds)


def test_no_probe_is_inconclusive():
    assert decide([]).verdict == "inconclusive"


def test_a_true_claim_is_seldom_broken_by_many_points():
    # Twenty points, each a hair within the bound. Bonferroni leaves 2.5 % (one side of 5 %), and 5 % is three
    # standard errors above that; with 95 % for each point, 40 % of such claims would be broken.
    rng = np.random.default_rng(11)
    trials = 400
    broken = sum(
        decide([probe(rng.normal(0, 1, 8), high=0.001) for _ in range(20)]).verdict == "not reproduced"
        for _ in range(trials)
    )
    assert broken / trials <= 0.05


def test_a_false_claim_is_seldom_reproduced():
    # One point of three lies a hair beyond its bound.
    rng = np.random.default_rng(12)
    trials = 400
    reproduced = 0
    for _ in range(trials):
        probes = [probe(rng.normal(mean, 1, 8), high=0) for mean in (-5, -5, 0.001)]
        reproduced += decide(probes).verdict == "reproduced"
    # The upper end of a 95 % interval falls below the bound in 2.5 % of trials.
    assert reproduced / trials <= 0.05


def test_bounds_belong_to_a_claim_unless_strict():
    assert decide([probe([1.0, 1.0], high=1.0)]).verdict == "reproduced"
    assert decide([probe([1.0, 1.0], high=1.0, strict=True)]).verdict == "inconclusive"
    assert decide([probe([1.1, 1.1], high=1.0, strict=True)]).verdict == "not reproduced"


def test_the_worst_point_is_the_evidence():
    steps = (1.0, 1.1, 5.0, 0.2)
    probes = [
        Probe(f"load = {mean}", "X", "s", lambda c, m=mean: stats.mean([m, m + 0.01, m - 0.01], c), high=1.05)
        for mean in steps
    ]
    judgement = decide(probes)
    assert judgement.verdict == "not reproduced"
    assert judgement.evidence.startswith("broken in 1 of 4 comparisons: X at load = 5.0: 5 s [")
    assert judgement.evidence.endswith("claimed at most 1.05 s")
    assert judgement.estimate.value == pytest.approx(5)


def test_notes_of_the_estimate_are_evidence():
    assert "heavy tail" in decide([probe([1.0, 1.0, 1.0, 50.0], high=500.0)]).evidence


def test_incomplete_studies_are_stamped(made):
    claim = Claim("a", "A is low.", "our question", "delay", Level("a", high=3))
    result = made(lambda _arm, load, seed: load + 0.001 * seed, lost=5)
    assert claim.judge(result).evidence.startswith("INCOMPLETE: 67 of 72 runs; holds")


def test_ids_are_unique(made):
    claim = Claim("a", "A is low.", "our question", "delay", Level("a", high=3))
    with pytest.raises(ClaimError, match="two claims have this id"):
        judge([claim, claim], made(lambda _arm, load, _seed: load))
