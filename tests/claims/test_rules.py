"""Each rule on data that satisfies it, data that breaks it, and data too noisy to tell."""

import math

import pytest

from dumbbell.claims import (
    Claim,
    ClaimError,
    Crossing,
    Difference,
    Level,
    Monotone,
    Order,
    Ratio,
    equivalent,
)

SHIFT = {"a": 1.0, "b": 1.2, "c": 2.0}


def base(arm, load):
    return SHIFT[arm] * (1 + load)


def crossed(arm, load):
    """`a` is the lower up to 0.5, and the higher at 0.8."""
    return 1 + load + {"a": load - 0.65, "b": 0, "c": 0}[arm]


# Rule; values that satisfy it; values that break it.
CASES = {
    "level below": (Level("a", high=2), base, lambda arm, load: 2 * base(arm, load)),
    "level above": (Level("c", low=2), base, lambda arm, load: base(arm, load) / 2),
    "level at one load": (Level("a", 1.7, 1.9, {"load": 0.8}), base, lambda _arm, _load: 1.6),
    "ratio below": (Ratio("a", "c", high=0.6), base, lambda arm, load: 1 / base(arm, load)),
    "ratio above": (Ratio("c", "a", low=1.8), base, lambda _arm, load: 1 + load),
    "difference": (Difference("c", "a", low=1), base, lambda arm, load: base(arm, load) / 2),
    "equivalent": (equivalent("b", "a", 0.25), base, lambda arm, load: base(arm, load) ** 2),
    "order": (Order(("a", "b", "c")), base, lambda arm, load: 4 - base(arm, load) / 2),
    "rises": (Monotone("load", "a", "rises"), base, lambda arm, load: 4 - base(arm, load)),
    "rises, then falls": (Monotone("load", "a", "rises"), base, lambda _arm, load: load * (1.2 - load)),
    "falls": (Monotone("load", "b", "falls"), lambda arm, load: 4 - base(arm, load), base),
    "crossing": (Crossing("load", "a", "b", 0.5, 0.8), crossed, base),
    "crossing the other way": (
        Crossing("load", "b", "a", 0.5, 0.8), lambda arm, load: 4 - crossed(arm, load), crossed,
    ),
}  # fmt: skip


@pytest.fixture(params=CASES, ids=str)
def case(request):
    return CASES[request.param]


def test_satisfied(case, made, noise):
    rule, good, _ = case
    judgement = rule(made(lambda arm, load, seed: good(arm, load) * (1 + 0.001 * noise(seed))), "delay")
    assert judgement.verdict == "reproduced", judgement.evidence
    assert judgement.evidence.startswith("holds")
    assert {finding.verdict for finding in judgement.details} == {"reproduced"}


def test_broken(case, made, noise):
    rule, _, bad = case
    judgement = rule(made(lambda arm, load, seed: bad(arm, load) * (1 + 0.001 * noise(seed))), "delay")
    assert judgement.verdict == "not reproduced", judgement.evidence
    assert judgement.evidence.startswith("broken")
    assert judgement.estimate.interval is not None


def test_too_noisy_to_tell(case, made, own_noise):
    rule, good, _ = case
    result = made(lambda arm, load, seed: good(arm, load) + 5 * own_noise(arm, load, seed))
    judgement = rule(result, "delay")
    assert judgement.verdict == "inconclusive", judgement.evidence
    assert judgement.evidence.startswith("undecided")


@pytest.mark.parametrize("values", ["good", "bad"])
def test_one_seed_decides_nothing(case, made, values):
    rule, good, bad = case
    value = good if values == "good" else bad
    judgement = rule(made(lambda arm, load, _seed: value(arm, load), seeds=(1,)), "delay")
    assert judgement.verdict == "inconclusive"
    assert "n=1, no interval" in judgement.evidence


def test_no_values_decide_nothing(case, made):
    rule = case[0]
    judgement = rule(made(lambda _arm, _load, _seed: math.nan), "delay")
    assert judgement.verdict == "inconclusive"
    assert "n=0" in judgement.evidence


@pytest.mark.parametrize("rule", [Order(("a", "b")), Monotone("load", "a", "rises")])
def test_what_is_always_equal_is_inconclusive(made, rule):
    judgement = rule(made(lambda _arm, _load, seed: float(seed)), "delay")
    assert judgement.verdict == "inconclusive"
    assert "all values are equal" in judgement.evidence


def test_runs_that_repeat_decide_nothing(case, made):
    rule, good, _ = case
    judgement = rule(made(lambda arm, load, _seed: good(arm, load)), "delay")
    assert judgement.verdict == "inconclusive"
    assert "n=1, no interval" in judgement.evidence


def test_a_load_that_was_not_run_is_inconclusive(made):
    result = made(lambda arm, load, _seed: base(arm, load), loads=(0.2, 0.5))
    rule = Level("a", high=2, at={"load": (0.2, 0.8)})
    judgement = rule(result, "delay")
    assert judgement.verdict == "inconclusive"
    assert "offered load = 0.8" in judgement.evidence
    crossing = Crossing("load", "a", "b", 0.5, 0.8)(result, "delay")
    assert crossing.verdict == "inconclusive"
    assert "from 0.8 on" in crossing.evidence
    rising = Monotone("load", "a", "rises", {"load": (0.2, 0.5, 0.8)})(result, "delay")
    assert rising.verdict == "inconclusive"


def test_one_point_has_no_trend(made):
    result = made(lambda arm, load, _seed: base(arm, load), loads=(0.2,))
    assert Monotone("load", "a", "rises")(result, "delay").verdict == "inconclusive"


@pytest.mark.parametrize(
    "make",
    [
        lambda: Level("a"),
        lambda: Ratio("a", "b"),
        lambda: Difference("a", "b", 2, 1),
        lambda: Level("a", math.nan, 1),
        lambda: Order(("a",)),
        lambda: Order(("a", "a")),
        lambda: equivalent("a", "b", 0),
        lambda: equivalent("a", "b", 1),
        lambda: Crossing("load", "a", "b", 0.8, 0.5),
    ],
)
def test_rules_that_cannot_fail_are_refused(make):
    with pytest.raises(ClaimError):
        make()


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        (Claim("x", "", "", "dealy", Level("a", high=1)), "'x': .* no metric 'dealy'; it has delay"),
        (Claim("x", "", "", "delay", Level("d", high=1)), "no arm 'd'; it has a, b, c"),
        (Claim("x", "", "", "delay", Ratio("a", "d", high=1)), "no arm 'd'"),
        (Claim("x", "", "", "delay", Order(("a", "d"))), "no arm 'd'"),
        (Claim("x", "", "", "delay", Level("a", high=1, at={"laod": 0.2})), "no axis 'laod'; it has load"),
        (Claim("x", "", "", "delay", Monotone("rate", "a", "rises")), "no axis 'rate'"),
    ],
)  # fmt: skip
def test_names_are_checked(made, claim, words):
    with pytest.raises(ClaimError, match=words):
        claim.judge(made(lambda arm, load, _seed: base(arm, load)))


def test_rules_say_what_they_ask():
    assert str(Level("a", high=2, at={"load": 0.8})) == "mean of a is at most 2 at load = 0.8"
    assert str(equivalent("a", "b", 0.1, {"load": (0.2, 0.5)})) == "a / b is 0.9 to 1.1 at load = 0.2, 0.5"
    assert str(Order(("a", "b", "c"))) == "a < b < c"
    assert str(Monotone("load", "a", "rises")) == "a rises with load"
    assert str(Crossing("load", "a", "b", 0.5, 0.8)) == "a < b up to load = 0.5, a > b from 0.8 on"
