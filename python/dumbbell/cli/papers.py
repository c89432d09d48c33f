"""`dumbbell papers` and `dumbbell reproduce`."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dumbbell._printing import Output, Text, TextTable
from dumbbell.cli import completing
from dumbbell.cli.asserting import NOT_SO
from dumbbell.cli.common import (
    console,
    json_option,
    memory_option,
    print_json,
    quiet_option,
    runs_options,
)
from dumbbell.cli.trust import ask_trust, trust_option

if TYPE_CHECKING:
    from dumbbell.papers import Reproduction

_LISTED = Path(__file__).parent.parent / "papers" / "listed.json"
"""The papers, in order, as ``make docs`` writes them: reading their studies takes a second."""


@click.command()
@json_option
def papers(as_json: bool) -> None:
    """List the papers that can be reproduced."""
    rows: list[dict[str, Any]] = json.loads(_LISTED.read_text(encoding="utf-8"))
    if as_json:
        print_json(rows)
        return
    shown = [
        (row["name"], row["title"], *(f"{row[count]:,}" for count in ("claims", "quick_runs", "full_runs")))
        for row in rows
    ]
    console().print(TextTable("Papers", ("name", "title"), ("claims", "quick runs", "full runs"), shown))


def print_reproduction(out: Output, found: Reproduction) -> None:
    """Print the question of a paper, the answer, and the verdicts on its claims."""
    from dumbbell.claims import claims_table

    out.print(Text(found.result.study.question, "bold"))
    out.print(f"{found.answer}\n")
    out.print(claims_table(found.judged, found.result, found.note))


@click.command()
@click.argument("name", type=click.Path(), shell_complete=completing.matching(completing.papers))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder for the study and its report.",
)
@click.option(
    "--quick/--full", default=True, show_default=True, help="Few runs, or all that the study asks for."
)
@click.option(
    "--controller",
    "laws",
    multiple=True,
    metavar="FILE:CLASS",
    help="A controller of your own that takes part, such as my.py:Mine. May be repeated. Of the tournament.",
)
@runs_options
@click.option("--strict", is_flag=True, help="Exit with 3 if a claim is not reproduced.")
@trust_option
@memory_option
@json_option
@quiet_option
def reproduce(
    name: str,
    laws: tuple[str, ...],
    output: Path,
    quick: bool,
    executor: str,
    workers: int | None,
    strict: bool,
    trust: bool,
    memory: int | None,
    as_json: bool,
) -> None:
    """Run the study of the paper NAME, judge its claims, draw its figures and write its report.

    NAME is one of `dumbbell papers`, or the path of a folder laid out like one. The claims and figures of a
    folder are Python: they run only if you say so. Runs that the output folder holds already are not made
    again.
    """
    from dumbbell.cli.progress import study_progress
    from dumbbell.papers import find_paper
    from dumbbell.papers import reproduce as run

    paper = replace(find_paper(name), laws=laws)
    ask_trust(paper.folder, paper.programs, trust)
    out = console()
    with study_progress(paper.name) as progress:
        found = run(
            paper, output, quick=quick, executor=executor, workers=workers, memory=memory, progress=progress,
            stage=progress.stage,
        )  # fmt: skip
    if as_json:
        print_json(json.loads((output / "claims.json").read_text(encoding="utf-8")))
    else:
        print_reproduction(out, found)
        out.print(f"report: {found.report}", whole=True)
    if strict and any(judgement.verdict == "not reproduced" for _, judgement in found.judged):
        sys.exit(NOT_SO)
