"""docs/tcp.md: every test that it names exists."""

from __future__ import annotations

import re
from pathlib import Path

from dumbbell import _native

ROOT = Path(__file__).parents[1]
ROWS = [line for line in (ROOT / "docs/tcp.md").read_text().splitlines() if line.startswith("| ")]


def test_the_page_names_tests_that_there_are() -> None:
    sources = [*(ROOT / "crates").rglob("*.rs"), *(ROOT / "tests").rglob("*.py")]
    tests = set(re.findall(r"^\s*(?:fn|def) (\w+)\(", "\n".join(map(Path.read_text, sources)), re.MULTILINE))
    named = {name for row in ROWS for name in re.findall(r"`(\w+)`", row.split(" | ")[-1])}
    scripts = set(re.findall(r"^\| `(\w+)` \(", (ROOT / "docs/packetdrill.md").read_text(), re.MULTILINE))
    assert len(named) > 60
    assert named - tests - scripts == set()


def test_nothing_is_missing_that_there_is() -> None:
    known = {name for name, _, _ in dict(_native.algorithms())["controller"]}
    absent = [row.strip("| ").split(" | ") for row in ROWS if re.search(r"^\| [^|]* \| no\b", row)]
    assert len(absent) > 5
    named = {word for rule, *_ in absent for word in re.findall(r"[a-z][\w-]+", rule.lower())}
    assert named & known == set()
    # Every controller that is none of the profiles' own has a row.
    for name in ("highspeed", "dctcp", "prague", "bbr", "bbr3"):
        assert any(f'`controller = "{name}"`' in row for row in ROWS), name


def test_every_row_says_whether_it_is_done() -> None:
    rows = [row.strip("| ").split(" | ") for row in ROWS if not row.startswith("| rule")]
    for row in rows:
        assert re.match(r"yes|no|part|`linux`|`linux-6.1`|`rfc`|`bsd`", row[1]), row
        assert len(row) >= 3 or "](algorithms/README.md)" in row[1] or row[1].startswith(("no", "part")), row
