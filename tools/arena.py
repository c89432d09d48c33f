"""Writes docs/arena: the board of registered controllers and of laws, its page and its figure.

    python -m tools.arena                # all
    python -m tools.arena cubic mine     # some; the others stay as they are

An entry whose scores and source are those that are there stays as it is. Also writes the table of
docs/arena.md.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from dumbbell import _native
from dumbbell.arena import ArenaError, Entry, entries, submit
from dumbbell.arena.board import draw_distribution, write_page
from dumbbell.arena.networks import SCORES, TRAIN
from dumbbell.figures.style import save

ROOT = Path(__file__).parents[1]
BOARD = ROOT / "docs/arena"
PAGE = ROOT / "docs/arena.md"
TUTORIAL = ROOT / "docs/own-controller.md"
LAWS = {
    "aimd": "python/dumbbell/own/laws/aimd.py:Aimd",
    "greedy": "docs/judged/greedy.py:Greedy",
    "evolved": "docs/arena/evolved.py:Evolved",
    "learned": "docs/arena/learned.py:Learned",
}
"""Laws that are files."""

_MARKS = ("<!-- board -->\n", "<!-- end -->\n")


def tutorial_law() -> str:
    """Return the law that the tutorial ends with."""
    blocks = re.findall(r"```python\n(.*?)```", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL)
    return str([block for block in blocks if "class Mine(Controller)" in block][-1])


def candidates(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name of each candidate, and what commands call it."""
    for name, _, _ in dict(_native.algorithms())["controller"]:
        yield name, name
    for name, law in LAWS.items():
        if (ROOT / law.partition(":")[0]).is_file():
            yield name, str(ROOT / law)
    (folder / "mine.py").write_text(tutorial_law(), encoding="utf-8")
    yield "mine", f"{folder / 'mine.py'}:Mine"


def table(found: list[Entry], refused: dict[str, str]) -> str:
    """Return the board in Markdown, best least held-out score first, and who cannot run."""
    heads = " | ".join(f"{name}, train | held-out" for name in SCORES)
    lines = [f"| controller | {heads} | decided by |", "|---" * (2 + 2 * len(SCORES)) + "|"]
    found = sorted(
        found, key=lambda entry: (-min(entry.score("held-out", name) for name in SCORES), entry.name)
    )
    for entry in found:
        cells = []
        for name in SCORES:
            cells += [f"{entry.score(TRAIN, name):.2f}", f"**{entry.score('held-out', name):.2f}**"]
        held_out = entry.sets["held-out"]
        cap = f"; cap {held_out['cap']:.2f}" if held_out["cap"] < 1 else ""
        decided = ", ".join(held_out["decided_by"][name] for name in SCORES) + cap
        lines.append(f"| `{entry.command}` | {' | '.join(cells)} | {decided} |")
    if refused:
        lines += ["", f"Not scored: {'; '.join(f'`{name}`, {why}' for name, why in refused.items())}."]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the entries that are named, the page, the figure and the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="all by default")
    given = parser.parse_args()
    refused = {}
    with tempfile.TemporaryDirectory() as place:
        known = dict(candidates(Path(place)))
        for name in given.names:
            if name not in known:
                parser.error(f"{name} is no candidate; use {', '.join(known)}")
        for name, command in known.items():
            if given.names and name not in given.names:
                continue
            try:
                submit(command, BOARD, force=True)
            except ArenaError as error:
                refused[name] = re.sub(r".* cannot run in the arena: (?:\S+: )?", "", str(error)).split(";")[
                    0
                ]
            print(name, refused.get(name, ""), flush=True)
    write_page(BOARD)
    save(draw_distribution(), BOARD / "networks", ("svg",))
    if given.names:
        return
    before, rest = PAGE.read_text(encoding="utf-8").split(_MARKS[0])
    _, after = rest.split(_MARKS[1])
    made = _MARKS[0] + table(entries(BOARD), refused) + _MARKS[1]
    PAGE.write_text(before + made + after, encoding="utf-8")


if __name__ == "__main__":
    main()
