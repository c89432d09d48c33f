"""Checks that the package is one of macOS, Windows and ARM too, as far as this machine can tell.

``python -m tools.systems --browser`` compiles the simulator for WebAssembly alone, as `make lint` does.
``python -m tools.systems`` lets `cargo check` compile all crates for the targets of :data:`TARGETS`, and the
type checker read the package as each system of :data:`PLATFORMS`, whose stubs know what Python lacks there.
What only Linux runs (:data:`LINUX_ONLY`) ends in one line elsewhere, and may use what only Linux has.

A target needs its standard library, which `rustup` adds; one that cannot be had is named and left out.
Nothing is linked, and nothing runs: only a machine of that system can show the rest.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent

TARGETS = (
    "aarch64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
)
"""As Rust calls them."""

BROWSER = "wasm32-unknown-unknown"
"""WebAssembly, for browsers and workers: the simulator and the module around it, without Python."""

PLATFORMS = ("darwin", "win32")
"""As ``sys.platform`` calls them."""

LINUX_ONLY = (
    "live/",
    "packetdrill/",
    "cli/live.py",
    "cli/udp.py",
    "cli/incast.py",
    "cli/packetdrill.py",
    "cli/virtual.py",
)
"""In ``python/dumbbell``: what begins with `dumbbell._linux`, and the commands over it."""


def main(words: Sequence[str]) -> int:
    """Check; return the status of the process."""
    complaints = _crates([BROWSER], "--package", "dumbbell-browser")
    if "--browser" not in words:
        complaints += _crates(TARGETS, "--workspace")
        complaints += [line for system in PLATFORMS for line in _package(system)]
    for line in complaints:
        print(line)
    print(f"other systems: {len(complaints)} problems")
    return 1 if complaints else 0


def _crates(targets: Iterable[str], *packages: str) -> list[str]:
    """Compile packages for each target whose standard library is there."""
    complaints = []
    for target in targets:
        if not has(target):
            print(f"{target}: not checked, its standard library is not installed: rustup target add {target}")
            continue
        check = ["cargo", "check", *packages, "--locked", "--quiet", "--target", target]
        # As in wheels: what shares no C library cannot be one that Python loads.
        flags = {"RUSTFLAGS": "-Ctarget-feature=-crt-static"} if "musl" in target else {}
        done = subprocess.run(
            check, cwd=REPOSITORY, capture_output=True, text=True, check=False, env=os.environ | flags
        )
        # A warning is something that this system does not use.
        complaints += [f"{target}: {line}" for line in done.stderr.splitlines() if line]
    return complaints


def has(target: str) -> bool:
    """Return whether the standard library of a target is installed; try to install it.

    Parameters
    ----------
    target
        As Rust calls it.
    """
    library = subprocess.run(
        ["rustc", "--print", "target-libdir", "--target", target],
        cwd=REPOSITORY, capture_output=True, text=True, check=False,
    ).stdout.strip()  # fmt: skip
    if library and Path(library).is_dir():
        return True
    try:
        added = subprocess.run(
            ["rustup", "target", "add", target], cwd=REPOSITORY, capture_output=True, check=False
        )
    except FileNotFoundError:
        return False
    return added.returncode == 0


def _package(system: str) -> list[str]:
    """Return what the type checker says of the package on another system, but for what only Linux runs."""
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--platform", system],
        cwd=REPOSITORY, capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if re.search(r": error: ", line)]
    if done.returncode and not lines:
        return [f"{system}: mypy: {done.stdout}{done.stderr}"]
    ours = tuple(f"python/dumbbell/{place}" for place in LINUX_ONLY)
    return [f"{system}: {line}" for line in lines if not line.startswith(ours)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
