"""The pages of the Python package are what its docstrings say, and these say what a user asks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import dumbbell as db
from tools.api import BUILDERS, ERRORS, EXPERIMENTS, FOLDER, MODULES, Entry, Function, documented, generate


def test_the_pages_follow_from_the_docstrings() -> None:
    written = {file.name: file.read_text(encoding="utf-8") for file in FOLDER.glob("*.md")}
    assert written == generate(), "run `make docs`"


def test_every_name_of_the_package_has_a_page() -> None:
    paged = {*EXPERIMENTS, *ERRORS, *MODULES, *BUILDERS, "__version__"}
    assert set(db.__all__) - paged == set()
    assert "dumbbell.queue" in generate()["builders.md"]


def named() -> Iterator[tuple[str, Entry]]:
    def inside(place: str, entry: Entry) -> Iterator[tuple[str, Entry]]:
        yield place, entry
        for member in entry.members:
            yield from inside(f"{place}.{member.name}", member)

    for page, entries in documented().items():
        for entry in entries:
            yield from inside(f"{page}: {entry.name}", entry)


def test_every_public_name_says_what_it_is() -> None:
    silent = [place for place, entry in named() if not entry.doc]
    assert silent == []


def test_every_parameter_is_explained_and_every_error_named() -> None:
    wrong = []
    for place, entry in named():
        node = entry.node
        if not isinstance(node, Function):
            continue
        given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        names = [each.arg for each in given if each.arg not in ("self", "cls")]
        wrong += [f"{place}: nothing of `{n}`" for n in names if not re.search(rf"\b{n}\b", entry.doc)]
        raised = (each for each in ast.walk(node) if isinstance(each, ast.Raise) and each.exc)
        if any(raised) and "Raises\n------" not in entry.doc:
            wrong.append(f"{place}: nothing of its errors")
    assert wrong == []


def test_shapes_of_arrays_are_told() -> None:
    arrays = re.compile(r"NDArray|ArrayLike|Floats")
    wrong = []
    for place, entry in named():
        node = entry.node
        if isinstance(node, Function):
            types = [node.returns, *(each.annotation for each in (*node.args.args, *node.args.kwonlyargs))]
        else:
            types = [node.annotation] if isinstance(node, ast.AnnAssign) else []
        if any(arrays.search(ast.unparse(each)) for each in types if each) and not re.search(
            "[Ss]hape", entry.doc
        ):
            wrong.append(place)
    assert wrong == []
