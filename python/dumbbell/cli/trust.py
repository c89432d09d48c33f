"""Code in folders of others: it runs with all rights of the user, and only if the user says so."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from dumbbell import _native
from dumbbell.cli.common import Command, echo
from dumbbell.errors import DumbbellError

_MOST_NAMED = 3
"""Files that are named."""


def trust_option(command: Command) -> Command:
    """Add the option of commands that may run code of others, as the parameter `trust`.

    Python is asked for by `ask_trust`. Libraries with controllers are loaded when a scenario is planned:
    without the option that is an error.
    """
    return click.option(
        "--trust",
        is_flag=True,
        callback=_trusting,
        help="Run the code that a folder of others holds, without a question.",
    )(command)


def libraries_option(command: Command) -> Command:
    """Add the option of commands that plan scenarios of others, which may name libraries with controllers."""
    return click.option(
        "--trust",
        is_flag=True,
        expose_value=False,
        callback=_trusting,
        help="Load the libraries with controllers that it holds: machine code, with all your rights.",
    )(command)


def _trusting(_context: click.Context, _option: click.Parameter, trust: bool) -> bool:
    if trust:
        _native.trust_libraries()
    return trust


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
