"""`dumbbell completion` and `dumbbell manual`: help that shells and `man` show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from dumbbell._files.folder import new_files
from dumbbell._native import version
from dumbbell.cli import completing
from dumbbell.cli.common import echo, quiet_option

_SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what makes SHELL complete commands, options and their values.

    bash: put it into ~/.local/share/bash-completion/completions/dumbbell. fish: into
    ~/.config/fish/completions/dumbbell.fish. zsh: into a file _dumbbell in a folder of fpath.
    """
    completing.prepare()
    found = get_completion_class(shell)
    assert found is not None, "click knows the shells"
    root = context.find_root()
    click.echo(found(root.command, {}, "dumbbell", "_DUMBBELL_COMPLETE").source())


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder for the pages, such as ~/.local/share/man/man1.",
)
@quiet_option
@click.pass_context
def manual(context: click.Context, output: Path) -> None:
    """Write the pages of the manual, for `man dumbbell` and `man dumbbell-run`."""
    root = context.find_root()
    pages = dict(_pages(root.command, "dumbbell", None))
    output.mkdir(parents=True, exist_ok=True)
    with new_files(output) as part:
        for name, page in pages.items():
            (part / f"{name}.1").write_text(page, encoding="utf-8")
    echo(f"{len(pages)} pages in {output}; with `man -M {output.parent} dumbbell` you read the first")


def _pages(command: click.Command, path: str, above: click.Context | None) -> Iterator[tuple[str, str]]:
    """Yield the name and text of the page of a command, and of those below it."""
    context = click.Context(command, info_name=path.rpartition(" ")[2], parent=above)
    yield path.replace(" ", "-"), _page(command, path, context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None, "a group has the commands it lists"
            yield from _pages(below, f"{path} {name}", context)


def _page(command: click.Command, path: str, context: click.Context) -> str:
    """Return a page in the macros of man(7)."""
    name = path.replace(" ", "-")
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [
        f'.TH "{name.upper()}" "1" "" "dumbbell {version}" "dumbbell"',
        ".SH NAME",
        f"{_roff(name)} \\- {_roff(command.get_short_help_str(200))}",
        ".SH SYNOPSIS",
        f"\\fB{_roff(path)}\\fR {_roff(usage)}",
        ".SH DESCRIPTION",
        *_paragraphs(command.help or ""),
    ]
    records = [
        record for option in command.get_params(context) if (record := option.get_help_record(context))
    ]
    if records:
        lines.append(".SH OPTIONS")
    for heading, text in records:
        lines += [".TP", f"\\fB{_roff(heading)}\\fR", _roff(text)]
    if isinstance(command, click.Group):
        lines.append(".SH COMMANDS")
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None, "a group has the commands it lists"
            lines += [".TP", f"\\fB{_roff(name)}-{_roff(below)}\\fR(1)", _roff(found.get_short_help_str(200))]
    return "\n".join(lines) + "\n"


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        yield ".PP"
        yield _roff(" ".join(paragraph.replace("\b", "").split()))


def _roff(text: str) -> str:
    """Return text that the formatter takes as text."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
