"""The page that teaches the language: every block of it is executed, in order."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import dumbbell as db
from dumbbell import _native
from dumbbell.own import vocabulary
from dumbbell.own.interpreted import Interpreter
from tools import language

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs/own-controller.md").read_text(encoding="utf-8")


def test_every_block_of_the_page_is_executed(tmp_path: Path) -> None:
    said = ""
    blocks = re.findall(
        r"(?:Save this as `([\w.]+)`:\n\n)?^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL
    )
    assert len(blocks) >= 10
    for name, kind, text in blocks:
        if kind == "text":
            # What follows tells the time that it took, and the version.
            shown = said.split()[: len(text.split())] if "runs finished" in text else said.split()
            assert shown == text.split()
        elif kind == "sh":
            said = ""
            for line in text.splitlines():
                words = shlex.split(line)
                assert words[0] == "dumbbell"
                command = [sys.executable, "-m", *words]
                done = subprocess.run(
                    command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120,
                    env={**os.environ, "COLUMNS": "200"},
                )  # fmt: skip
                said += done.stdout + done.stderr
                assert done.returncode == (2 if "wrong" in line else 0), said
        elif name:
            (tmp_path / name).write_text(text, encoding="utf-8")
        else:
            assert kind == "python"
            command = [sys.executable, "-c", text]
            subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    mine, cubic = (f"{rate / 1e6:.1f}" for rate in db.load(tmp_path / "duel").flows["goodput"])
    assert f"here `mine` gets {mine} Mbit/s and CUBIC {cubic}." in PAGE


def test_the_reference_is_up_to_date() -> None:
    assert language.PAGE.read_text(encoding="utf-8") == language.page()


@pytest.mark.parametrize("example", language.EXAMPLES, ids=lambda example: example.title)
def test_python_runs_the_examples_alike(example: language.Example) -> None:
    interpreted = Interpreter(example.text, "law.py", "Example", {}).connect(
        language.RANDOM, language.CONTROL
    )
    interpreted.on("ack", {name: language.EVENT.get(name, 0) for name in _native.law_codes()[1]})
    assert interpreted.control.values()[0] == example.window()


def test_the_table_names_every_event_and_function() -> None:
    for event in vocabulary.EVENTS:
        assert f"on_{event}" in PAGE
