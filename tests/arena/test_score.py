"""Scores of controllers over the networks of the arena."""

import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner

from dumbbell import Scenario, arena
from dumbbell.arena.networks import EACH, SCORES, distribution
from dumbbell.arena.scoring import low
from dumbbell.cli import cli
from dumbbell.errors import DumbbellError
from dumbbell.own import laws

AIMD = f"{Path(laws.__file__).parent / 'aimd.py'}:Aimd"
STARVING = """
from dumbbell.own import Ack, Control, Controller


class Starving(Controller):
    def on_ack(self, ack: Ack, control: Control) -> None:
        control.window = 400 * ack.mss
"""


def test_networks_follow_from_the_key():
    train = arena.networks("train")
    assert len(train) == EACH * len(distribution().groups) == 200
    assert train == arena.networks("train")
    first = train[0]
    # Whoever changes the distribution changes every score: raise its edition.
    assert (distribution().edition, first.name, first.seed) == (1, "shallow-01", 1_384_474_837)
    assert first.values["rate"] == 19.1
    assert [n.values for n in arena.networks("other")] != [n.values for n in train]


def test_draws_are_spread_over_their_range():
    rates = sorted(float(n.values["rate"]) for n in arena.networks("train") if n.group.name == "deep")
    # One in each twentieth of the logarithm of 1 to 32.
    assert [int(20 * math.log(rate, 32)) for rate in rates] == pytest.approx(range(20), abs=1)


def test_every_quantity_and_group_names_its_source():
    found = distribution()
    assert all(entry.source for entry in (*found.quantities, *found.groups))
    assert {score for group in found.groups for score in group.scores} == set(SCORES)


def test_score_is_the_least_lower_end():
    found = arena.score("newreno", each=4)
    for name, mark in found.marks.items():
        ends = [low(estimate) for score, _, estimate in found.groups if score == name]
        assert mark.value == round(min(*ends, found.cap), 4)
        assert 0 <= mark.value <= 1


def test_same_score_again_and_by_class(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    first = arena.score(AIMD, each=3)
    assert repr(first.rows) == repr(arena.score(AIMD, each=3).rows)
    # A law as a value of Python.
    from dumbbell.own.laws.aimd import Aimd

    assert [row.values for row in arena.score(Aimd, each=3).rows] == [row.values for row in first.rows]
    changed = arena.score(Aimd(left=7), each=3).rows
    assert [row.values for row in changed] != [row.values for row in first.rows]


def test_starving_others_caps_all_scores(tmp_path):
    (tmp_path / "starving.py").write_text(STARVING, encoding="utf-8")
    found = arena.score(tmp_path / "starving.py", each=8)
    throughput = [low(estimate) for name, _, estimate in found.groups if name == "throughput"]
    assert min(throughput) > found.cap == pytest.approx(found["throughput"], abs=1e-4)
    assert found.marks["throughput"].is_capped
    assert found["coexistence"] < 0.1
    assert "harms CUBIC more" in arena.feedback(found)


def test_cubic_harms_no_more_than_itself():
    found = arena.score("cubic", each=3)
    assert found.cap == 1
    assert all(estimate.value == 0 for _, estimate in found.harm)


def test_held_out_set_follows_from_source_and_salt():
    mine, other = (arena.entrant_of(name) for name in (AIMD, "cubic"))
    key = arena.held_out_key(mine.source, 2026)
    assert key == arena.held_out_key(arena.entrant_of(AIMD).source, 2026)
    assert len({key, arena.held_out_key(other.source, 2026), "train"}) == 3
    changed = arena.entrant_of(f"{AIMD}(left=5)")
    assert arena.held_out_key(changed.source, 2026) != key


def test_worst_networks_run_as_files(tmp_path):
    found = arena.score(AIMD, each=2)
    arena.write_score(found, tmp_path / "out")
    facts = json.loads((tmp_path / "out/score.json").read_text(encoding="utf-8"))
    assert facts["scores"] == {name: mark.value for name, mark in found.marks.items()}
    assert len(facts["networks"]) == 20
    [first] = (tmp_path / "out").glob("worst-1-*.toml")
    row = found.worst()[0]
    again = Scenario.from_file(first)
    assert (again.seed, again.plan_hash) == (row.network.seed, row.plan)


def test_command_prints_scores(monkeypatch):
    monkeypatch.setattr(arena.score, "__kwdefaults__", {"set": "train", "each": 2})
    shown = CliRunner().invoke(cli, ["score", AIMD])
    assert shown.exit_code == 0
    assert [line.split()[0] for line in shown.output.splitlines()[:3]] == list(SCORES)
    facts = json.loads(CliRunner().invoke(cli, ["score", AIMD, "--json"]).output)
    assert facts["decided_by"].keys() == facts["scores"].keys() == set(SCORES)


@pytest.mark.parametrize(
    ("name", "drawn", "message"),
    [
        ("cubik", "train", 'no controller .cubik.; did you mean "cubic"'),
        ("mine.so", "train", "a library can do anything; the arena takes laws"),
        ("cubic", "test", "no set 'test'; use train, held-out or held-out-2026"),
        ("cubic", "held-out-1999", "the year 1999 has no salt; use 2026"),
        ("xcp", "train", "xcp cannot run in the arena: .*needs a router"),
        ("none.py:Mine", "train", "none.py: no such file"),
        ("fails.py:Mine", "train", "control has no field windw"),
        ("hangs.py:Mine", "train", "on_ack may take .* instructions; the arena allows 20,000"),
        ("cheats.py:Mine", "train", "a law imports nothing but"),
        ("several.py", "train", "holds several laws; name one of .*several.py:First, .*several.py:Second"),
    ],
)
def test_bad_candidates_and_sets_are_refused(tmp_path, monkeypatch, name, drawn, message):
    monkeypatch.chdir(tmp_path)
    head = (
        "from dumbbell.own import Controller\n\n\nclass {}(Controller):\n    def on_ack(self, ack, control):"
    )
    head += "\n"
    texts = {
        "fails": head.format("Mine") + "        control.windw = 1\n",
        "hangs": head.format("Mine")
        + "        for i in range(400):\n            for j in range(400):\n"
        + "                control.window += j\n",
        "cheats": "import os\n" + head.format("Mine") + "        control.window = 1\n",
        "several": "".join(
            head.format(each) + "        control.window += 1\n\n\n" for each in ("First", "Second")
        ),
    }
    for file, text in texts.items():
        Path(f"{file}.py").write_text(text, encoding="utf-8")
    with pytest.raises(DumbbellError, match=message) as caught:
        arena.score(name, set=drawn, each=2)
    assert "\n" not in str(caught.value)
