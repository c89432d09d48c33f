"""Writes the Python builders from the registry: one typed, documented function for each algorithm and table.

``python tools/builders.py`` rewrites the files; a test fails when they differ from what this would write.
"""

from __future__ import annotations

import itertools
import json
import keyword
import subprocess
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "dumbbell"

WIDTH = 110

LONGEST = 800
"""Lines beyond which a module becomes a package: the house rule for every file."""

LETTERS = (("a", "f"), ("g", "m"), ("n", "r"), ("s", "z"))
"""First and last letters of the names in a module of a package: fixed, so that a new name moves no other."""

HEAD = (
    "Generated from the registry by ``tools/builders.py``: change the registry, not this file.",
    '"""',
    "",
    "from __future__ import annotations",
    "",
)
"""The docstring of a generated file from its second line on, and what follows it."""

_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


def python_type(schema: dict[str, Any]) -> str:
    """Return the annotation for the values that a JSON Schema accepts."""
    if "$ref" in schema:
        # A member of a family among the parameters of another member.
        return "str | Mapping[str, Any]"
    if "const" in schema:
        return f"Literal[{json.dumps(schema['const'])}]"
    if "enum" in schema:
        return "Literal[" + ", ".join(map(json.dumps, schema["enum"])) + "]"
    if "anyOf" in schema:
        # A union in a union is one.
        each = (kind for member in schema["anyOf"] for kind in python_type(member).split(" | "))
        return " | ".join(dict.fromkeys(each))
    if schema.get("type") == "array":
        return f"Sequence[{python_type(schema.get('items', {}))}]"
    if schema.get("type") == "object":
        return "Mapping[str, Any]"
    return _SCALARS.get(schema.get("type", ""), "Any")


def python_name(name: str) -> str:
    """Return the nearest Python identifier."""
    name = name.replace("-", "_").replace(" ", "_")
    return f"{name}_" if keyword.iskeyword(name) or name in ("bin", "set") else name


def toml(value: Any) -> str:
    """Return a value as a scenario file would show it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {toml(v)}" for k, v in value.items()) + " }" if value else "{}"
    return str(value)


def parameters(fields: list[dict[str, Any]]) -> list[str]:
    """Return the lines of the parameters of a builder, keyword-only: required ones first."""
    lines = ["*,"]
    for field in sorted(fields, key=lambda f: not f["required"]):
        annotation = python_type(field["schema"])
        default = "" if field["required"] else " | None = None"
        lines.append(f"{python_name(field['name'])}: {annotation}{default},")
    return lines


def wrap(text: str, indent: int) -> list[str]:
    """Wrap text to lines of the house width."""
    return textwrap.wrap(
        text, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * indent, break_on_hyphens=False
    )


def contents(fields: list[dict[str, Any]]) -> str:
    """Return what tells a table from others: its keys with all that is said of them."""
    return json.dumps(fields, sort_keys=True)


def makers(registry: dict[str, Any]) -> dict[str, str]:
    """Return the builders of tables, as users write them, by the contents of the tables."""
    found = {}
    for entry in registry["modules"]:
        # The package offers those of scenarios and of their entries at its top.
        module = entry["name"].partition(".")[0]
        place = "dumbbell" if module == "experiment" else f"dumbbell.{module}"
        for part in entry["tables"]:
            found[contents(registry["tables"][part["name"]])] = f"{place}.{python_name(part['name'])}"
    return found


def meaning(field: dict[str, Any]) -> str:
    """Return what a field means, with the unit of a number."""
    unit = field["unit"]
    if not unit:
        return str(field["doc"])
    return f"{field['doc']} {'Dimensionless' if unit == 'dimensionless' else f'Unit: {unit}'}."


def default(field: dict[str, Any]) -> str:
    """Return the default of a field, with its source, as a sentence."""
    if field["required"]:
        return "Required."
    if field["default"] is None:
        return f"Default: {field['source']}."
    return f"Default: ``{toml(field['default'])}`` ({field['source']})."


def keys(field: dict[str, Any], tables: dict[str, str]) -> list[str]:
    """Return what stands in a table: who makes it, or its keys one by one."""
    fields = field["fields"]
    if not fields:
        return []
    what = "Tables" if field["kind"] == "list" else "A table"
    if maker := tables.get(contents(fields)):
        names = ", ".join(f"``{f['name']}``" for f in fields)
        return wrap(f"{what} of ``{maker}``: {names}.", 8)
    lines = wrap(f"{what} with these keys:", 8)
    for f in fields:
        first, *others = wrap(f"- ``{f['name']}``: {f['kind']}. {meaning(f)} {default(f)}", 10)
        lines += [first[2:], *others]
    return lines


def docstring(
    title: str,
    reference: str,
    fields: list[dict[str, Any]],
    returns: str,
    result: str,
    tables: dict[str, str],
) -> list[str]:
    """Return the docstring of a builder: meaning, keys, default and its source for each parameter."""
    lines = [*wrap(f'"""{title[:1].upper()}{title[1:].rstrip(".")}.', 4)]
    if reference:
        lines += ["", *wrap(f"Reference: {reference.rstrip('.')}.", 4)]
    if fields:
        lines += ["", "    Parameters", "    ----------"]
    for field in sorted(fields, key=lambda f: not f["required"]):
        lines.append(f"    {python_name(field['name'])}")
        lines += wrap(meaning(field), 8)
        lines += keys(field, tables)
        lines += wrap(default(field), 8)
    return [*lines, "", "    Returns", "    -------", f"    {returns}", f"        {result}", '    """']


