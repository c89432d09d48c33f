"""Runs that are the same for every seed are one run, and say nothing of how runs vary."""

import numpy as np
import pytest

from dumbbell.claims import Claim, Level, Order
from dumbbell.study import Study, StudyResult, run_study

STUDY = """
name = "same"
title = "The same"
question = "?"
seeds = 4

[scenario]
duration = "2s"
topology = { kind = "dumbbell", pairs = 1, bottleneck = { rate = "2Mbit/s" } }

[[scenario.flows]]
name = "bulk"
from = "senders"
to = "receivers"

[[arms]]
name = "same"
label = "Same"

[[arms]]
name = "varied"
label = "Varied"
set = "flows[0].jitter=1s"

[[metrics]]
name = "goodput"
label = "goodput"
unit = "bit/s"
source = { table = "runs", column = "goodput" }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    base = tmp_path_factory.mktemp("same")
    (base / "study.toml").write_text(STUDY)
    run_study(Study.from_file(base / "study.toml"), base / "out")
    return base / "out"


def test_they_count_as_one(folder):
    result = StudyResult.load(folder)
    assert result.repeated("same")
    assert not result.repeated("varied")
    assert (result.values("goodput", "same")[1].size, result.values("goodput", "varied")[1].size) == (1, 4)
    same, varied = result.paired("goodput", "same", "varied")
    assert (same.size, varied.size) == (4, 4)
    assert np.unique(same).size == 1
    assert result.paired("goodput", "same", "same")[0].size == 1


def test_claims_on_them_are_inconclusive_and_say_why(folder):
    result = StudyResult.load(folder)
    judgement = Claim("some", "Some.", "ours", "goodput", Level("same", low=1)).judge(result)
    assert judgement.verdict == "inconclusive"
    assert "n=1, no interval" in judgement.evidence
    assert "the same for every seed in 1 of 2 points and arms" in judgement.evidence
    assert "flows.jitter" in judgement.evidence
    assert (
        Claim("some", "Some.", "ours", "goodput", Level("varied", low=1)).judge(result).verdict
        == "reproduced"
    )
    assert "n=4" in str(Order(("same", "varied"))(result, "goodput").details[0])


def test_the_table_says_so(folder, cli):
    done = cli("study", "status", folder)
    assert "1, repeated" in done.stdout
    assert "(n=1, no interval)" in done.stdout
    assert "note: every metric is the same for every seed in 1 of 2" in done.stdout
