"""The pages of algorithms are what evidence and registry say, and the evidence names tests that there are."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from dumbbell import registry
from dumbbell.cli import cli
from tools.algorithm_figures import BEDS as DRAWN
from tools.algorithm_figures import LIMIT
from tools.algorithms import FIGURES, FOLDER, SHIPPED, generate, shipped
from tools.evidence import BEDS, FAMILIES, EvidenceError, Witness, all_evidence, read_evidence

REGISTRY = registry()

GOOD = """
what = "A queue."
reference = "RFC 1"
choices = []
tests = [{ name = "tests/test_algorithms.py: test_describe_says_how_we_know", catches = "no witness" }]
witnesses = [{ who = "ns-2.35", what = "loss", ours = 1.0, theirs = 2, unit = "", command = "make peers" }]
"""


def members() -> dict[str, str]:
    """Return the names that evidence may have, each with that of the algorithm."""
    families = REGISTRY["families"]
    return {f"{family}-{m['name']}": m["name"] for family in FAMILIES for m in families[family]}


def test_the_pages_follow_from_the_evidence() -> None:
    known = all_evidence()
    written = {file.name: file.read_text(encoding="utf-8") for file in FOLDER.glob("*.md")}
    assert written == generate(REGISTRY, known), "run `make docs`"
    assert SHIPPED.read_text(encoding="utf-8") == shipped(REGISTRY, known), "run `make docs`"


def test_every_algorithm_has_evidence_and_nothing_else_has() -> None:
    assert all_evidence().keys() == members().keys()


def test_the_tests_that_evidence_names_exist() -> None:
    named = [check for evidence in all_evidence().values() for check in evidence.tests]
    assert len(named) > 50
    assert [check.name for check in named if not check.exists] == []


def test_every_controller_has_a_small_figure() -> None:
    controllers = {member["name"] for member in REGISTRY["families"]["controller"]}
    drawn = {path.stem: path.stat().st_size for path in FIGURES.glob("*.svg")}
    assert drawn.keys() == controllers, "run `make docs`"
    assert max(drawn.values()) < LIMIT


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (("what =", "wath ="), "x.toml: wath: unknown key; use what, reference, choices, tests, witnesses"),
        (("choices = []", ""), "x.toml: choices: missing; give it"),
        (('"A queue."', "3"), "x.toml: what: 3 is of another type; give text"),
        (
            ("theirs = 2", 'theirs = "2"'),
            "x.toml: witnesses[0]: theirs: '2' is of another type; ",
        ),
        (
            ("theirs = 2", "theirs = nan"),
            "x.toml: witnesses[0]: theirs: nan is of another type; ",
        ),
        (("catches =", "finds ="), "x.toml: tests[0]: finds: unknown key; use name, catches"),
        (("tests = [{", "tests = [{{"), "x.toml: "),
        (("tests =", 'bed = "moon"\ntests ='), "x.toml: bed: 'moon' is of another type; use wide-area or"),
    ],
)
def test_a_file_that_is_not_as_it_should_be_is_told_in_one_line(
    change: tuple[str, str], error: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.toml"
    path.write_text(GOOD)
    assert read_evidence(path).tests[0].exists
    path.write_text(GOOD.replace(*change))
    with pytest.raises(EvidenceError) as caught:
        read_evidence(path)
    assert str(caught.value).startswith(error)
    assert "\n" not in str(caught.value)


def test_a_difference_is_in_percent_and_of_shares_in_points() -> None:
    def difference(ours: float, theirs: float, unit: str) -> str:
        return Witness("ns-2.35", "x", ours, theirs, unit, "").difference

    assert difference(9.0, 10.0, "s") == "-10.0 %"
    assert difference(0.0, 0.0001, "share") == "-0.01 points"
    assert difference(0.0, 0.0, "") == "none"
    assert difference(2.0, 0.0, "") == "+2"


def test_describe_says_how_we_know() -> None:
    described = {name: CliRunner().invoke(cli, ["describe", name]).output for name in ("red", "ramp", "tcp")}
    assert "Witness: ns-2.35, mean queue" in described["red"]
    assert "Witness: none" in described["ramp"]
    assert "Witness: Linux 6.18 kernel, time of the first drop" in described["tcp"]


def test_controllers_of_data_centres_are_drawn_in_one() -> None:
    known = all_evidence()
    assert {key for key, evidence in known.items() if evidence.bed == "data-centre"} >= {"controller-hpcc"}
    assert BEDS.keys() == DRAWN.keys()
    assert "10 Gbit/s" in (FOLDER / "controller-hpcc.md").read_text(encoding="utf-8")
