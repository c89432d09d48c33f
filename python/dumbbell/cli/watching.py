"""`--live`: a page that shows what a command does, while it does it."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dumbbell._printing import Output
from dumbbell.cli.common import echo
from dumbbell.errors import DumbbellError
from dumbbell.watch import FASTEST, SLOWEST

if TYPE_CHECKING:
    from dumbbell.watch.show import Show

Command = TypeVar("Command", bound=Callable[..., object])

_OPTIONS = {"port": "--port", "browse": "--open", "stays": "--no-stay"}
"""That go with `--live`, by parameter."""


@dataclass(frozen=True)
class Live:
    """What was said of the page."""

    port: int
    browse: bool
    """Open a browser."""
    stays: bool
    """Show the page until somebody has seen enough."""

    @contextmanager
    def shown(self, show: Show) -> Iterator[None]:
        """Show a page as long as the block lasts, and print its address."""
        show.start()
        try:
            echo(f"live: {show.address}", err=True)
            if self.browse:
                import webbrowser

                webbrowser.open(show.address)
            yield
        finally:
            show.close()

    def stay(self, show: Show) -> None:
        """Go on showing a page of what has ended, unless nobody wants that."""
        if self.stays:
            echo("live: the page stays until Ctrl-C, or until it ends the command", err=True)
            show.stay()


class Speed(click.ParamType[float]):
    """Simulated seconds in a second, or ``max``."""

    name = "X"

    def convert(self, value: object, param: click.Parameter | None, context: click.Context | None) -> float:
        """Return a number; infinity for ``max``."""
        if value == "max":
            return math.inf
        try:
            speed = float(str(value))
        except ValueError:
            speed = math.nan
        if speed != math.inf and not SLOWEST <= speed <= FASTEST:
            self.fail(f"{value!r} is no speed; give a number such as 0.1, or max", param, context)
        return speed


def live_options(command: Command) -> Command:
    """Add `--live` and what belongs to it to a command, as the parameter `live`."""

    @functools.wraps(command)
    def run(*given: Any, live: bool, **options: Any) -> object:
        chosen = {name: options.pop(name) for name in _OPTIONS}
        return command(*given, live=Live(**chosen) if _wanted(live) else None, **options)

    added = (
        click.option("--live", is_flag=True, help="Show a page at 127.0.0.1 of what happens, as it happens."),
        click.option(
            "--port", type=click.IntRange(0, 65535), default=0,
            help="With --live: the port of the page; any by default.",
        ),
        click.option("--open", "browse", is_flag=True, help="With --live: open a browser."),
        click.option(
            "--stay/--no-stay", "stays", default=True,
            help="With --live: go on showing the page at the end, until Ctrl-C; or end at once.",
        ),
    )  # fmt: skip
    for option in reversed(added):
        run = option(run)
    return run  # type: ignore[return-value]


def _wanted(live: bool) -> bool:
    if live:
        if Output.quiet:
            raise DumbbellError("--live: with --quiet nobody learns its address; leave one out")
        return True
    context = click.get_current_context()
    for name, option in _OPTIONS.items():
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise DumbbellError(f"{option}: goes with --live; give both, or neither")
    return False
