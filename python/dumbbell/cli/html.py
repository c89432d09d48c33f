"""`dumbbell report`."""

from __future__ import annotations

from pathlib import Path

import click

from dumbbell.cli.common import echo
from dumbbell.errors import DumbbellError


@click.command("report")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The HTML file; FOLDER/report.html by default."
)
@click.option(
    "--base", type=click.Path(path_type=Path), help="Folder to which file names in the scenario are relative."
)
def html(folder: Path, output: Path | None, base: Path | None) -> None:
    """Write a report of the run or of the study in FOLDER.

    Of a run: what happened, figures over time, each flow, and what was dropped where. Of a study: the answer,
    and a figure of every metric against the longest axis. `dumbbell reproduce` writes the report of a paper,
    with its claims and figures.
    """
    if not folder.is_dir():
        raise DumbbellError(f"{folder}: no such folder; give that of a run or of a study")
    path = output or folder / "report.html"
    write = _of_run if (folder / "summary.json").is_file() else _of_study
    echo(f"report: {write(folder, path, base)}")


def _of_run(folder: Path, path: Path, base: Path | None) -> Path:
    from dumbbell._results import load
    from dumbbell.report import write_run_report

    if base is not None:
        raise DumbbellError("--base: the report of a run reads no other files; leave it out")
    return write_run_report(path, load(folder))


def _of_study(folder: Path, path: Path, base: Path | None) -> Path:
    from dataclasses import replace

    from dumbbell.report import default_figures, write_report
    from dumbbell.study import StudyResult

    result = StudyResult.load(folder)
    if base is not None:
        result = replace(result, study=replace(result.study, base_dir=base))
    return write_report(path, result, (), default_figures(result.study))
