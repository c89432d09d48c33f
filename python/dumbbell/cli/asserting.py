"""`dumbbell assert`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from dumbbell._printing import Text, TextTable
from dumbbell.cli.common import console
from dumbbell.errors import DumbbellError

NOT_SO = 3
"""The exit status when an assertion does not hold, or a claim is not reproduced and --strict is given."""


@click.command("assert")
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("rules", metavar="RULE...", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print the outcomes as JSON.")
@click.option("--junit", type=click.Path(path_type=Path), help="Write the outcomes as a JUnit report.")
def assert_(folder: Path, rules: tuple[str, ...], as_json: bool, junit: Path | None) -> None:
    """Check that each RULE holds for the run or the study in FOLDER; exit with 3 if one does not.

    \b
    Of a run, a number of its summary:
      "run.goodput > 9Mbit/s"  "links.left->right.loss <= 1%"
      "groups.web.completion_time.p99 < 0.5s"
    Of a study, means over seeds. A rule holds only if the whole 95 % interval
    satisfies it:
      "goodput: cubic >= 9Mbit/s"  "fct: cubic < newreno at load = 0.8"
      "fct: cubic / newreno <= 1.1"
    """  # noqa: D301
    from dumbbell._results import load
    from dumbbell.claims.assertion import assert_run, assert_study, outcomes_json, write_outcomes
    from dumbbell.study import StudyResult

    if not folder.is_dir():
        raise DumbbellError(f"{folder}: no such folder; give that of a run or of a study")
    if (folder / "summary.json").is_file():
        results = load(folder)
        outcomes = [assert_run(results, rule) for rule in rules]
    else:
        study = StudyResult.load(folder)
        outcomes = [assert_study(study, rule) for rule in rules]
    if junit is not None:
        write_outcomes(outcomes, str(folder), junit)
    if as_json:
        click.echo(outcomes_json(outcomes))
    else:
        rows = [
            (Text("passed", "green") if o.passed else Text("failed", "red"), o.rule, o.evidence)
            for o in outcomes
        ]
        console().print(TextTable("", ["", "rule", "evidence"], [], rows))
    if not all(outcome.passed for outcome in outcomes):
        sys.exit(NOT_SO)
