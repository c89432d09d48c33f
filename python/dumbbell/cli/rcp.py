"""`dumbbell rcp-real` and `rcp-host`: RCP on real packets."""

from __future__ import annotations

from pathlib import Path

import click

from dumbbell._files.folder import new_folder
from dumbbell._files.names import readable
from dumbbell._printing import Text, TextTable
from dumbbell.cli.common import (
    console,
    echo,
    json_option,
    number,
    print_json,
    quiet_option,
    refuse_twice,
    side_console,
)
from dumbbell.cli.live import numbers_of, rates_of
from dumbbell.cli.virtual import virtual_options
from dumbbell.errors import DumbbellError


@click.command("rcp-real")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Folder for the page.")
@click.option(
    "--rates",
    default="12,50,96",
    show_default=True,
    help="Rates of the links in Mbit/s, separated by commas; of several links in a row, that of the last.",
)
@click.option(
    "--routers",
    default="1",
    show_default=True,
    help="Numbers of links in a row, each with its router, separated by commas.",
)
@click.option(
    "--duration",
    type=click.FloatRange(1),
    default=20,
    show_default=True,
    help="Seconds during which flows arrive.",
)
@click.option(
    "--runs", type=click.IntRange(1), default=1, show_default=True, help="Runs of each, with seeds from 1 on."
)
@json_option
@quiet_option
@virtual_options("output")
def rcp_real(output: Path, rates: str, routers: str, duration: float, runs: int, as_json: bool) -> None:
    """Write the page "RCP on real packets": completion times over emulated links.

    The same flows run on real packets, in simulation, and under exact sharing: processor sharing on one link,
    max-min fair rates on several in a row.
    """
    from dumbbell.live.named import cell
    from dumbbell.live.page import rows_of, write_page
    from dumbbell.live.rcp import measure

    numbers, chains = rates_of(rates), _routers(routers)
    out = side_console()
    with new_folder(output) as part:
        cases = [measure(rate, duration, count, runs, out.print) for count in chains for rate in numbers]
        command = (
            f"dumbbell rcp-real --rates {rates} --routers {routers} --duration {duration:g} --runs {runs} "
            f"-o {readable(output.name)}"
        )
        write_page(part, cases, command)
        rows = rows_of(cases)
    if as_json:
        print_json(rows)
        echo(f"report: {output / 'report.html'}", err=True)
        return
    columns = (
        "Mbit/s", "routers", "crossed", "flows", "real ms", "simulated ms", "sharing ms", "real / simulated",
        "real / sharing", "late p99 ms",
    )  # fmt: skip
    counts = ("rate", "routers", "crossed", "flows")
    estimates = ("fct_live", "fct_simulated", "fct_sharing", "live_over_simulated", "live_over_sharing")
    table = [
        (
            "" if row["valid"] else "INVALID",
            *(number(row[key]) for key in counts),
            *(cell(row, key) for key in estimates),
            number(row["late_p99"]),
        )
        for row in rows
    ]
    console().print(TextTable("Mean completion time", ("",), columns, table))
    if runs == 1:
        side_console().print("note: one run has no interval; --runs makes more", whole=True)
    echo(f"report: {output / 'report.html'}")


@click.command("rcp-host")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Folder for the page.")
@click.option(
    "--sizes",
    default="100,200,500,1000,1500,9000",
    show_default=True,
    help="Packet sizes in bytes, headers of IP included, separated by commas.",
)
@click.option(
    "--rates", default="10,100,1000", show_default=True, help="Desired rates in Mbit/s, separated by commas."
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.2),
    default=1,
    show_default=True,
    help="Length of a run of end points.",
)
@click.option("--runs", type=click.IntRange(1), default=5, show_default=True, help="Runs of each.")
@click.option("--router/--no-router", default=True, help="Whether to measure the router in the emulator too.")
@json_option
@quiet_option
def rcp_host(
    output: Path, sizes: str, rates: str, seconds: float, runs: int, router: bool, as_json: bool
) -> None:
    """Measure RCP end points at desired rates, without a router, and what a packet costs.

    The rate that they reach against the packet size, and the processor time of sender, receiver and router
    for each packet, with what that allows at 10 and 100 Gbit/s.
    """
    from dumbbell.live import host
    from dumbbell.live.host_page import answer, write
    from dumbbell.live.named import cell

    of_packets, desired = _sizes(sizes), _desired(rates)
    out = side_console()
    with new_folder(output) as part:
        cells = host.measure_host(of_packets, desired, seconds, runs, out.print)
        routers = host.measure_router(of_packets, runs, out.print) if router else []
        found = host.costs(cells, routers, host.measure_law())
        command = (
            f"dumbbell rcp-host --sizes {sizes} --rates {rates} --seconds {seconds:g} --runs {runs}"
            f"{'' if router else ' --no-router'} -o {readable(output.name)}"
        )
        write(part, cells, found, of_packets, command)
    reached, costs = [cell.row() for cell in cells], host.cost_rows(found, of_packets)
    if as_json:
        print_json({"rates": reached, "costs": costs})
        echo(f"page: {output / 'page.md'}", err=True)
        return
    rows = [
        (
            "" if row["valid"] else "INVALID", number(row["size"]),
            Text("no limit") if row["desired"] is None else number(row["desired"]), cell(row, "reached"),
            number(row["share"], 1e-2), number(row["packets_per_second"]), number(row["sent_again"], 1e-2),
        )
        for row in reached
    ]  # fmt: skip
    columns = ("packet B", "desired Mbit/s", "reached Mbit/s", "% of it", "packets/s", "sent again %")
    console().print(TextTable("Rate against packet size", ("",), columns, rows))
    lines = [f"cores_{line:g}G" for line in host.LINES]
    spent: list[tuple[str | Text, ...]] = [
        (row["part"], number(row["size"]), cell(row, "us"), *(cell(row, line) for line in lines))
        for row in costs
    ]
    titles = ("packet B", "us", *(f"processors at {line:g} Gbit/s" for line in host.LINES))
    console().print(
        TextTable("Processor time for a data packet and its acknowledgement", ("part",), titles, spent)
    )
    echo(answer(reached, costs))
    echo(f"page: {output / 'page.md'}")


def _sizes(text: str) -> list[int]:
    """Read the sizes of packets."""
    from dumbbell.live.host import check_sizes

    words = [word.strip() for word in text.split(",")]
    if not all(word.lstrip("-").isdecimal() for word in words):
        raise DumbbellError(f"--sizes: {text!r} are no numbers of bytes; give 100,1500")
    refuse_twice("--sizes", words)
    sizes = [int(word) for word in words]
    check_sizes(sizes)
    return sizes


def _desired(text: str) -> list[float]:
    """Read desired rates in Mbit/s."""
    rates = numbers_of("--rates", text, "10,100,1000")
    if not all(0.01 <= rate <= 100_000 for rate in rates):
        raise DumbbellError(f"--rates: {text!r}: a source wants 0.01 to 100000 Mbit/s")
    refuse_twice("--rates", [f"{rate:g}" for rate in rates])
    return rates


def _routers(text: str) -> list[int]:
    """Read numbers of routers in a row."""
    from dumbbell.live.chain import MOST

    words = [word.strip() for word in text.split(",")]
    if not all(word.isdecimal() and 1 <= int(word) <= MOST for word in words):
        raise DumbbellError(f"--routers: {text!r}: a chain has 1 to {MOST} routers; give 2,3")
    refuse_twice("--routers", words)
    return [int(word) for word in words]
