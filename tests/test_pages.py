"""Every block of the pages for users works, in the order of its page, and prints what the page shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import forks
from tools.pages import PageError, blocks, run

ROOT = Path(__file__).parent.parent

PAGES = (
    ROOT / "README.md",
    *(ROOT / "docs" / f"{name}.md" for name in ("gallery", "python", "run")),
    *sorted(ROOT.glob("docs/tasks/*.md")),
)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def dumbbell() -> Iterator[Path]:
    with forks.program() as program:
        yield program


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_of_a_page_runs(page: Path, tmp_path: Path, dumbbell: Path) -> None:
    # A reader begins with the first page: there, `dumbbell` starts as it does for everybody.
    said = run(page, tmp_path, None if page.name == "README.md" and page.parent == ROOT else dumbbell)
    assert "nan" not in said.split()
    assert "no run has a value" not in said
    drawn = re.findall(r"^Draws `(\S+)`", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert [path for path in drawn if not (tmp_path / path).is_file()] == []
    if page.name == "python.md":
        first, second, last = said.splitlines()
        assert all(
            re.fullmatch(r"(newreno|cubic): \d+\.\d\d Mbit/s, Jain \d\.\d{3}", of) for of in (first, second)
        )
        assert last == "1.9 Mbit/s"


def test_tasks_have_blocks_and_stand_in_the_list() -> None:
    home, *tasks = sorted(ROOT.glob("docs/tasks/*.md"))
    listed = re.findall(r"\]\(([\w-]+\.md)\)", home.read_text(encoding="utf-8"))
    assert sorted(listed) == [page.name for page in tasks]
    for page in tasks:
        assert any(block.language == "sh" for block in blocks(page.read_text(encoding="utf-8"))), page


@pytest.mark.parametrize(
    ("page", "line"),
    [
        ("```sh\nfalse\n```\n", "p.md: false: status 1"),
        ("```sh\necho one\n```\n\n```text\ntwo\n```\n", "p.md: two: not printed: ['two']"),
        ("```python\nraise SystemExit(3)\n```\n", "p.md: raise SystemExit(3): status 3"),
        ("```toml\na = 1\n```\n", "p.md: a = 1: nothing runs a block of toml"),
    ],
)
def test_a_page_that_is_wrong_is_found(page: str, line: str, tmp_path: Path) -> None:
    path = tmp_path / "p.md"
    path.write_text(page)
    with pytest.raises(PageError) as error:
        run(path, tmp_path)
    assert str(error.value).startswith(line)


def test_files_are_saved_under_their_names(tmp_path: Path) -> None:
    path = tmp_path / "p.md"
    path.write_text("Save this as `a.toml`:\n\n```toml\na = 1\n```\n\n```sh\ncat a.toml\n```\n")
    assert run(path, tmp_path) == "a = 1\n"
