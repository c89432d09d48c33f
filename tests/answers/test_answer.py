"""The answer of a study: sentences that say what the intervals support, and no more."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
import scipy.stats

from dumbbell.answers import Question, answer, default_questions
from dumbbell.study import Arm, Axis, Metric, StopRule, Study, StudyResult

LOADS = (0.2, 0.4, 0.6, 0.8)
DELAY = Metric("delay", "mean delay", "s", {"table": "runs", "column": "delay"}, "lower")


def result(values, axis=LOADS, metric=DELAY, lost=(), labels="ABCDEFGH", axes=None):
    """Return a result of values of shape (arms, values of the axis, seeds); `lost` runs are not there."""
    values = np.asarray(values, dtype=float)
    arms = tuple(Arm(label.lower().replace(", ", "-"), label) for label in labels[: values.shape[0]])
    names = axes or (Axis("load", "offered load", "", tuple(axis), tuple(("",) for _ in axis)),)
    seeds = tuple(range(1, values.shape[2] + 1))
    study = Study("made", "Made up", "?", {}, ".", names if axis else (), arms, seeds, (metric,))
    points = study.points()
    rows = [
        {"run_id": f"{i} {j} {k}", "arm": arm.name, "seed": seed, **point, metric.name: values[i, j, k]}
        for k, seed in enumerate(seeds)
        for j, point in enumerate(points)
        for i, arm in enumerate(arms)
        if (i, j, k) not in lost
    ]
    return StudyResult(study, pa.Table.from_pylist(rows), values.size, "0.0.0")


def sentences(made, question=None):
    """Return the only finding."""
    found = answer(made, [question] if question else default_questions(made.study))
    ((_, text),) = found.findings
    return text


def draws(shape, seed=1, spread=0.01):
    return 1 + spread * np.random.default_rng(seed).normal(size=shape)


def test_two_arms_from_where_on_by_how_much_and_how_sure():
    values = draws((2, 4, 10))
    values[1, 2:] *= 0.9
    found = answer(result(values), default_questions(result(values).study))
    ((name, text),) = found.findings
    assert name == "Mean delay"
    assert re.fullmatch(
        r"B is better \(lower\) than A from offered load 0\.6 on: by 1\d % \[8\.\d, 1\d\] at 0\.6 "
        r"and by \S+ % \[\S+ 1\d\] at 0\.8\. Up to offered load 0\.4, no difference can be distinguished "
        r"from chance; it is at most \d\.?\d* %\.",
        text,
    ), text
    assert found.sure == (
        "All intervals of the answer hold together with 95 %, each with 98.75 % (Bonferroni). "
        "4 comparisons of means over seeds, paired by seed, n=10."
    )


def test_a_crossing_is_told_from_both_sides():
    values = draws((2, 4, 10))
    values[0, 0] *= 0.8
    values[1, 2:] *= 0.8
    text = sentences(result(values))
    assert "B is better (lower) than A from offered load 0.6 on: by 20 %" in text
    assert "A is better (lower) than B at offered load 0.2, by 2" in text
    assert "At offered load 0.4, no difference can be distinguished from chance" in text


@pytest.mark.parametrize(
    ("better", "said"),
    [("lower", "A is better (lower)"), ("higher", "B is better (higher)"), (None, "B is higher")],
)
def test_the_direction_of_better(better, said):
    values = draws((2, 4, 10))
    values[1] *= 1.5
    text = sentences(result(values, metric=replace(DELAY, better=better)))
    assert text.startswith(f"{said} than ")
    assert " at every value of offered load from 0.2 to 0.8: by " in text
    assert ("better" in text) == (better is not None)


def test_no_difference_says_how_large_one_may_be():
    made = result(draws((2, 4, 10)))
    text = sentences(made)
    found = re.fullmatch(
        r"No difference between A and B can be distinguished from chance "
        r"at any value of offered load from 0\.2 to 0\.8; it is at most (\S+) %\.",
        text,
    )
    assert found, text
    assert 0.5 < float(found[1]) < 5


def test_many_arms_the_best_and_those_that_may_be_as_good():
    values = draws((4, 4, 12))
    values[0] *= 1.5
    values[1, :2] *= 0.8
    values[2] *= 1.2
    text = sentences(result(values))
    assert "B is best (lowest) up to offered load 0.4: by 2" in text
    assert " before D at 0.2 and by " in text
    assert "From offered load 0.6 on, any of B and D may be the best (lowest)." in text


def test_labels_with_commas_are_told_apart():
    made = result(draws((3, 4, 12)) * np.array([1, 1, 2]).reshape(3, 1, 1), labels=["A, b", "C, d", "E"])
    assert sentences(made).endswith("any of A, b; and C, d may be the best (lowest).")


def test_each_arm_against_a_base():
    values = draws((3, 4, 10))
    values[1] *= 0.5
    text = sentences(result(values), Question("delay", "load", over="a"))
    assert "B is better (lower) than A at every value of offered load from 0.2 to 0.8: by 50 % [5" in text
    assert (
        "No difference between C and A can be distinguished from chance at any value of offered load" in text
    )


def test_one_arm_tells_its_change_along_the_axis():
    values = draws((1, 4, 10))
    values[0, 3] *= 5
    assert re.fullmatch(
        r"A is higher at offered load 0\.8 than at 0\.2, [45]\.?\d? times as high \[4\.\d, 5\.?\d?\]\.",
        sentences(result(values)),
    ), sentences(result(values))


def test_without_an_axis():
    values = draws((2, 1, 10))
    values[1] *= 0.9
    assert re.fullmatch(
        r"B is better \(lower\) than A, by \d+\.?\d? % \[\S+ \S+\]\.", sentences(result(values, axis=()))
    )


def test_an_axis_of_names_has_no_order():
    names = ("droptail", "codel", "red", "fq")
    values = draws((2, 4, 10))
    values[0, [0, 2]] *= 0.5
    text = sentences(result(values, axis=names))
    assert "A is better (lower) than B at offered load droptail and red: by " in text
    assert "At offered load codel and fq, no difference can be distinguished from chance" in text


def test_other_axes_are_named_and_their_comparisons_counted():
    axes = tuple(
        Axis(name, name, unit, values, tuple(("",) for _ in values))
        for name, unit, values in (("load", "", (0.2, 0.8)), ("buffer", "packets", (10, 40)))
    )
    values = draws((2, 4, 10))
    values[1, [1, 3]] *= 0.5
    made = result(values, axes=axes)
    found = answer(made, default_questions(made.study))
    assert [name for name, _ in found.findings] == [
        "Mean delay at buffer 10 packets",
        "Mean delay at buffer 40 packets",
    ]
    assert found.findings[1][1].startswith(
        "B is better (lower) than A at every value of load from 0.2 to 0.8: by "
    )
    assert "each with 98.75 %" in found.sure


def test_shares_and_what_may_be_negative_are_told_in_their_unit():
    values = draws((2, 4, 10), spread=0.001)
    values[1] += 0.5
    loss = Metric(
        "loss", "loss", "%", {"table": "links", "link": "l", "column": "loss", "factor": 100}, "lower"
    )
    assert re.search(
        r"by 0\.5 percentage points \[0\.5, 0\.5\] at 0\.2", sentences(result(values, metric=loss))
    )
    saving = Metric("gain", "gain", "J", lambda _: 0.0, "higher")
    assert "B is better (higher) than A at every value of offered load" in sentences(
        result(values, metric=saving)
    )
    assert "by 0.5 J [0.5, 0.5] at 0.2" in sentences(result(values, metric=saving))


def test_one_seed_repeated_runs_and_missing_ones():
    one = answer(result(draws((2, 4, 1))), [Question("delay", "load")])
    assert one.findings[0][1].endswith("one seed gives no interval, so no difference can be judged.")
    assert one.sure == ""
    again = sentences(result(np.repeat(draws((2, 4, 1)), 5, axis=2)))
    assert "no difference can be judged: every metric is the same for every seed" in again
    values = draws((2, 4, 6))
    values[1] *= 0.5
    lost = [(i, 3, k) for i in range(2) for k in range(1, 6)]
    some = answer(result(values, lost=lost), [Question("delay", "load")])
    assert "B is better (lower) than A up to offered load 0.6: by " in some.findings[0][1]
    assert "At offered load 0.8, there are too few runs, so no difference" in some.findings[0][1]
    assert some.sure.startswith("INCOMPLETE: 38 of 48 runs. All intervals")
    none = result(values)
    assert sentences(replace(none, table=none.table.slice(0, 0))) == "no run has a value yet."


def loads_of(places):
    """Return the loads that a text of places names."""
    loads = set()
    for pattern, chosen in (
        (r"at every value of offered load from 0\.2 to 0\.8", lambda _: LOADS),
        (r"from (?:offered load )?(\S+) on", lambda m: [x for x in LOADS if x >= float(m[1])]),
        (r"up to (?:offered load )?(\S+)", lambda m: [x for x in LOADS if x <= float(m[1])]),
        (
            r"from (?:offered load )?(\S+) to (\S+)",
            lambda m: [x for x in LOADS if float(m[1]) <= x <= float(m[2])],
        ),
        (r"at (?:offered load )?(\d\S*)", lambda m: [float(m[1])]),
    ):
        while (match := re.search(pattern, places, re.IGNORECASE)) is not None:
            loads.update(chosen(match))
            places = places.replace(match[0], "", 1)
    assert loads, places
    assert not re.sub(r"and|,| ", "", places), places
    return loads


def test_a_stop_rule_is_said():
    made = result(draws((2, 4, 10)))
    stopped = replace(made, study=replace(made.study, stop=StopRule("delay", 0.05)))
    said = " Points ended by the stop rule, after which intervals cover a little less than they say."
    questions = default_questions(made.study)
    assert answer(stopped, questions).sure == answer(made, questions).sure + said


def told(text):
    """Return what sentences claim: (winner, loser, loads) for each; ``None`` is every other arm."""
    claims = re.finditer(r"(\w) is (?:better \(lower\) than (\w)|best \(lowest\))([^:,;]*?)[:,] ", text)
    return [(found[1], found[2], loads_of(found[3])) for found in claims]


def one_of(text):
    """Return which arms alone may be the best, and at which loads."""
    claims = re.finditer(r"(?:^|\. )([^:;,]*?), any of ([A-D].*?) may be the best", text)
    return [(set(re.findall(r"[A-D]", found[2])), loads_of(found[1])) for found in claims]


@pytest.mark.parametrize("seed", range(60))
def test_nothing_is_claimed_that_the_intervals_do_not_support(seed):
    """Every claim is looked up in intervals computed here, and so is every point without a claim."""
    rng = np.random.default_rng(seed)
    count, seeds = int(rng.integers(2, 5)), int(rng.integers(2, 8))
    values = 1 + 0.05 * rng.normal(size=(count, 4, seeds)) + 0.05 * rng.normal(size=(count, 4, 1))
    cells = [(i, j, k) for i in range(count) for j in range(4) for k in range(seeds)]
    lost = {cell for cell in cells if rng.random() < 0.1 * (seed % 3)}
    text = sentences(result(values, lost=lost))
    family = 4 * (count - 1)

    def below(a, b, load):
        """Whether the interval of ``a - b`` lies below zero."""
        j = LOADS.index(load)
        there = [k for k in range(seeds) if not {(a, j, k), (b, j, k)} & lost]
        if len(there) < 2:
            return False
        x = values[a, j, there] - values[b, j, there]
        return x.mean() + scipy.stats.t.ppf(1 - 0.025 / family, x.size - 1) * x.std(ddof=1) / x.size**0.5 < 0

    labels = "ABCD"[:count]
    claimed = set()
    for few, loads in one_of(text):
        for load in loads:
            for other in set(labels) - few:
                assert any(below(labels.index(arm), labels.index(other), load) for arm in few), (text, load)
    for winner, loser, loads in told(text):
        for load in loads:
            for other in [loser] if loser else set(labels) - {winner}:
                assert below(labels.index(winner), labels.index(other), load), (text, load)
                claimed.add((winner, other, load))
    if count == 2:
        for load in LOADS:
            for a, b in ("AB", "BA"):
                assert ((a, b, load) in claimed) == below(labels.index(a), labels.index(b), load), text


@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.full)])
def test_equal_arms_hardly_ever_differ(count):
    """At most 5 % of answers may; beyond the bound lies a chance of a thousandth."""
    trials = 400
    wrong = 0
    for seed in range(trials):
        text = sentences(result(draws((count, 4, 6), seed=seed)))
        wrong += bool(told(text))
    assert wrong <= scipy.stats.binom.ppf(0.999, trials, 0.05)


def test_hardly_any_answer_rules_out_the_best_arm():
    """A is best by little: answers may leave others beside it, but at most 5 % may leave it out."""
    trials = 400
    wrong = 0
    for seed in range(trials):
        values = draws((4, 4, 6), seed=seed)
        values[0] -= 0.003
        text = sentences(result(values))
        wrong += any(winner != "A" for winner, _, _ in told(text)) or any(
            "A" not in few for few, _ in one_of(text)
        )
    assert wrong <= scipy.stats.binom.ppf(0.999, trials, 0.05)
