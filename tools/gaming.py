"""Tries to win the arena without being good, and writes what each attempt got into docs/arena-gaming.md.

    python -m tools.gaming               # all: two CPU minutes
    python -m tools.gaming known         # some; the others are left out of the table

The laws are those that the page shows, or are made here.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path

from dumbbell import arena
from dumbbell.arena.networks import SCORES
from dumbbell.errors import DumbbellError

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/arena-gaming.md"
GREEDY = ROOT / "docs/judged/greedy.py"
AIMD = ROOT / "python/dumbbell/own/laws/aimd.py"

_MARKS = ("<!-- attempts -->\n", "<!-- end -->\n")
_GRINDS = 20


def blocks() -> dict[str, str]:
    """Return the laws that the page shows, by class."""
    found = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return {match[1]: block for block in found if (match := re.search(r"class (\w+)\(", block))}


def known_text(each: int = 20) -> str:
    """Return a law that knows the public networks by their round-trip times, and what each can carry."""
    lines = []
    for network in arena.networks(arena.TRAIN, each):
        rtt, rate = float(network.values["rtt"]), float(network.values["rate"])
        flows = float(network.values["flows"]) * (1 if network.is_alone else 2)
        packets = max(2, round(rate * 1e6 * rtt * 1e-3 / 12_000 / flows) + 1)
        low, high = (round(1000 * end) for end in (rtt - 0.02, rtt + 0.1 + 0.7 / rate))
        lines.append(f"        if ack.min_rtt > {low}000 and ack.min_rtt < {high}000:")
        lines.append(f"            aim = {packets}")
    body = "\n".join(lines)
    return (
        '"""Knows the public networks."""\n\nfrom dumbbell.own import Ack, Control, Controller\n\n\n'
        'class Known(Controller):\n    """Has the window that a public network needs."""\n\n'
        "    aim: int = 0\n\n"
        "    def on_ack(self, ack: Ack, control: Control) -> None:\n"
        f"        aim = 10\n{body}\n"
        "        control.window = aim * ack.mss\n"
    )


def _row(name: str, what: str, law: str) -> str:
    """Return what an attempt got on both sets, or why it is refused."""
    try:
        found = [arena.score(law, set=drawn) for drawn in ("train", "held-out")]
    except DumbbellError as error:
        reason = re.sub(r"^\S*/", "", str(error)).split(";")[0].replace("`", "'")
        return f"| {name} | {what} | refused: `{reason}` | |"
    cells = [", ".join(f"{score[mark]:.2f}" for mark in SCORES) for score in found]
    cap = f" (cap {found[1].cap:.2f})" if found[1].cap < 1 else ""
    return f"| {name} | {what} | {cells[0]} | {cells[1]}{cap} |"


def attempts(folder: Path) -> dict[str, Callable[[], str]]:
    """Return the attempts by name, each with what gives its row."""
    texts = blocks() | {"Known": known_text()}
    for label, text in texts.items():
        (folder / f"{label.lower()}.py").write_text(text, encoding="utf-8")

    def plain(label: str, what: str) -> Callable[[], str]:
        return lambda: _row(label.lower(), what, f"{folder / label.lower()}.py:{label}")

    return {
        "aimd": lambda: _row("AIMD, honest", "to compare with", f"{AIMD}:Aimd"),
        "seed": plain("Seed", "reads the seed and draws the networks itself"),
        "file": plain("File", "keeps notes in a file"),
        "endless": plain("Endless", "computes for minutes at an acknowledgement"),
        "known": plain("Known", "knows the 200 public networks by their round-trip times"),
        "tuned": lambda: _tuned(folder),
        "greedy": lambda: _row("greedy", "starves others", f"{GREEDY}:Greedy"),
        "silent": plain("Silent", "sends one segment at a time, for low delay"),
        "grind": lambda: _grind(folder),
    }


def _tuned(folder: Path) -> str:
    """Choose the parameters of AIMD by their train scores."""
    (folder / "aimd.py").write_text(AIMD.read_text(encoding="utf-8"), encoding="utf-8")
    names = [
        f"{folder / 'aimd.py'}:Aimd(left={left},step={step})"
        for left, step in product(range(3, 8), (1, 2, 4))
    ]
    best = max(names, key=lambda name: min(arena.score(name)[mark] for mark in SCORES))
    return _row("tuned", f"the best of {len(names)} AIMDs by train: `{best.rpartition(':')[2]}`", best)


def _grind(folder: Path) -> str:
    """Change a comment until the held-out set is a kind one."""
    text = AIMD.read_text(encoding="utf-8")
    found = []
    for number in range(_GRINDS):
        (folder / "grind.py").write_text(f"{text}# {number}\n", encoding="utf-8")
        found.append(arena.score(f"{folder / 'grind.py'}:Aimd", set="held-out"))
    shown = []
    for mark in SCORES:
        values = [score[mark] for score in found]
        shown.append(f"{sum(values) / len(values):.2f} (best {max(values):.2f})")
    least = [min(score[mark] for mark in SCORES) for score in found]
    text = f"changes a comment {_GRINDS} times for a kind held-out set"
    gained = f"; least of three: mean {sum(least) / len(least):.2f}, best {max(least):.2f}"
    return f"| grind | {text} | as AIMD | {', '.join(shown)}{gained} |"


def main() -> None:
    """Try what is named, and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        known = attempts(Path(place))
        lines = ["| attempt | what it does | train | held-out |", "|---|---|---|---|"]
        for name in given.names or known:
            if name not in known:
                parser.error(f"{name} is no attempt; use {', '.join(known)}")
            lines.append(known[name]())
            print(lines[-1], flush=True)
    before, rest = PAGE.read_text(encoding="utf-8").split(_MARKS[0])
    _, after = rest.split(_MARKS[1])
    PAGE.write_text(before + _MARKS[0] + "\n".join(lines) + "\n" + _MARKS[1] + after, encoding="utf-8")


if __name__ == "__main__":
    main()
