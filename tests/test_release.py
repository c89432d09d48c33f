"""A release: its version stands in one place, and everything that names it says the same."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from pathlib import Path

import dumbbell as db
from dumbbell._extras import how_to_install, packages_of

REPOSITORY = Path(__file__).parent.parent


def test_the_version_is_that_of_the_workspace() -> None:
    workspace = tomllib.loads((REPOSITORY / "Cargo.toml").read_text())["workspace"]
    assert db.__version__ == workspace["package"]["version"]
    for manifest in REPOSITORY.glob("crates/*/Cargo.toml"):
        assert tomllib.loads(manifest.read_text())["package"]["version"] == {"workspace": True}
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    assert "version" in project["dynamic"]


def test_crates_for_the_index_are_complete() -> None:
    """An index takes no crate that depends on one without a version, or on one that stays here."""
    workspace = tomllib.loads((REPOSITORY / "Cargo.toml").read_text())["workspace"]
    ours = {name: of for name, of in workspace["dependencies"].items() if name.startswith("dumbbell-")}
    manifests = [tomllib.loads(path.read_text()) for path in sorted(REPOSITORY.glob("crates/*/Cargo.toml"))]
    public = {of["package"]["name"]: of for of in manifests if "publish" not in of["package"]}
    wanted = {"cc", "core", "header", "law", "net", "proto", "sim", "study", "theory", "trace"}
    assert set(public) == {f"dumbbell-{name}" for name in wanted}
    for name, manifest in public.items():
        assert ours[name]["version"] == workspace["package"]["version"]
        needed = {of for of in manifest.get("dependencies", {}) if of.startswith("dumbbell-")}
        assert needed <= set(public), name
        folder = REPOSITORY / "crates" / name.removeprefix("dumbbell-")
        assert (folder / "LICENSE").read_text() == (REPOSITORY / "LICENSE").read_text()
        # Its example is a test of rustdoc.
        assert "```rust\n" in (folder / "README.md").read_text()
        assert '#[doc = include_str!("../README.md")]' in (folder / "src" / "lib.rs").read_text()


def test_the_changelog_and_the_citation_name_the_release() -> None:
    changes = (REPOSITORY / "CHANGELOG.md").read_text()
    headings = re.findall(r"^## \[(.+?)\](?: - (\S+))?$", changes, re.MULTILINE)
    assert headings[0] == ("Unreleased", "")
    released, day = headings[1]
    assert released == db.__version__
    assert date.fromisoformat(day)
    citation = (REPOSITORY / "CITATION.cff").read_text()
    assert f"\nversion: {released}\ndate-released: {day}\n" in citation
    assert citation.startswith("cff-version: 1.2.0\n")


def test_nobody_is_sent_to_an_index_that_has_no_dumbbell() -> None:
    places = [
        *REPOSITORY.glob("*.md"),
        *(
            path
            for folder in ("docs", "python", "crates", "tools")
            for path in (REPOSITORY / folder).rglob("*")
        ),
    ]
    suffixes = {".md", ".py", ".pyi", ".ipynb", ".toml", ".rs", ".j2", ".sh"}
    texts = {path: path.read_text(encoding="utf-8") for path in places if path.suffix in suffixes}
    assert len(texts) > 500
    wrong = re.compile(r".*(?:pip install [\"']?dumbbell\b|dumbbell\[\w).*")
    assert [line for text in texts.values() for line in wrong.findall(text)] == []


def test_the_extras_of_messages_and_pages_exist() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].keys() - {"test", "lint", "coverage", "wheel", "site"}
    page = (REPOSITORY / "docs" / "install.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"^\| extra \| brings \|\n((?:\|.*\n)+)", page, re.MULTILINE)
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == extras
    for extra in extras:
        assert f"`pip install '.[{extra}]'` in a checkout" in how_to_install(extra)
    assert {extra for extra in ("plot", "study") if not packages_of(extra)} == set()
