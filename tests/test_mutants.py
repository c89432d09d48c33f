"""Mutants: how they are listed, woven into the sources, and counted."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tools import mutants
from tools.mutants import Mutant, Verdict, code, inside, literals, table, weave

SOURCE = """//! A text with 7 in it.
const K: u64 = 5;

/// Adds { to 3.
#[inline]
fn add(a: u64) -> u64 {
    let text = "9 }";
    a + 1_000
}

const fn fixed() -> u64 { 4 }

fn each() -> impl Iterator<Item = u64> { 0..6 }

fn half(x: (f64, char)) -> f64 {
    if x.1 == '8' { 0.0 } else { x.0 * 0.5_f64 }
}
"""


def place(text: str) -> tuple[int, int]:
    """Return the line and the column at which a text begins in the source."""
    offset = SOURCE.index(text)
    return SOURCE.count("\n", 0, offset) + 1, offset - SOURCE.rfind("\n", 0, offset)


def function(first: str, last: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the places at which a function begins and ends."""
    line, column = place(last)
    return place(first), (line, column + len(last))


ADD = function("/// Adds", "}\n\nconst")[0], (9, 2)
HALF = place("fn half"), (17, 2)


def mutant(text: str, replacement: str, of: tuple[tuple[int, int], tuple[int, int]] = ADD) -> Mutant:
    """Return a mutant that replaces a text of one line."""
    line, column = place(text)
    return Mutant(
        f"replace {text}", "a.rs", "Literal", of, (line, column), (line, column + len(text)), replacement
    )


def test_texts_comments_and_attributes_hold_no_code() -> None:
    assert "9" not in code(SOURCE)
    assert "7" not in code(SOURCE)
    assert "inline" not in code(SOURCE)
    assert "'8'" not in code(SOURCE)
    assert len(code(SOURCE)) == len(SOURCE)
    assert "x: &'a str, y: &'a str" in code("fn f<'a>(x: &'a str, y: &'a str)"), "lifetimes are code"


def test_numbers_of_a_function_become_others() -> None:
    found = {each.name.split("replace ")[1] for of in (ADD, HALF) for each in literals("a.rs", SOURCE, of)}
    assert found == {"1_000 with 1001", "0.0 with 1.0", "0.5_f64 with 0.55f64"}


def test_a_function_chooses_between_its_bodies() -> None:
    numbered = {
        4: mutant("+ 1_000", "- 1_000"),
        9: mutant("1_000", "1001"),
        5: mutant("0.5_f64", "2.0", HALF),
    }
    woven, lines, left = weave(SOURCE, numbered)
    assert not left
    rows = woven.splitlines()
    for number, expected in {4: "    a - 1_000", 9: "    a + 1001"}.items():
        first, last = lines[number]
        assert rows[first - 2].endswith(f"if crate::mutant::is({number}) {{")
        assert expected in rows[first - 1 : last]
    assert "x.0 * 2.0" in "\n".join(rows[lines[5][0] - 1 : lines[5][1]])
    # Its own body is the last choice, and what is around is as it was.
    assert woven.count("a + 1_000\n") == 1
    assert woven.startswith(SOURCE[: SOURCE.index("{\n    let")])


def test_constant_functions_and_opaque_types_are_left_out() -> None:
    fixed = function("const fn", "4 }")
    opaque = function("fn each", "0..6 }")
    assert inside(SOURCE, fixed) is None
    assert inside(SOURCE, opaque) is None
    _, lines, left = weave(SOURCE, {1: mutant("4 }", "5 }", fixed), 2: mutant("1_000", "1")})
    assert left == {1}
    assert set(lines) == {2}


def test_errors_of_the_compiler_leave_out_the_mutant_they_are_in() -> None:
    def message(line: int, within: int | None = None) -> dict[str, object]:
        span = {"file_name": "a.rs", "is_primary": True, "line_start": line, "expansion": None}
        if within is not None:
            span = {**span, "line_start": 1, "expansion": {"span": {**span, "line_start": within}}}
        return {"reason": "compiler-message", "message": {"level": "error", "spans": [span]}}

    places = {1: ("a.rs", 10, 12), 2: ("a.rs", 20, 22), 3: ("b.rs", 10, 12)}
    assert mutants._rejected([message(11), message(0, within=21)], places) == dict.fromkeys(
        [1, 2], "unviable"
    )
    assert mutants._rejected([message(24)], places) == {2: "not woven"}
    assert mutants._rejected([], places) == {}


