"""`dumbbell judge`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from dumbbell.cli import completing
from dumbbell.cli.asserting import NOT_SO
from dumbbell.cli.common import (
    console,
    echo,
    json_option,
    memory_option,
    print_json,
    quiet_option,
    refuse_twice,
    tell_of_library,
    workers_option,
)
from dumbbell.errors import DumbbellError

_FAILED = 1
"""The exit status when runs of a chapter failed, and no chapter says *more harm*."""


@click.command()
@click.argument("name", shell_complete=completing.matching(completing.controllers))
@click.option("--quick", is_flag=True, help="Run the quick form of each chapter: fewer seeds and points.")
@click.option(
    "--against", default="cubic,newreno", show_default=True,
    help="Controllers to compare with, by commas; words compare with the first.",
)  # fmt: skip
@click.option(
    "--chapter", "numbers", type=int, multiple=True, help="Judge this chapter only. May be repeated."
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder; by default judge-NAME.")
@workers_option
@memory_option
@json_option
@quiet_option
def judge(
    name: str,
    quick: bool,
    against: str,
    numbers: tuple[int, ...],
    output: Path | None,
    workers: int | None,
    memory: int | None,
    as_json: bool,
) -> None:
    """Judge the controller NAME by the chapters of RFC 9743, next to Reno and CUBIC at the same seeds.

    NAME is a registered controller, a class of your own such as my.py:Mine, or the path of a library, which
    runs with all your rights. Each chapter says "less harm", "as CUBIC", "more harm" or "not judged". Runs
    that the output folder holds already are not made again. The exit status is 3 if a chapter says
    "more harm".
    """
    from dumbbell.cli.progress import study_progress
    from dumbbell.judge import all_chapters, candidate_of, run_judge, write_judge
    from dumbbell.judge.write import table

    candidate = candidate_of(name)
    if candidate.foreign:
        tell_of_library(name)
    references = [entry.strip() for entry in against.split(",")]
    refuse_twice("--against", references)
    chapters = all_chapters()
    known = {chapter.number: chapter for chapter in chapters}
    for number in numbers:
        if number not in known:
            raise DumbbellError(f"--chapter: there is no chapter {number}; use 1 to {max(known)}")
    folder = output or Path(f"judge-{candidate.name}")
    found = run_judge(
        candidate, [known[number] for number in sorted(set(numbers))] if numbers else chapters, folder,
        against=references, quick=quick, workers=workers, memory=memory, progress=study_progress,
    )  # fmt: skip
    page = write_judge(found, folder)
    if as_json:
        print_json(json.loads((folder / "judge.json").read_text(encoding="utf-8")))
    else:
        echo(table(found))
        console().print(f"page: {page}", whole=True)
    if found.harmful:
        sys.exit(NOT_SO)
    if found.failed:
        sys.exit(_FAILED)
