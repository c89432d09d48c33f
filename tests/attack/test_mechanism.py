"""Mechanisms: facts are read off traces as they are, and rules name what the facts say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dumbbell as db
from dumbbell.attack.mechanism import Facts, _names, _silence, _wait, _worst, read_mechanism
from dumbbell.attack.network import STUDY, plausible, settings_of
from dumbbell.attack.recorded import FILE, record_link, recorded_settings

REST = {bound.name: bound.rest for bound in plausible()}

CALM = Facts(1.5, 1.4, 20.0, 40.0, 60.0, 0.0, 0.0, 0.0, 100.0, 0.5)
"""Nothing is wrong."""


def named(metric: str, facts: dict[str, float], network: dict[str, float] = REST) -> str:
    return "; ".join(_names(replace(CALM, **facts), network, metric))


@pytest.mark.parametrize(
    ("metric", "facts", "said"),
    [
        ("goodput", {"window": 0.4, "rtt_mean": 52.0, "wait": 1.0}, "takes jitter for a queue"),
        ("utilisation", {"window": 0.4, "rtt_mean": 42.0, "wait": 1.9}, "small without losses"),
        ("goodput", {"window": 0.4, "random": 0.01, "overflow": 0.002}, "answers random losses"),
        ("least", {"window": 0.4, "random": 0.001, "overflow": 0.02}, "answers losses of a buffer of 1 BDP"),
        ("loss", {"window": 2.9, "overflow": 0.16}, "wants more in flight than fits"),
        ("loss", {"window": 2.0, "overflow": 0.16}, "the buffer overflows: 16 %"),
        ("wait", {"in_flight": 3.1}, "keeps a queue: 3.1 BDP"),
        ("timeouts", {"silence": 4000.0}, "silent for 4"),
        ("goodput", {}, ""),
        ("loss", {"random": 0.2}, ""),
    ],
)
def test_rules_name_what_facts_say(metric: str, facts: dict[str, float], said: str) -> None:
    found = named(metric, facts)
    assert said in found
    assert bool(said) == bool(found)


def test_shares_are_told_by_round_trip_time() -> None:
    apart = REST | {"ratio": 4.0}
    assert "of 40 ms have 3 times what those of 160 ms have" in named("fairness", {"near": 0.75}, apart)
    assert not named("fairness", {"near": 0.4}, apart)
    assert not named("fairness", {"near": 0.75})


def test_waits_are_from_arrival_to_departure() -> None:
    columns = {
        "event": np.array(["arrived", "arrived", "left", "arrived", "left", "dropped"]),
        "time": np.array([0.0, 0.001, 0.003, 0.004, 0.009, 0.01]),
        "packet": np.array([7, 3, 7, 9, 3, 9]),
    }
    assert _wait(columns, np.ones(6, np.bool_)) == pytest.approx(1e3 * (0.003 + 0.008) / 2)
    assert np.isnan(_wait(columns, np.zeros(6, np.bool_)))


def test_the_longest_silence_counts_both_ends() -> None:
    assert _silence(np.array([1.0, 2.5, 3.0]), 1.0, 3.5) == pytest.approx(1500)
    assert _silence(np.array([1.0]), 1.0, 5.0) == pytest.approx(4000)


def test_the_worst_part_is_that_of_the_metric() -> None:
    times = np.concatenate([np.arange(0, 10, 0.01), [4.05, 4.06]])
    event = np.where((times > 7) & (times < 7.2), "arrived", "left")
    event[-2:] = "dropped"
    order = np.argsort(times)
    columns = {
        "event": event[order], "time": times[order], "forward": np.ones(len(times), np.bool_),
        "bytes": np.full(len(times), 1500),
    }  # fmt: skip
    every = np.ones(len(times), np.bool_)
    low, high = _worst(columns, every, 0.0, "goodput")
    assert 6.9 < low < high < 7.3
    low, high = _worst(columns, every, 0.0, "loss")
    assert low <= 4.05 <= high


def test_facts_are_those_of_the_run() -> None:
    scenario = STUDY.plan([*settings_of(REST), "transport.controller=cubic", "duration=12s"])
    facts = read_mechanism(scenario, REST, "goodput").facts
    results = scenario.run()
    link = list(results.links["link"]).index("left->right")
    assert facts.wait == pytest.approx(1e3 * results.links["sojourn_mean"][link], rel=0.02)
    assert facts.overflow == pytest.approx(results.links["loss"][link], rel=0.05)
    assert facts.rtt_min == pytest.approx(1e3 * results.flows["rtt_min"][0], rel=0.01)
    assert 1.0 < facts.window < 2.2
    assert facts.near == 1.0


def test_a_recorded_link_has_the_rate_and_reads_back(tmp_path: Path) -> None:
    scenario = STUDY.plan([*settings_of(REST), "transport.controller=cubic", "duration=6s", "warmup=1s"])
    link = record_link(scenario, REST["rate"])
    times = [int(line) for line in link.splitlines()]
    assert times == sorted(times)
    assert len(times) * 12_000 / (times[-1] * 1e-3) == pytest.approx(10e6, rel=0.01)
    (tmp_path / FILE).write_text(link, encoding="utf-8")
    values = STUDY.plan([*settings_of(REST), "duration=6s", "warmup=1s"]).to_toml()
    (tmp_path / "plain.toml").write_text(values, encoding="utf-8")
    recorded = db.Scenario.from_file(tmp_path / "plain.toml", recorded_settings(FILE)).run()
    plain = db.Scenario.from_file(tmp_path / "plain.toml").run()
    assert recorded.runs["goodput"][0] == pytest.approx(plain.runs["goodput"][0], rel=0.03)
