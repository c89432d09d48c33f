"""`dumbbell arena`."""

from __future__ import annotations

from pathlib import Path

import click

from dumbbell.cli import completing
from dumbbell.cli.common import echo, quiet_option, tell_of_file
from dumbbell.cli.lazy import LazyGroup

_BOARD = click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))


@click.group(cls=LazyGroup)
def arena() -> None:
    """Keep a board of scores that anybody can recompute."""


@arena.command()
@click.argument("name", shell_complete=completing.matching(completing.controllers))
@click.option("-o", "--output", "folder", required=True, type=click.Path(path_type=Path), help="The board.")
@click.option("--year", type=int, help="Of the salt of the held-out set; by default the latest.")
@click.option("--force", is_flag=True, help="Replace the entry; its scores go into the history.")
@quiet_option
def submit(name: str, folder: Path, year: int | None, force: bool) -> None:
    """Score NAME on both sets, and write source, scores and runs into the folder of a board."""
    from dumbbell.arena import submit as submitted

    tell_of_file(submitted(name, folder, year=year, force=force))


@arena.command()
@_BOARD
@quiet_option
def verify(folder: Path) -> None:
    """Recompute each row of a board bit for bit; refuse what was changed."""
    from dumbbell.arena import verify as verified

    found = verified(folder)
    echo(f"{folder}: {len(found)} entries, each recomputed bit for bit")


@arena.command()
@_BOARD
@quiet_option
def page(folder: Path) -> None:
    """Write the page of a board, board.html: scores, trade-offs, networks, history."""
    from dumbbell.arena.board import write_page

    tell_of_file(write_page(folder))
