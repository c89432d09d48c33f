"""The tutorial works, block by block, in the order of the page."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from tools.notebook import NOTEBOOK, generate

PAGE = Path(__file__).parent.parent / "docs" / "tutorial.md"


def blocks() -> list[tuple[str, str]]:
    page = PAGE.read_text(encoding="utf-8")
    return re.findall(r"^```(\w+)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def test_the_notebook_is_the_page_with_its_blocks_as_cells() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert text == generate(), "run `make docs`"
    notebook = json.loads(text)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for (kind, block), cell in zip(blocks(), code, strict=True):
        shell, study = (
            re.sub("^!", "", cell, flags=re.MULTILINE),
            cell.removeprefix("%%writefile study.toml\n"),
        )
        assert block.strip("\n") == {"sh": shell, "toml": study, "python": cell}[kind]
    # The last value of a cell is what a notebook shows.
    assert any(cell.splitlines()[-1] == 'results.plot("queue")' for cell in code)


def test_every_block_of_the_tutorial_runs(tmp_path: Path) -> None:
    assert {kind for kind, _ in blocks()} == {"sh", "python", "toml"}
    said = ""
    for kind, text in blocks():
        if kind == "toml":
            (tmp_path / "study.toml").write_text(text, encoding="utf-8")
            continue
        programs = [["-c", text]]
        if kind == "sh":
            programs = [["-m", *shlex.split(line)] for line in text.splitlines()]
        for program in programs:
            found = subprocess.run(
                [sys.executable, *program],
                cwd=tmp_path,
                env={**os.environ, "MPLBACKEND": "agg"},
                check=False,
                capture_output=True,
                text=True,
                timeout=120,
            )
            assert found.returncode == 0, (program, found.stderr)
            said += found.stdout
    # What the page says of what one sees.
    assert "left → right" in said
    assert "nan" not in said
    assert "codel is better (lower) than droptail" in said
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    shown = {"home-topology.png", "out/droptail/figures/queue.png", "out/droptail/figures/cwnd.png"}
    assert shown | {"out/both/queue.png", "out/study/report.html", "study.zip"} <= files
