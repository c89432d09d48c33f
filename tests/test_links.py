"""Links between the project's pages lead to files and headings that exist."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^()\s]+)\)")
ELSEWHERE = re.compile(r"[a-z]+:")


def pages() -> list[str]:
    """Return the Markdown files that belong to the project."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    return listed.stdout.split() if listed.returncode == 0 else []


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings: list[str] = re.findall(
        r"^#+ (.*)$", FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(page: Path) -> list[str]:
    """Return the links of a page that lead nowhere. Addresses on the network are not opened."""
    found = []
    for link in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        if ELSEWHERE.match(link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            found.append(link)
    return found


@pytest.mark.parametrize("page", pages())
def test_every_link_leads_somewhere(page: str) -> None:
    assert not broken(ROOT / page)


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One page\n[a](gone.md) [b](#one-page) [c](page.md#two) [d](page.md) [e](https://example.org)\n"
    )
    assert broken(page) == ["gone.md", "page.md#two"]


def test_the_map_of_changes_names_places_that_exist() -> None:
    """Places are named from the root of the project, or from `crates`."""
    table = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split("\n## ")[1]
    places = re.findall(r"`((?:\w+/)+[\w.*]*)`", table)
    assert len(places) > 40
    gone = [place for place in places if not (any(ROOT.glob(place)) or any(ROOT.glob(f"crates/{place}")))]
    assert gone == []
