"""Writes the notebooks of the tutorial and of the lessons: the blocks of their pages, in the same order.

A first cell checks that the kernel has what the page needs. Commands run by the Python of the kernel: a shell
may find another `dumbbell` on the path, or none, and a notebook would go on.

``python -m tools.notebook`` rewrites them; a test fails when one differs from what this would write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dumbbell._extras import how_to_install, packages_of

DOCS = Path(__file__).resolve().parent.parent / "docs"

_NO_LESSONS = {"README.md", "answers.md", "teacher.md"}

PAGES = (
    DOCS / "tutorial.md",
    *sorted(page for page in DOCS.glob("lessons/*.md") if page.name not in _NO_LESSONS),
)
"""The pages that are notebooks too."""

_BLOCK = re.compile(r"^```(?!text)(\w+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
"""A block to run; one of text shows what a program prints."""

_COMMAND = "DUMBBELL"
"""The variable of the notebook that holds the command."""

_OURS = "cell"
"""The language of what only the notebook has."""

_STUDY = "study.toml"
"""The name under which the page has its reader save TOML."""


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a page: the language of a block, empty for text, and what stands in it."""
    end = 0
    for found in _BLOCK.finditer(page):
        yield "", page[end : found.start()]
        yield found[1], found[2]
        end = found.end()
    yield "", page[end:]


def first_cell() -> str:
    """Return the code that a notebook begins with."""
    needed = sorted({"dumbbell", *packages_of("plot"), *packages_of("study")})
    return f"""# The commands below run with the Python of this notebook, whatever the path holds.
import importlib.util
import sys

needed = {json.dumps(needed)}
missing = [name for name in needed if importlib.util.find_spec(name) is None]
if missing:
    raise ImportError(
        f"{{', '.join(missing)}}: not installed for {{sys.executable}}; choose another kernel, or "
        "{how_to_install("jupyter")}"
    )
{_COMMAND} = f'"{{sys.executable}}" -m dumbbell'
"""


def code(language: str, text: str) -> str:
    """Return a block of the page as the code of a cell."""
    match language:
        case "sh":
            lines = (line.replace("dumbbell", f"{{{_COMMAND}}}", 1) for line in text.splitlines())
            return "".join(f"!{line}\n" for line in lines)
        case "toml":
            return f"%%writefile {_STUDY}\n{text}"
        case "python":
            return text
    raise ValueError(f"a block of {language} has no cell")


def cell(number: int, language: str, text: str) -> dict[str, Any]:
    """Return a cell in format 4.5 of notebooks."""
    kind = "code" if language else "markdown"
    text = code(language, text) if language and language != _OURS else text
    base = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
    source = {"source": text.strip("\n").splitlines(keepends=True)}
    return base | ({"execution_count": None, "outputs": []} if language else {}) | source


def notebook_of(page: Path) -> Path:
    """Return where the notebook of a page stands: with it."""
    return page.with_suffix(".ipynb")


def generate(page: Path) -> str:
    """Return the text of the notebook of a page."""
    parts = [part for part in blocks(page.read_text(encoding="utf-8")) if part[1].strip()]
    # After the title and what the page says of itself.
    parts.insert(1, (_OURS, first_cell()))
    notebook = {
        "cells": [cell(number, *part) for number, part in enumerate(parts)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write the notebooks."""
    for page in PAGES:
        notebook_of(page).write_text(generate(page), encoding="utf-8")


if __name__ == "__main__":
    main()
