"""Every file in scenarios/ says what it shows, passes `dumbbell check` and runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from conftest import Cli

FILES = sorted((Path(__file__).parent.parent / "scenarios").glob("*.toml"))

_SETTING = r"""--set (?:"[^"]+"|[^\s`'"]+(?:'[^']*')?)"""
_SETTINGS = re.compile(f"{_SETTING}(?: {_SETTING})*")
"""What a comment proposes for one command."""


def test_there_are_scenarios() -> None:
    assert len(FILES) >= 40


@pytest.mark.parametrize(
    "looked_for",
    [
        *(f"RFC 7928 section {section}" for section in ("5.1", "5.3", "5.4", "6.2", "8.2.4", "8.2.6")),
        "RRUL", "black hole", "drop-and-back", "wifi-fade", "satellite", "dualpi2", "prague", "fq-codel",
        "cake", "bbr", "copa", "ledbat", "trace = {", "fat-tree", "incast", "dctcp", "policer", "RFC 8867",
    ],
)  # fmt: skip
def test_what_people_look_for_is_there(looked_for: str) -> None:
    assert any(looked_for in file.read_text(encoding="utf-8") for file in FILES)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_the_scenario_runs(file: Path, cli: Cli, tmp_path: Path) -> None:
    arrivals = tmp_path / "arrivals.csv"
    arrivals.write_text("0.1,sender0,receiver0,1000\n")
    assert file.read_text().startswith("# ")
    checked = cli("check", str(file))
    assert checked.returncode == 0, checked.stderr
    run = cli("run", str(file))
    assert run.returncode == 0, run.stderr
    assert "packet-hops" in run.stdout
    words = re.sub(r"\n# ", " ", file.read_text().split("\n\n")[0]).replace("ARRIVALS.csv", str(arrivals))
    for settings in _SETTINGS.findall(words):
        changed = cli("check", str(file), *(word.rstrip(",.:;") for word in shlex.split(settings)))
        assert changed.returncode == 0, changed.stderr
