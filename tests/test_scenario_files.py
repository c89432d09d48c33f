"""Every file in scenarios/ says what it shows, passes `dumbbell check` and runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Cli

FILES = sorted((Path(__file__).parent.parent / "scenarios").glob("*.toml"))


def test_there_are_scenarios() -> None:
    assert len(FILES) >= 10


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_the_scenario_runs(file: Path, cli: Cli) -> None:
    assert file.read_text().startswith("# ")
    checked = cli("check", str(file))
    assert checked.returncode == 0, checked.stderr
    run = cli("run", str(file))
    assert run.returncode == 0, run.stderr
    assert "packet-hops" in run.stdout
