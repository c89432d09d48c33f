"""The command line."""

from __future__ import annotations

from typing import NoReturn

import click

from dumbbell import __version__
from dumbbell.cli.archive import pack, verify
from dumbbell.cli.asserting import assert_
from dumbbell.cli.boundary import exit_with
from dumbbell.cli.html import html
from dumbbell.cli.incast import incast_real
from dumbbell.cli.inspect import check, describe, list_, schema
from dumbbell.cli.live import compare_real, doctor, rcp_real, shell
from dumbbell.cli.packetdrill import packetdrill
from dumbbell.cli.papers import papers, reproduce
from dumbbell.cli.plot import plot
from dumbbell.cli.rcp import recv, replay, send
from dumbbell.cli.run import run
from dumbbell.cli.study import query, study


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="dumbbell")
def cli() -> None:
    """Run congestion-control experiments: a scenario in, numbers and figures out."""


_COMMANDS = (
    run, check, list_, describe, schema, plot, study, query, assert_, papers, reproduce, html, pack, verify,
    shell, doctor, compare_real, rcp_real, incast_real, send, recv, replay, packetdrill,
)  # fmt: skip

for _command in _COMMANDS:
    cli.add_command(_command)


def main() -> NoReturn:
    """Run the command line and exit; see :func:`dumbbell.cli.boundary.exit_with`."""
    exit_with(cli, "dumbbell")
