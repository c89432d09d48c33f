"""Assertions on runs and studies, and their reports."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest

import dumbbell as db
from dumbbell.claims.assertion import Outcome, assert_run, assert_study, write_outcomes
from dumbbell.claims.claim import ClaimError
from dumbbell.errors import FolderError

SCENARIO = """
duration = "1s"
topology = { kind = "dumbbell", pairs = 1 }
[[flows]]
name = "bulk.v1"
from = "senders"
to = "receivers"
"""


@pytest.fixture(scope="module")
def run():
    return db.Scenario.from_toml(SCENARIO).run()


@pytest.mark.parametrize(
    ("rule", "passed"),
    [
        ("run.goodput > 1Mbit/s", True),
        ("run.goodput > 1Mbps", True),
        ("run.goodput > 1000 Kbps", True),
        ("run.goodput > 1Gbps", False),
        ("run.goodput > 100kB/s", True),
        ("run.goodput<1kbit/s", False),
        ("links.left->right.loss <= 100 %", True),
        ("links.left->right.loss > 100%", False),
        ("groups.bulk.v1.flows = 1", True),
        ("groups.bulk.v1.timeouts = 7", False),
        ("run.duration = 1000ms", True),
        ("groups.bulk.v1.completion_time.p99 < 1s", False),
        ("links.left->right.queue_mean < 1000 packets", True),
        ("groups.bulk.v1.goodput.count = 1", True),
        ("groups.bulk.v1.delivered > 1kB", True),
    ],
)
def test_of_a_run(run, rule, passed):
    found = assert_run(run, rule)
    assert found.passed is passed
    assert found.evidence.startswith(rule.partition(" ")[0].partition("<1")[0])


def test_the_evidence_has_the_unit_of_the_rule(run):
    goodput, link = run.runs.row(0)["goodput"], run.links.row(list(run.links["link"]).index("left->right"))
    for rule, number in [
        ("run.goodput > 1Mbit/s", f"{goodput / 1e6:.6g} Mbit/s"),
        ("run.goodput > 1kB/s", f"{goodput / 8e3:.6g} kB/s"),
        ("run.goodput > 1bit/s", f"{goodput:.6g} bit/s"),
        ("links.left->right.loss <= 5%", f"{100 * link['loss']:.6g}%"),
        ("links.left->right.sojourn_mean < 9ms", f"{1e3 * link['sojourn_mean']:.6g} ms"),
        ("links.left->right.queue_mean < 9 packets", f"{link['queue_mean']:.6g} packets"),
        ("run.fairness > 0.1", f"{run.runs.row(0)['fairness']:.6g}"),
    ]:
        name = rule.split()[0]
        assert assert_run(run, rule).evidence == f"{name} = {number} (one run, no interval)"


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("run.goodput", "not a rule"),
        ("run.goodput > ", "not a rule"),
        ("run.godput > 1", "run has no 'godput'; did you mean \"goodput\"?"),
        ("run > 1", "run is not a number; use one of its parts: duration"),
        ("name = 1", "name is not a number"),
        ("run.goodput > fast", "'fast' is not a number"),
        ("run.goodput < 1e999", "'1e999' is not a number"),
        ("run.goodput > 3 parsec", "unknown unit 'parsec'; use bit/s, kbit/s"),
        ("links.left.loss < 1", "links has no 'left'; use one of left->right"),
        ("run.goodput.p99 < 1", "goodput has no 'p99'; it has no parts"),
        ("run.goodput > 9", "9 has no unit; write it with one, such as 9Mbit/s"),
        ("run.duration < 1e3", "1e3 has no unit; write it with one, such as 1e3s"),
        ("links.left->right.queue_p99 < 9", "9 has no unit; write it with one, such as 9 packets"),
        ("run.goodput > 0", "0 has no unit; write it with one, such as 0Mbit/s"),
        ("run.goodput > 1s", "s is not a unit of this; write a number in bit/s"),
        ("run.duration > 1Mbit/s", "Mbit/s is not a unit of this; write a number in s"),
        ("groups.bulk.v1.completion_time.p99 < 1kB", "kB is not a unit of this; write a number in s"),
        (
            "groups.bulk.v1.goodput.count > 1bit/s",
            "bit/s is not a unit of this; write a number without a unit",
        ),
        ("links.left->right.loss < 1ms", "ms is not a unit of this; write a number without a unit"),
        ("links.left->right.queue_p99 < 1kB", "kB is not a unit of this; write a number in packets"),
    ],
)
def test_bad_rules_of_a_run(run, rule, message):
    with pytest.raises(ClaimError) as caught:
        assert_run(run, rule)
    assert message in str(caught.value)
    assert str(caught.value).isprintable()
    begins_with_the_rule_once(caught.value, rule)


def begins_with_the_rule_once(error, rule):
    assert str(error).startswith(f"{rule!r}: ")
    assert str(error).count(repr(rule)) == 1


@pytest.mark.parametrize(
    ("rule", "passed", "word"),
    [
        ("delay: a <= 10s", True, "holds in all 3"),
        ("delay: a <= 10000 ms", True, "holds"),
        ("delay: a <= 1.5s", False, "broken"),
        ("delay: a >= 1.2s", False, "undecided"),
        ("delay: a >= 1.2s at load = 0.5", True, "holds"),
        ("delay: a < b", True, "holds"),
        ("delay: a > b", False, "broken"),
        ("delay: a / b >= 0.4 at load = 0.5", True, "holds"),
        ("delay: b - a <= 500ms", False, "broken"),
    ],
)
def test_of_a_study(made, noise, rule, passed, word):
    factor = {"a": 1, "b": 2, "c": 3}
    result = made(lambda arm, load, seed: factor[arm] * (1 + load + 0.01 * noise(seed)))
    found = assert_study(result, rule)
    assert found.passed is passed
    assert found.evidence.startswith(word)


def test_an_incomplete_study_passes_nothing(made, noise):
    result = made(lambda _arm, load, seed: load + noise(seed), lost=10)
    found = assert_study(result, "delay: a <= 1000s")
    assert not found.passed
    assert "INCOMPLETE" in found.evidence


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("delay <= 3", "no metric; write METRIC: ARM >= NUMBER, with one of delay"),
        ("dely: a <= 3", "the study has no metric 'dely'"),
        ("dely: a / b <= 3", "the study has no metric 'dely'"),
        ("delay: \udcff <= 3", "not in UTF-8; write it so"),
        ("delay: z <= 3", "the study has no arm 'z'; use one of a, b, c"),
        ("delay: a <= 3", "3 has no unit; write it with one, such as 3s"),
        ("delay: b - a <= 3", "3 has no unit; write it with one, such as 3s"),
        ("delay: a < 3s", "a mean has an interval, which < does not suit"),
        ("delay: a <= b", "two arms are compared by ARM < ARM"),
        ("delay: a <= 3 Mbit/s", "Mbit/s is not a unit of this; write a number in s"),
        ("delay: a / b <= 3 s", "s is not a unit of this"),
        ("delay: a <= 3 at lod = 1", "the study has no axis 'lod'; did you mean \"load\"?"),
        ("delay: a <= 3 at load", "'load' is not a point; write at AXIS = VALUE"),
        ("delay: a <= 3 at load = 1ms", "ms is not a unit of this; write a number without a unit"),
        ("delay: a ~ 3", "not a rule; write it as NAME >= NUMBER"),
        ("dely: a <= 3 s", "the study has no metric 'dely'"),
    ],
)
def test_bad_rules_of_a_study(made, rule, message):
    with pytest.raises(ClaimError) as caught:
        assert_study(made(lambda _arm, load, seed: load + seed), rule)
    assert message in str(caught.value)
    begins_with_the_rule_once(caught.value, rule)


def test_points_have_the_unit_of_their_axis(made, noise):
    result = made(lambda _arm, load, seed: load + 0.01 * noise(seed), loads=(10, 20))
    (axis,) = result.study.axes
    rates = replace(result, study=replace(result.study, axes=(replace(axis, unit="Mbit/s"),)))
    found = assert_study(rates, "delay: a <= 15s at load = 10000 kbit/s")
    assert found.passed
    assert "load = 10 Mbit/s" in found.evidence
    assert not assert_study(rates, "delay: a <= 15s at load = 20Mbit/s").passed
    with pytest.raises(ClaimError, match="ms is not a unit of this; write a number in Mbit/s"):
        assert_study(rates, "delay: a <= 15s at load = 10 ms")


def test_junit(tmp_path):
    outcomes = [Outcome("a < 1 & b", True, "a = 0"), Outcome("b > 1", False, "b = \x1b[0m<0>")]
    path = tmp_path / "report.xml"
    for _ in range(2):
        write_outcomes(outcomes, "out/run", path)
    suite = ElementTree.parse(path).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    passed, failed = suite.findall("testcase")
    assert (passed.get("name"), passed.find("failure")) == ("a < 1 & b", None)
    assert "<0>" in failed.find("failure").get("message")
    (tmp_path / "own.xml").write_text("<testsuite/>")
    with pytest.raises(FolderError, match="was not written by this command"):
        write_outcomes(outcomes, "out/run", tmp_path / "own.xml")


def test_exit_status(cli, run, tmp_path):
    run.save(tmp_path / "run")
    done = cli("assert", tmp_path / "run", "run.goodput > 1Mbit/s", "--json")
    assert (done.returncode, json.loads(done.stdout)[0]["passed"]) == (0, True)
    done = cli("assert", tmp_path / "run", "run.goodput > 1Mbit/s", "run.goodput > 1Gbit/s")
    assert done.returncode == 3
    assert "failed" in done.stdout
    done = cli("assert", tmp_path / "run", "run.goodput")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    done = cli("assert", tmp_path / "absent", "run.goodput > 1")
    assert (done.returncode, done.stderr) == (
        2, f"dumbbell: {tmp_path / 'absent'}: no such folder; give that of a run or of a study\n",
    )  # fmt: skip
