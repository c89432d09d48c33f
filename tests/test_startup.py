"""What starting takes: modules that a command does not need are not loaded, and nothing is lost by that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import dumbbell as db
from dumbbell.cli import cli

HEAVY = ("numpy", "rich", "pyarrow", "scipy", "matplotlib", "duckdb", "jinja2", "concurrent", "asyncio")
"""Packages that take longer to load than a short run takes."""

OTHERS = (
    "study",
    "stats",
    "report",
    "papers",
    "archive",
    "claims",
    "live",
    "figures",
    "theory",
    "packetdrill",
)
"""Parts of dumbbell for other commands."""


def loaded(code: str, cwd: Path, status: int = 0) -> set[str]:
    """Return the modules that a program has loaded at its end."""
    program = (
        "import atexit, sys\n"
        "atexit.register(lambda: open('modules', 'w').write('\\n'.join(sys.modules)))\n" + code
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=cwd, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == status, done.stderr
    return set((cwd / "modules").read_text().split())


def test_the_package_loads_what_is_used(tmp_path: Path) -> None:
    modules = loaded("import dumbbell", tmp_path)
    assert {name for name in modules if name.startswith("dumbbell")} == {"dumbbell", "dumbbell._loading"}
    assert not modules & {*HEAVY, "click", "json"}
    assert len(modules) < 80


@pytest.mark.parametrize(
    "words", [["--version"], ["list"], ["run", "small.toml"], ["run", "small.toml", "-o", "out"]]
)
def test_a_command_loads_nothing_that_only_others_need(
    words: list[str], scenario_file: Path, tmp_path: Path
) -> None:
    assert scenario_file.name == "small.toml"
    code = f"sys.argv = ['dumbbell', *{words}]\nfrom dumbbell.cli import main\nmain()"
    modules = loaded(code, tmp_path)
    assert not modules & set(HEAVY)
    assert not modules & {f"dumbbell.{part}" for part in OTHERS}
    if words[-1] != "out":
        assert not modules & {"hashlib", "lzma", "shutil"}, "what writes a folder"
    if words[0] == "--version":
        assert not modules & {"dumbbell._results", "dumbbell.cli.common", "dumbbell.cli.run"}


def test_a_list_reads_no_paper_and_no_scenario(tmp_path: Path) -> None:
    for words in ("list", "papers"):
        code = f"sys.argv = ['dumbbell', '{words}', '--json']\nfrom dumbbell.cli import main\nmain()"
        modules = loaded(code, tmp_path)
        assert not modules & {*HEAVY, "dumbbell.papers", "dumbbell._scenario", "dumbbell._results"}


def test_a_report_of_a_run_loads_no_study(scenario_file: Path, tmp_path: Path) -> None:
    db.Scenario.from_file(scenario_file).run().save(tmp_path / "out")
    code = "sys.argv = ['dumbbell', 'report', 'out', '-q']\nfrom dumbbell.cli import main\nmain()"
    modules = loaded(code, tmp_path)
    assert "dumbbell.report.run" in modules
    assert not modules & {"dumbbell.study", "dumbbell.answers", "dumbbell.stats", "pyarrow", "scipy"}


def test_a_figure_of_a_run_loads_what_it_draws_with(scenario_file: Path, tmp_path: Path) -> None:
    db.Scenario.from_file(scenario_file).run().save(tmp_path / "out")
    code = "sys.argv = ['dumbbell', 'plot', 'out', '--only', 'cwnd', '--format', 'svg', '-q']\n"
    modules = loaded(code + "from dumbbell.cli import main\nmain()", tmp_path)
    assert "matplotlib" in modules
    assert not modules & {"fontTools.subset", "matplotlib.pyplot", "pyarrow", "scipy"}


def test_setters_have_their_docstrings_where_others_draw(tmp_path: Path) -> None:
    code = "\nfrom matplotlib.lines import Line2D\nassert ('Properties' in Line2D.set.__doc__) == "
    loaded("from dumbbell import figures" + code + "True", tmp_path)
    lean = "from dumbbell.cli.lean import load_matplotlib\nload_matplotlib()"
    loaded(lean + code + "False", tmp_path)


def test_every_name_of_the_package_is_there() -> None:
    assert set(db._PLACE) == set(db.__all__) - {"__version__"}
    for name in db.__all__:
        assert name in dir(db)
        value = getattr(db, name)
        assert getattr(value, "__name__", name).rpartition(".")[2] in (name, "__version__"), value
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        db.nothing  # noqa: B018


def test_the_help_tells_of_every_command(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dumbbell", "--help"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=120,
        check=True,
    )
    lines = done.stdout.partition("Commands:")[2].strip().splitlines()
    told = {line.split()[0]: line.split()[1:] for line in lines}
    assert set(told) == set(cli.commands)
    assert all(told.values()), "each says what it does"


def test_a_wrong_name_gets_a_suggestion_and_loads_nothing(tmp_path: Path) -> None:
    code = "sys.argv = ['dumbbell', 'lst']\nfrom dumbbell.cli import main\nmain()"
    assert not loaded(code, tmp_path, status=2) & {"dumbbell.cli.inspect", "dumbbell.cli.run"}
    done = subprocess.run(
        [sys.executable, "-m", "dumbbell", "lst"], capture_output=True, text=True, timeout=120, check=False
    )
    assert "Did you mean 'list'?" in done.stderr
