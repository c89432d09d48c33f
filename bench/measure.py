"""Whole processes measured: processor time and instructions. Standard library only."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SCENARIOS = ROOT / "scenarios"
BUILD = ROOT / "build"
"""What the two commands generate goes here."""


def unfit(profile: str) -> str | None:
    """Say what to do about an extension that is not what users get; None if it is.

    Parameters
    ----------
    profile
        The profile of Cargo.toml that it was built with.
    """
    if profile == "release":
        return None
    return f"bench: the extension is a {profile} build, slower than what users get: run `make release`"


@dataclass(frozen=True)
class Timed:
    """A finished process."""

    output: str
    cpu: float
    """User and system time, s."""


def timed(command: list[str]) -> Timed:
    """Run a command to its end and return what it printed and used.

    Raises
    ------
    RuntimeError
        If it exits with another code than 0.
    """
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        # Both pipes carry less than a pipe's buffer, so reading one after the other cannot block the process.
        output, errors = process.stdout.read(), process.stderr.read()  # type: ignore[union-attr]
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        message = f"{command[0]} exited with {process.returncode}: {errors.strip()}"
        raise RuntimeError(message)
    return Timed(output, usage.ru_utime + usage.ru_stime)


RELEASE = ("--release", "--package", "dumbbell-sim")
TESTED = ("--profile", "test", "--workspace")
"""What ``cargo test`` builds too: where no time is measured, it is there already."""


def engine(options: Sequence[str] = RELEASE) -> str:
    """Build the engine as a program of its own, and return its path: no Python in what is measured."""
    return example("bench", options)


def example(name: str, options: Sequence[str] = RELEASE) -> str:
    """Build an example of the crate of the simulator, and return its path."""
    command = ["cargo", "build", "--quiet", "--locked", *options]
    command += ["--example", name, "--message-format", "json"]
    lines = subprocess.run(
        command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()
    messages = [json.loads(line) for line in lines]
    built = (m for m in messages if m.get("executable") and m["target"]["name"] == name)
    return str(next(built)["executable"])


@dataclass(frozen=True)
class Run:
    """One run of the engine."""

    results: dict[str, Any]
    """Totals, ``peak_memory`` in bytes and ``links``, as the program prints them."""
    cpu: float


def simulate(program: str, scenario: Path, settings: list[str]) -> Run:
    """Run a scenario with ``path=value`` settings."""
    process = timed([program, str(scenario), *settings])
    return Run(json.loads(process.output), process.cpu)


def instructions(program: str, scenario: Path, settings: list[str]) -> tuple[int, int]:
    """Count instructions under callgrind: (instructions, packet-hops)."""
    command = [
        "valgrind",
        "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
        program,
        str(scenario),
        *settings,
    ]
    process = subprocess.run(command, check=True, capture_output=True, text=True)
    collected = re.search(r"Collected\s*:\s*(\d+)", process.stderr)
    if collected is None:
        message = f"callgrind printed no count: {process.stderr.strip()}"
        raise RuntimeError(message)
    return int(collected.group(1)), json.loads(process.stdout)["packet_hops"]


def missing(program: str, package: str) -> str | None:
    """Say what to do about a program that is not installed; None if it is."""
    if shutil.which(program):
        return None
    return f"{program} is missing: apt-get install {package}"


def processor() -> str:
    """Name the processor."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()
