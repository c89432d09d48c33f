"""`dumbbell examples`: the scenarios that come with the package."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import click

from dumbbell import _native
from dumbbell._files.folder import new_file
from dumbbell._files.special import stream
from dumbbell._printing import TextTable
from dumbbell.cli import completing
from dumbbell.cli.common import console, echo, json_option, print_json
from dumbbell.errors import DumbbellError


@click.command()
@click.argument("name", required=False, shell_complete=completing.matching(completing.examples))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Copy the scenario to this file, or into this folder.",
)
@json_option
def examples(name: str | None, output: Path | None, as_json: bool) -> None:
    """List the scenarios that come with dumbbell; show the one called NAME, or copy it with --output."""
    entries = sorted(files("dumbbell").joinpath("scenarios").iterdir(), key=lambda entry: entry.name)
    texts, beside = (
        {
            entry.name.removesuffix(ending): entry.read_text(encoding="utf-8")
            for entry in entries
            if entry.name.endswith(ending)
        }
        for ending in (".toml", ".trace")
    )
    if name is None:
        if output is not None:
            raise DumbbellError("no scenario is named that could be copied; see `dumbbell examples`")
        abouts = {example: _about(text) for example, text in texts.items()}
        if as_json:
            print_json(abouts)
        else:
            console().print(TextTable("Scenarios", ("name", "what"), (), list(abouts.items())))
        return
    if name not in texts:
        raise DumbbellError(f"{name!r} is no example; {_native.suggest(name, list(texts))}")
    if output is None:
        click.echo(texts[name], nl=False)
        return
    path = output / f"{name}.toml" if output.is_dir() else output
    if path.is_file() and stream(path) is None:
        raise DumbbellError(f"{path}: is there already; name another file")
    copies = {path: texts[name]}
    if name in beside and stream(path) is None:
        # The scenario names this file, which stands beside it.
        link = path.with_name(f"{name}.trace")
        if not link.is_file():
            copies = {link: beside[name]} | copies
        elif link.read_bytes() != beside[name].encode():
            raise DumbbellError(f"{link}: another file is there already; name another folder")
    for copy, text in copies.items():
        with new_file(copy, lambda _: False, force=False) as part:
            part.write_text(text, encoding="utf-8")
    echo(f"scenario: {path}; run it with `dumbbell run {path}`", err=stream(path) == 1)


def _about(text: str) -> str:
    """Return the sentence of the comment above a scenario."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.removeprefix("#").strip())
    # A full stop ends a sentence, but that of "et al." does not.
    return re.split(r"(?<!al)\. (?=[A-Z])", " ".join(lines))[0].rstrip(".")
