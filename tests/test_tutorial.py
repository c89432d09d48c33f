"""The tutorial works, block by block, in the order of the page."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "tutorial.md"


def test_every_block_of_the_tutorial_runs(tmp_path: Path) -> None:
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert {kind for kind, _ in blocks} == {"sh", "python", "toml"}
    said = ""
    for kind, text in blocks:
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
    assert "codel is better (lower) than droptail" in said
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    shown = {"home-topology.png", "out/droptail/figures/queue.png", "out/droptail/figures/cwnd.png"}
    assert shown | {"out/both/queue.png", "out/study/report.html", "study.zip"} <= files
