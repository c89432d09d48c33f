"""Which lines the tests reach, in the crates and in the Python package: ``make coverage``.

All tests run once more. Our crates are built with counters (``tools/counting-rustc.sh``): the tests of Rust,
and the extension that the tests of Python import, so that lines which Python alone reaches count too. What
Debian has of rustc's LLVM reads the counters; coverage.py does the same for Python. A process that is killed
tells nothing of itself: what the tests of killed studies reach counts only as far as other tests reach it.
Tests of full disks and of processes that may write nothing fail here, because counters are written too;
`make test` judges them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "target" / "coverage"
PACKAGE = TARGET / "package"
"""A copy of the Python package with the extension that counts; that of `make setup` stays as it is."""

PROFILES = TARGET / "profiles"
QUICK = ["--config", "profile.test.opt-level=1", "--config", "profile.test.incremental=false"]
"""Counters take longer to compile than to run; what others wrote stays as the tests have it."""

MOST = 10
"""Files to name that the tests reach least of."""

SMALL = 20
"""Lines; a file of fewer is not named."""


@dataclass(frozen=True)
class File:
    """A file, and how many of its lines the tests reach."""

    path: Path
    """From the root of the repository."""
    reached: int
    lines: int


def main() -> int:
    """Run all tests and print what they reach; 1 if something is missing."""
    version = llvm()
    profdata, cov = (f"llvm-{tool}-{version}" for tool in ("profdata", "cov"))
    if missing := [tool for tool in (profdata, cov) if shutil.which(tool) is None]:
        print(
            f"{missing[0]} is missing, and reads what the crates count: apt-get install llvm-{version}",
            file=sys.stderr,
        )
        return 1
    shutil.rmtree(PROFILES, ignore_errors=True)
    # Four files for each program: processes that end at the same time wait less for each other.
    counting = os.environ | {
        "LLVM_PROFILE_FILE": str(PROFILES / "%4m.profraw"),
        "RUSTC_WORKSPACE_WRAPPER": str(ROOT / "tools" / "counting-rustc.sh"),
    }
    programs, passed = rust(counting)
    passed &= python(counting)
    print(table("Rust", read_rust(profdata, cov, [*programs, *PACKAGE.glob("dumbbell/*.so")]), of_crate))
    print()
    print(table("Python", read_python(), of_package))
    if not passed:
        print("\nsome tests failed under the counters, and may reach more without; `make test` judges them")
    return 0


def llvm() -> str:
    """Return the version of rustc's LLVM, without what follows the first dot."""
    told = subprocess.run(["rustc", "-vV"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return (
        next(line for line in told.splitlines() if line.startswith("LLVM version:")).split()[2].split(".")[0]
    )


def rust(environment: dict[str, str]) -> tuple[list[Path], bool]:
    """Run the tests of Rust; return their programs, and whether they passed."""
    command = [
        "cargo",
        "test",
        "--workspace",
        "--exclude",
        "dumbbell-py",
        "--tests",
        "--locked",
        "--quiet",
        *QUICK,
    ]
    listed = subprocess.run(
        [*command, "--no-run", "--message-format", "json"],
        cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    messages = map(json.loads, listed.stdout.splitlines())
    programs = [Path(message["executable"]) for message in messages if message.get("executable")]
    tested = subprocess.run([*command, "--no-fail-fast"], cwd=ROOT, env=environment, check=False)
    return programs, tested.returncode == 0


def python(environment: dict[str, str]) -> bool:
    """Run the tests of Python with an extension that counts; return whether they passed."""
    # With the profile of the tests, for which most crates are built already.
    packages = ["--package", "dumbbell-py", "--package", "dumbbell-packetdrill", "--profile", "test"]
    subprocess.run(
        ["cargo", "build", *packages, "--locked", "--quiet", *QUICK],
        cwd=ROOT, env=environment | {"PYO3_PYTHON": sys.executable}, check=True,
    )  # fmt: skip
    shutil.rmtree(PACKAGE, ignore_errors=True)
    shutil.copytree(
        ROOT / "python", PACKAGE, symlinks=True, ignore=shutil.ignore_patterns("*.so", "__pycache__")
    )
    built = Path(environment.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug"
    shutil.copy(built / "lib_native.so", PACKAGE / "dumbbell" / "_native.abi3.so")
    shutil.copy(built / "libdumbbell_packetdrill.so", PACKAGE / "dumbbell")
    coverage("erase")
    tested = subprocess.run(
        [sys.executable, "-m", "coverage", "run", "-m", "pytest", "--quiet"],
        cwd=ROOT, env=environment | {"PYTHONPATH": str(PACKAGE)}, check=False,
    )  # fmt: skip
    return tested.returncode == 0


def coverage(*arguments: str) -> None:
    """Run coverage.py, which is quiet unless something is wrong."""
    subprocess.run([sys.executable, "-m", "coverage", *arguments, "--quiet"], cwd=ROOT, check=True)


def read_rust(profdata: str, cov: str, programs: Sequence[Path]) -> list[File]:
    """Return what the programs and libraries have counted, of each file of the crates."""
    merged = TARGET / "all.profdata"
    found = map(str, sorted(PROFILES.glob("*.profraw")))
    # A process that was killed may have left half a file.
    subprocess.run(
        [profdata, "merge", "--sparse", "--failure-mode=all", *found, "--output", str(merged)], check=True
    )
    first, *rest = map(str, programs)
    objects = [word for program in rest for word in ("--object", program)]
    exported = subprocess.run(
        [cov, "export", "--summary-only", "--instr-profile", str(merged), first, *objects],
        check=True, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    files = []
    for entry in json.loads(exported.stdout)["data"][0]["files"]:
        path, lines = Path(entry["filename"]), entry["summary"]["lines"]
        if path.is_relative_to(ROOT / "crates") and "tests" not in path.parts:
            files.append(File(path.relative_to(ROOT), lines["covered"], lines["count"]))
    return files


def read_python() -> list[File]:
    """Return what coverage.py has counted, of each file of the package."""
    coverage("combine")
    told = TARGET / "python.json"
    coverage("json", "-o", str(told))
    files = []
    for name, entry in json.loads(told.read_text())["files"].items():
        path = Path("python") / (ROOT / name).relative_to(PACKAGE)
        files.append(File(path, entry["summary"]["covered_lines"], entry["summary"]["num_statements"]))
    return files


def of_crate(path: Path) -> str:
    """Return the crate that a file belongs to."""
    return path.parts[1]


def of_package(path: Path) -> str:
    """Return the folder of the package that a file is in."""
    return path.parts[2] if len(path.parts) > 3 else "(itself)"


def table(title: str, files: Iterable[File], part: Callable[[Path], str]) -> str:
    """Return how much of each part the tests reach, and the files of which they reach least."""
    files = list(files)
    parts: dict[str, list[File]] = defaultdict(list)
    for file in files:
        parts[part(file.path)].append(file)
    rows = [(title, "lines", "reached")]
    rows += [_row(name, of_part) for name, of_part in sorted(parts.items())]
    rows += [_row("all", files), ("", "", ""), ("reached least", "lines", "reached")]
    named = sorted((f for f in files if f.lines >= SMALL), key=lambda f: (f.reached / f.lines, f.path))
    rows += [_row(str(file.path), [file]) for file in named[:MOST]]
    return "\n".join(f"{name:56}{lines:>8}{share:>9}".rstrip() for name, lines, share in rows)


def _row(name: str, files: Sequence[File]) -> tuple[str, str, str]:
    lines = sum(file.lines for file in files)
    # Rounded down: 100 % are all lines.
    share = 1000 * sum(file.reached for file in files) // max(lines, 1)
    return name, str(lines), f"{share / 10:.1f} %"


if __name__ == "__main__":
    sys.exit(main())
