"""`dumbbell study search`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from dumbbell._printing import Text
from dumbbell.cli.common import (
    console,
    json_option,
    memory_option,
    print_json,
    quiet_option,
    runs_options,
)
from dumbbell.errors import DumbbellError


@click.command("search")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="The folder of the search."
)
@runs_options
@memory_option
@json_option
@quiet_option
def search(
    file: Path, output: Path, executor: str, workers: int | None, memory: int | None, as_json: bool
) -> None:
    """Search for the readings of a paper that make its published numbers, as FILE says.

    FILE names a study, what a reading may choose, and what was published. Runs that the output folder holds
    already are not made again.
    """
    from dumbbell.cli.progress import study_progress
    from dumbbell.search import Search, run_search, write_search

    try:
        chosen = Search.from_file(file)
    except FileNotFoundError:
        raise DumbbellError(f"{file}: no such file; give the path of a search") from None
    except OSError as error:
        raise DumbbellError(f"{file}: {error.strerror}; give the path of a readable search") from None
    with study_progress(chosen.name) as show:
        result = run_search(
            chosen, output, executor=executor, workers=workers, memory=memory, progress=show, stage=show.stage
        )
    report = write_search(result, output)
    if as_json:
        print_json(json.loads((output / "search.json").read_text(encoding="utf-8")))
        return
    out = console()
    out.print(Text(chosen.name, "bold"))
    out.print(result.verdict)
    for setting in result.winner.settings:
        out.print(f"  {setting}", whole=True)
    out.print(f"report: {report}", whole=True)
