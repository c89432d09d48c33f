"""`dumbbell packetdrill`: conformance scripts over our TCP."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import click

from dumbbell._files.folder import new_file, refuse_file
from dumbbell._printing import Cell, Text, TextTable
from dumbbell.cli import completing
from dumbbell.cli.common import console, echo, json_option, quiet_option
from dumbbell.cli.trust import ask_trust, trust_option
from dumbbell.packetdrill import (
    ABSENT,
    FAILED,
    MASKED,
    PASSED,
    UNREADABLE,
    Outcome,
    controller_of,
    find,
    find_program,
    holds_python,
    run_all,
)

_STYLES = {PASSED: "green", MASKED: "green", FAILED: "red", UNREADABLE: "red", ABSENT: "dim"}


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--program",
    type=click.Path(path_type=Path),
    help="The program; by default $PACKETDRILL, or packetdrill on the path.",
)
@click.option(
    "--jobs", type=click.IntRange(1, 256), help="Scripts at a time; by default as many as processors."
)
@click.option(
    "--controller",
    metavar="NAME",
    help="Run all under this controller, whatever scripts set; one of your own is my.py:Mine.",
    shell_complete=completing.matching(completing.controllers),
)
@click.option("--only", metavar="TEXT", help="Only scripts that have this in their path.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="A file for the table: JSON if it ends in .json, else a page.",
)
@click.option("--force", is_flag=True, help="Replace that file.")
@trust_option
@json_option
@quiet_option
def packetdrill(
    folder: Path,
    program: Path | None,
    jobs: int | None,
    controller: str | None,
    only: str | None,
    output: Path | None,
    force: bool,
    trust: bool,
    as_json: bool,
) -> int:
    """Run the scripts of packetdrill in DIR over the TCP of dumbbell, in virtual time.

    Program and scripts are not part of dumbbell: docs/packetdrill.md says how to get them. What a script
    says in Python is run, if you say so. Commands for the shell are not run.

    The exit status is 0 if no script failed.
    """
    paths = find(folder, only)
    program = find_program(program)
    given = None if controller is None else controller_of(controller)
    under = None if given is None else given.name
    if output is not None:
        refuse_file(output, _is_ours, force)
    ask_trust(folder, [path for path in paths if holds_python(path)], trust)
    found = run_all(paths, folder, program, jobs or os.cpu_count() or 1, given)
    outcomes = sorted(found, key=lambda o: o.script)
    if output is not None:
        with new_file(output, _is_ours, force) as part:
            part.write_text(
                _as_json(outcomes, under) if output.suffix == ".json" else _as_page(outcomes, under),
                encoding="utf-8",
            )
    rows: list[list[Cell]] = [
        [outcome.script, Text(outcome.status, _STYLES[outcome.status]), outcome.detail]
        for outcome in outcomes
    ]
    if as_json:
        click.echo(_as_json(outcomes, under), nl=False)
    else:
        console().print(TextTable("", ["script", "result", "first difference, or reason"], [], rows))
        echo(_summary(outcomes, under))
    return 1 if any(outcome.status in (FAILED, UNREADABLE) for outcome in outcomes) else 0


def _summary(outcomes: list[Outcome], under: str | None) -> str:
    counts = Counter(outcome.status for outcome in outcomes)
    named = "" if under is None else f"; all under {under}"
    return ", ".join(f"{counts[status]} {status}" for status in _STYLES if counts[status]) + named


_TITLE = "# Scripts of packetdrill"
_KEY = '{"packetdrill": ['


def _as_page(outcomes: list[Outcome], under: str | None) -> str:
    def cell(text: str) -> str:
        return text.replace("|", "\\|").replace("<", "&lt;")

    rows = (f"| {cell(o.script)} | {o.status} | {cell(o.detail)} |\n" for o in outcomes)
    return (
        f"{_TITLE}\n\n{_summary(outcomes, under)}.\n\n"
        "| script | result | first difference, or reason |\n|---|---|---|\n" + "".join(rows)
    )


def _as_json(outcomes: list[Outcome], under: str | None) -> str:
    rows = ",\n".join(json.dumps(outcome.as_row()) for outcome in outcomes)
    named = "" if under is None else f', "controller": {json.dumps(under)}'
    return f"{_KEY}\n{rows}\n]{named}}}\n"


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        begun = file.read(len(_TITLE))
    return begun.startswith((_TITLE.encode(), _KEY.encode()))
