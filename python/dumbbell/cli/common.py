"""What the commands share: reading scenarios, and text for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from dumbbell import _native
from dumbbell._files.text import plain
from dumbbell._printing import Output, Text, significant
from dumbbell._scenario import Scenario
from dumbbell.errors import DumbbellError, ScenarioError

Command = TypeVar("Command", bound=Callable[..., object])


def console() -> Output:
    """Return the standard output, for people."""
    return Output()


def side_console() -> Output:
    """Return the standard error, for what is not the result of a command."""
    return Output(error=True)


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


def number(value: Any, factor: float = 1.0, digits: int = 4) -> Text:
    """Write a number with so many significant digits; a dash for none."""
    if value is None or value != value:
        return Text("-", "dim")
    scaled = value / factor
    if isinstance(scaled, float) and scaled.is_integer() and factor == 1.0:
        scaled = int(scaled)
    return Text(f"{scaled:,}" if isinstance(scaled, int) else significant(scaled, digits))
