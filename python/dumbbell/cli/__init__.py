"""The command line."""

from __future__ import annotations

from typing import NoReturn

import click

from dumbbell._native import profile, version
from dumbbell.cli.boundary import exit_with
from dumbbell.cli.lazy import LazyGroup

_VERSION = version if profile == "release" else f"{version} ({profile} build)"

_COMMANDS = {
    "run": "dumbbell.cli.run:run",
    "check": "dumbbell.cli.inspect:check",
    "export": "dumbbell.cli.own:export",
    "list": "dumbbell.cli.inspect:list_",
    "describe": "dumbbell.cli.inspect:describe",
    "schema": "dumbbell.cli.inspect:schema",
    "plot": "dumbbell.cli.plot:plot",
    "playground": "dumbbell.cli.playground:playground",
    "trace": "dumbbell.cli.trace:trace",
    "study": "dumbbell.cli.study:study",
    "query": "dumbbell.cli.study:query",
    "assert": "dumbbell.cli.asserting:assert_",
    "attack": "dumbbell.cli.attack:attack",
    "judge": "dumbbell.cli.judge:judge",
    "score": "dumbbell.cli.score:score",
    "arena": "dumbbell.cli.arena:arena",
    "papers": "dumbbell.cli.papers:papers",
    "reproduce": "dumbbell.cli.papers:reproduce",
    "report": "dumbbell.cli.html:html",
    "pack": "dumbbell.cli.archive:pack",
    "verify": "dumbbell.cli.archive:verify",
    "shell": "dumbbell.cli.live:shell",
    "doctor": "dumbbell.cli.live:doctor",
    "compare-real": "dumbbell.cli.live:compare_real",
    "rcp-host": "dumbbell.cli.rcp:rcp_host",
    "rcp-real": "dumbbell.cli.rcp:rcp_real",
    "trump-real": "dumbbell.cli.live:trump_real",
    "incast-real": "dumbbell.cli.incast:incast_real",
    "send": "dumbbell.cli.udp:send",
    "recv": "dumbbell.cli.udp:recv",
    "replay": "dumbbell.cli.udp:replay",
    "convert": "dumbbell.cli.convert:convert",
    "traces": "dumbbell.cli.convert:traces",
    "examples": "dumbbell.cli.examples:examples",
    "completion": "dumbbell.cli.help:completion",
    "manual": "dumbbell.cli.help:manual",
    "packetdrill": "dumbbell.cli.packetdrill:packetdrill",
}


@click.group(
    cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(_VERSION, prog_name="dumbbell")
def cli() -> None:
    """Run congestion-control experiments: a scenario in, numbers and figures out."""


cli.add_later(_COMMANDS)


def main() -> NoReturn:
    """Run the command line and exit; see :func:`dumbbell.cli.boundary.exit_with`."""
    exit_with(cli, "dumbbell")
