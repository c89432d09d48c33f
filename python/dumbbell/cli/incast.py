"""`dumbbell incast-real`: rounds of the kernel's TCP through one emulated port."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dumbbell._printing import Text, TextTable
from dumbbell.cli.common import console, echo, json_option, number, print_json, quiet_option, side_console
from dumbbell.cli.virtual import virtual_options
from dumbbell.errors import DumbbellError

if TYPE_CHECKING:
    from dumbbell.live.incast import Result

_MOST_SERVERS = 100


@click.command("incast-real")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Folder for the page.")
@click.option(
    "--servers", default="1,2,4,8,16,24,32", show_default=True, help="How many, separated by commas."
)
@click.option(
    "--rate", type=click.FloatRange(10, 1000), default=100, show_default=True, help="Of the port, in Mbit/s."
)
@click.option("--at-once", is_flag=True, help="Ask all servers at once, each round in the same order.")
@click.option(
    "--runs", type=click.IntRange(1), default=5, show_default=True, help="Of the kernel, for each cell."
)
@json_option
@quiet_option
@virtual_options("output")
def incast_real(output: Path, servers: str, rate: float, at_once: bool, runs: int, as_json: bool) -> None:
    """Write the page "incast on real packets": goodput and timeouts of many servers at one port.

    The kernel's TCP runs on real packets, ours in simulation, with timeouts from 200 ms on and from
    20 ms on. The folder keeps every run of the kernel: the same command goes on where it was stopped, and
    only simulates where nothing is missing.

    Each request leaves up to a round-trip time late, by lot. With --at-once none does: the servers that are
    asked first then keep large windows, and the kernel's goodput is another.
    """
    from dumbbell.live import incast, incast_page, kept

    chosen = incast.cells(_numbers(servers), rate, at_once)
    out = side_console()
    folder = kept.open_folder(output, "incast-real")
    incast.measure(chosen, folder, runs, out.print)
    results, left_out = incast.results(chosen, folder)
    given = f"--servers {servers} --rate {rate:g}{' --at-once' * at_once} --runs {runs}"
    incast_page.write(output, results, left_out, f"dumbbell incast-real {given}")
    if as_json:
        print_json(
            {
                "cells": [result.row() for result in results],
                "left_out": {cell.name: reason for cell, reason in left_out},
            }
        )
    else:
        _print(results)
    echo(f"page: {output / 'page.md'}", err=True)


def _print(results: Sequence[Result]) -> None:
    from dumbbell.live.incast import mean

    columns = ("servers", "ours Mbit/s", "kernel Mbit/s", "ours timeouts", "kernel timeouts", "runs")
    rows: list[tuple[str | Text, ...]] = [
        (
            result.cell.arm.label, number(result.cell.servers),
            *(number(mean(side), 1e6) for side in result.values("goodput")),
            *(number(mean(side), digits=3) for side in result.values("timeouts")),
            number(len(result.kernel)),
        )
        for result in results
    ]  # fmt: skip
    console().print(TextTable("Goodput, and timeouts per round", ("TCP",), columns, rows))


def _numbers(text: str) -> list[int]:
    try:
        found = sorted({int(word) for word in text.split(",")})
    except ValueError:
        found = []
    if not found or not 1 <= found[0] <= found[-1] <= _MOST_SERVERS:
        raise DumbbellError(f"--servers: {text!r} are no numbers from 1 to {_MOST_SERVERS}; give 1,8,32")
    return found
