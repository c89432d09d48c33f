"""Runs the blocks of a page, in order, in a folder: what a reader would type.

A block of ``sh`` goes to bash with `dumbbell` and `python` on its path. A block whose text before it says
"Save this as `study.toml`" is saved under that name; one of ``python`` runs otherwise. A block of ``text`` is
what the last block has printed: each of its lines must be among the printed ones.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

_SAVED = re.compile(r"[Ss]ave (?:it|this|the law|that) as `([\w.-]+)`")

LONGEST = 300
"""Seconds for one block, to tell a hang from slowness."""


class PageError(Exception):
    """A block that does not do what its page says."""


@dataclass(frozen=True)
class Block:
    """A block of a page."""

    language: str
    text: str
    saved: str | None
    """The name of the file that the reader saves it as."""
    end: int
    """Where it ends in the page."""


def blocks(page: str) -> Iterator[Block]:
    """Yield the blocks of a page, in order."""
    begun = 0
    for found in _BLOCK.finditer(page):
        names = _SAVED.findall(page[begun : found.start()])
        yield Block(found[1], found[2], names[-1] if names else None, found.end())
        begun = found.end()


def run(page: Path, folder: Path, dumbbell: Path | None = None) -> str:
    """Run the blocks of a page in a folder; return all that they printed.

    A path of `dumbbell` names another program for blocks of ``sh`` than this interpreter with the package.

    Raises
    ------
    PageError
        If a block fails, prints another text than the page shows, or is of a language that nothing runs.
    """
    said = last = ""
    for block in blocks(page.read_text(encoding="utf-8")):
        where = f"{page.name}: {block.text.splitlines()[0]}"
        if block.language == "text":
            printed = {line.strip() for line in last.splitlines()}
            missing = [line for line in block.text.splitlines() if line.strip() not in printed | {""}]
            if missing:
                raise PageError(f"{where}: not printed: {missing}, but\n{last}")
        elif block.saved:
            (folder / block.saved).write_text(block.text, encoding="utf-8")
        elif block.language in {"sh", "python"}:
            last = _run(block, folder, where, dumbbell)
            said += last
        else:
            raise PageError(f"{where}: nothing runs a block of {block.language}, and no file is named for it")
    return said


def _run(block: Block, folder: Path, where: str, dumbbell: Path | None) -> str:
    command = ["bash", "-euo", "pipefail", "-c", block.text]
    if block.language == "python":
        command = [sys.executable, "-c", block.text]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "MPLBACKEND": "agg", "COLUMNS": "120", "PATH": _path(folder, dumbbell)},
        check=False,
        capture_output=True,
        text=True,
        timeout=LONGEST,
    )
    if done.returncode:
        raise PageError(f"{where}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def _path(folder: Path, dumbbell: Path | None) -> str:
    """Return a search path on which `dumbbell` and `python` are those of this interpreter."""
    ours = folder / ".bin"
    if not ours.is_dir():
        ours.mkdir()
        program = f'"{sys.executable}" -m dumbbell' if dumbbell is None else f'"{dumbbell}"'
        for name, command in {"dumbbell": program, "python": f'"{sys.executable}"'}.items():
            (ours / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
            (ours / name).chmod(0o755)
    return f"{ours}{os.pathsep}{os.environ['PATH']}"
