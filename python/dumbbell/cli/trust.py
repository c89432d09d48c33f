"""Python in folders of others: it runs with all rights of the user, and only if the user says so."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from dumbbell.cli.common import Command, echo
from dumbbell.errors import DumbbellError

_MOST_NAMED = 3
"""Files that are named."""


def trust_option(command: Command) -> Command:
    """Add the option of commands that may run Python of others, as the parameter `trust`."""
    return click.option(
        "--trust", is_flag=True, help="Run the Python that a folder of others holds, without a question."
    )(command)


def ask_trust(where: Path, programs: Sequence[Path], trust: bool) -> None:
    """Say whose Python is about to run; go on only if the user wants it.

    Parameters
    ----------
    where
        What the user has named.
    programs
        The files that hold Python. If there are none, the function asks nothing.
    trust
        Whether the user has said so before.

    Raises
    ------
    DumbbellError
        If the user does not want it, or nobody can be asked.
    """
    if not programs:
        return
    names = [path.name for path in programs]
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    what = f"{where}: holds Python ({', '.join(names[:_MOST_NAMED])}{more}), which runs with all your rights"
    if trust:
        echo(f"note: {what}", err=True)
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise DumbbellError(f"{what}; read it, then give --trust")
    click.echo(f"{what}. Run it? [y/N] ", nl=False, err=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise DumbbellError(f"{where}: not trusted; nothing was run")
