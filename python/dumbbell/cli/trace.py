"""`dumbbell trace`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from dumbbell import _trace
from dumbbell.cli.common import echo, memory_option, read_scenario, scenario_options


@click.command()
@scenario_options
@click.option(
    "--flow", "flows", type=click.IntRange(min=0), multiple=True, metavar="N",
    help="Only the flow of this number, as in the table of flows. May be repeated.",
)  # fmt: skip
@click.option(
    "--link", "links", multiple=True, metavar="NAME",
    help="Only what happens at the link of this name, such as 'left->right'. May be repeated.",
)  # fmt: skip
@click.option("--from", "start", metavar="TIME", help="From this time on, such as 1.5s.")
@click.option("--until", metavar="TIME", help="Up to this time; the run stops there.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one object on a line.")
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="EVENTS",
    help="The most events; with more, nothing is written. The run is made twice, to count first. "
    f"Files have at most {_trace.MOST:,} events by default, and the standard output any number.",
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
    limit: int | None,
    force: bool,
    memory: int | None,
) -> None:
    """Run the scenario in FILE and show what happens to each packet.

    Prints a line for each event of a packet, in the order of time. The first line names the columns. Numbers
    of TCP begin at 0 with the SYN.
    """
    scenario = read_scenario(file, settings, seed)
    outputs: dict[str, Path | None] = {"json" if as_json else "lines": None}
    sys.stdout.flush()
    written = scenario.write_trace(
        outputs, flows=flows or None, links=links or None, start=start, until=until,
        limit=limit, force=force, memory=memory,
    )  # fmt: skip
    if not written.events:
        echo("no events: no packet was sent in this part of the run", err=True)
