"""`dumbbell plot`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from dumbbell._files.folder import new_files
from dumbbell._files.names import readable, real
from dumbbell._results import load
from dumbbell.cli import completing
from dumbbell.cli.common import echo, packet_options, quiet_option, read_scenario, results_again
from dumbbell.cli.lean import load_matplotlib
from dumbbell.cli.trust import libraries_option
from dumbbell.errors import DumbbellError, NothingToDrawError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _words(known: tuple[str, ...], usual: tuple[str, ...], what: str, text: str | None) -> list[str]:
    if text is None:
        return list(usual)
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in known:
            raise DumbbellError(f"{word!r} is not a {what}; use some of {','.join(known)}")
    return list(dict.fromkeys(words))


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Folder for the figures; FOLDER/figures by default.",
)
@click.option(
    "--format",
    "formats",
    help="Formats, such as png,svg,pdf; all three by default.",
    shell_complete=completing.matching(completing.formats, several=True),
)
@click.option(
    "--only",
    help="Kinds of figures, such as cwnd,queue; all by default.",
    shell_complete=completing.matching(completing.figures, several=True),
)
@click.option(
    "--trade-off",
    "trade",
    metavar="DELAY,RATE",
    help="Of a study: draw two of its metrics against each other, an ellipse for each arm.",
)
@click.option("--at", "places", metavar="AXIS=VALUE", multiple=True, help="With --trade-off: the point.")
@packet_options("Draw time_sequence and sequence_diagram")
@libraries_option
@quiet_option
def plot(
    folders: tuple[Path, ...],
    output: Path | None,
    formats: str | None,
    only: str | None,
    trade: str | None,
    places: tuple[str, ...],
    flow: int | None,
    start: str | None,
    until: str | None,
) -> None:
    """Draw the figures of the results in FOLDERS, or the network of a scenario.

    Several runs come into the same figures. Files of flent and of `iperf3 --json` may stand among them: their
    rates, round-trip times and windows come into one panel with those of the runs. Instead of a folder of
    results, give the file of a scenario, such as net.toml, to see its nodes and links; the figure goes to the
    folder of --output, or here. Of the folder of a study, --trade-off draws one metric against another.
    """
    # Here, because Matplotlib takes longer to load than a small scenario to run.
    load_matplotlib()
    from dumbbell import figures

    chosen_formats = _words(figures.FORMATS, figures.FORMATS, "format", formats)
    if len(folders) == 1 and folders[0].is_file() and not figures.is_measurement(folders[0]):
        if flow is not None or start or until or only:
            raise DumbbellError(
                f"{folders[0]}: is a scenario, not results; --only, --flow and times are for those"
            )
        _topology(folders[0], output or Path(), chosen_formats)
        return
    measured = any(map(figures.is_measurement, folders))
    if flow is not None and (len(folders) > 1 or measured):
        raise DumbbellError("--flow is for one run; give one folder")
    if output is None and (len(folders) > 1 or measured):
        what = "files of other tools" if measured else "several runs"
        raise DumbbellError(f"{what} need a folder for their figures; give --output")
    if trade is not None or places:
        if len(folders) > 1 or flow is not None or start or until or only:
            raise DumbbellError(
                "--trade-off: is of one study; leave other folders, --only, --flow and times out"
            )
        _trade_off(folders[0], trade, places, output, chosen_formats)
        return
    of_packets = tuple(figures.PACKET_KINDS)
    runs = {
        title: figures.read_measurement(folder) if figures.is_measurement(folder) else load(folder)
        for title, folder in zip(_titles(folders), folders, strict=True)
    }
    usual = figures.usual(runs.values()) if flow is None else of_packets
    kinds = _words((*figures.KINDS, *of_packets), usual, "kind of figure", only)
    results = next((run for run in runs.values() if not isinstance(run, figures.Measurement)), None)
    trace = None
    if flow is not None and results is not None:
        trace = results_again(results, folders[0]).trace(flows=[flow], start=start, until=until)
    elif start or until or set(kinds) & set(of_packets):
        raise DumbbellError("no flow is named whose packets are to be drawn; give its number with --flow")

    def draw(kind: str) -> Figure:
        if trace is not None and flow is not None and kind in of_packets:
            return figures.draw_packets(kind, trace, flow)
        return figures.draw(kind, results if len(runs) == 1 and results is not None else runs)

    # Figures of a folder of results belong to it, and go when the results are replaced.
    home, below = (folders[0], "figures") if output is None else (output, "")
    written = []
    with new_files(home) as part:
        (part / below).mkdir(exist_ok=True)
        for kind in kinds:
            try:
                figure = draw(kind)
            except NothingToDrawError as error:
                echo(f"{kind}: not drawn: {error}")
                continue
            written += figures.save(figure, part / below / kind, chosen_formats)
        names = [path.relative_to(part) for path in written]
    for name in names:
        echo(home / name)


def _trade_off(
    folder: Path, trade: str | None, places: tuple[str, ...], output: Path | None, formats: list[str]
) -> None:
    from dumbbell import figures
    from dumbbell.figures.style import stamp_on
    from dumbbell.report import trade_off
    from dumbbell.study import StudyResult

    metrics = [name.strip() for name in (trade or "").split(",")]
    if len(metrics) != 2 or not all(metrics):
        raise DumbbellError("--trade-off: needs two metrics; write --trade-off DELAY,RATE")
    if output is None:
        raise DumbbellError("--trade-off: needs a folder for its figure; give --output")
    result = StudyResult.load(folder)
    at = {}
    for text in places:
        name, _, value = text.partition("=")
        known = [entry for axis in result.study.axes if axis.name == name for entry in axis.values]
        at[name] = next((entry for entry in known if _is_written(value, entry)), value)
    figure = stamp_on(trade_off(result, metrics[0], metrics[1], at), result.stamp or "")
    with new_files(output) as part:
        written = figures.save(figure, part / "trade_off", formats)
        shown = [output / path.relative_to(part) for path in written]
    for path in shown:
        echo(path)


def _is_written(text: str, value: object) -> bool:
    """Whether a text is a value of an axis: of 1.0, both "1" and "1.0"."""
    if text == str(value):
        return True
    try:
        return isinstance(value, float) and float(text) == value
    except ValueError:
        return False


def _titles(folders: tuple[Path, ...]) -> list[str]:
    """Return a title for each folder: its name, if no two have the same."""
    names = [readable(real(folder).name) for folder in folders]
    if len(set(names)) == len(names):
        return names
    paths = [readable(str(folder)) for folder in folders]
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise DumbbellError(f"{twice}: stands there twice; name each run once")
    return paths


def _topology(file: Path, home: Path, formats: list[str]) -> None:
    from dumbbell import figures

    figure = figures.draw_topology(read_scenario(file, (), None))
    home.mkdir(parents=True, exist_ok=True)
    for path in figures.save(figure, home / f"{readable(file.stem)}-topology", formats):
        echo(path)
