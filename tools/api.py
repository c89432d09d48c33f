"""Writes docs/api: pages of the public names of the package, from their docstrings and signatures.

``python -m tools.api`` rewrites the pages; a test fails when they differ from what this would write. The
sources are read as syntax trees: these have the text below the fields of a class, and signatures as written.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tools.builders import PACKAGE, formatted

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "api"

NOTE = "Generated from the docstrings by `make docs`: change them, not this file."

WIDTH = 100
"""Columns of a signature on one line."""

EXPERIMENTS = (
    "scenario", "flows", "nodes", "record", "replay", "run_all", "load", "energy", "registry", "schema",
    "Scenario", "Run", "Peek", "States", "Results", "Table", "Column", "Trace",
)  # fmt: skip
"""Names of the package on the page of experiments."""

ERRORS = (
    "DumbbellError", "ScenarioError", "ResultsError", "ColumnError", "FolderError", "MemoryLimitError",
    "NothingToDrawError", "TheoryError", "TraceLimitError", "UnknownNameError",
)  # fmt: skip
"""Names of the package on the page of errors."""

MODULES = (
    "study", "search", "judge", "attack", "arena", "gym", "stats", "answers", "claims", "figures", "live",
    "theory", "graphs", "formats",
)  # fmt: skip
"""Modules with a page of their own, of all their public names."""

BUILDERS = (
    "topology", "network", "paths", "queue", "router", "node", "host", "marker", "impairment", "power",
    "predictor", "transport", "controller", "schedule", "workload", "size",
)  # fmt: skip
"""Modules of builders: the reference has what their parameters mean."""

BAR = "\\|"
"""What stands for ``|`` in a cell of a table."""

_SECTION = re.compile(r"^(\w+)\n-{3,}$", re.MULTILINE)
_ROLE = re.compile(r":\w+:`~?([^`]+)`")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Entry:
    """A public name, or a member of a class: how its source says it, and what that says of it."""

    name: str
    node: ast.stmt
    doc: str
    members: tuple[Entry, ...] = ()


@cache
def source(module: str) -> tuple[ast.stmt, ...]:
    """Return the statements of a module, of its stub if it has one."""
    place = PACKAGE.parent.joinpath(*module.split("."))
    # Of modules that are made in memory or compiled, the stub.
    files = (place.with_suffix(".pyi"), place.with_suffix(".py"), place / "__init__.py")
    file = next(file for file in files if file.exists())
    return tuple(_statements(ast.parse(file.read_text(encoding="utf-8")).body))


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, those for type checkers too."""
    for node in body:
        yield node
        if isinstance(node, ast.If):
            yield from _statements(node.body)


def public(module: str) -> list[str]:
    """Return the public names of a module: those it lists, or those it defines."""
    for node in source(module):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    defined = (node.name for node in source(module) if isinstance(node, ast.ClassDef | Function))
    return [name for name in defined if not name.startswith("_")]


@cache
def entry(module: str, name: str) -> Entry:
    """Return what stands under a name in a module, wherever that has it from."""
    nodes = source(module)
    for node, after in zip(nodes, (*nodes[1:], None), strict=True):
        if isinstance(node, ast.ClassDef) and node.name == name:
            return Entry(name, node, ast.get_docstring(node) or "", tuple(_members(module, node)))
        if isinstance(node, Function) and node.name == name:
            return Entry(name, node, ast.get_docstring(node) or "")
        if name in _assigned(node):
            return Entry(name, node, _text(after))
        if isinstance(node, ast.ImportFrom) and name in (alias.asname or alias.name for alias in node.names):
            place = str(node.module)
            if place.startswith("dumbbell"):
                return entry(place, name)
            return Entry(name, node, f"``{name}`` of ``{place}``.")
    raise LookupError(f"{module} has no {name}")


def _assigned(node: ast.stmt) -> list[str]:
    """Return the names that a statement gives a value or a type."""
    if isinstance(node, ast.AnnAssign):
        return [ast.unparse(node.target)]
    return [ast.unparse(target) for target in node.targets] if isinstance(node, ast.Assign) else []


def _text(node: ast.stmt | None) -> str:
    """Return the text that a statement is, below a field or a constant."""
    if (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ):
        return textwrap.dedent(node.value.value).strip()
    return ""


def _members(module: str, node: ast.ClassDef) -> Iterator[Entry]:
    """Yield the public members of a class, those of its bases in the package first."""
    for base in map(ast.unparse, node.bases):
        try:
            yield from entry(module, base).members
        except LookupError:
            continue
    for member, after in zip(node.body, (*node.body[1:], None), strict=True):
        if isinstance(member, Function) and not member.name.startswith("_"):
            yield Entry(member.name, member, ast.get_docstring(member) or "")
        for name in _assigned(member):
            if not name.startswith("_"):
                yield Entry(name, member, _text(after))


def decorators(node: ast.stmt) -> list[str]:
    """Return the decorators of a function."""
    return [ast.unparse(each) for each in node.decorator_list] if isinstance(node, Function) else []


def signature(entry: Entry) -> str:
    """Return how a name is declared."""
    node = entry.node
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(map(ast.unparse, node.bases))
        return f"class {entry.name}({bases})" if bases else f"class {entry.name}"
    if isinstance(node, ast.AnnAssign):
        return f"{entry.name}: {ast.unparse(node.annotation)}"
    if not isinstance(node, Function):
        return formatted(ast.unparse(node)).strip()
    returns = ast.unparse(node.returns) if node.returns else "None"
    if "property" in decorators(node):
        return f"{entry.name}: {returns}"
    arguments = _parameters(node)
    line = f"{entry.name}({', '.join(arguments)}) -> {returns}"
    if len(line) <= WIDTH:
        return line
    split = ",\n    ".join(arguments)
    return f"{entry.name}(\n    {split},\n) -> {returns}"


