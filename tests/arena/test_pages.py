"""What the repository shows of the arena: its board, its examples, its attempts to cheat."""

from pathlib import Path

import pytest

from dumbbell import arena
from dumbbell.arena.entry import verify_entry
from tools import gaming
from tools.arena import BOARD, LAWS, tutorial_law

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs/arena"
AIMD = ROOT / "python/dumbbell/own/laws/aimd.py"


def test_board_holds_the_laws_of_the_pages():
    found = {entry.name: entry for entry in arena.entries(BOARD)}
    assert found["mine"].text == tutorial_law()
    for name, law in LAWS.items():
        assert found[name].text == (ROOT / law.partition(":")[0]).read_text(encoding="utf-8")
    assert len(found) > 25


def test_row_of_the_board_is_recomputed():
    """One row in a test; `dumbbell arena verify docs/arena` takes all."""
    [mine] = [entry for entry in arena.entries(BOARD) if entry.name == "mine"]
    verify_entry(mine)


def test_evaluator_answers_for_good_and_bad_programs(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    import evaluator

    (tmp_path / "bad.py").write_text("import os", encoding="utf-8")
    bad = evaluator.evaluate(str(tmp_path / "bad.py"))
    assert bad["combined_score"] == 0
    assert "bad.py" in bad["feedback"]
    good = evaluator.evaluate(str(AIMD))
    assert 0 < good["combined_score"] == min(good[name] for name in arena.SCORES)


def test_mutants_are_laws(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    import random

    import evolve

    draw, trees = random.Random(3), evolve.AIMD
    for number in range(60):
        trees = evolve.child_of(trees if number % 6 else evolve.AIMD, draw)
        path = tmp_path / "evolved.py"
        path.write_text(evolve.law(trees), encoding="utf-8")
        assert arena.entrant_of(f"{path}:Evolved").name == "evolved"


def test_evolved_law_beats_where_it_began():
    """The law of the tutorial is AIMD after slow start, from which evolution set out."""
    found = {entry.name: entry for entry in arena.entries(BOARD)}
    for name in arena.SCORES:
        for of in ("train", "held-out"):
            assert found["evolved"].score(of, name) > found["mine"].score(of, name)


@pytest.mark.parametrize("name", ["seed", "file", "endless"])
def test_attempts_to_leave_the_language_are_refused(tmp_path, name):
    row = gaming.attempts(tmp_path)[name]()
    assert "refused" in row
    assert row in gaming.PAGE.read_text(encoding="utf-8")


def test_knowing_the_networks_does_not_help_held_out(tmp_path):
    """The law that knows the public networks loses what it knew in others."""
    (tmp_path / "known.py").write_text(gaming.known_text(), encoding="utf-8")
    train, held_out = (arena.score(tmp_path / "known.py", set=drawn) for drawn in ("train", "held-out"))
    assert held_out["coexistence"] < train["coexistence"] - 0.1
