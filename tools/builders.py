"""Writes the stubs of the Python builders, and the class of the tables of a run, from the registry.

``python tools/builders.py`` rewrites the files; a test fails when they differ from what this would write.
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dumbbell import _native
from dumbbell.builders._module import Origin, origins_of

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "dumbbell"

HEAD = (
    "Generated from the registry by ``tools/builders.py``: change the registry, not this file.",
    '"""',
    "",
)
"""The docstring of a generated file from its second line on, and what follows it."""


def stub(title: str, origins: Mapping[str, Origin]) -> str:
    """Return the text of the stub of a module of builders."""
    declared = {name: origins[name].declared() for name in sorted(origins)}
    heads = {name: origins[name].signature(found) for name, found in declared.items()}
    body = []
    for name, found in declared.items():
        doc = f'"""{origins[name].docstring(found)}\n"""'
        body += [heads[name], textwrap.indent(doc, "    "), ""]
    words = set(re.findall(r"\w+", "".join(heads.values())))
    lines = [f'"""{title}.', "", *HEAD]
    for module, names in (("collections.abc", {"Mapping", "Sequence"}), ("typing", {"Any", "Literal"})):
        if used := names & words:
            lines.append(f"from {module} import {', '.join(sorted(used))}")
    if any(origin.checked for origin in origins.values()):
        lines += ["", "from dumbbell._scenario import Scenario"]
    return formatted("\n".join([*lines, "", *body]), "stub.pyi")


def formatted(text: str, name: str = "text.py") -> str:
    """Return Python source as the linter has it in a file of this name."""
    ruff = [
        sys.executable,
        "-m",
        "ruff",
        "format",
        "--config",
        str(ROOT / "pyproject.toml"),
        "--stdin-filename",
        name,
        "-",
    ]
    return subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout


def generate(registry: dict[str, Any]) -> dict[str, str]:
    """Return the text of every generated file, by its path in the package."""
    return {"_results/tables.py": tables_module(registry["results"])} | {
        f"builders/{entry['name']}.pyi": stub(entry["title"], origins_of(entry, _native.algorithms()))
        for entry in registry["modules"]
    }


def tables_module(tables: list[dict[str, Any]]) -> str:
    """Return the text of the module that names the tables of results."""
    lines = [
        '"""The tables that a run leaves behind.',
        "",
        *HEAD,
        "from __future__ import annotations",
        "",
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
        doc = textwrap.wrap(f'"""{table["doc"]}"""', 106)
        lines += [f"    {table['name']}: Table", *(f"    {line}" for line in doc)]
    return formatted("\n".join([*lines, ""]))


def stale(files: Iterable[str]) -> list[Path]:
    """Return the files that this has written and would not write today."""
    written = (PACKAGE / "builders").rglob("*.py*")
    kept = {PACKAGE / name for name in files}
    texts = (file for file in written if file.suffix in (".py", ".pyi") and file not in kept)
    return [file for file in texts if HEAD[0] in file.read_text(encoding="utf-8")]


def main() -> None:
    """Write the files, and remove those that are written no more."""
    files = generate(_native.registry())
    for file in stale(files):
        file.unlink()
    for name, text in files.items():
        file = PACKAGE / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
