"""Writes docs/judged: the table of each candidate of `dumbbell judge`, and the summary in docs/judged.md.

    python -m tools.judged                    # all, in the quick form
    python -m tools.judged bbr copa           # some; the others stay as they are
    python -m tools.judged --full             # in full: hours

Runs are kept in out/judged; the same command goes on where it was.
"""

from __future__ import annotations

import argparse
import subprocess
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from dumbbell.judge import all_chapters, candidate_of, run_judge, write_judge

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs/judged"
PAGE = ROOT / "docs/judged.md"
CANDIDATES = ("cubic", "newreno", "bbr", "bbr3", "prague", "copa", "greedy")
LAWS = {"greedy": "docs/judged/greedy.py:Greedy"}
"""Candidates that are files."""

_MARKS = ("<!-- summary -->\n", "<!-- end -->\n")
_SHORT = {"more harm": "more", "less harm": "less", "not judged": "-"}


def words_of(text: str) -> dict[str, str]:
    """Return the word of each section in a table of 72 columns, with its star."""
    sections = {chapter.section for chapter in all_chapters()}
    found = {}
    for line in text.splitlines():
        first = line.split(" ", 1)[0]
        if first in sections and first not in found:
            found[first] = line[56:].strip()
    return found


def summary() -> str:
    """Return the table of all candidates, in Markdown."""
    there = {name: PAGES / f"{name}.txt" for name in CANDIDATES if (PAGES / f"{name}.txt").is_file()}
    words = {name: words_of(path.read_text(encoding="utf-8")) for name, path in there.items()}
    heads = " | ".join(f"[{name}](judged/{name}.txt)" for name in there)
    lines = [f"| RFC 9743 | criterion | {heads} |", "|---" * (2 + len(there)) + "|"]
    for chapter in all_chapters():
        cells = []
        for name in there:
            word = words[name].get(chapter.section, "")
            star = "*" if word.endswith("*") else ""
            plain = word.removesuffix("*")
            cells.append(
                _SHORT.get(plain, "as" if plain.startswith("as ") else plain) + star.replace("*", r"\*")
            )
        lines.append(f"| {chapter.section} {chapter.keyword} | {chapter.title} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _commit() -> str:
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", "crates", "python")
    return _git("rev-parse", "--short=12", "HEAD") + (" with changes" if changed else "")


def _silent(_title: str) -> AbstractContextManager[Any]:
    return nullcontext(lambda _done: None)


def judge(name: str, quick: bool) -> None:
    """Judge a candidate, and write its table."""
    folder = ROOT / "out/judged" / name
    found = run_judge(
        candidate_of(LAWS.get(name, name)), all_chapters(), folder, quick=quick, progress=_silent, pages=False
    )
    write_judge(found, folder)
    made = f"Made by `python -m tools.judged {name}{'' if quick else ' --full'}` at commit {_commit()}.\n\n"
    table = (folder / "judge.txt").read_text(encoding="utf-8")
    (PAGES / f"{name}.txt").write_text(made + table, encoding="utf-8")


def main() -> None:
    """Judge those who are named, and write the summary."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(CANDIDATES)}; all by default"
    )
    parser.add_argument("--full", action="store_true", help="not the quick form")
    parser.add_argument("--summary", action="store_true", help="the summary alone")
    given = parser.parse_args()
    for name in () if given.summary else given.names or CANDIDATES:
        if name not in CANDIDATES:
            parser.error(f"{name} is no candidate; use {', '.join(CANDIDATES)}")
        judge(name, not given.full)
        print(name, flush=True)
    before, rest = PAGE.read_text(encoding="utf-8").split(_MARKS[0])
    _, after = rest.split(_MARKS[1])
    PAGE.write_text(before + _MARKS[0] + summary() + _MARKS[1] + after, encoding="utf-8")


if __name__ == "__main__":
    main()
