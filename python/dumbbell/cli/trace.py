"""`dumbbell trace`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from dumbbell import _trace
from dumbbell.cli.common import (
    Command,
    echo,
    memory_option,
    read_scenario,
    scenario_options,
    tell_of_file,
)
from dumbbell.errors import DumbbellError


def selection_options(command: Command) -> Command:
    """Add the options that choose events of packets."""
    for option in (
        click.option("--until", metavar="TIME", help="Up to this time; the run stops there."),
        click.option("--from", "start", metavar="TIME", help="From this time on, such as 1.5s."),
        click.option(
            "--flow", "flows", type=click.IntRange(0, _trace.LAST_FLOW), multiple=True, metavar="N",
            help="Only the flow of this number, as in the table of flows. May be repeated.",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


@click.command()
@scenario_options
@selection_options
@click.option(
    "--link", "links", multiple=True, metavar="NAME",
    help="Only what happens at the link of this name, such as 'left->right'. May be repeated.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one object on a line.")
@click.option("--print", "prints", is_flag=True, help="Print lines although a file is written.")
@click.option("--pcapng", metavar="FILE", type=click.Path(path_type=Path), help="A capture for Wireshark.")
@click.option(
    "--at", "capture", type=click.Choice(_trace.CAPTURES), default="sources",
    help="Where the capture sees packets, unless --link says it; at the sources of flows by default.",
)  # fmt: skip
@click.option("--qlog", metavar="FILE", type=click.Path(path_type=Path), help="A file for readers of qlog.")
@click.option(
    "--perfetto", metavar="FILE", type=click.Path(path_type=Path), help="Tracks for ui.perfetto.dev."
)
@click.option(
    "--limit", metavar="N|SIZE",
    help="The most events, or bytes such as 100MB; with more, nothing is written. The run is made twice, to "
    f"count first. Files have at most {_trace.MOST:,} events by default, and the standard output any number.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace files that this command has written.")
@memory_option
def trace(
    file: Path,
    settings: tuple[str, ...],
    seed: int | None,
    flows: tuple[int, ...],
    links: tuple[str, ...],
    start: str | None,
    until: str | None,
    as_json: bool,
    prints: bool,
    pcapng: Path | None,
    capture: str,
    qlog: Path | None,
    perfetto: Path | None,
    limit: str | None,
    force: bool,
    memory: int | None,
) -> None:
    """Run the scenario in FILE and show what happens to each packet.

    Prints a line for each event of a packet, in the order of time. The first line names the columns. Numbers
    of TCP begin at 0 with the SYN. Files take the place of the lines, unless --print or --json asks for them.
    """
    scenario = read_scenario(file, settings, seed)
    files = {"pcapng": pcapng, "qlog": qlog, "perfetto": perfetto}
    named = {form: path for form, path in files.items() if path is not None}
    outputs: dict[str, Path | None] = {**named}
    most: int | str | None = int(limit) if limit and limit.isdecimal() and len(limit) < 19 else limit
    if limit is None and named:
        most = _trace.MOST
    if prints or as_json or not named:
        outputs["json" if as_json else "lines"] = None
    sys.stdout.flush()
    try:
        written = scenario.write_trace(
            outputs, flows=flows or None, links=links or None, start=start, until=until, limit=most,
            capture=capture, force=force, memory=memory,
        )  # fmt: skip
    except BrokenPipeError:
        if not named:
            raise
        names = ", ".join(map(str, named.values()))
        raise DumbbellError(
            f"{names}: not written, because nobody reads the lines; leave out --print"
        ) from None
    for path in named.values():
        tell_of_file(path, err=len(named) < len(outputs))
    if not written.events:
        echo("no events: no packet was sent in this part of the run", err=True)
