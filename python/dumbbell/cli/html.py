"""`dumbbell report`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from dumbbell._files.manifest import is_results
from dumbbell._files.names import real
from dumbbell._files.special import refuse_special
from dumbbell.cli.common import echo, packet_options, quiet_option, results_again
from dumbbell.cli.lean import load_matplotlib
from dumbbell.cli.trust import libraries_option
from dumbbell.errors import DumbbellError


@click.command("report")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The HTML file; FOLDER/report.html by default."
)
@click.option(
    "--base", type=click.Path(path_type=Path), help="Folder to which file names in the scenario are relative."
)
@packet_options("Of a run: show a time-sequence plot and a sequence diagram")
@libraries_option
@quiet_option
def html(
    folder: Path,
    output: Path | None,
    base: Path | None,
    flow: int | None,
    start: str | None,
    until: str | None,
) -> None:
    """Write a report of the run or of the study in FOLDER.

    Of a run: what happened, figures over time, each flow, what was dropped where, and the packets of one flow
    if asked for. Of a study: the answer, the claims and figures of its file, or a figure of every metric
    against the longest axis. `dumbbell reproduce` writes the report of a paper.
    """
    if not folder.is_dir():
        raise DumbbellError(f"{folder}: no such folder; give that of a run or of a study")
    # A link that the user names is followed, one in a folder of others is not.
    path = real(output) if output else folder / "report.html"
    refuse_special(path)
    if flow is None and (start or until):
        raise DumbbellError("no flow is named whose packets are to be shown; give its number with --flow")
    if is_results(folder):
        if base is not None:
            raise DumbbellError("--base: the report of a run reads no other files; leave it out")
        written = _of_run(folder, path, flow, start, until)
    elif flow is not None:
        raise DumbbellError(f"{folder}: holds no run; --flow is for the packets of a run")
    else:
        written = _of_study(folder, path, base)
    echo(f"report: {output or written}")


def _of_run(folder: Path, path: Path, flow: int | None, start: str | None, until: str | None) -> Path:
    from dumbbell._results import load

    load_matplotlib()
    from dumbbell.report.run import Packets, write_run_report

    results = load(folder)
    packets = None
    if flow is not None:
        trace = results_again(results, folder).trace(flows=[flow], start=start, until=until)
        packets = Packets(trace, flow, start, until)
    return write_run_report(path, results, packets, _seen(folder, path))


def _of_study(folder: Path, path: Path, base: Path | None) -> Path:
    from dataclasses import replace

    from dumbbell.report import write_study_report
    from dumbbell.study import StudyResult

    result = StudyResult.load(folder)
    if base is not None:
        result = replace(result, study=replace(result.study, base_dir=base))
    write_study_report(path, result, folder=_seen(folder, path))
    return path


def _seen(folder: Path, path: Path) -> str:
    """Return a folder as seen from that of a page."""
    return os.path.relpath(folder, path.parent)
