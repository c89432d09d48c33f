"""The command line."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import NoReturn

import click

from dumbbell import __version__
from dumbbell._text import shortened
from dumbbell.cli.archive import pack, verify
from dumbbell.cli.common import echo
from dumbbell.cli.html import html
from dumbbell.cli.inspect import check, describe, list_, schema
from dumbbell.cli.live import compare_real, doctor, rcp_real, shell
from dumbbell.cli.papers import papers, reproduce
from dumbbell.cli.plot import plot
from dumbbell.cli.rcp import recv, replay, send
from dumbbell.cli.run import run
from dumbbell.cli.study import query, study
from dumbbell.errors import DumbbellError

BAD_INPUT = 2

_MOST_MESSAGE = 2000
"""Characters of a message: what is quoted in one may be long."""

_STOPS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}


class Stopped(BaseException):
    """A signal that ends the process, as an exception: what was half done is removed on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="dumbbell")
def cli() -> None:
    """Run congestion-control experiments: a scenario in, numbers and figures out."""


_COMMANDS = (
    run, check, list_, describe, schema, plot, study, query, papers, reproduce, html, pack, verify,
    shell, doctor, compare_real, rcp_real, send, recv, replay,
)  # fmt: skip

for _command in _COMMANDS:
    cli.add_command(_command)


def main() -> NoReturn:
    """Run the command line and exit: 0 done, 2 bad input, 130 interrupted, 143 terminated."""
    exit_with(cli, "dumbbell")


def exit_with(command: click.Command, name: str) -> NoReturn:
    """Run a command with the arguments of the process and exit.

    Whatever a user can cause ends in one line on the standard error.
    """
    for number in _STOPS:
        signal.signal(number, _stop)
    try:
        code = command.main(prog_name=name, standalone_mode=False)
        # Here, where it can be caught, rather than when the interpreter closes the stream.
        sys.stdout.flush()
    except Stopped as stopped:
        _fail(_STOPS[signal.Signals(stopped.number)], 128 + stopped.number)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "", err=True)
        sys.exit(BAD_INPUT)
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else name
        _fail(f"{error.format_message().rstrip('.')}; see `{path} --help`", BAD_INPUT)
    except click.ClickException as error:
        _fail(error.format_message(), BAD_INPUT)
    except DumbbellError as error:
        _fail(str(error), BAD_INPUT)
    except BrokenPipeError:
        # The reader of the output has seen enough, as in `dumbbell schema | head`.
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _fail(f"{place}{error.strerror or error}", BAD_INPUT)
    sys.exit(code or 0)


def _stop(number: int, _frame: FrameType | None) -> NoReturn:
    raise Stopped(number)


def _fail(message: str, code: int) -> NoReturn:
    line = " ".join(message.split())
    echo(f"dumbbell: {shortened(line, _MOST_MESSAGE)}", err=True)
    sys.exit(code)
