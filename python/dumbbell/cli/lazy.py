"""Commands that are loaded when they are called: what one needs, another does not wait for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import click

from dumbbell.errors import DumbbellError


class _Text(click.types.StringParamType):
    """Text in UTF-8. A shell passes on any bytes; paths may be such, and have a type of their own."""

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text: str = super().convert(value, param, ctx)
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            self.fail(f"{text!r} is not UTF-8; write it so", param, ctx)
        return text


def _expect_text(command: click.Command) -> None:
    """Make a command refuse text that is not UTF-8, wherever it expects text."""
    for parameter in command.params:
        if isinstance(parameter.type, click.types.StringParamType):
            parameter.type = _Text()
    if isinstance(command, click.Group):
        for below in command.commands.values():
            _expect_text(below)


class _Later(click.Command):
    """A command that has a name, and a place from which it can be loaded."""

    def __init__(self, name: str, place: str) -> None:
        super().__init__(name)
        self._place = place

    def load(self) -> click.Command:
        """Return the command itself."""
        module, _, attribute = self._place.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command


class LazyGroup(click.Group):
    """A group of commands that are loaded when they are called, or when the help tells of all.

    Suggestions for a name that is not there come from the names alone.
    """

    def add_later(self, places: Mapping[str, str]) -> None:
        """Add commands: the name of each, and its place as ``package.module:attribute``."""
        for name, place in places.items():
            self.add_command(_Later(name, place))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, loaded; ``None`` if there is none of this name."""
        found = super().get_command(ctx, cmd_name)
        if isinstance(found, _Later):
            try:
                found = found.load()
            except DumbbellError as error:
                found = _refused(cmd_name, error)
            _expect_text(found)
            self.add_command(found, cmd_name)
        return found


def _refused(name: str, error: DumbbellError) -> click.Command:
    """Return a command that cannot be loaded here: it says why, in the help too, whatever it is given."""

    def refuse() -> None:
        raise error

    anything = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, callback=refuse, help=str(error), context_settings=anything)
