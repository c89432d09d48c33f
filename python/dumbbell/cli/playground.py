"""`dumbbell playground`."""

from __future__ import annotations

from pathlib import Path

import click

from dumbbell._files.folder import new_file
from dumbbell.cli.common import echo, tell_of_file
from dumbbell.errors import DumbbellError


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the page to this file instead.")
@click.option("--force", is_flag=True, help="Replace the file.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port to serve at; any by default.")
@click.option("--open/--no-open", "show", default=True, help="Open a browser.")
def playground(output: Path | None, force: bool, port: int, show: bool) -> None:
    """Show the playground: the simulator in a page, with sliders, lessons and laws of your own.

    The page is served at 127.0.0.1, under an address that nobody else knows, until Ctrl-C. The file that
    --output writes works without a server; it compiles no laws.
    """
    from dumbbell.playground import Served, built_page

    page = built_page()
    if output is not None:
        with new_file(output, _ours, force) as part:
            part.write_text(page, encoding="utf-8")
        tell_of_file(output)
        return
    try:
        served = Served(page, port)
    except OSError as error:
        raise DumbbellError(
            f"--port: cannot listen at {port}: {error.strerror}; choose another one"
        ) from None
    echo(f"playground: {served.address}")
    echo("Ctrl-C ends it.")
    if show:
        import webbrowser

        webbrowser.open(served.address)
    served.serve()


def _ours(path: Path) -> bool:
    """Whether a file is one that this command has written."""
    with path.open("rb") as file:
        return b"<title>dumbbell playground</title>" in file.read(100_000)
