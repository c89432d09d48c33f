"""Names, labels and descriptions are data: in every command, whatever they hold."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
from pathlib import Path

import pytest

from conftest import Cli
from dumbbell._files.text import control_character, plain

NASTY = '_[/nope][red]$x^{bad$<script>alert(1)</script>&amp;:smile:"},{'
"""Markup of rich, of Matplotlib, of HTML, of JSON; and a name that legends leave out."""

CONTROL = {
    "NUL": "a\x00b",
    "title of a terminal": "\x1b]0;owned\x07",
    "C1": "a\x9b2J",
    "line": "a\nb",
    "RLO": "a\u202eb",
}
"""What no name may hold."""

SCENARIO = f"""
name = {json.dumps(NASTY)}
description = {json.dumps(NASTY)}
duration = "2s"
topology = {{ kind = "dumbbell", pairs = 2 }}
transport = {{ kind = "tcp" }}

[[flows]]
name = {json.dumps(NASTY)}
from = "senders"
to = "receivers"

[[workloads]]
kind = "poisson"
name = {json.dumps("2" + NASTY)}
from = "senders"
to = "receivers"
load = 0.2
size = {{ kind = "fixed", size = "20kB" }}
"""

STUDY = f"""
name = "names"
title = {json.dumps(NASTY)}
question = {json.dumps(NASTY)}
seeds = 2
scenario = "nasty.toml"

[[axes]]
name = "text"
label = {json.dumps(NASTY)}
unit = {json.dumps(NASTY)}
values = [{json.dumps(NASTY)}, "[/b]"]
settings = [["seed=1"], ["duration=1s"]]

[[arms]]
name = "one"
label = {json.dumps(NASTY)}
set = "transport.controller=newreno"

[[arms]]
name = "two"
set = "transport.controller=cubic"

[[metrics]]
name = "goodput"
label = {json.dumps(NASTY)}
unit = {json.dumps(NASTY)}
source = {{ table = "runs", column = "goodput" }}

[[metrics]]
name = "fct"
source = {{ table = "flows", column = "completion_time", group = {json.dumps("2" + NASTY)} }}
"""


def clean(done: subprocess.CompletedProcess[str]) -> str:
    """The output of a command that succeeded, which tells a terminal nothing."""
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "Warning" not in done.stderr
    for text in (done.stdout, done.stderr):
        assert control_character(text, lines=True) is None
    return done.stdout


def joined(text: str) -> str:
    """Without the breaks that a narrow column puts into a long text."""
    return re.sub(r"\s", "", text)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "nasty.toml").write_text(SCENARIO)
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path


def test_commands_of_runs(here: Path, cli: Cli) -> None:
    assert NASTY in clean(cli("check", "nasty.toml"))
    assert NASTY in joined(clean(cli("run", "nasty.toml", "-o", "out")))
    assert "out/figures/fct_cdf.svg" in clean(cli("plot", "out", "--format", "svg,png"))
    figure = (here / "out/figures/fct_cdf.svg").read_text()
    assert "$x^{bad$&lt;script&gt;" in figure
    assert "<script" not in figure
    clean(cli("pack", "out", "-o", "run.zip"))
    assert NASTY in joined(clean(cli("verify", "run.zip")))


def test_commands_of_studies(here: Path, cli: Cli) -> None:
    first = clean(cli("study", "run", "study.toml", "-o", "out"))
    status = clean(cli("study", "status", "out"))
    for text in (first, status):
        # Title and question; below, columns side by side break their texts.
        assert joined(text).startswith(2 * NASTY)
        assert "[/b]" in text
    answer = cli("query", "out", "select text, chr(27) || ']0;owned' as other from runs order by all limit 1")
    assert "�]0;owned" in clean(answer)
    rows = list(csv.reader(io.StringIO(clean(cli("query", "out", "select text from runs", "--csv")))))
    assert [NASTY] in rows
    clean(cli("report", "out"))
    page = (here / "out/report.html").read_text()
    assert "<script>alert" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") > 10
    assert (here / "out/figures/goodput.png").stat().st_size > 1000
    clean(cli("pack", "out", "-o", "study.zip"))
    verified = clean(cli("verify", "study.zip", "--all"))
    assert NASTY in joined(verified)
    assert "bit-equal" in verified


@pytest.mark.parametrize("kind", CONTROL)
def test_control_characters_are_refused_in_one_line(tmp_path: Path, cli: Cli, kind: str) -> None:
    escaped = json.dumps(CONTROL[kind])
    (tmp_path / "nasty.toml").write_text(SCENARIO)
    for place, text in (
        (
            "flows[0].name",
            SCENARIO.replace(f"[[flows]]\nname = {json.dumps(NASTY)}", f"[[flows]]\nname = {escaped}"),
        ),
        ("name", SCENARIO.replace(json.dumps(NASTY), escaped, 1)),
    ):
        (tmp_path / "bad.toml").write_text(text)
        for command in ("check", "run"):
            done = cli(command, "bad.toml")
            assert done.returncode == 2
            assert done.stderr.startswith(
                f"dumbbell: bad.toml: {place}: the text holds the control character U+"
            )
            assert done.stderr.endswith("; write text without control characters\n")
            assert control_character(done.stderr, lines=True) is None
    (tmp_path / "bad.toml").write_text(STUDY.replace(f"label = {json.dumps(NASTY)}", f"label = {escaped}", 1))
    done = cli("study", "run", "bad.toml", "-o", "out")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "dumbbell: bad.toml: axes[0].label: the text holds the control character U+"
    )
    assert done.stderr.count("\n") == 1


def test_names_that_no_table_has_room_for(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "long.toml").write_text(SCENARIO.replace(json.dumps(NASTY), json.dumps("x" * 101), 1))
    done = cli("check", "long.toml")
    assert (
        done.stderr
        == "dumbbell: long.toml: name: a name of 101 characters is above the limit of 100; shorten it\n"
    )
    (tmp_path / "nasty.toml").write_text(SCENARIO)
    (tmp_path / "long.toml").write_text(STUDY.replace(json.dumps(NASTY), json.dumps("x" * 201), 3))
    done = cli("study", "run", "long.toml", "-o", "out")
    assert done.stderr == (
        "dumbbell: long.toml: axes[0].label: 201 characters are above the limit of 200; shorten it\n"
    )


def test_names_of_files_are_names_too(tmp_path: Path, cli: Cli) -> None:
    """A file may have any name; a terminal does not obey it."""
    name = "\x1b]0;owned\x07[nope].toml"
    (tmp_path / name).write_text(SCENARIO.replace(f"name = {json.dumps(NASTY)}\n", "", 1))
    assert "�]0;owned�[nope]: 2 s" in clean(cli("check", name))
    done = cli("check", f"none{name}")
    assert done.returncode == 2
    assert control_character(done.stderr, lines=True) is None


@pytest.mark.parametrize("value", ["=1+1", "@x", "+cmd|x", "-2+3"])
def test_axis_values_are_no_formulas(tmp_path: Path, cli: Cli, value: str) -> None:
    (tmp_path / "nasty.toml").write_text(SCENARIO)
    (tmp_path / "study.toml").write_text(STUDY.replace('"[/b]"', json.dumps(value)))
    done = cli("study", "run", "study.toml", "-o", "out")
    assert done.returncode == 2
    assert f'axes[0].values[1]: "{value}" is a formula to spreadsheets; begin with a letter' in done.stderr


def test_plain_keeps_lines_and_shows_what_it_took() -> None:
    assert plain("a\tb\nc\x1b[2J\u202e\ud800é") == "a\tb\nc�[2J��é"
