"""`dumbbell send`, `recv`, `replay`: end points of TCP, RCP and TRUMP over UDP."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import click

from dumbbell._files.folder import new_folder
from dumbbell._native import is_virtual
from dumbbell._printing import Text, TextTable
from dumbbell._scenario import Scenario
from dumbbell.cli import completing
from dumbbell.cli.common import (
    controller_option,
    json_option,
    number,
    print_json,
    quiet_option,
    read_scenario,
    side_console,
)
from dumbbell.errors import DumbbellError
from dumbbell.live.udp import NETWORKS, PORT, Endpoint, receive, scenario_of_flows
from dumbbell.live.udp import replay as replay_events
from dumbbell.live.udp import send as send_flows

_TRANSPORT = click.option(
    "--transport",
    type=click.Choice(list(NETWORKS)),
    help="Without a scenario: the transport; rcp by default.",
)
_SETTINGS = click.option(
    "--set", "settings", multiple=True, metavar="PATH=VALUE", help="Change a value. May be repeated.",
    shell_complete=completing.settings,
)  # fmt: skip


def _only_within(_context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    """Refuse an end point that is alone in virtual time; within such a kernel, the option has been obeyed."""
    if wanted and not is_virtual():
        raise DumbbellError(
            "--virtual: no link leads out of virtual time; give it to the `dumbbell shell` around both ends"
        )


_VIRTUAL = click.option(
    "--virtual", is_flag=True, expose_value=False, callback=_only_within,
    help="Within `dumbbell shell --virtual`, where all commands run in virtual time.",
)  # fmt: skip


@click.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--to", metavar="ADDRESS", help="The receiver; by default the server of `dumbbell shell`.")
@click.option(
    "--size",
    metavar="SIZE",
    help="Without a scenario: bytes of each flow, such as 1MB; unlimited by default.",
)
@click.option("--count", type=click.IntRange(1), help="Without a scenario: number of flows; 1 by default.")
@click.option(
    "--gap", metavar="TIME", help="Without a scenario: time from the start of one flow to the next."
)
@_TRANSPORT
@_SETTINGS
@controller_option
@click.option("--events", type=click.Path(path_type=Path), help="Log of every event, for `dumbbell replay`.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder for the results.")
@click.option("--force", is_flag=True, help="Replace the results in the output folder, and the log.")
@_VIRTUAL
@json_option
@quiet_option
def send(
    file: Path | None,
    to: str | None,
    size: str | None,
    count: int | None,
    gap: str | None,
    transport: str | None,
    settings: tuple[str, ...],
    events: Path | None,
    output: Path | None,
    force: bool,
    as_json: bool,
) -> int:
    """Send flows over UDP, under TCP, RCP or TRUMP: those of the scenario FILE, or flows of equal size.

    The end points are those of the simulator. Under TCP, a controller sets the window and the pace:
    `dumbbell shell --cbr 12Mbit/s --server 'dumbbell recv --transport tcp' -- dumbbell send --size 1MB
    --controller bbr3`. Under RCP and TRUMP, routers on the way write rates into
    packets: `dumbbell shell --cbr 12Mbit/s --router rcp --server 'dumbbell recv' -- dumbbell send`.
    """
    scenario = _scenario(file, settings, size=size, count=count, gap=gap, transport=transport)
    to = to or os.environ.get("DUMBBELL_SERVER")
    if to is None:
        raise DumbbellError("no receiver; give --to ADDRESS, or send within `dumbbell shell`")
    told = _Silence(to)
    return _run(
        lambda stopped: send_flows(
            scenario, to, events=events, force=force, stopped=stopped, unanswered=told
        ),
        output,
        force,
        "sent",
        as_json,
    )


def _scenario(file: Path | None, settings: tuple[str, ...], **flows: Any) -> Scenario:
    """Read the scenario, or make one of flows."""
    given = {key: value for key, value in flows.items() if value is not None}
    if file is None:
        return scenario_of_flows(**given, settings=settings)
    if given:
        raise DumbbellError(f"--{next(iter(given))}: there is a scenario already; leave one of the two out")
    return read_scenario(file, settings, None)


class _Silence:
    """Says on stderr that nobody answers: after a second, and whenever twice the time has passed."""

    def __init__(self, to: str) -> None:
        self.to = to
        self.next = 1.0

    def __call__(self, seconds: float) -> None:
        if seconds >= self.next:
            self.next *= 2
            click.echo(f"dumbbell: {self.to} has not answered for {seconds:.0f} s; still trying", err=True)


@click.command()
@click.argument("file", type=click.Path(path_type=Path), required=False)
@_TRANSPORT
@_SETTINGS
@controller_option
@click.option("--port", type=click.IntRange(1, 65535), default=PORT, show_default=True, help="UDP port.")
@click.option("--flows", type=click.IntRange(1), help="End after this many flows; by default on Ctrl-C.")
@click.option("--events", type=click.Path(path_type=Path), help="Log of every event, for `dumbbell replay`.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder for the results.")
@click.option("--force", is_flag=True, help="Replace the results in the output folder, and the log.")
@_VIRTUAL
@json_option
@quiet_option
def recv(
    file: Path | None,
    transport: str | None,
    settings: tuple[str, ...],
    port: int,
    flows: int | None,
    events: Path | None,
    output: Path | None,
    force: bool,
    as_json: bool,
) -> int:
    """Receive flows over UDP until told to stop, under the transport of the scenario FILE, or of --transport.

    Within `dumbbell shell`, both ends share one clock, and completion times count from the first packet sent.
    Elsewhere they count from the arrival of that packet.
    """
    scenario = _scenario(file, settings, transport=transport)
    shared = "DUMBBELL_SERVER" in os.environ

    def run(stopped: Callable[[], bool]) -> Endpoint:
        return receive(
            port, scenario, flows=flows, same_clock=shared, events=events, force=force, stopped=stopped
        )

    return _run(run, output, force, "received", as_json)


@click.command()
@click.argument("events", type=click.Path(path_type=Path))
@click.argument("file", type=click.Path(path_type=Path), required=False)
@json_option
def replay(events: Path, file: Path | None, as_json: bool) -> int:
    """Feed the log EVENTS of `send` or `recv` to the state machines of the simulator, and compare.

    The log of a sender needs the scenario FILE that it sent.
    """
    found = replay_events(events, read_scenario(file, (), None) if file else None)
    if as_json:
        print_json(found)
        return int(found["difference"] is not None)
    click.echo(
        f"{found['events']:,} events, {found['packets']:,} packets of {found['flows']:,} flows compared"
    )
    if found["difference"] is None:
        click.echo("identical")
        return 0
    click.echo(f"different: {found['difference']}")
    return 1


def _run(
    run: Callable[[Callable[[], bool]], Endpoint], output: Path | None, force: bool, what: str, as_json: bool
) -> int:
    """Run an end point until it ends or a signal asks; write and print what it leaves."""
    asked: list[int] = []

    def stop(signal_number: int, _frame: FrameType | None) -> None:
        asked.append(signal_number)

    for signal_number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_number, stop)
    if output is None:
        ends = run(lambda: bool(asked))
    else:
        with new_folder(output, force) as part:
            ends = run(lambda: bool(asked))
            ends.write(part)
    if as_json:
        print_json(ends.results.summary())
    else:
        _print(ends, what)
    failed = [reason for reason in ends.results.flows["failure"].tolist() if reason]
    return 1 if failed else 0


def _print(ends: Endpoint, what: str) -> None:
    flows, run = ends.results.flows, ends.results.runs.row(0)
    side = "sender_completion_time" if what == "sent" else "completion_time"
    times = flows[side][flows[side] == flows[side]]
    failures = sorted({reason for reason in flows["failure"].tolist() if reason})
    row = (
        what, number(len(flows)), number(run["flows_completed"]),
        number(float(times.mean()) if times.size else None, 1e-3),
        number(float(times.max()) if times.size else None, 1e-3),
        number(sum(flows["retransmissions"].tolist())),
        number(sum(ends.counts[key] for key in ("malformed", "stray", "ignored", "refused"))),
    )  # fmt: skip
    columns = ("flows", "completed", "mean FCT ms", "max FCT ms", "sent again", "not taken")
    out = side_console()
    out.print(TextTable("", ("",), columns, [row]))
    for reason in failures:
        count = flows["failure"].tolist().count(reason)
        out.print(Text("failed", "bold red"), f": {count} flows: {reason}")
