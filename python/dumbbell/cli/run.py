"""`dumbbell run`."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dumbbell import _native
from dumbbell._files.folder import new_folder
from dumbbell._files.names import readable
from dumbbell._printing import Output, significant
from dumbbell._progress import Progress as Callback
from dumbbell._results import Results
from dumbbell._run import MemoryLimitError
from dumbbell._scenario import Scenario
from dumbbell._threads import MOST_THREADS
from dumbbell.cli.common import (
    console,
    json_option,
    memory_option,
    print_json,
    quiet_option,
    read_scenario,
    scenario_options,
    tell_of_windows,
)
from dumbbell.cli.report import print_summary
from dumbbell.cli.watching import Live, Speed, live_options
from dumbbell.errors import DumbbellError

if TYPE_CHECKING:
    from dumbbell.watch.run import Watched

_SHORT = 1.0
"""Runs of less than this wall time (s) show no progress bar."""


@click.command()
@scenario_options
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Folder for the results; by default they are only shown.",
)
@click.option("--force", is_flag=True, help="Replace the results in the output folder.")
@memory_option
@json_option
@quiet_option
@click.option(
    "--threads",
    type=click.IntRange(1, MOST_THREADS),
    help="Threads for this one run; by default as many as pay of the cores that are idle.",
)
@click.option(
    "--law",
    type=click.Choice(("native", "bytecode")),
    help="How laws of one's own run; as machine code by default, where the extra `native` is installed.",
)
@click.option(
    "--interpreted",
    is_flag=True,
    help="Python's interpreter runs controllers of one's own: print and breakpoint work, and it is slow.",
)
@live_options
@click.option(
    "--speed",
    type=Speed(),
    metavar="X",
    help="With --live: simulated seconds in a second, or max; by default the run lasts 20 s.",
)
def run(
    file: Path,
    settings: tuple[str, ...],
    seed: int | None,
    output: Path | None,
    force: bool,
    memory: int | None,
    as_json: bool,
    threads: int | None,
    law: str | None,
    interpreted: bool,
    live: Live | None,
    speed: float | None,
) -> None:
    """Run the scenario in FILE."""
    if speed is not None and live is None:
        raise DumbbellError("--speed: goes with --live; give both, or neither")
    if law is not None:
        from dumbbell.own import native

        native.choose(law)
    if interpreted:
        _native.interpret_laws()
        threads = 1
    scenario = read_scenario(file, settings, seed)
    if interpreted and _native.interpreted_laws() == 0:
        remedy = "name one as the controller, such as --controller my.py:Mine, or leave the option out"
        raise DumbbellError(f"--interpreted: no controller of {file} is a law in Python's syntax; {remedy}")
    if live is not None:
        _refuse_threads(threads)
    if threads is not None and threads > 1:
        count, reason = scenario.threads(threads)
        if count < threads:
            click.echo(f"note: {count} of {threads} threads: {reason}", err=True)
    with _shown(scenario, live, speed) as watched:
        advance = _on_threads(threads) if watched is None else watched.advance
        if output is None:
            results, wall, shortage = _run(scenario, memory, advance)
        else:
            with new_folder(output, force) as part:
                results, wall, shortage = _run(scenario, memory, advance)
                results.write(part)
        _tell(results, wall, output, as_json, shortage)
        if watched is not None and live is not None:
            with watched.report(results) as report:
                watched.show.ended(_outcome(results, output), report)
                live.stay(watched.show)


def _tell(
    results: Results, wall: float, output: Path | None, as_json: bool, shortage: MemoryLimitError | None
) -> None:
    """Print what came out.

    Raises
    ------
    MemoryLimitError
        If the run was cut short.
    """
    if as_json:
        print_json(results.summary())
    else:
        _print(results, wall, output, cut=shortage is not None)
    tell_of_windows()
    if shortage is not None:
        raise shortage


def _print(results: Results, wall: float, output: Path | None, cut: bool) -> None:
    out = console()
    print_summary(out, results)
    row = results.runs.row(0)
    hops, duration = row["packet_hops"], row["duration"]
    out.print(
        f"{hops:,} packet-hops in {wall:.2f} s: {significant(hops / wall / 1e6, 3)} M packet-hops/s, "
        f"simulated/wall {significant(duration / wall, 3)}"
    )
    if output is not None:
        out.print(f"results{', cut short' if cut else ''} in {output}", whole=True)


Advance = Callable[[Scenario, int | None, Callback | None], Results]
"""Runs a scenario, within so many bytes of memory; the last argument hears how far it is."""


def _on_threads(threads: int | None) -> Advance:
    def advance(scenario: Scenario, memory: int | None, callback: Callback | None) -> Results:
        return scenario.run(callback, memory, threads)

    return advance


def _refuse_threads(threads: int | None) -> None:
    if threads is not None and threads > 1:
        raise DumbbellError("--threads: a run with --live pauses, and so stays on one; leave one out")


@contextmanager
def _shown(scenario: Scenario, live: Live | None, speed: float | None) -> Iterator[Watched | None]:
    """Yield what advances a run that a page shows; ``None`` without a page."""
    if live is None:
        yield None
        return
    from dumbbell.watch.run import Watched

    watched = Watched(scenario, speed, live.port)
    with live.shown(watched.show):
        yield watched


def _outcome(results: Results, output: Path | None) -> str:
    row = results.runs.row(0)
    ended = f"{row['packet_hops']:,} packet-hops in {row['duration']:g} s."
    if output is None:
        return f"{ended} Nothing was written: give --output for the results."
    folder = shlex.quote(readable(str(output)))
    return f"{ended} Results in {folder}; dumbbell report {folder} makes a report of them."


def _run(
    scenario: Scenario, memory: int | None, advance: Advance
) -> tuple[Results, float, MemoryLimitError | None]:
    """Run; return the results, the wall time (s), and what cut the run short."""
    start = time.perf_counter()
    shortage = None
    with _progress(start) as callback:
        try:
            results = advance(scenario, memory, callback)
            # What a law has raised since the run looked last.
            _native.interpreted_laws()
        except MemoryLimitError as error:
            results, shortage = error.results, error
    return results, max(time.perf_counter() - start, 1e-9), shortage


@contextmanager
def _progress(start: float) -> Iterator[Callback | None]:
    """Yield a callback that shows a bar on a terminal once the run has lasted a while."""
    if Output.quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

    from dumbbell.cli.bars import bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]} M events/s", markup=False),
        TimeRemainingColumn(),
    )
    shown = bar(*columns)
    task = shown.add_task("running", total=1.0, rate="")

    def show(now: float, duration: float, events: int) -> None:
        elapsed = time.perf_counter() - start
        if elapsed > _SHORT:
            shown.start()
            rate = significant(events / elapsed / 1e6, 3)
            shown.update(
                task, total=duration, completed=now, description=f"{now:.1f} of {duration:g} s", rate=rate
            )

    try:
        yield show
    finally:
        shown.stop()