def function(
    name: str,
    title: str,
    reference: str,
    fields: list[dict[str, Any]],
    tables: dict[str, str],
    kind: str | None = None,
) -> list[str]:
    """Return the builder of an algorithm (with `kind`) or of a table."""
    returns = "dict[str, Any]"
    lines = signature(name, fields, returns)
    lines += docstring(title, reference, fields, "dict", "What to write in a scenario.", tables)
    if not fields:
        return [*lines, f'    return given({{"kind": "{kind}"}})']
    return [*lines, "    return given(", *entries(fields, kind, 8), "    )"]


def scenario_function(
    name: str, title: str, reference: str, fields: list[dict[str, Any]], tables: dict[str, str]
) -> list[str]:
    """Return the builder of scenarios, which checks what it builds."""
    lines = signature(name, fields, "Scenario")
    lines += docstring(title, reference, fields, "Scenario", "The scenario, checked.", tables)
    lines += [
        "    return Scenario.from_dict(",
        "        given(",
        *entries(fields, None, 12),
        "        )",
        "    )",
    ]
    return lines


def signature(name: str, fields: list[dict[str, Any]], returns: str) -> list[str]:
    """Return the head of a builder."""
    if not fields:
        return [f"def {python_name(name)}() -> {returns}:"]
    return [f"def {python_name(name)}(", *(f"    {line}" for line in parameters(fields)), f") -> {returns}:"]


def entries(fields: list[dict[str, Any]], kind: str | None, indent: int) -> list[str]:
    """Return the dictionary that a builder makes of its parameters."""
    space = " " * indent
    lines = [f'"kind": "{kind}",'] if kind else []
    lines += [f'"{field["name"]}": {python_name(field["name"])},' for field in fields]
    return [f"{space}{{", *(f"{space}    {line}" for line in lines), f"{space}}}"]


def package(title: str, place: str, names: dict[str, list[str]]) -> str:
    """Return the text of the module that offers the builders of all modules of a package."""
    lines = [
        *heading(title),
        *(f"from dumbbell.builders.{place}.{name} import {', '.join(names[name])}" for name in sorted(names)),
        "",
        f"__all__ = {sorted(itertools.chain(*names.values()))}",
    ]
    return formatted("\n".join([*lines, ""]))


