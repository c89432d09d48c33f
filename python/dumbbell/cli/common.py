"""What the commands share: reading scenarios, and text for people."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as TextTable
from rich.text import Text

from dumbbell import _native
from dumbbell._files.text import plain
from dumbbell._scenario import Scenario
from dumbbell.cli.streams import Output
from dumbbell.errors import DumbbellError, ScenarioError

_PIPE_WIDTH = 160
"""Columns when the output is not a terminal: wide enough that tables keep their rows whole."""

Command = TypeVar("Command", bound=Callable[..., object])


def console() -> Console:
    """Return the console on the standard output."""
    return Output(width=None if sys.stdout.isatty() else _PIPE_WIDTH)


def side_console() -> Console:
    """Return the console on the standard error, for what is not the result of a command."""
    return Output(stderr=True)


def echo(text: object, err: bool = False) -> None:
    """Write a line as it is, without the control characters that a terminal would obey."""
    click.echo(plain(str(text)), err=err)


def scenario_options(command: Command) -> Command:
    """Add the argument and options of commands that read a scenario."""
    seed = click.option(
        "--seed", type=click.IntRange(min=0), help="The seed of every random stream: --set seed=N."
    )
    change = click.option(
        "--set", "settings", multiple=True, metavar="PATH=VALUE",
        help="Change a value, such as topology.bottleneck.rate=20Mbit/s. May be repeated.",
    )  # fmt: skip
    return click.argument("file", type=click.Path(path_type=Path))(change(seed(command)))


class _Size(click.ParamType[int]):
    name = "SIZE"

    def convert(self, value: object, _param: click.Parameter | None, _context: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        try:
            size = _native.parse_size(str(value), "--memory")
        except ScenarioError as error:
            raise DumbbellError(str(error)) from None
        if size == 0:
            raise DumbbellError("--memory: a run needs some; give a size such as 4GB")
        return size


def memory_option(command: Command) -> Command:
    """Add the option of commands that run scenarios."""
    return click.option(
        "--memory",
        type=_Size(),
        help="Memory for all runs together, such as 4GB; by default three quarters of what is free.",
    )(command)


def read_scenario(file: Path, settings: Iterable[str], seed: int | None) -> Scenario:
    """Read a scenario file; errors name the file."""
    changes = [*settings, *([] if seed is None else [f"seed={seed}"])]
    try:
        return Scenario.from_file(file, changes)
    except ScenarioError as error:
        raise DumbbellError(f"{file}: {error}") from None
    except FileNotFoundError:
        raise DumbbellError(f"{file}: no such file; give the path of a scenario") from None
    except OSError as error:
        raise DumbbellError(f"{file}: {error.strerror}; give the path of a readable scenario") from None


Cell = str | Text

_SHORT_TEXT = 24
"""Text up to this length beside numbers stays on one line."""

_GAP = 2
"""Columns of space that a table puts between two of its columns."""


def text_table(
    title: str, texts: Sequence[str], numbers: Sequence[str], rows: Iterable[Sequence[Cell]]
) -> TextTable:
    """Make a table for people that fits the console.

    Where there is not enough room, the last columns of numbers are left out; numbers themselves never break.

    Parameters
    ----------
    title
        Above the table; may be empty.
    texts, numbers
        Headings of the columns of text, then of those of numbers, which come in order of importance.
    rows
        One cell for each column. A cell given as ``str`` is plain, without markup.
    """
    # Before their width is measured: a control character has none.
    cells = [[Text(plain(cell)) if isinstance(cell, str) else cell for cell in row] for row in rows]
    names = [*texts, *numbers]
    widest = [
        max([len(word) for word in name.split()] + [len(row[i]) for row in cells])
        for i, name in enumerate(names)
    ]
    room = console().width
    while len(names) > len(texts) + 1 and sum(widest[: len(names)]) + _GAP * (len(names) + 1) > room:
        names.pop()
    heading = Text(title, style="bold") if title else None
    table = TextTable(
        title=heading, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True
    )
    longest = [max(len(name), widest[i]) for i, name in enumerate(names)]
    if sum(longest) + _GAP * (len(names) + 1) > room:
        # Rich, left to itself, would take from the numbers what long headings want.
        names = [name if i < len(texts) else textwrap.fill(name, widest[i]) for i, name in enumerate(names)]
    for index, name in enumerate(names):
        if index < len(texts):
            short = widest[index] if numbers and widest[index] <= _SHORT_TEXT else None
            table.add_column(Text(name), overflow="fold", min_width=short)
        else:
            table.add_column(Text(name), justify="right", min_width=widest[index])
    for row in cells:
        table.add_row(*row[: len(names)])
    return table


def number(value: Any, factor: float = 1.0, digits: int = 4) -> Text:
    """Write a number with so many significant digits; a dash for none."""
    if value is None or value != value:
        return Text("-", style="dim")
    scaled = value / factor
    if isinstance(scaled, float) and scaled.is_integer() and factor == 1.0:
        scaled = int(scaled)
    return Text(f"{scaled:,}" if isinstance(scaled, int) else significant(scaled, digits))


def significant(value: float, digits: int = 4) -> str:
    """Write a real number with so many significant digits, without exponent where it stays short."""
    if value == 0:
        return "0"
    if not 1e-5 <= abs(value) < 1e7:
        return f"{value:.{digits - 1}e}"
    text = f"{value:.{digits}g}"
    return f"{float(text):,.0f}" if "e" in text else text
