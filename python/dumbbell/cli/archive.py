"""`dumbbell pack` and `dumbbell verify`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from dumbbell._printing import TextTable
from dumbbell.cli.common import (
    console,
    json_option,
    print_json,
    quiet_option,
    tell_of_file,
    workers_option,
)
from dumbbell.cli.trust import libraries_option

EXIT_CODES = {"bit-equal": 0, "within interval": 3, "different": 4}
"""Of `dumbbell verify`; 2 is bad input, as everywhere."""

_MOST_VERSIONS = 12
"""Changed versions that are named: first those of dumbbell, Python and its packages, then those of crates."""


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The ZIP file to write.")
@click.option(
    "--base",
    type=click.Path(path_type=Path),
    help="Folder to which file names in the scenario are relative; FOLDER by default.",
)
@click.option("--license", "license_url", default="", metavar="URL", help="The licence of the archive.")
@click.option("--force", is_flag=True, help="Replace an existing archive.")
@libraries_option
@quiet_option
def pack(folder: Path, output: Path, base: Path | None, license_url: str, force: bool) -> None:
    """Pack the study or run in FOLDER into one ZIP file that `dumbbell verify` can check."""
    from dumbbell import archive

    archive.pack(folder, output, base=base, license_url=license_url, force=force)
    tell_of_file(output, "archive: ")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--sample", type=click.IntRange(min=1), default=8, show_default=True, help="Number of runs to repeat."
)
@click.option("--all", "every", is_flag=True, help="Repeat every run.")
@workers_option
@libraries_option
@json_option
@quiet_option
def verify(file: Path, sample: int, every: bool, workers: int | None, as_json: bool) -> int:
    """Check the archive FILE, make again what follows from its runs, and repeat a sample of them.

    Exits with 0 if all are bit-equal, 3 if some only lie within the interval that the archived runs predict,
    4 if some are different or a file is not what the runs give, 2 if the archive cannot be used.
    """
    from dumbbell import archive
    from dumbbell.cli.bars import bar

    with bar(error=False, disable=not sys.stdout.isatty()) as shown:
        task = shown.add_task("running again", total=None)
        found = archive.verify(
            file,
            sample=None if every else sample,
            workers=workers,
            progress=lambda done, total: shown.update(task, completed=done, total=total),
        )
    if as_json:
        print_json(asdict(found) | {"outcome": found.outcome})
        return EXIT_CODES[found.outcome]
    out = console()
    rows = [(check.run, check.outcome, check.detail or "-") for check in found.checks]
    out.print(TextTable("", ["run", "outcome", "difference"], [], rows))
    for difference in found.differences:
        out.print(f"different: {difference}")
    if found.then != found.now:
        out.print(f"archived by {found.then}, run again by {found.now}")
    if found.versions:
        more = len(found.versions) - _MOST_VERSIONS
        rest = f"; and {more:,} more" if more > 0 else ""
        out.print(f"made with {'; '.join(found.versions[:_MOST_VERSIONS])}{rest}")
    else:
        out.print("made with the same versions as are here")
    for what in found.unchecked:
        out.print(f"not checked: {what}")
    left = found.runs - len(found.checks)
    rest = f"; {left:,} were not, --all makes them" if left else ""
    out.print(f"{found.outcome}: {len(found.checks):,} of {found.runs:,} runs made again{rest}")
    return EXIT_CODES[found.outcome]