def _parameters(node: Function) -> list[str]:
    """Return the parameters of a function as they are written, each by itself."""
    given = node.args
    plain = [*given.posonlyargs, *given.args]
    values = [None] * (len(plain) - len(given.defaults)) + list(given.defaults)
    written = [_parameter(each, value) for each, value in zip(plain, values, strict=True)]
    if plain and plain[0].arg in ("self", "cls"):
        written = written[1:]
    if given.vararg:
        written.append(f"*{_parameter(given.vararg, None)}")
    elif given.kwonlyargs:
        written.append("*")
    written += [
        _parameter(each, value) for each, value in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    return [*written, f"**{_parameter(given.kwarg, None)}"] if given.kwarg else written


def _parameter(given: ast.arg, value: ast.expr | None) -> str:
    written = f"{given.arg}: {ast.unparse(given.annotation)}" if given.annotation else given.arg
    return f"{written} = {ast.unparse(value)}" if value else written


def plain(text: str) -> str:
    """Return text of a docstring as Markdown."""
    return _ROLE.sub(r"`\1`", text).replace("``", "`")


def markdown(doc: str) -> list[str]:
    """Return a docstring in the convention of NumPy as lines of Markdown."""
    first, *sections = _SECTION.split(doc)
    lines = [*plain(first).strip().splitlines(), ""]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        text = body.strip("\n")
        if title == "Examples":
            lines += ["```pycon", *text.splitlines(), "```", ""]
            continue
        lines += [f"**{title}**", ""]
        for line in plain(text).splitlines():
            # The name of a parameter or the type of a value stands alone, what it means below it.
            lines.append(f"- `{line}`:" if line and line[0] not in " `" else f"  {line.strip()}".rstrip())
        lines.append("")
    return lines


def section(entry: Entry, level: int, inside: str = "") -> list[str]:
    """Return the lines of a name and of its members."""
    lines = [f"{'#' * level} {inside}{entry.name}", "", "```python", signature(entry), "```", ""]
    lines += markdown(entry.doc)
    fields = [member for member in entry.members if not isinstance(member.node, Function)]
    properties = [member for member in entry.members if "property" in decorators(member.node)]
    if fields or properties:
        lines += ["| field | type | meaning |", "|---|---|---|"]
        for member in (*fields, *properties):
            name, _, kind = signature(member).partition(": ")
            cells = (f"`{name}`", f"`{kind}`", " ".join(plain(member.doc).split()))
            lines.append(f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |")
        lines.append("")
    for member in entry.members:
        if isinstance(member.node, Function) and member not in properties:
            lines += section(member, level + 1, f"{entry.name}.")
    return lines


def page(title: str, text: str, entries: list[Entry]) -> str:
    """Return a page of names."""
    lines = [f"# {title}", "", NOTE, "", *markdown(text)]
    for each in entries:
        lines += section(each, 2)
    return "\n".join(lines).rstrip() + "\n"


def about(module: str) -> str:
    """Return the docstring of a module."""
    return _text(source(module)[0])


def builders() -> str:
    """Return the page of builders: one line for each."""
    lines = ["# Builders", "", NOTE, ""]
    lines += ['Functions that make the parts of a scenario: `dumbbell.queue.codel(target="5ms")`. The']
    lines += [
        "[reference](../reference/README.md) has their parameters, there with `-` for `_`; the same say"
    ]
    lines += ["`help(dumbbell.queue.codel)` and the docstring that editors show.", ""]
    for name in BUILDERS:
        module = f"dumbbell.builders.{name}"
        lines += [f"## dumbbell.{name}", "", about(module).splitlines()[0], ""]
        lines += ["| builder | what it makes |", "|---|---|"]
        for each in public(module):
            lines.append(f"| `{each}` | {plain(entry(module, each).doc.splitlines()[0])} |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def documented() -> dict[str, list[Entry]]:
    """Return the public names on each page, but for those of builders."""
    found = {
        "experiments": [entry("dumbbell", name) for name in EXPERIMENTS],
        "errors": [entry("dumbbell", name) for name in ERRORS],
    }
    return found | {
        module: [entry(f"dumbbell.{module}", name) for name in public(f"dumbbell.{module}")]
        for module in MODULES
    }


def generate() -> dict[str, str]:
    """Return the text of every page, by file name."""
    texts = {"experiments": about("dumbbell"), "errors": about("dumbbell.errors")}
    texts |= {module: about(f"dumbbell.{module}") for module in MODULES}
    titles = {"experiments": "dumbbell: experiments and their results", "errors": "Errors"}
    pages = {
        f"{name}.md": page(titles.get(name, f"dumbbell.{name}"), texts[name], entries)
        for name, entries in documented().items()
    }
    pages["builders.md"] = builders()
    index = ["# The Python package", "", NOTE, "", "`import dumbbell as db` is how these pages write it.", ""]
    index += [f"- [{text.splitlines()[0].removeprefix('# ')}]({name})" for name, text in pages.items()]
    return pages | {"README.md": "\n".join(index) + "\n"}


def main() -> None:
    """Write the pages, and remove those that this has written and would not write today."""
    pages = generate()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for file in FOLDER.glob("*.md"):
        if file.name not in pages:
            file.unlink()
    for name, text in pages.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
