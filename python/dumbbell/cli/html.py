"""`dumbbell report`."""

from __future__ import annotations

from pathlib import Path

import click

from dumbbell.cli.common import echo


@click.command("report")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The HTML file; FOLDER/report.html by default."
)
@click.option(
    "--base", type=click.Path(path_type=Path), help="Where names of files in the scenario count from."
)
def html(folder: Path, output: Path | None, base: Path | None) -> None:
    """Write a report of the study in FOLDER: every metric against its longest axis.

    `dumbbell reproduce` writes the report of a paper, with its claims and figures.
    """
    from dataclasses import replace

    from dumbbell.report import default_figures, write_report
    from dumbbell.study import StudyResult

    result = StudyResult.load(folder)
    if base is not None:
        result = replace(result, study=replace(result.study, base_dir=base))
    path = write_report(output or folder / "report.html", result, (), default_figures(result.study))
    echo(f"report: {path}")
