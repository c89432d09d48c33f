"""Checks that no files import each other in a circle: ``python -m tools.imports``.

Files of a circle can only be understood, tested and changed together. In Python every import counts, those
for types and those inside functions too. In Rust every path to another file of the crate does
(``rust_imports.py``).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from tools import rust_imports

ROOT = Path(__file__).resolve().parent.parent

PYTHON = {"dumbbell": "python/dumbbell", **{name: name for name in ("bench", "fuzz", "peers", "tools")}}
"""Packages and their folders."""

ALLOWED: dict[str, str] = {}
"""Circles that may stay: the folder that holds one, and the reason."""

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
    """Return the files of each circle: the strongly connected components (Tarjan, 1972) of several files."""
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


def problems(graph: Graph, allowed: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each circle that is not allowed, and for each allowed one that is gone."""
    left = set(allowed)
    for files in circles(graph):
        place = next(
            (place for place in left if all(f"{file}/".startswith(f"{place}/") for file in files)), ""
        )
        if place:
            left.remove(place)
            continue
        arrows = [f"  {file} -> {other}" for file in files for other in sorted(graph[file] & set(files))]
        head = f"a circle of {len(files)} files; move what they share into a file of its own:"
        yield "\n".join([head, *arrows])
    for place in sorted(left):
        yield f"no circle is left in {place}: take it from ALLOWED in tools/imports.py"


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
