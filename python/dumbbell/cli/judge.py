"""`dumbbell judge`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from dumbbell.judge import Candidate
    from dumbbell.judge.real import Kernel

_FAILED = 1
"""The exit status when runs of a chapter failed, and no chapter says *more harm*."""


@click.command()
@click.argument("name", required=False, shell_complete=completing.matching(completing.controllers))
@click.option("--quick", is_flag=True, help="Run the quick form of each chapter: fewer seeds and points.")
@click.option(
    "--against", default="cubic,newreno", show_default=True,
    shell_complete=completing.matching(completing.controllers, several=True),
    help="Controllers to compare with, by commas; words compare with the first.",
)  # fmt: skip
@click.option(
    "--chapter", "numbers", type=int, multiple=True, help="Judge this chapter only. May be repeated."
)
@click.option(
    "--kernel", "kernels", metavar="NAME",
    help="Judge a controller of the kernel, such as cubic, on real packets; instead of the argument.",
)  # fmt: skip
@click.option(
    "--virtual", is_flag=True,
    help="With --kernel: each run in a kernel in virtual time, without privileges (make kernel).",
)  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder; by default judge-NAME.")
@workers_option
@memory_option
@json_option
@quiet_option
def judge(
    name: str | None,
    quick: bool,
    against: str,
    numbers: tuple[int, ...],
    kernels: str | None,
    virtual: bool,
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

    With --kernel, all arms are connections of the kernel through the emulated link of each chapter, live or,
    with --virtual, in virtual time. A chapter that real packets do not allow is "not judged", and says why.
    """
    from dumbbell.cli.progress import study_progress
    from dumbbell.judge import all_chapters, run_judge, write_judge
    from dumbbell.judge.write import table

    candidate, kernel = _candidate(name, kernels, virtual)
    if candidate.foreign:
        tell_of_library(name or "")
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
        kernel=kernel,
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


def _candidate(name: str | None, kernels: str | None, in_virtual: bool) -> tuple[Candidate, Kernel | None]:
    """Return who is judged, and the kernel whose controller it is."""
    from dumbbell.judge import candidate_of
    from dumbbell.judge.real import Kernel, kernel_candidate
    from dumbbell.live import virtual

    if (name is None) == (kernels is None):
        raise DumbbellError("who is judged? give NAME, or --kernel NAME for a controller of the kernel")
    if kernels is not None:
        return kernel_candidate(kernels), Kernel(virtual.find() if in_virtual else None)
    if in_virtual:
        raise DumbbellError("--virtual: goes with --kernel; the simulator has its own time")
    assert name is not None, "one of the two is given"
    return candidate_of(name), None
