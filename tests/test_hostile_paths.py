"""Commands with paths that somebody has made up: one line at most, no fault, no hang."""

from __future__ import annotations

import io
import os
import random
import signal
import sys
from pathlib import Path
from types import FrameType

import pytest

import dumbbell as db
from conftest import SCENARIO
from dumbbell.cli import boundary
from dumbbell.cli import cli as commands
from test_deaf import READ
from test_outputs import OUTPUTS, STUDY

PIECES = (
    "a", "\n", "\t", "\r", "\x1b[2J", "\x7f", "\u202e", "\u0301", "\udcff", "日", "", ".", "/", "//", " ",
    "-", "--", "%s", "{}", "$(id)", '"', "'", "\\", "*", "|", "#", "x" * 250, "x" * 5000, "run", "small.toml",
    "study.toml", "scripts", ".part", ".toml", ".py", ".zip", ".json", "http://x/", "C:\\", "CON",
)  # fmt: skip

ENDS = ("/proc/self/mem", "/proc/self/environ", "/proc/self/fd/", "/dev/null", "/dev/zero", "/dev/tty")
"""Absolute paths, which are only read."""

LIVE = {"shell", "recv", "send", "compare-real", "rcp-host", "rcp-real", "trump-real", "incast-real"}
"""Commands that would run real packets."""

CASES = 40


class HangError(BaseException):
    """A command has not ended."""


def stop(_number: int, _frame: FrameType | None) -> None:
    raise HangError


def words(draw: random.Random) -> list[str]:
    def path() -> str:
        """Nothing above this folder: a test that runs as root writes there."""
        found = "".join(draw.choice(PIECES) for _ in range(draw.randrange(4))).lstrip("/")
        return "up" if ".." in Path(found).parts else found

    def read() -> str:
        return draw.choice(ENDS) if draw.random() < 0.2 else path()

    name = draw.choice(sorted(({*OUTPUTS, *READ} - LIVE) - {"reproduce"}))
    if name in READ and (name not in OUTPUTS or draw.random() < 0.5):
        return [word.replace("{}", read()) for word in READ[name]]
    command = OUTPUTS[name]
    options = [*command.files, *filter(None, [command.folder])]
    return [*command.words, *(word for option in options for word in (option, path()))]


@pytest.mark.parametrize("seed", [1, 2])
def test_hostile_paths_are_one_line_at_most(
    results: db.Results,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    seed: int,
) -> None:
    (tmp_path / "small.toml").write_text(SCENARIO)
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "one.pkt").write_text("+0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n")
    results.save(tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    # The program writes bytes that are not UTF-8 as they are; what pytest reads is text.
    for stream in (sys.stdout, sys.stderr):
        assert isinstance(stream, io.TextIOWrapper)
        stream.reconfigure(errors="replace")
    before = signal.signal(signal.SIGALRM, stop)
    draw = random.Random(seed)
    try:
        for _ in range(CASES // 2):
            given = words(draw)
            monkeypatch.setattr("sys.argv", ["dumbbell", *given])
            signal.alarm(300)
            status = boundary._run(commands, "dumbbell")
            signal.alarm(0)
            err = capsys.readouterr().err
            assert status in (0, 1, 2, 3), (given, err)
            assert status != 2 or err.count("\n") == 1, (given, err)
            assert not {"\x1b", "\u202e"} & set(err), given
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert Path.cwd() == tmp_path
    assert os.path.exists("run/summary.json")  # noqa: PTH110