def test_the_table_counts_what_does_not_end_as_caught() -> None:
    verdicts = ["caught"] * 7 + ["timed out"] * 2 + ["missed"] + ["unviable"] * 5
    told = table([Verdict("net", str(i), "FnValue", verdict, "") for i, verdict in enumerate(verdicts)])
    row = next(line for line in told.splitlines() if line.startswith("net"))
    # Wilson's interval of 9 of 10 (Brown, Cai & DasGupta, Statistical Science 16, 2001): 0.596 to 0.982.
    assert row.split()[1:] == ["7", "2", "1", "5", "0", "90.0%", "[59.6%,", "98.2%]"]


def script(folder: Path, text: str) -> Path:
    """Write a program that stands for the tests of a crate."""
    program = folder / "tests"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("echo 'test a::b ... ok'", ("missed", "")),
        ("echo 'test a::b ... FAILED'; exec sleep 60", ("caught", "a::b")),
        ("kill -ABRT $$", ("caught", "signal 6")),
        ("while :; do :; done", ("timed out", "timed out")),
    ],
)
def test_tests_of_a_mutant_run_until_one_fails(text: str, verdict: tuple[str, str], tmp_path: Path) -> None:
    program = script(tmp_path, text)
    assert mutants.run(program, tmp_path, 1, mutant("1_000", "1"), {"a::b"}, 1) == verdict


def test_the_own_tests_of_a_file_run_first(tmp_path: Path) -> None:
    program = script(tmp_path, 'echo "$MUTANT $*" >> calls')
    of = Mutant("m", "crates/net/src/queue/pie.rs", "FnValue", ADD, (1, 1), (1, 1), "")
    mutants.run(program, tmp_path, 3, of, {"queue::laws::x", "queue::pie::tests::y"}, 10)
    mutants.run(program, tmp_path, 4, of, {"queue::laws::x", "?"}, 10)
    assert (tmp_path / "calls").read_text().splitlines() == [
        "3 --test-threads 2 --exact queue::pie::tests::y",
        "3 --test-threads 2 --exact queue::laws::x",
        "4 --test-threads 2",
    ]


def test_what_cargo_mutants_lists_is_drawn_with_numbers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "a.rs").write_text(SOURCE)
    span = {"start": {"line": 8, "column": 7}, "end": {"line": 8, "column": 8}}
    whole = {"start": {"line": ADD[0][0], "column": 1}, "end": {"line": 9, "column": 2}}
    entry = {"name": "a.rs:8:7: replace + with - in add", "file": "a.rs", "genre": "BinaryOperator"}
    told = json.dumps([{**entry, "function": {"span": whole}, "span": span, "replacement": "-"}])

    def run(*_command: object, **_how: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], 0, told)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    found = mutants.listed("net")
    assert [each.name for each in found] == [
        "a.rs:8:7: replace + with - in add", "a.rs:8:9: replace 1_000 with 1001"
    ]  # fmt: skip
    woven, _, _ = weave(SOURCE, dict(enumerate(found)))
    assert "a - 1_000" in woven
    assert "a + 1001" in woven


def test_the_copy_is_a_whole_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutants, "TREE", tmp_path)
    mutants.copy(set())
    command = ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"]
    found = [
        json.loads(subprocess.run(command, cwd=folder, check=True, capture_output=True).stdout)["packages"]
        for folder in (mutants.ROOT, tmp_path)
    ]
    assert {package["name"] for package in found[0]} == {package["name"] for package in found[1]}
    for source in tmp_path.glob("crates/*/**/*.rs"):
        for file in re.findall(r'include_str!\("(\.\.[^"]*)"\)', source.read_text()):
            assert (source.parent / file).is_file(), source
