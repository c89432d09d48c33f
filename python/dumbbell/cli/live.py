"""`dumbbell shell`, `doctor`, `compare-real` and others: real packets through the link of a scenario."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from json import dumps
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import click
from click.core import ParameterSource

from dumbbell import _native, _trace
from dumbbell._files.folder import new_folder
from dumbbell._laws import law_name, listed
from dumbbell._printing import Output, Text, TextTable
from dumbbell._scenario import Scenario
from dumbbell.cli import completing
from dumbbell.cli.common import (
    console,
    echo,
    json_option,
    number,
    print_json,
    quiet_option,
    read_scenario,
    refuse_twice,
    side_console,
    tell_of_file,
)
from dumbbell.cli.virtual import virtual_options
from dumbbell.cli.watching import Live, live_options
from dumbbell.errors import DumbbellError
from dumbbell.live import (
    Arm,
    Comparison,
    Emulation,
    checks,
    compare_runs,
    run_shell,
    scenario_of_link,
    with_flows,
)
from dumbbell.live.boots import Boots
from dumbbell.live.compare import ENDPOINTS, KERNEL, summaries


def _has_command(given: dict[str, Any]) -> None:
    """Refuse a shell for the keyboard: time would run on while nothing is typed; and laws in the kernel."""
    if given["kernel_controller"] is not None:
        raise DumbbellError(
            "--kernel-controller: a kernel in virtual time takes no controllers from programs: it cannot "
            "compile them (no CONFIG_BPF_JIT in user mode); leave out --virtual"
        )
    if given["live"]:
        raise DumbbellError("--live: nobody watches virtual time as it passes; leave out one of the two")
    _, command = _split(given["words"])
    if not command:
        raise DumbbellError("--virtual: no keyboard works in virtual time; give a command after --")


@click.command()
@click.option("--cbr", metavar="RATE", help="Without a scenario: the rate, such as 14.7Mbit/s.")
@click.option("--trace", type=click.Path(path_type=Path), help="Without a scenario: a Mahimahi trace.")
@click.option("--delay", metavar="TIME", help="Without a scenario: the delay each way.")
@click.option("--loss", type=float, help="Without a scenario: the share of packets lost, client to server.")
@click.option("--queue", help="Without a scenario: the queue discipline, such as codel.")
@click.option("--router", help="Without a scenario: a router agent of the link, such as rcp.")
@click.option("--agent", help="Without a scenario: an agent of the routers at both ends, such as rbcc.")
@click.option("--power", metavar="POLICY", help="Without a scenario: a power policy, such as practra.")
@click.option("--mtu", metavar="SIZE", help="Without a scenario: the largest packet.")
@click.option(
    "--at", metavar="LINK", help="The link to emulate; by default the slowest that is all that packets meet."
)
@click.option(
    "--set", "settings", multiple=True, metavar="PATH=VALUE", help="Change a value. May be repeated."
)
@click.option("--server", metavar="COMMAND", help="Shell command to run at the other end.")
@click.option(
    "--network-administration",
    is_flag=True,
    help="Let the commands administer the network of their namespaces.",
)
@click.option(
    "--keep-priority", is_flag=True, help="Leave the commands the priority that `dumbbell` was started with."
)
@click.option(
    "--kernel-controller",
    metavar="FILE.py:CLASS",
    help="Put a law of one's own into the kernel, for all TCP of both ends, until the command ends; with "
    "parameters, such as 'my.py:Mine(gain=2)'.",
)
@click.option(
    "--uplink-log", type=click.Path(path_type=Path), help="Log of client to server, in Mahimahi's format."
)
@click.option("--downlink-log", type=click.Path(path_type=Path), help="The same, of server to client.")
@click.option(
    "--lines",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="What happens to each packet, in the lines of `dumbbell trace`.",
)
@click.option("--json", metavar="FILE", type=click.Path(path_type=Path), help="The same as JSON.")
@click.option("--pcapng", metavar="FILE", type=click.Path(path_type=Path), help="A capture for Wireshark.")
@click.option(
    "--capture-at",
    "capture",
    type=click.Choice(_trace.CAPTURES),
    default="sources",
    help="Where the capture sees packets: at the ends that began to talk, by default, or at the others.",
)
@click.option("--qlog", metavar="FILE", type=click.Path(path_type=Path), help="A trace for readers of qlog.")
@click.option(
    "--perfetto", metavar="FILE", type=click.Path(path_type=Path), help="Tracks for ui.perfetto.dev."
)
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(1, 2**63 - 1),
    default=_trace.MOST,
    show_default=True,
    help="The most events of packets in a trace; with more, there is none.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder for the results.")
@click.option("--force", is_flag=True, help="Replace the results in the output folder, logs, and traces.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[SCENARIO.toml] [-- COMMAND ...]")
@virtual_options(
    "output", "uplink_log", "downlink_log", "lines", "json", "pcapng", "qlog", "perfetto", check=_has_command
)
@live_options
def shell(
    words: tuple[str, ...],
    at: str | None,
    settings: tuple[str, ...],
    server: str | None,
    network_administration: bool,
    keep_priority: bool,
    kernel_controller: str | None,
    uplink_log: Path | None,
    downlink_log: Path | None,
    lines: Path | None,
    json: Path | None,
    pcapng: Path | None,
    capture: str,
    qlog: Path | None,
    perfetto: Path | None,
    limit: int,
    output: Path | None,
    force: bool,
    live: Live | None,
    **link: Any,
) -> int:
    """Run COMMAND, or a shell, behind the emulated link of a scenario, in real time.

    The command and its options come after `--`. It runs in a network namespace of its own. From there it
    reaches only the server, through the emulated link. The server's address, 100.64.0.1, is in
    $DUMBBELL_SERVER. The client has an address for each delay of the scenario's pairs: $DUMBBELL_CLIENTS.
    """
    file, command = _split(words)
    command = command or [os.environ.get("SHELL") or "/bin/sh"]
    scenario = _scenario(file, link, settings)
    named = {"lines": lines, "json": json, "pcapng": pcapng, "qlog": qlog, "perfetto": perfetto}
    traces = {form: path for form, path in named.items() if path is not None}

    def run() -> Emulation:
        desk = None if watched is None else watched.desk
        with _controller(kernel_controller) as controller:
            return behind(controller, desk)

    def behind(controller: str | None, desk: _native.Desk | None) -> Emulation:
        return run_shell(
            scenario,
            command,
            server=server,
            at=at,
            network_administration=network_administration,
            keep_priority=keep_priority,
            controller=controller,
            uplink_log=uplink_log,
            downlink_log=downlink_log,
            traces=traces,
            capture=capture,
            limit=limit,
            force=force,
            desk=desk,
        )

    with ExitStack() as shown:
        watched = None
        if live is not None:
            from dumbbell.watch.shell import WatchedShell

            watched = WatchedShell(scenario, at, live.port)
            shown.enter_context(live.shown(watched.show))
            watched.start()
        _leave_keyboard_to_command()
        if output is None:
            emulation = run()
        else:
            with new_folder(output, force) as part:
                emulation = run()
                emulation.results.write(part)
                text = dumps(emulation.fidelity, indent=2)
                (part / "fidelity.json").write_text(text + "\n", encoding="utf-8")
        _print_fidelity(side_console(), emulation)
        if output is not None:
            click.echo(f"results in {output}", err=True)
        if live is not None and watched is not None:
            valid = "valid" if emulation.fidelity["valid"] else "INVALID"
            watched.ended(f"The command ended with status {emulation.status}; the emulation was {valid}.")
            live.stay(watched.show)
    return _tell_of_trace(emulation, traces)


@contextmanager
def _controller(law: str | None) -> Iterator[str | None]:
    """Put a law into the kernel, if one is named; yield what the kernel calls it."""
    if law is None:
        yield None
        return
    from dumbbell.own.kernel import registered

    with registered(law) as called:
        click.echo(f"{law} is {called} in the kernel until the command ends; licence: GPL", err=True)
        yield called


def _tell_of_trace(emulation: Emulation, traces: Mapping[str, Path]) -> int:
    """Tell what a trace came to; return the exit status."""
    if emulation.untraced is not None:
        status = f"the command has ended with status {emulation.status}"
        echo(f"dumbbell: no trace is written: {emulation.untraced} ({status})", err=True)
        return emulation.status or 1
    for path in traces.values():
        tell_of_file(path, err=True)
    return emulation.status


def _split(words: Sequence[str]) -> tuple[Path | None, list[str]]:
    """Tell the scenario from the command: the first word is a scenario if it ends in ``.toml``."""
    file = Path(words[0]) if words and words[0].endswith(".toml") else None
    return file, list(words[1:] if file else words)


def _scenario(file: Path | None, link: dict[str, Any], settings: Sequence[str]) -> Scenario:
    given = {key: value for key, value in link.items() if value is not None}
    if file is not None:
        if given:
            raise DumbbellError(
                f"--{next(iter(given))}: there is a scenario already; change it with --set, or leave it out"
            )
        return read_scenario(file, settings, None)
    if not {"cbr", "trace"} & set(given):
        raise DumbbellError("neither a scenario nor a link; give a file, or --cbr RATE or --trace FILE")
    return scenario_of_link(given, settings)


def _leave_keyboard_to_command() -> None:
    """Leave the signals of the keyboard to the command, where a terminal sends them to both."""
    if sys.stdin.isatty():
        for number in (signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, signal.SIG_IGN)


def _print_fidelity(out: Output, emulation: Emulation) -> None:
    fidelity = emulation.fidelity
    numbers = (
        "rate Mbit/s", "busy Mbit/s", "packets", "late p50 ms", "late p99 ms", "late max ms", "unread p99 ms",
        "lost outside",
    )  # fmt: skip
    rows = []
    for name in ("uplink", "downlink"):
        way, late = fidelity[name], fidelity[name]["lateness"]
        rows.append(
            (
                name, number(way["rate"], 1e6), number(way["busy_rate_achieved"], 1e6), number(late["count"]),
                number(late["p50"], 1e-3, 3), number(late["p99"], 1e-3, 3), number(late["max"], 1e-3, 3),
                number(way["unread"]["p99"], 1e-3, 3),
                number(way["lost_before"] + way["refused"]),
            )
        )  # fmt: skip
    out.print(TextTable("", ("",), numbers, rows))
    carried = sum(fidelity[way]["lateness"]["count"] for way in ("uplink", "downlink"))
    if carried:
        each = fidelity["processor"] / carried * 1e6
        share = fidelity["processor"] / fidelity["duration"]
        out.print(f"processor: {each:.1f} us for each packet, {share:.1%} of one", whole=True)
    for name in ("client", "server"):
        end = fidelity[name]
        if end is not None and end["waits"]["count"]:
            p99, longest = (number(end["waits"][key], 1e-3, 3) for key in ("p99", "max"))
            out.print(
                f"{name}: waited for a processor {p99} ms one time in a hundred, {longest} ms at most, "
                f"{end['waited']:.3f} s in all",
                whole=True,
            )
    for missing in fidelity["unmet"]:
        out.print(f"note: packets did not meet {missing}", whole=True)
    for reason in fidelity["reasons"]:
        out.print(Text("INVALID", "bold red"), f": {reason}")


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """Show what emulation needs of this machine, live and in virtual time, and what is missing."""
    if as_json:
        print_json([asdict(check) for check in checks()])
        return
    rows = [(check.name, "yes" if check.works else "no", check.detail) for check in checks()]
    console().print(TextTable("", ("what", "works", "detail"), (), rows))


_GRID, _DRAWN = Path("kernel-grid"), Path("kernel-drawn")
"""The folders of a grid and of drawn cells without --output."""


def _name_folder(given: dict[str, Any]) -> None:
    """Name the folder of a grid or of drawn cells, in which it writes."""
    if given["output"] is None and (given["grid"] or given["draw"] is not None):
        given["output"] = _GRID if given["grid"] else _DRAWN


_OF_FILE = (
    "settings", "at", "endpoints", "flows", "stagger", "size", "rtt", "duration",
)  # fmt: skip
"""What `compare-real` refuses with --grid and with --draw."""
_OF_CELLS = ("draw", "quick")
"""What does not go with the one or the other."""


@click.command("compare-real")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option(
    "--set", "settings", multiple=True, metavar="PATH=VALUE", help="Change a value. May be repeated.",
    shell_complete=completing.settings,
)  # fmt: skip
@click.option(
    "--at", metavar="LINK", help="The link to emulate; by default the slowest that is all that packets meet."
)
@click.option(
    "--controllers",
    default="cubic,newreno,bbr",
    show_default=True,
    help="Controllers, separated by commas; one that the simulator lacks runs in the kernel only. One of "
    "your own is my.py:Mine, or my.py:Mine(gain=2). With --draw, names of the kernel; by default all that it "
    "has.",
    shell_complete=completing.matching(completing.controllers, several=True),
)
@click.option("--profile", default="linux", show_default=True, help="Whose TCP the simulator runs.")
@click.option(
    "--endpoints",
    type=click.Choice(ENDPOINTS),
    default=KERNEL,
    show_default=True,
    help="Whose TCP runs on real packets: the kernel's, or ours over UDP, under any controller.",
)
@click.option("--flows", type=click.IntRange(1), help="Run so many flows instead of those of FILE.")
@click.option("--stagger", metavar="TIME", help="Time from the start of one flow to the next.")
@click.option("--size", metavar="SIZE", help="Bytes of each flow, such as 1MB; without it, those of FILE.")
@click.option(
    "--rtt",
    metavar="TIMES",
    help="Base round-trip times of the flows in turn, such as 20ms,80ms; FILE is a dumbbell.",
)
@click.option(
    "--duration", type=click.FloatRange(0.1), default=20, show_default=True, help="Seconds of each run."
)
@click.option("--grid", is_flag=True, help="Without FILE: run the grid of links and flows.")
@click.option(
    "--draw",
    metavar="N",
    type=click.IntRange(1, 10_000),
    help="Without FILE: run N cells that are drawn: links, flows and controllers.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    help="With --draw: by which cells are drawn; 1 by default. Cell k is the same whatever N.",
)
@click.option(
    "--cells", metavar="PATTERN", help="With --grid or --draw: the cells to run, such as 'cubic-50M-*'."
)
@click.option("--quick", is_flag=True, help="With --grid: some twenty cells, in about two minutes.")
@click.option(
    "--runs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Runs of each side, in pairs with one seed; with --grid, runs of the kernel for each cell. With "
    "--draw, packets of the second and further ones come 20 us late in the mean.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder for figures and numbers.")
@json_option
@quiet_option
@virtual_options("output", check=_name_folder, boots=lambda given: given["draw"] is not None)
def compare_real(
    file: Path | None,
    settings: tuple[str, ...],
    at: str | None,
    controllers: str,
    profile: str,
    endpoints: str,
    flows: int | None,
    stagger: str | None,
    size: str | None,
    rtt: str | None,
    duration: float,
    grid: bool,
    draw: int | None,
    seed: int | None,
    cells: str | None,
    quick: bool,
    runs: int,
    output: Path | None,
    as_json: bool,
    boots: Boots | None = None,
) -> None:
    """Compare our TCP in the simulator with real packets, over the link of FILE.

    The flows of FILE run one by one as connections of the kernel, with their starts, sizes and round-trip
    times; with `--endpoints user` as flows of our own end points over UDP. All figures count from time 0, or
    from the warm-up of FILE. With --runs, means of both sides and their difference say what one run cannot:
    how flows share the link hangs on single drops. Each run has a seed of its own, from that of FILE on, by
    which both sides draw losses, jitter and starts.

    With --grid, many links and loads are run, and a page compares them. The folder keeps every run of the
    kernel: the same command goes on where it was stopped, and only simulates where nothing is missing.

    With --draw, links, flows and controllers are drawn by a seed. The page names the first packet that
    differs; with --runs it compares means, too. --controllers chooses among those of the kernel.
    """
    if seed is not None and draw is None:
        raise DumbbellError("--seed: belongs to --draw; change that of FILE with --set seed=N")
    if grid:
        _refuse_of_file("--grid", file, ("controllers", "draw"))
        _grid(cells or "*", quick, runs, profile, output or _GRID, as_json)
        return
    if draw is not None:
        from dumbbell.cli.drawing import draw as draw_cells

        _refuse_of_file("--draw", file, ("quick",))
        chosen = controllers if _is_given("controllers") else None
        by = 1 if seed is None else seed
        draw_cells(draw, by, chosen, cells, profile, output or _DRAWN, as_json, runs, boots)
        return
    if file is None:
        raise DumbbellError(
            "no scenario; give a file, or --grid or --draw for links and flows that come with dumbbell"
        )
    if cells or quick:
        raise DumbbellError("--cells belongs to --grid and --draw, --quick to --grid; leave them out")
    names = listed(controllers)
    refuse_twice("--controllers", names)
    scenario = read_scenario(file, (f"duration={duration}s", *settings), None)
    rtts = [time.strip() for time in rtt.split(",")] if rtt else []
    scenario = with_flows(scenario, flows, stagger, size, rtts)
    if endpoints == KERNEL:
        for name in names:
            if law_name(name) is not None:
                echo(f"{name} goes into the kernel while it runs there; licence: GPL", err=True)

    def run() -> list[list[Comparison]]:
        return [
            compare_runs(scenario, name, at, profile=profile, runs=runs, endpoints=endpoints)
            for name in names
        ]

    if output is None:
        comparisons = run()
    else:
        from dumbbell.live.beside import write

        with new_folder(output) as part:
            comparisons = run()
            write(part, comparisons)
    out = console()
    if as_json:
        print_json(
            {
                "runs": summaries(comparisons),
                "means": _means(comparisons),
                "notes": _notes(comparisons),
            }
        )
    elif runs == 1:
        _print_comparison(out, [found for (found,) in comparisons])
    else:
        _print_means(out, comparisons)
    for found in comparisons:
        _print_reasons(side_console() if as_json else out, found)
    for note in _notes(comparisons):
        (side_console() if as_json else out).print(f"note: {note}", whole=True)
    if output is not None:
        echo(f"results in {output}", err=True)


def _is_given(name: str) -> bool:
    """Whether an option is not by default what it is."""
    return click.get_current_context().get_parameter_source(name) is not ParameterSource.DEFAULT


def _refuse_of_file(mode: str, file: Path | None, others: Sequence[str]) -> None:
    """Refuse a scenario, and options of one or of another mode, where cells come with dumbbell."""
    if file is not None:
        what = "grid" if mode == "--grid" else "draw"
        raise DumbbellError(f"{mode}: the {what} has its own links; leave the scenario out")
    for name in (*_OF_FILE, *others):
        if _is_given(name):
            flag = "--set" if name == "settings" else f"--{name}"
            why = (
                f"does not go with {mode}"
                if name in _OF_CELLS
                else f"goes with FILE, and {mode} has links and flows of its own"
            )
            raise DumbbellError(f"{flag}: {why}; leave one out")


def _grid(pattern: str, quick: bool, runs: int, profile: str, output: Path, as_json: bool) -> None:
    """Run what is missing of the grid, and write its page."""
    from dumbbell.live import grid, grid_page, kept
    from dumbbell.live.cells import cells

    chosen = cells(pattern, quick)
    if not chosen:
        raise DumbbellError(f"--cells: no cell is called {pattern!r}; try 'cubic-50M-40ms-*'")
    out = side_console()
    folder = kept.open_folder(output, "a grid")
    grid.measure(chosen, folder, runs, out.print)
    results, left_out = grid.results(chosen, folder, profile)
    options = (("--cells", pattern != "*", f" {shlex.quote(pattern)}"), ("--quick", quick, ""))
    given = "".join(f" {name}{value}" for name, used, value in options if used)
    command = f"dumbbell compare-real --grid{given} --runs {runs}"
    answer = grid_page.write(output, results, left_out, command)
    if as_json:
        print_json(
            {
                "answer": [each._asdict() for each in answer],
                "cells": grid_page.rows(results),
                "left_out": {cell.name: reason for cell, reason in left_out},
            }
        )
    else:
        for each in answer:
            echo(f"{each.what}: {each.found} (wanted: {each.wanted})")
    echo(f"page: {output / 'page.md'}", err=True)


def _print_comparison(out: Output, comparisons: list[Comparison]) -> None:
    numbers = (
        "goodput Mbit/s", "completion s", "first drop s", "first cut segments", "loss %", "resent",
        "timeouts", "queue ms", "p95 ms", "RTT ms",
    )  # fmt: skip
    rows, flows = [], []
    for comparison in comparisons:
        for where, arm in (("simulated", comparison.simulated), (comparison.endpoints, comparison.real)):
            if arm is None:
                continue
            name = (comparison.controller, where if arm.valid else f"{where}, INVALID")
            cut = arm.flows[0].first_cut
            rows.append(
                (
                    *name, number(arm.goodput, 1e6), _completion(arm),
                    number(arm.first_drop, 1, 3), number(cut and cut[1]), number(arm.loss, 1e-2),
                    number(arm.retransmissions), number(arm.timeouts), number(arm.queueing_delay, 1e-3),
                    number(arm.queueing_delay_p95, 1e-3), number(arm.rtt, 1e-3),
                )
            )  # fmt: skip
            for i, flow in enumerate(arm.flows):
                cut = flow.first_cut
                flows.append(
                    (
                        *name, str(i), number(flow.start, 1, 3), number(flow.goodput, 1e6),
                        number(flow.completion_time, 1, 3), number(cut and cut[0], 1, 3),
                        number(cut and cut[1]), number(flow.retransmissions), number(flow.timeouts),
                    )
                )  # fmt: skip
    out.print(TextTable(_emulated(comparisons[0]), ("controller", "where"), numbers, rows))
    if len(flows) > len(rows):
        each = (
            "start s", "goodput Mbit/s", "completion s", "first cut s", "first cut segments", "resent",
            "timeouts",
        )  # fmt: skip
        out.print(TextTable("Flow by flow", ("controller", "where", "flow"), each, flows))


def _completion(arm: Arm) -> str | Text:
    """The mean completion time (s), or how many flows have one."""
    if arm.finished < arm.sized:
        return f"{arm.finished} of {arm.sized} finished"
    return number(arm.completion_time, 1, 3)


def _emulated(comparison: Comparison) -> str:
    return f"Real packets pass {comparison.link}"


def _notes(comparisons: list[list[Comparison]]) -> list[str]:
    """What holds for all runs, each once."""
    found = [note for runs in comparisons for comparison in runs for note in comparison.notes]
    repeated = [runs[0].controller for runs in comparisons if len(runs) > 1 and not runs[0].drawn]
    if repeated:
        found.append(
            f"the scenario draws nothing ({', '.join(repeated)}): its runs are repeats, which differ by when "
            "packets come, in microseconds. So there are no intervals, and verdicts compare ranges"
        )
    counts = [(sum(not each.real.valid for each in runs), runs) for runs in comparisons if len(runs) > 1]
    found += [
        f"{invalid} of {len(runs)} runs ({runs[0].controller}) are INVALID: no mean has them"
        for invalid, runs in counts
        if invalid
    ]
    return list(dict.fromkeys(found))


def _means(comparisons: list[list[Comparison]]) -> list[dict[str, Any]]:
    """Return the means over the valid runs of both sides, and what can be said of their differences."""
    from dumbbell.live.criteria import PAIRS, REPEATS, judged

    rows: list[dict[str, Any]] = []
    for found in comparisons:
        # Of a drawn scenario, a run of one side belongs to that of the other.
        valid = [each for each in found if each.real.valid]
        if not valid:
            continue
        ours = [each.simulated.summary() for each in valid if each.simulated is not None]
        are = PAIRS if found[0].drawn else REPEATS
        for each in judged(ours, [arm.real.summary() for arm in valid], are):
            verdict, sides = each.verdict, {"simulated": each.ours, found[0].endpoints: each.kernel}
            apart = verdict and verdict.difference
            rows.append(
                {
                    "controller": found[0].controller,
                    "quantity": each.title,
                    "verdict": verdict and verdict.word,
                    **{name: fmean(side) if side else None for name, side in sides.items()},
                    "difference": apart and apart.value,
                    "low": apart and apart.low,
                    "high": apart and apart.high,
                    **{f"{name}_sd": stdev(side) if len(side) > 1 else None for name, side in sides.items()},
                }
            )
    return rows


def _print_means(out: Output, comparisons: list[list[Comparison]]) -> None:
    real = comparisons[0][0].endpoints
    numbers = ("simulated", real, "difference", "from", "to", "simulated sd", f"{real} sd")
    rows: list[tuple[str | Text, ...]] = []
    for row in _means(comparisons):
        controller, quantity, verdict, *cells = row.values()
        rows.append((controller, quantity, verdict or "", *(number(cell, digits=3) for cell in cells)))
    out.print(TextTable(_emulated(comparisons[0][0]), ("controller", "mean of", "verdict"), numbers, rows))


def _print_reasons(out: Output, comparisons: list[Comparison]) -> None:
    for comparison in comparisons:
        for reason in comparison.real.reasons:
            out.print(Text("INVALID", "bold red"), f" ({comparison.controller}): {reason}")


@click.command("trump-real")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Folder for the tables.")
@click.option(
    "--rates", default="2,8,32", show_default=True, help="Rates of the links in Mbit/s, separated by commas."
)
@click.option("--quench/--no-quench", default=True, help="Whether routers quench sources whose rates fall.")
@json_option
@quiet_option
@virtual_options("output")
def trump_real(output: Path, rates: str, quench: bool, as_json: bool) -> None:
    """Send TRUMP messages through two emulated RBCC routers, and compare with the simulation.

    Prints the completion time of each message, and what the routers counted: hits and misses, updates,
    quenches.
    """
    from dumbbell.live.trump import measure, tables, write

    numbers = rates_of(rates)
    out = side_console()
    with new_folder(output) as part:
        runs = [measure(rate, quench, out.print) for rate in numbers]
        write(part, runs)
    if as_json:
        print_json(tables(runs))
        return
    flows = [
        (
            "" if run.live.fidelity["valid"] else "INVALID",
            row["flow"],
            *(number(row[key]) for key in _FLOW_KEYS),
        )
        for run in runs
        for row in run.flows()
    ]
    numbers_of = ("Mbit/s", "real s", "simulated s", "real / simulated", "real Mbit/s", "simulated Mbit/s")
    console().print(TextTable("Completion", ("", "message"), numbers_of, flows))
    routers: list[tuple[str | Text, ...]] = [
        (f"{row['router']} to {row['to']}", number(row["rate"]), *_counts(row))
        for run in runs
        for row in run.routers()
    ]
    counts = ("Mbit/s", "hits and misses", "misses", "updates", "quenches")
    console().print(TextTable("Routers: real, simulated", ("router",), counts, routers))


_FLOW_KEYS = ("rate", "real", "simulated", "real_over_simulated", "real_rate", "simulated_rate")


def _counts(row: dict[str, Any]) -> list[Text]:
    """Write what a router counted on real packets and in simulation."""
    for side in ("real", "simulated"):
        row[f"{side}_visits"] = row[f"{side}_hits"] + row[f"{side}_misses"]
    keys = ("visits", "misses", "updates", "quenches")
    return [Text(f"{row[f'real_{key}']:,}, {row[f'simulated_{key}']:,}") for key in keys]


def rates_of(text: str) -> list[float]:
    """Read the rates of links in Mbit/s."""
    rates = numbers_of("--rates", text, "12,50,96")
    if not all(0.1 <= rate <= 1000 for rate in rates):
        raise DumbbellError(f"--rates: {text!r}: an emulated link has 0.1 to 1000 Mbit/s")
    # By what their folders are called.
    refuse_twice("--rates", [f"{rate:g}" for rate in rates])
    return rates


def numbers_of(option: str, text: str, example: str) -> list[float]:
    """Read numbers separated by commas."""
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise DumbbellError(f"{option}: {text!r} are no numbers; give {example}") from None
