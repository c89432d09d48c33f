"""A release: its version stands in one place, and everything that names it says the same."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from pathlib import Path

import dumbbell as db

REPOSITORY = Path(__file__).parent.parent


def test_the_version_is_that_of_the_workspace() -> None:
    workspace = tomllib.loads((REPOSITORY / "Cargo.toml").read_text())["workspace"]
    assert db.__version__ == workspace["package"]["version"]
    for manifest in REPOSITORY.glob("crates/*/Cargo.toml"):
        assert tomllib.loads(manifest.read_text())["package"]["version"] == {"workspace": True}
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    assert "version" in project["dynamic"]


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
