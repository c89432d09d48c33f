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
    "--base", type=click.Path(path_type=Path), help="Folder to which file names in the scenario are relative."
)
def html(folder: Path, output: Path | None, base: Path | None) -> None:
    """Write a report of the study in FOLDER, with a figure of every metric against the longest axis.

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
