"""`dumbbell export`, and `dumbbell check` of a law."""

from __future__ import annotations

from pathlib import Path

import click

from dumbbell._files.folder import new_file
from dumbbell._printing import Text
from dumbbell.cli.common import console, print_json, tell_of_file


def check_law(name: str, as_json: bool) -> None:
    """Say what the laws of a file need, what they cost, and whether the kernel could have them."""
    from dumbbell.own.file import read_laws
    from dumbbell.own.report import STORIES, Report

    path, found = read_laws(name)
    reports = [Report(*law) for law in found]
    if as_json:
        print_json([report.as_json() for report in reports])
        return
    out = console()
    for report in reports:
        law = report.law
        out.print(Text(f"{path}:{law.label}", "bold"), f": {law.title or law.name}")
        out.print(f"name in tables: {law.name}; a controller of the kind {law.kind}")
        out.print(f"needs: {', '.join(report.needs) or 'nothing but sums'}")
        for word in law.words:
            if word.parameter:
                low = "" if word.least is None else f" from {word.least}"
                high = "" if word.most is None else f" to {word.most}"
                source = f" ({word.source})" if word.source else ""
                unit = f" {word.unit}" if word.unit else ""
                out.print(f"parameter {word.name} = {word.value}{unit}{low}{high}{source}")
        out.print(
            f"laws of its kind: kept in {STORIES:,} drawn connections"
            if report.broken is None
            else f"laws of its kind: broken in drawn connection {report.broken.connection}: {report.broken}"
        )
        steps = ", ".join(f"{event} {report.compiled.steps[m.name]:,}" for event, m in law.answers.items())
        words = "word" if report.state == 1 else "words"
        out.print(f"state: {report.state} {words} of 64 bits a connection")
        out.print(f"instructions of byte code at an event, at most: {steps}")
        reasons = report.kernel
        out.print(
            f"kernel: {'no: ' + '; '.join(reasons) if reasons else 'its needs and state fit into Linux'}"
        )


@click.command()
@click.argument("law", metavar="FILE.py:CLASS")
@click.option("--to", "form", type=click.Choice(("c", "rust")), required=True, help="The language.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The file to write; else it is printed."
)
@click.option("--force", is_flag=True, help="Replace the file.")
def export(law: str, form: str, output: Path | None, force: bool) -> None:
    """Write a law as C against controller.h, or as Rust against the crate dumbbell-cc."""
    from dumbbell.own.file import read_law
    from dumbbell.own.text import to_c, to_rust

    path, read, _ = read_law(law)
    written = (to_c if form == "c" else to_rust)(read, f"{path.name}:{read.label}")
    if output is None:
        click.echo(written, nl=False)
        return
    with new_file(output, _exported, force) as part:
        part.write_text(written, encoding="utf-8")
    tell_of_file(output)


def _exported(path: Path) -> bool:
    """Whether a file is one that this command has written."""
    with path.open("rb") as file:
        return b"Written by `dumbbell export`." in file.readline(1000)
