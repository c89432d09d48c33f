"""`dumbbell plot`."""

from __future__ import annotations

from pathlib import Path

import click

from dumbbell._files.folder import new_files
from dumbbell._results import load
from dumbbell.cli.common import echo, packet_options, quiet_option, results_again
from dumbbell.errors import DumbbellError, NothingToDrawError


def _words(known: tuple[str, ...], usual: tuple[str, ...], what: str, text: str | None) -> list[str]:
    if text is None:
        return list(usual)
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in known:
            raise DumbbellError(f"{word!r} is not a {what}; use some of {','.join(known)}")
    return list(dict.fromkeys(words))


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Folder for the figures; FOLDER/figures by default.",
)
@click.option("--format", "formats", help="Formats, such as png,svg,pdf; all three by default.")
@click.option("--only", help="Kinds of figures, such as cwnd,queue; all by default.")
@packet_options("Draw time_sequence and sequence_diagram")
@quiet_option
def plot(
    folder: Path,
    output: Path | None,
    formats: str | None,
    only: str | None,
    flow: int | None,
    start: str | None,
    until: str | None,
) -> None:
    """Draw the figures of the results in FOLDER."""
    # Here, because Matplotlib takes longer to load than a small scenario to run.
    from dumbbell import figures

    chosen_formats = _words(figures.FORMATS, figures.FORMATS, "format", formats)
    of_packets = tuple(figures.PACKET_KINDS)
    usual = figures.USUAL if flow is None else of_packets
    kinds = _words((*figures.KINDS, *of_packets), usual, "kind of figure", only)
    results = load(folder)
    trace = None
    if flow is not None:
        trace = results_again(results, folder).trace(flows=[flow], start=start, until=until)
    elif start or until or set(kinds) & set(of_packets):
        raise DumbbellError("no flow is named whose packets are to be drawn; give its number with --flow")
    # Figures of a folder of results belong to it, and go when the results are replaced.
    home, below = (folder, "figures") if output is None else (output, "")
    written = []
    with new_files(home) as part:
        (part / below).mkdir(exist_ok=True)
        for kind in kinds:
            try:
                if trace is not None and flow is not None and kind in of_packets:
                    figure = figures.draw_packets(kind, trace, flow)
                else:
                    figure = figures.draw(kind, results)
            except NothingToDrawError as error:
                echo(f"{kind}: not drawn: {error}")
                continue
            written += figures.save(figure, part / below / kind, chosen_formats)
        names = [path.relative_to(part) for path in written]
    for name in names:
        echo(home / name)
