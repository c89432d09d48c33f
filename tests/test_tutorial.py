"""The tutorial works, block by block, in the order of the page, and prints what the page shows."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.notebook import PAGES, generate, notebook_of
from tools.pages import run

PAGE = Path(__file__).parent.parent / "docs" / "tutorial.md"
NOTEBOOK = notebook_of(PAGE)


def blocks(kinds: str) -> list[tuple[str, str]]:
    page = PAGE.read_text(encoding="utf-8")
    return re.findall(rf"^```({kinds})\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def cells() -> list[str]:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_the_notebook_is_the_page_with_its_blocks_as_cells() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert len(PAGES) == 7
    for page in PAGES:
        assert notebook_of(page).read_text(encoding="utf-8") == generate(page), "run `make docs`"
    notebook = json.loads(text)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    _, *code = cells()
    for (kind, block), cell in zip(blocks("sh|python|toml"), code, strict=True):
        shell, study = (
            re.sub(r"^!\{DUMBBELL\}", "dumbbell", cell, flags=re.MULTILINE),
            cell.removeprefix("%%writefile study.toml\n"),
        )
        assert block.strip("\n") == {"sh": shell, "toml": study, "python": cell}[kind]
    # The last value of a cell is what a notebook shows.
    assert any(cell.splitlines()[-1] == 'results.plot("queue")' for cell in code)


def test_a_notebook_needs_no_path(tmp_path: Path) -> None:
    first, commands, *_ = cells()
    assert commands.startswith("!{DUMBBELL} examples")
    scope: dict[str, str] = {}
    exec(first, scope)
    for line in commands.splitlines():
        # IPython fills braces in, and gives the line to a shell.
        command = line.removeprefix("!").format(**scope)
        path = {"PATH": "/usr/bin:/bin"}
        done = subprocess.run(command, shell=True, cwd=tmp_path, env=path, capture_output=True, check=False)
        assert done.returncode == 0, (command, done.stderr)
    assert (tmp_path / "home.toml").is_file()


def test_a_notebook_says_what_its_kernel_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "pyarrow" else name)
    with pytest.raises(ImportError, match=re.escape(f"pyarrow: not installed for {sys.executable}; choose")):
        exec(cells()[0], {})


def test_every_block_of_the_tutorial_runs(tmp_path: Path) -> None:
    said = run(PAGE, tmp_path)
    # What the page says of what one sees.
    assert "left → right" in said
    assert "nan" not in said
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    shown = {"home-topology.png", "out/droptail/figures/queue.png", "out/droptail/figures/cwnd.png"}
    assert shown | {"out/both/queue.png", "out/study/report.html", "study.zip"} <= files
