"""Attacks: they find what is known to break, find nothing where nothing is, and refuse what says nothing."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

import dumbbell as db
from conftest import Cli
from dumbbell.attack import (
    Attack,
    AttackError,
    parse_property,
    plausible,
    run_attack,
    write_attack,
)
from dumbbell.attack.network import distance, settings_of
from dumbbell.judge import candidate_of

CALM = ("rate=8..20", "rtt=30..80", "loss=0", "flows=1", "ratio=1", "buffer=1")
"""Bounds within which runs are short."""


def attack(name: str, text: str, folder: Path, *bounds: str, networks: int = 16) -> Attack:
    """Attack within narrow bounds."""
    return run_attack(
        candidate_of(name), parse_property(text), plausible(bounds), folder / "runs", networks=networks
    )


def test_copa_breaks_under_jitter(tmp_path: Path) -> None:
    found = attack("copa", "goodput >= 0.5 * cubic.goodput", tmp_path, *CALM)
    assert found.broken
    assert found.shrunk is not None
    assert found.shrunk["jitter"] > 0
    moved = {bound.name for bound in found.bounds if found.shrunk[bound.name] != bound.rest}
    assert moved <= {"jitter", "rtt", "rate"}
    assert 0 < found.distance < 1
    write_attack(found, tmp_path)
    kept = json.loads((tmp_path / "attack.json").read_text(encoding="utf-8"))
    assert kept["broken"]
    assert kept["margin"]["high"] < 0
    assert any("takes jitter for a queue" in name for name in kept["mechanism"]["names"])
    needed = {entry["change"]: entry["margin"] for entry in kept["needed"]}
    without = next(margin for change, margin in needed.items() if change.startswith("jitter 0 ms instead of"))
    assert without["low"] > 0
    lines = (tmp_path / "trace.txt").read_text(encoding="utf-8").splitlines()[1:]
    times = [float(line.split()[0]) for line in lines]
    worst = kept["mechanism"]["worst"]
    assert worst["start"] <= times[0] <= times[-1] <= worst["until"]
    seconds = db.Scenario.from_file(tmp_path / "scenario.toml").explain()["duration"]
    replay = f"--virtual --duration {seconds:g} --controllers copa,cubic --endpoints user"
    assert replay in (tmp_path / "attack.md").read_text(encoding="utf-8")
    recorded = db.Scenario.from_file(tmp_path / "recorded.toml").run()
    assert recorded.runs["goodput"][0] > 0.1e6 * found.shrunk["rate"]
    results = db.Scenario.from_file(tmp_path / "scenario.toml").run()
    assert results.runs["goodput"][0] < 0.6e6 * found.shrunk["rate"]


def test_bbr_loses_in_a_shallow_buffer(tmp_path: Path) -> None:
    bounds = ("rate=2..10", "rtt=20..60", "loss=0", "jitter=0", "ratio=1")
    found = attack("bbr", "loss <= 0.1", tmp_path, *bounds)
    assert found.broken
    assert found.shrunk is not None
    assert found.shrunk["buffer"] < 1.5
    assert found.mechanism is not None
    assert found.mechanism.names[0].startswith("it wants more in flight than fits")
    assert found.mechanism.facts.overflow > 0.1
    assert found.recorded is not None
    assert found.recorded.broken, "a constant rate is recorded as it is"


def test_cubic_shares_by_round_trip_time(tmp_path: Path) -> None:
    bounds = ("rate=2..10", "rtt=20..40", "loss=0", "jitter=0", "buffer=1", "flows=2")
    found = attack("cubic", "fairness >= 0.8", tmp_path, *bounds)
    assert found.broken
    assert found.shrunk is not None
    assert found.shrunk["ratio"] > 1
    assert found.mechanism is not None
    assert found.mechanism.names[0].startswith("it shares by round-trip time")


def test_nothing_breaks_newreno_against_itself(tmp_path: Path) -> None:
    found = attack(
        "newreno", "goodput >= 0.5 * newreno.goodput", tmp_path, "rate=2..8", "rtt=20..60", "flows=1..2"
    )
    assert not found.broken
    assert found.shrunk is None
    assert (found.mechanism, found.recorded, found.needed) == (None, None, ())
    assert found.tried > 8
    assert found.worst == pytest.approx(1 / 3)
    write_attack(found, tmp_path)
    assert "nothing found" in (tmp_path / "attack.md").read_text(encoding="utf-8")
    assert not (tmp_path / "scenario.toml").exists()


def test_margins_are_below_zero_where_it_is_broken() -> None:
    wanted = parse_property("goodput >= 0.5 * cubic.goodput - 1")
    values = {("", "goodput"): np.array([1.0, 4.0, 3.0]), ("cubic", "goodput"): np.array([10.0, 10.0, 8.0])}
    assert np.allclose(wanted.margin(values), [(1 - 4) / 5, 0.0, 0.0])
    turned = parse_property("loss < 0.1")
    assert turned.margin({("", "loss"): np.array([0.3, 0.05])}) == pytest.approx([-0.5, 1 / 3])


def test_an_ordinary_network_has_no_distance() -> None:
    bounds = plausible()
    rest = {bound.name: bound.rest for bound in bounds}
    assert distance(bounds, rest) == 0
    assert distance(bounds, rest | {"jitter": 25.0}) == pytest.approx(0.96)
    assert any(text.startswith("topology.bottleneck.rate=10") for text in settings_of(rest))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("goodput >=", "cannot be read; write such as"),
        ("goodput", "is not one comparison"),
        ("1 < goodput < 3", "is not one comparison"),
        ("goodput == 3", "is not one comparison"),
        ("goodput >= __import__('os').getpid()", "is no number, no metric"),
        ("goodput >= 3 ** 2", "is no number, no metric"),
        ("goodput >= True", "is no number, no metric"),
        ("1 > 0", "is constant: it names no metric of the candidate"),
        ("cubic.goodput >= 1", "is constant: it names no metric of the candidate"),
        ("goodput >= goodput", "is constant: both sides are the same"),
        ("goodput >= 1e999", "1e309 is too large; write a finite number"),
        ("goodput >= 1 + 9" + "0" * 400, "is too large; write a finite number"),
        ("goodputt >= 1", "no table has 'goodputt'; did you mean"),
        ("goodput >= cubik.goodput", "no controller 'cubik'; did you mean"),
    ],
)
def test_properties_that_say_nothing_get_one_line(text: str, said: str) -> None:
    with pytest.raises(AttackError, match=said.replace("(", r"\(")) as raised:
        parse_property(text)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rate=9..3", "excludes everything"),
        ("rate=9..1000", "goes beyond what is plausible"),
        ("rato=1..2", "no bound 'rato'; did you mean"),
        ("rate=fast", "cannot be read; write such as"),
        ("flows=1.5", "is no range of whole numbers"),
    ],
)
def test_bounds_that_say_nothing_get_one_line(text: str, said: str) -> None:
    with pytest.raises(AttackError, match=said):
        plausible([text])


def test_bounds_without_a_valid_network_get_one_line(tmp_path: Path) -> None:
    with pytest.raises(AttackError, match="a jitter needs a longer delay"):
        attack("copa", "goodput >= 1", tmp_path, "jitter=20..25", "rtt=10..20", networks=8)


def test_the_command_ends_in_one_line(cli: Cli) -> None:
    result = cli("attack", "copa", "--property", "goodput", "-o", "out")
    assert result.returncode == 2
    assert len(result.stderr.strip().splitlines()) == 1


def test_the_page_shows_what_the_command_prints(cli: Cli) -> None:
    page = (Path(__file__).parents[2] / "docs/attack.md").read_text(encoding="utf-8")
    command = next(line for line in page.splitlines() if line.startswith("    $ dumbbell attack"))
    result = cli(*shlex.split(command)[2:])
    assert result.returncode == 3, result.stderr
    assert page.split("```\n")[1].strip() in result.stdout
