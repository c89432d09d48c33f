"""The pages of algorithms are what evidence and registry say, and the evidence names tests that there are."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from dumbbell import registry
from dumbbell.cli import cli
from tools.algorithm_figures import BEDS as DRAWN
from tools.algorithm_figures import LIMIT, alone
from tools.algorithms import FIGURES, FOLDER, SHIPPED, generate, main, shipped
from tools.evidence import BEDS, ROOT, EvidenceError, Witness, all_evidence, keys, missing, read_evidence

REGISTRY = registry()

GOOD = """
what = "A queue."
reference = "RFC 1"
choices = []
tests = [{ name = "tests/test_algorithms.py: test_describe_says_how_we_know", catches = "no witness" }]
witnesses = [{ who = "ns-2.35", what = "loss", ours = 1.0, theirs = 2, unit = "", command = "make peers" }]
"""


def test_the_pages_follow_from_the_evidence() -> None:
    known = all_evidence()
    written = {file.name: file.read_text(encoding="utf-8") for file in FOLDER.glob("*.md")}
    assert written == generate(REGISTRY, known), "run `make docs`"
    assert SHIPPED.read_text(encoding="utf-8") == shipped(REGISTRY, known), "run `make docs`"


def test_algorithms_without_evidence_are_named_in_a_warning() -> None:
    for warning in missing(keys(REGISTRY), all_evidence()):
        warnings.warn(warning, stacklevel=1)


def test_missing_evidence_is_a_warning_that_names_the_file() -> None:
    known = all_evidence()
    known.pop("queue-red", None)
    (warning,) = missing([*known, "queue-red"], known)
    assert (
        warning == "no evidence for queue-red: write docs/evidence/queue-red.toml, as CONTRIBUTING.md shows"
    )
    # Any other warning fails a test: pyproject.toml lets this one pass.
    with warnings.catch_warnings(record=True) as caught:
        warnings.warn(warning, stacklevel=1)
    assert [str(one.message) for one in caught] == [warning]
    page = generate(REGISTRY, known)["queue-red.md"]
    assert "**Warning: no evidence yet.**" in page
    assert "docs/evidence/queue-red.toml" in page


def test_the_evidence_that_contributing_shows_can_be_read(tmp_path: Path) -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```toml\n(what = .*?)```", page, re.DOTALL)
    path = tmp_path / "controller-binomial.toml"
    path.write_text(shown, encoding="utf-8")
    (check,) = read_evidence(path).tests
    function = check.name.rpartition(": ")[2]
    example = ROOT / "examples" / "binomial" / "src" / "lib.rs"
    assert f"fn {function}()" in example.read_text(encoding="utf-8")


def test_evidence_of_no_algorithm_is_an_error() -> None:
    with pytest.raises(EvidenceError, match=r"^queue-read\.toml: no algorithm has this name; "):
        missing(["queue-red"], ["queue-red", "queue-read"])


def test_make_docs_warns_or_stops_at_malformed_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["algorithms"])
    monkeypatch.setattr("tools.algorithms.FOLDER", tmp_path)
    monkeypatch.setattr("tools.algorithms.SHIPPED", tmp_path / "lines.json")
    known = all_evidence()
    known.pop("queue-red", None)
    monkeypatch.setattr("tools.algorithms.all_evidence", lambda: known)
    assert main() == 0
    assert capsys.readouterr().err.startswith("warning: no evidence for queue-red: ")
    assert "no evidence yet" in (tmp_path / "queue-red.md").read_text(encoding="utf-8")
    bad = tmp_path / "queue-red.toml"
    bad.write_text("what = 3")
    monkeypatch.setattr("tools.algorithms.all_evidence", lambda: read_evidence(bad))
    assert main() == 2
    assert capsys.readouterr().err.startswith("docs/evidence: queue-red.toml: ")


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


def test_controllers_that_need_marks_are_drawn_where_marks_are() -> None:
    known = {key: evidence.bed for key, evidence in all_evidence().items()}
    names = [member["name"] for member in REGISTRY["families"]["controller"]]
    beds = {name: known.get(f"controller-{name}", "wide-area") for name in names}

    def marked(controller: str, bed: str) -> bool:
        results = alone(controller, replace(DRAWN[bed], settings=DRAWN[bed].settings | {"duration": "2s"}))
        return results is not None and int(results.links["marked"].sum()) > 0

    # One that asks for marks by itself gets them from a queue that marks.
    need = [name for name in beds if beds[name] != "data-centre" and marked(name, "step-marking")]
    assert {"dctcp", "prague"} <= set(need)
    assert [name for name in need if not marked(name, beds[name])] == []
    assert (beds["dctcp"], beds["prague"]) == ("step-marking", "dual-queue")
