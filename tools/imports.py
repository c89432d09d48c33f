"""Checks that no files, and no folders, import each other in a circle: ``python -m tools.imports``.

What is in a circle can only be understood, tested and changed together. In Python every import counts, those
for types and those inside functions too. In Rust every path to another file of the crate does
(``rust_imports.py``); calls between methods of one type that stand in several files are not seen. Files and
folders that stand beside each other are looked at folder by folder, each folder as one thing, so that a
circle of files is seen in the folder that holds it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tools import rust_imports

ROOT = Path(__file__).resolve().parent.parent

PYTHON = {"dumbbell": "python/dumbbell", **{name: name for name in ("bench", "fuzz", "peers", "tools")}}
"""Packages and their folders."""

ALLOWED = {
    "crates/net/src/queue": "a discipline may hold disciplines of any kind, so members need the registry",
}
"""Folders with a circle of files or folders in them that may stay, one each, and the reason."""

Graph = Mapping[str, set[str]]
"""For each file the files that it imports; paths from the root of the repository."""


def python_graph(root: Path, packages: Mapping[str, str]) -> dict[str, set[str]]:
    """Return which files of some packages import which others.

    Parameters
    ----------
    root
        The root of the repository.
    packages
        Name of a package to its folder.
    """
    modules: dict[str, str] = {}
    for package, folder in packages.items():
        for file in sorted((root / folder).rglob("*.py*")):
            if file.suffix in (".py", ".pyi"):
                parts = [package, *file.relative_to(root / folder).with_suffix("").parts]
                name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                modules[name] = file.relative_to(root).as_posix()
    graph: dict[str, set[str]] = {}
    for name, path in modules.items():
        package = name if path.endswith("/__init__.py") else name.rpartition(".")[0]
        tree = ast.parse((root / path).read_text(encoding="utf-8"))
        found = {modules[module] for module in _imported(tree, package, modules) if module in modules}
        graph[path] = found - {path}
    return graph


def _imported(tree: ast.Module, package: str, modules: Mapping[str, str]) -> Iterator[str]:
    """Yield the modules that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: 1 - node.level or None] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield inner if inner in modules else base
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            yield from (str(word.value) for word in node.args if isinstance(word, ast.Constant))


def rust_graph(root: Path) -> dict[str, set[str]]:
    """Return which files of each crate use which others of it."""
    graph: dict[str, set[str]] = {}
    for crate in sorted(file.parent.parent for file in root.glob("crates/*/src/lib.rs")):
        for file, used in rust_imports.uses(crate).items():
            graph[file.relative_to(root).as_posix()] = {path.relative_to(root).as_posix() for path in used}
    return graph


def circles(graph: Graph) -> list[list[str]]:
    """Return what is in each circle: the strongly connected components (Tarjan, 1972) of several nodes."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(file: str) -> None:
        number[file] = lowest[file] = len(number)
        stack.append(file)
        for other in sorted(graph.get(file, ())):
            if other not in number:
                visit(other)
            if other in stack:
                lowest[file] = min(lowest[file], lowest[other])
        if lowest[file] == number[file]:
            start = stack.index(file)
            if len(stack) - start > 1:
                found.append(sorted(stack[start:]))
            del stack[start:]

    for file in sorted(graph):
        if file not in number:
            visit(file)
    return sorted(found)


def beside(graph: Graph, folder: str) -> dict[str, set[str]]:
    """Return which files and folders in a folder import which others there; the root is ``""``."""

    def child(file: str) -> str:
        return folder + file.removeprefix(folder).partition("/")[0]

    found: dict[str, set[str]] = {}
    for file, others in graph.items():
        if file.startswith(folder):
            found.setdefault(child(file), set()).update(child(o) for o in others if o.startswith(folder))
    return {place: others - {place} for place, others in found.items()}


def problems(graph: Graph, allowed: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each circle that is not allowed, and for each allowed one that is gone."""
    left = set(allowed)
    folders = {file[: at + 1] for file in graph for at, sign in enumerate(file) if sign == "/"}
    for folder in sorted({"", *folders}):
        for places in circles(beside(graph, folder)):
            name = folder.rstrip("/") or "."
            if name in left:
                left.remove(name)
            else:
                yield "\n".join(
                    [
                        f"{name}: a circle of {', '.join(place.removeprefix(folder) for place in places)}; "
                        "move what they share into a file of its own",
                        *_arrows(graph, places),
                    ]
                )
    for name in sorted(left):
        yield f"no circle is left in {name}: take it from ALLOWED in tools/imports.py"


def _arrows(graph: Graph, places: Sequence[str]) -> Iterator[str]:
    """Yield a line for each import between different ones of some files and folders."""

    def place_of(file: str) -> str | None:
        return next((place for place in places if f"{file}/".startswith(f"{place}/")), None)

    for file, others in sorted(graph.items()):
        for other in sorted(others):
            if place_of(file) and place_of(other) and place_of(file) != place_of(other):
                yield f"  {file} -> {other}"


def main() -> int:
    """Check the repository, say what is wrong, and return the exit status."""
    graph = {**python_graph(ROOT, PYTHON), **rust_graph(ROOT)}
    wrong = list(problems(graph, ALLOWED))
    for line in wrong:
        print(f"imports: {line}", file=sys.stderr)
    arrows = sum(map(len, graph.values()))
    print(f"imports: {len(graph)} files, {arrows} imports, {len(wrong)} problems")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
