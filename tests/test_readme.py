"""The first scenario and the first script of the README work as they stand."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import dumbbell as db

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def block(language: str, place: int = 0) -> str:
    texts: list[str] = re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    return texts[place]


def test_the_first_scenario_runs() -> None:
    results = db.Scenario.from_toml(block("toml")).run()
    assert results.links.row(0)["utilisation"] > 0.9


def test_the_first_script_runs(tmp_path: Path) -> None:
    script = tmp_path / "first.py"
    script.write_text(block("python"))
    done = subprocess.run([sys.executable, script], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"(newreno|cubic): \d+\.\d\d Mbit/s, Jain \d\.\d{3}", done.stdout.splitlines()[-1])


def test_the_graph_is_a_network(tmp_path: Path) -> None:
    script = tmp_path / "graph.py"
    script.write_text(block("python", 1))
    done = subprocess.run([sys.executable, script], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "1.9 Mbit/s\n"), done.stderr
