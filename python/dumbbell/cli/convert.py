"""`dumbbell convert` and `dumbbell traces`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from dumbbell._files.folder import new_file
from dumbbell._files.special import stream
from dumbbell._printing import TextTable
from dumbbell.cli import completing
from dumbbell.cli.common import console, echo, json_option, print_json, quiet_option, tell_of_file
from dumbbell.errors import DumbbellError, ScenarioError


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path),
    help="A recorded link ends with .trace, a list of flows with .csv, a network with .toml, the samples of "
    "a run with .flent.gz, a qlog for qvis with .qlog.",
)  # fmt: skip
@click.option(
    "--format", "chosen", metavar="NAME", shell_complete=completing.matching(completing.foreign_formats),
    help="capture, iperf3, flent, ns2, htsim, hpcc; of networks graphml, node-link, edgelist, "
    "htsim-topology, hpcc-topology. By default by the name of FILE.",
)  # fmt: skip
@click.option(
    "--to", "destination", metavar="ADDRESS",
    help="Packets to this address or node only. Of a link, by default the one that gets the most bytes.",
)  # fmt: skip
@click.option("--series", metavar="NAME", help="Of flent: the series; by default the first of the downloads.")
@click.option(
    "--pairs", type=click.IntRange(1, 10_000), default=16, show_default=True,
    help="Of flows: the pairs of hosts that take turns as their ends.",
)  # fmt: skip
@click.option(
    "--same-hosts", is_flag=True,
    help="Of flows: the ends are hosts of the network that comes from the same simulator, and no pairs.",
)  # fmt: skip
@click.option("--rate", metavar="RATE", help="Of graphs: the rate of edges that have none, as 10Gbit/s.")
@click.option("--delay", metavar="TIME", help="Of graphs: the delay of edges that have none, as 5ms.")
@quiet_option
def convert(
    file: Path,
    output: Path,
    chosen: str | None,
    destination: str | None,
    series: str | None,
    pairs: int,
    same_hosts: bool,
    rate: str | None,
    delay: str | None,
) -> None:
    """Convert FILE, which another tool has written, to a recorded link, a list of flows or a network.

    A link comes from a capture, from iperf3 --json, from flent, or from a trace of ns-2. Flows come from a
    capture, a trace of ns-2, a connection matrix of htsim, or a list of flows of HPCC. Something must have
    waited for the link all the time, or the link becomes slower than it is.

    A network comes from a graph (GraphML, node-link JSON, a list of edges), a topology of htsim, or one of
    HPCC. It becomes a scenario that runs, with one flow to replace.

    Goodputs of a run, whose folder is FILE, become a file of flent with -o run.flent.gz. Its tables as
    comma-separated values are written by `dumbbell query --csv`. The qlog of a trace becomes one of version
    0.3, which the viewer qvis opens, with -o trace.qlog.
    """
    kind = output.suffix.lower()
    if output.is_file() and stream(output) is None:
        raise DumbbellError(f"{output}: is there already; name another file")
    if output.name.lower().endswith((".flent", ".flent.gz")):
        _to_flent(file, output)
        return
    if kind == ".qlog":
        _to_qvis(file, output)
        return
    if kind not in {".trace", ".csv", ".toml"}:
        raise DumbbellError(
            f"{output}: a recorded link ends with .trace, a list of flows with .csv, a network with .toml, "
            "the samples of a run with .flent.gz, a qlog for qvis with .qlog; name one"
        )
    if file.is_dir():
        raise DumbbellError(f"{file}: a folder of results becomes a file of flent; write -o FILE.flent.gz")
    if kind == ".toml":
        text, told = _network(file, chosen, rate, delay)
    else:
        text, told = _measured(file, kind, chosen, destination, series, None if same_hosts else pairs)
    with new_file(output, lambda _: False, force=False) as part:
        part.write_text(text, encoding="utf-8")
    echo(f"{output}: {told}", err=stream(output) == 1)


def _network(file: Path, chosen: str | None, rate: str | None, delay: str | None) -> tuple[str, str]:
    """Return a network as a scenario, and what to tell of it."""
    from dumbbell import Scenario, formats

    network = formats.read_network(file, chosen, rate=rate, delay=delay)
    text = formats.scenario_text(network, file.name)
    try:
        # What is written runs.
        plan = Scenario.from_toml(text).explain()
    except ScenarioError as error:
        raise DumbbellError(f"{file}: no network for a scenario: {error}") from None
    nodes = network.topology["nodes"]
    told = f"{len(nodes):,} nodes, of which {len(network.hosts):,} may send; {len(plan['links']):,} links"
    return text, "; ".join((told, *network.notes))


def _measured(
    file: Path, kind: str, chosen: str | None, destination: str | None, series: str | None, pairs: int | None
) -> tuple[str, str]:
    """Return a recorded link or a list of flows, and what to tell of it."""
    from dumbbell import formats

    found = formats.read(file, chosen, series)
    are_packets, are_flows = (isinstance(found[0], of) for of in (formats.Packet, formats.Flow))
    try:
        if are_packets and (kind == ".trace" or destination):
            destination, found = formats.towards(found, destination)
        if kind == ".csv":
            if not (are_packets or are_flows):
                raise formats.FormatError("it holds no flows, but rates; convert it to a .trace")
            flows = found if are_flows else formats.flows_of(found)
            # htsim numbers its hosts, and calls its switches otherwise.
            prefix = "host" if chosen == "htsim" or (chosen is None and file.suffix.lower() == ".cm") else ""
            text, used = formats.flows_text(flows, pairs, prefix)
            last = max(flow.start for flow in flows) - min(flow.start for flow in flows)
            told = f"{len(flows):,} flows within {last:.4g} s; "
            return text, told + (
                "their ends as in the file" if pairs is None else f"give the dumbbell pairs = {used}"
            )
        if are_flows:
            raise formats.FormatError("it holds flows, and no link; convert it to a .csv")
        text = formats.link_of(found) if are_packets else formats.link_of_pieces(found)
    except formats.FormatError as error:
        raise DumbbellError(f"{file}: {error}") from None
    count, period = text.count("\n"), int(text.split()[-1]) / 1e3
    rate = count * formats.OPPORTUNITY * 8 / period
    told = f"{period:.4g} s, {rate / 1e6:.4g} Mbit/s in the mean"
    return text, told + (f", of packets to {destination}" if are_packets else "")


def _to_flent(folder: Path, output: Path) -> None:
    """Write the goodputs of a run for flent."""
    from dumbbell import formats
    from dumbbell._results.results import load

    try:
        data = formats.flent_of(load(folder))
    except formats.FormatError as error:
        raise DumbbellError(f"{folder}: {error}") from None
    with new_file(output, lambda _: False, force=False) as part:
        part.write_bytes(formats.packed(data) if output.suffix == ".gz" else data)
    tell_of_file(output)


def _to_qvis(file: Path, output: Path) -> None:
    """Write the qlog of a trace for qvis."""
    from dumbbell import formats

    data, flows = formats.qvis_of(file)
    with new_file(output, lambda _: False, force=False) as part:
        part.write_bytes(data)
    echo(f"{output}: {flows:,} flows", err=stream(output) == 1)


@click.command()
@click.argument("name", required=False, shell_complete=completing.matching(completing.recordings))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The file to write.")
@click.option(
    "--from", "mirror", metavar="URL", help="A folder with the same files, instead of the publisher's."
)
@click.option("--sha256", metavar="HEX", help="Of an address: the checksum that the file must have.")
@json_option
@quiet_option
def traces(
    name: str | None, output: Path | None, mirror: str | None, sha256: str | None, as_json: bool
) -> None:
    """List recorded links that others publish, or get the one called NAME.

    Nothing of them is part of dumbbell: a recording comes from its publisher, under the licence that the list
    says, and must have the checksum that is known here. NAME may be the address of another recorded link; its
    checksum is compared with --sha256, or told.
    """
    from dumbbell.formats.traces import fetch, fetch_address, is_address, recordings

    known = recordings()
    if name is None:
        if as_json:
            print_json({each: asdict(recording) for each, recording in known.items()})
            return
        rows = [(each, of.what, of.licence, of.source) for each, of in known.items()]
        console().print(TextTable("Recorded links", ("name", "what", "licence", "source"), (), rows))
        return
    if output is None:
        raise DumbbellError("no file is named; give one with -o, such as -o link.trace")
    if output.is_file() and stream(output) is None:
        raise DumbbellError(f"{output}: is there already; name another file")
    about: dict[str, object]
    if is_address(name):
        if mirror is not None:
            raise DumbbellError("--from is for recordings of the list; give the address of the mirror")
        data, digest = fetch_address(name, sha256)
        about = {"address": name, "bytes": len(data), "sha256": digest}
        told = f"{len(data):,} bytes; sha256: {digest}"
    else:
        if sha256 is not None:
            raise DumbbellError("--sha256 is for an address; recordings of the list have theirs")
        data = fetch(name, mirror)
        about = asdict(known[name])
        told = f"{known[name].what}; licence: {known[name].licence}"
    with new_file(output, lambda _: False, force=False) as part:
        part.write_bytes(data)
    if as_json:
        print_json({"file": str(output), **about})
    else:
        echo(f"{output}: {told}", err=stream(output) == 1)