def family_files(name: str, title: str, builders: dict[str, list[str]]) -> dict[str, str]:
    """Return the files with the builders of a family: one module, or several by first letters."""
    whole = module(title, list(builders.values()))
    if whole.count("\n") <= LONGEST:
        return {f"builders/{name}.py": whole}
    parts: dict[str, list[str]] = {}
    for builder in sorted(builders):
        part = next(f"{first}_to_{last}" for first, last in LETTERS if builder[0] <= last)
        parts.setdefault(part, []).append(builder)
    files = {
        f"builders/{name}/{part}.py": module(title, [builders[builder] for builder in members])
        for part, members in parts.items()
    }
    return files | {f"builders/{name}/__init__.py": package(title, name, parts)}


def heading(title: str) -> list[str]:
    """Return the docstring of a generated module."""
    return [
        f'"""{title}.',
        "",
        *HEAD,
    ]


def module(title: str, functions: list[list[str]], scenario: bool = False) -> str:
    """Return the text of one generated module."""
    body = "\n\n\n".join("\n".join(lines) for lines in functions)
    collections = [name for name in ("Mapping", "Sequence") if f"{name}[" in body]
    typing = [name for name in ("Any", "Literal") if name in body]
    head = [
        *heading(title),
        *([f"from collections.abc import {', '.join(collections)}"] if collections else []),
        *([f"from typing import {', '.join(typing)}"] if typing else []),
        "",
        *(["from dumbbell._scenario import Scenario"] if scenario else []),
        "from dumbbell.builders._given import given",
    ]
    return formatted("\n".join([*head, "", "", body, ""]))


def formatted(text: str) -> str:
    """Return Python source as the linter has it."""
    ruff = [
        sys.executable,
        "-m",
        "ruff",
        "format",
        "--config",
        str(ROOT / "pyproject.toml"),
        "-",
    ]
    return subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout


def generate(registry: dict[str, Any]) -> dict[str, str]:
    """Return the text of every generated file, by its path in the package."""
    files = {"_results/tables.py": tables_module(registry["results"])}
    network = {}
    made_by = makers(registry)
    for entry in registry["modules"]:
        if entry["family"]:
            members = registry["families"][entry["family"]]
            builders = {
                python_name(m["name"]): function(
                    m["name"], m["title"], m["reference"], m["fields"], made_by, m["name"]
                )
                for m in members
            }
            files |= family_files(entry["name"], entry["title"], builders)
            continue
        tables = []
        names = [part["name"] for part in entry["tables"]]
        for part in sorted(entry["tables"], key=lambda part: bool(part["name"] == "scenario")):
            # A scenario is checked when it is built, and with it the tables in it.
            build = scenario_function if part["name"] == "scenario" else function
            fields = registry["tables"][part["name"]]
            tables.append(build(part["name"], part["title"], "", fields, made_by))
        folder, _, name = entry["name"].rpartition(".")
        if folder == "network":
            network[name] = sorted(map(python_name, names))
        path = entry["name"].replace(".", "/")
        files[f"builders/{path}.py"] = module(entry["title"], tables, "scenario" in names)
    files["builders/network/__init__.py"] = package("Parts of topologies", "network", network)
    return files


def tables_module(tables: list[dict[str, Any]]) -> str:
    """Return the text of the module that names the tables of results."""
    lines = [
        '"""The tables that a run leaves behind.',
        "",
        *HEAD,
        "from dataclasses import dataclass",
        "",
        "from dumbbell._results.table import Table",
        "",
        "",
        "@dataclass(frozen=True, repr=False)",
        "class Tables:",
        '    """The tables of a run, in the order of their declaration."""',
        "",
    ]
    for table in tables:
        lines += [f"    {table['name']}: Table", *wrap(f'"""{table["doc"]}"""', 4)]
    return formatted("\n".join([*lines, ""]))


def stale(files: Iterable[str]) -> list[Path]:
    """Return the files that this has written and would not write today."""
    written = (PACKAGE / "builders").rglob("*.py")
    kept = {PACKAGE / name for name in files}
    return [file for file in written if file not in kept and HEAD[0] in file.read_text(encoding="utf-8")]


def main() -> None:
    """Write the files, and remove those that are written no more."""
    from dumbbell import _native

    files = generate(_native.registry())
    for file in stale(files):
        file.unlink()
    for name, text in files.items():
        file = PACKAGE / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
