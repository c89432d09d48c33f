"""What the documentation shows works: examples in docstrings, a scenario, every command with its options."""

from __future__ import annotations

import doctest
import re
import shlex
from importlib import import_module
from pathlib import Path

import click
import pytest

import dumbbell as db
from dumbbell.cli import cli

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "python"
PAGES = (
    ROOT / "README.md",
    *sorted(ROOT.glob("docs/*.md")),
    *sorted(ROOT.glob("docs/tasks/*.md")),
    *sorted(ROOT.glob("docs/lessons/*.md")),
    *sorted(PACKAGE.glob("dumbbell/papers/*/README.md")),
)
MODULES = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if re.search(r"^ *>>> (?!.*# doctest: \+SKIP)", path.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_examples_in_docstrings(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    place = path.relative_to(PACKAGE).with_suffix("")
    module = import_module(".".join(place.parts).removesuffix(".__init__"))
    done = doctest.testmod(module, raise_on_error=False, verbose=False)
    assert done.attempted
    assert not done.failed


def test_the_scenario_in_the_documentation_of_the_parser() -> None:
    text = (ROOT / "crates/sim/src/scenario.rs").read_text(encoding="utf-8")
    (block,) = re.findall(r"^//! ```toml\n((?://!.*\n)*?)//! ```", text, re.MULTILINE)
    scenario = db.Scenario.from_toml(re.sub(r"^//! ?", "", block, flags=re.MULTILINE))
    assert scenario.to_dict()["duration"] == "60s"


def commands(page: str) -> list[str]:
    """Return the commands that a page shows, in blocks and within lines."""
    # A quoted word may go on in the next lines; a comment does not belong to the command.
    blocks = re.findall(r"""^    (?:\$ )?(dumbbell (?:"[^"]*"|'[^']*'|[^\n"'#])*)""", page, re.MULTILINE)
    return [*blocks, *(" ".join(line.split()) for line in re.findall(r"`(dumbbell [a-z][^`]*)`", page))]


def words(command: str) -> list[str]:
    """Return the words of a command, without what it is piped into."""
    found = shlex.split(command)[1:]
    return found[: found.index("|")] if "|" in found else found


def understood(arguments: list[str]) -> None:
    """Parse a command line, and run nothing."""
    command: click.Command | None = cli
    while isinstance(command, click.Group) and arguments and arguments[0] != "--help":
        name, *arguments = arguments
        command = command.get_command(click.Context(command), name)
        assert command is not None, f"no command `{name}`"
    assert command is not None
    command.make_parser(click.Context(command)).parse_args(arguments)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands(page: Path) -> None:
    wrong = []
    for command in commands(page.read_text(encoding="utf-8")):
        try:
            understood(words(command))
        except (AssertionError, click.UsageError) as error:
            wrong.append(f"{command}: {error}")
    assert not wrong


def test_a_command_that_is_not_there_is_found() -> None:
    page = "    $ dumbbell plod out   # a comment\n\nAs `dumbbell run two.toml --fast | cat` does.\n"
    first, second = commands(page)
    with pytest.raises(AssertionError, match="no command `plod`"):
        understood(words(first))
    with pytest.raises(click.NoSuchOption, match="--fast"):
        understood(words(second))
