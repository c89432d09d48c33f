"""The checker of imports: which circles it sees, and which it does not invent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import imports, rust_imports


def written(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


@pytest.mark.parametrize(
    "back",
    [
        "from some import a",
        "from some.a import x",
        "from . import a",
        "from .a import x",
        "import some.a as other",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from some.a import x",
        "def f():\n    from some.a import x",
        "from importlib import import_module\nimport_module('some.a')",
    ],
)
def test_a_circle_of_python_files_is_seen(tmp_path: Path, back: str) -> None:
    root = written(tmp_path, {"some/__init__.py": "", "some/a.py": "from some.b import y", "some/b.py": back})
    graph = imports.python_graph(root, {"some": "some"})
    assert imports.circles(graph) == [["some/a.py", "some/b.py"]]
    (line,) = imports.problems(graph, {})
    assert line.splitlines()[1:] == ["  some/a.py -> some/b.py", "  some/b.py -> some/a.py"]


def test_python_files_without_a_circle_pass(tmp_path: Path) -> None:
    files = {
        "some/__init__.py": "from some.a import x",
        "some/a.py": "from some import b",
        "some/b.py": "import json\n'from some import a'  # from some import a",
    }
    graph = imports.python_graph(written(tmp_path, files), {"some": "some"})
    assert graph == {
        "some/__init__.py": {"some/a.py"}, "some/a.py": {"some/b.py"}, "some/b.py": set(),
    }  # fmt: skip
    assert list(imports.problems(graph, {})) == []


A = "mod tests_of_nothing {} pub struct X; pub fn f() { crate::b::g() }"


@pytest.mark.parametrize(
    "back",
    [
        "use crate::a::X;",
        "use super::a::X as Other;",
        "use super::{a::{X}};",
        "use super::X;",
        "use super::*; fn h(x: X) {}",
        "fn h(x: crate::a::X) {}",
        "use crate::a; fn h(x: a::X) {}",
        "mod inner { use super::super::a::X; }",
        "pub use super::a::X; fn h(x: X) {}",
        "fn h() { planted!(1) }",
    ],
)
def test_a_circle_of_rust_files_is_seen(tmp_path: Path, back: str) -> None:
    files = {
        "src/lib.rs": "mod a; mod b; pub use a::X;",
        "src/a.rs": "macro_rules! planted { ($x:expr) => { $x } } " + A,
        "src/b.rs": "pub fn g() {} " + back,
    }
    graph = rust_imports.uses(written(tmp_path, files))
    assert graph[tmp_path / "src/a.rs"] == {tmp_path / "src/b.rs"}
    assert tmp_path / "src/a.rs" in graph[tmp_path / "src/b.rs"]


@pytest.mark.parametrize(
    "no_use",
    [
        "// use crate::a::X;\n/* crate::a::X */",
        'const TEXT: &str = "crate::a::X"; const RAW: &str = r#"crate::a::X"#;',
        "#[cfg(test)] mod tests { use crate::a::X; }",
        "#[cfg(test)] use crate::a::X;",
        "#[cfg(test)] mod laws;",
        "pub use crate::a::X;",
        "pub(crate) use crate::a::X;",
        "use std::a::X; use serde::a; use a::X;",
        "pub(in crate::a) fn h() {}",
        "const QUOTE: char = '\"'; fn h<'a>(x: &'a str) {} const END: char = '\"';",
    ],
)
def test_no_circle_is_invented_in_rust(tmp_path: Path, no_use: str) -> None:
    files = {
        "src/lib.rs": "mod a; mod b; pub use a::X;",
        "src/a.rs": A,
        "src/b.rs": "pub fn g() {} " + no_use,
        "src/b/laws.rs": "use crate::a::X;",
    }
    graph = rust_imports.uses(written(tmp_path, files))
    assert graph == {
        tmp_path / "src/lib.rs": set(),
        tmp_path / "src/a.rs": {tmp_path / "src/b.rs"},
        tmp_path / "src/b.rs": set(),
    }


def test_a_registry_in_one_file_with_members_is_a_circle(tmp_path: Path) -> None:
    registry = "mod member; mod other; family! { Member(member) => Member }"
    files = {
        "src/lib.rs": "mod family;",
        "src/family/mod.rs": registry + " pub trait Law {}",
        "src/family/member.rs": "use super::Law;",
        "src/family/other.rs": "",
    }
    member, parent = tmp_path / "src/family/member.rs", tmp_path / "src/family/mod.rs"
    graph = rust_imports.uses(written(tmp_path, files))
    assert (graph[member], graph[parent]) == ({parent}, {member})
    files["src/family/mod.rs"] = registry + " mod law; pub use law::Law;"
    files["src/family/law.rs"] = "pub trait Law {}"
    graph = rust_imports.uses(written(tmp_path, files))
    assert (graph[member], graph[parent]) == ({tmp_path / "src/family/law.rs"}, {member})


def test_folders_are_one_thing_to_what_stands_beside_them() -> None:
    graph = {"x/p/a": {"x/q/c"}, "x/q/d": {"x/p/b"}, "x/e": {"x/p/a"}}
    assert imports.circles(graph) == []
    (line,) = imports.problems(graph, {})
    assert line.splitlines() == [
        "x: a circle of p, q; move what they share into a file of its own",
        "  x/p/a -> x/q/c",
        "  x/q/d -> x/p/b",
    ]


def test_allowed_circles_pass_once_and_have_to_exist() -> None:
    graph = {"x/a": {"x/b"}, "x/b": {"x/a"}}
    assert list(imports.problems(graph, {"x": "reason"})) == []
    (line,) = imports.problems({}, {"x": "reason"})
    assert line == "no circle is left in x: take it from ALLOWED in tools/imports.py"
    two = {**graph, "x/c": {"x/d"}, "x/d": {"x/c"}}
    assert len(list(imports.problems(two, {"x": "reason"}))) == 1
    assert len(list(imports.problems({"xy/a": {"xy/b"}, "xy/b": {"xy/a"}}, {"x": "reason"}))) == 2
