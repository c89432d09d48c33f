"""Other systems: simulations run there, and what needs Linux says so in one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.study.conftest import STUDY
from tools.systems import PLATFORMS

PRELUDE = """
import asyncio, concurrent.futures, multiprocessing, os, platform, shutil, signal, subprocess, sys, tempfile
import click, numpy, rich.console
{libraries}

# After the libraries, which are those of this system, the package loads as on another one.
sys.platform = {system!r}
if sys.platform == "win32":
    lacking = ["O_DIRECTORY", "O_NONBLOCK", "O_NOFOLLOW", "killpg", "geteuid", "getuid", "sysconf"]
    sys.modules["fcntl"] = sys.modules["resource"] = None
    sys.modules["msvcrt"] = type(sys)("msvcrt")
    os.O_BINARY = 0
    signals = ["SIGHUP", "SIGQUIT", "SIGKILL", "SIGUSR1", "SIGXCPU", "SIGALRM"]
else:
    lacking, signals = [], ["SIGPWR"]
del os.sched_getaffinity
for name in lacking:
    delattr(os, name)
for name in signals:
    delattr(signal, name)
import dumbbell._native as native
emulation = "applications emulated probe receive replay send shell UDP_PORT UDP_HEADERS"
for name in emulation.split():
    delattr(native, name)
"""
"""What another system lacks; it has the modules of the extension that the crates have there."""


def run_as(system: str, code: str, cwd: Path, libraries: str = "") -> subprocess.CompletedProcess[str]:
    """Run a program as on another system."""
    program = PRELUDE.format(system=system, libraries=libraries) + code
    return subprocess.run(
        [sys.executable, "-c", program], cwd=cwd, capture_output=True, text=True, timeout=120, check=False
    )


def command_as(system: str, words: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    return run_as(system, f"sys.argv = ['dumbbell', *{words}]\nfrom dumbbell.cli import main\nmain()", cwd)


@pytest.mark.parametrize("system", PLATFORMS)
def test_a_simulation_runs_and_its_results_are_saved(
    system: str, scenario_file: Path, tmp_path: Path
) -> None:
    done = command_as(system, ["run", scenario_file.name, "-o", "out"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "summary.json").is_file()
    again = command_as(system, ["run", scenario_file.name, "-o", "out", "--force"], tmp_path)
    assert again.returncode == 0, again.stderr


def test_a_study_runs(tmp_path: Path) -> None:
    code = f"""
import dumbbell as db
study = db.study.Study.from_dict({STUDY!r})
print(len(db.study.run_study(study, "out").table))
"""
    done = run_as("darwin", code, tmp_path, "import pyarrow.compute, pyarrow.parquet, scipy.stats")
    assert done.stdout.splitlines()[-1:] == ["20"], done.stderr


@pytest.mark.parametrize(
    ("system", "words"),
    [
        ("darwin", ["shell", "x.toml", "--", "true"]),
        ("win32", ["doctor"]),
        ("darwin", ["packetdrill", "x"]),
        ("win32", ["send", "--help"]),
    ],
)
def test_what_needs_linux_says_so(system: str, words: list[str], tmp_path: Path) -> None:
    done = command_as(system, words, tmp_path)
    said = f"emulation and packetdrill need Linux, and this is {system}"
    if "--help" in words:
        assert (done.returncode, done.stderr) == (0, "")
        assert said in " ".join(done.stdout.split())
    else:
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"dumbbell: {said}")
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("system", PLATFORMS)
def test_the_help_lists_every_command(system: str, tmp_path: Path) -> None:
    done = command_as(system, ["--help"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "packetdrill" in done.stdout
