"""Runs the fuzz targets: ``python -m fuzz.run --seconds 20 [TARGET...]``.

The targets in Rust are programs of libFuzzer, built here by the stable compiler; those in Python are in
:mod:`fuzz.folders`. Exits with 1 if an input crashed a target, hung it, or took too much memory, and names
the file that holds the input.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fuzz import folders

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent
CORPUS = HERE / "corpus"
ARTIFACTS = HERE / "artifacts"

RUST = (
    "scenario",
    "study",
    "trace",
    "cdf",
    "frame",
    "rcp",
    "trump",
    "events",
    "sockets",
    "capture",
)


ALSO = {"scenario": [REPOSITORY / "scenarios"], "study": [REPOSITORY / "python" / "dumbbell" / "papers"]}
"""Folders of inputs beside those in ``corpus``."""

FLAGS = (
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
)
"""What libFuzzer needs to see which branches an input takes and which values are compared. They are flags of
the stable compiler, those that `cargo fuzz` gives without a sanitizer."""

LONGEST = 30
"""Seconds that one input may take, on a busy machine: a hang takes for ever."""

MOST_MEGABYTES = 2048
"""Resident memory; a network of as many links as the limits allow needs a quarter."""

CORPUS_FILES = 30
"""Found inputs of one target that the repository keeps, about."""

LARGEST = 1500
"""Bytes of one of them."""


@dataclass(frozen=True)
class Outcome:
    """What came out of fuzzing one target."""

    target: str
    cases: int
    megabytes: int
    coverage: str
    failure: str
    """What went wrong and where the input is; empty if nothing."""

    def __str__(self) -> str:
        line = f"{self.target:<10} {self.cases:>12,} cases  {self.megabytes:>5} MB  {self.coverage}"
        return f"{line}\n  FAILED: {self.failure}" if self.failure else line


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.run", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join((*RUST, *folders.TARGETS)))
    parser.add_argument("--seconds", type=float, default=20, help="for each target (default: 20)")
    parser.add_argument("--seed", type=int, default=0, help="of the mutations; 0 draws one")
    parser.add_argument("--minimise", action="store_true", help="write what was found into fuzz/corpus")
    asked = parser.parse_args()
    targets = asked.targets or [*RUST, *folders.TARGETS]
    unknown = set(targets) - {*RUST, *folders.TARGETS}
    if unknown:
        parser.error(f"no target is called {', '.join(sorted(unknown))}")
    ARTIFACTS.mkdir(exist_ok=True)
    programs = build() if set(targets) & set(RUST) else Path()
    failed = False
    for target in targets:
        with tempfile.TemporaryDirectory(prefix="dumbbell-fuzz-", dir=fast_folder()) as work:
            if target in RUST:
                outcome = run_program(programs / target, Path(work), asked.seconds, asked.seed)
                if asked.minimise:
                    minimise(programs / target, Path(work))
            else:
                outcome = run_python(target, Path(work), asked.seconds, asked.seed)
        failed |= bool(outcome.failure)
        print(outcome, flush=True)
    return int(failed)


def fast_folder() -> str | None:
    """Where a file costs no disk: every input of some targets is one."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def build() -> Path:
    """Build the programs and return their folder."""
    told = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    host = re.search(r"^host: (\S+)$", told, re.MULTILINE)
    assert host is not None
    # A named target keeps the flags away from build scripts.
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--target", host[1]]
    flags = {"CARGO_ENCODED_RUSTFLAGS": "\x1f".join(FLAGS)}
    if subprocess.run(command, cwd=HERE, env=os.environ | flags, check=False).returncode:
        sys.exit("fuzz: the targets do not build; after a change of a dependency, run `cargo check` in fuzz")
    return HERE / "target" / host[1] / "release"


def limited(command: Sequence[str | Path], work: Path) -> subprocess.CompletedProcess[str]:
    """Run a command that writes its files into a folder.

    One huge allocation must fail before anybody looks at resident memory. The shell in between also keeps the
    memory of this process out of what the command reports as its own.
    """
    shell = ["sh", "-c", f'ulimit -c 0; ulimit -v {2 * MOST_MEGABYTES << 10}; "$@"; exit $?', "sh"]
    return subprocess.run(
        [*shell, *map(str, command)], capture_output=True, text=True, errors="replace", cwd=REPOSITORY,
        env=os.environ | {"TMPDIR": str(work)}, check=False,
    )  # fmt: skip


def run_program(program: Path, work: Path, seconds: float, seed: int) -> Outcome:
    """Run a program of libFuzzer on its corpus for some time."""
    target = program.name
    words = work / "words"
    words.write_text("".join(f'"{word}"\n' for word in dictionary(target)) or "# none")
    found = work / "found"
    found.mkdir()
    command: list[str | Path] = [
        program, f"-max_total_time={seconds:.0f}", f"-timeout={LONGEST}", f"-rss_limit_mb={MOST_MEGABYTES}",
        "-print_final_stats=1", f"-seed={seed}", f"-artifact_prefix={ARTIFACTS}/{target}-", f"-dict={words}",
        found, *corpus(target),
    ]  # fmt: skip
    done = limited(command, work)
    log = done.stderr
    last = dict(re.findall(r"^stat::(\w+):\s*(\d+)", log, re.MULTILINE))
    counted = re.findall(r"^#(\d+)\s", log, re.MULTILINE)
    coverage = re.findall(r"cov: (\d+)", log)
    return Outcome(
        target,
        int(last.get("number_of_executed_units") or (counted[-1] if counted else 0)),
        int(last.get("peak_rss_mb", 0)),
        f"{coverage[-1]} branches" if coverage else "",
        _failure(log) if done.returncode else "",
    )


def _failure(log: str) -> str:
    reasons = re.findall(r"^(?:thread .* panicked at .*\n.*|==\d+== ?ERROR: .*)$", log, re.MULTILINE)
    place = re.search(r"Test unit written to (\S+)", log)
    reason = " ".join(reasons[0].split()) if reasons else "it ended without a reason: " + log[-200:]
    return f"{reason}; the input is {place[1] if place else 'not known'}"


def corpus(target: str) -> list[Path]:
    """Return the folders whose files a target starts from."""
    return [folder for folder in (CORPUS / target, *ALSO.get(target, [])) if folder.is_dir()]


def dictionary(target: str) -> list[str]:
    """Return words worth inserting: what the reference pages of scenarios name."""
    if target not in ("scenario", "study"):
        return []
    text = "".join(page.read_text() for page in sorted((REPOSITORY / "docs" / "reference").glob("*.md")))
    return sorted(set(re.findall(r"`([\w./-]{2,32})`", text)))


def minimise(program: Path, work: Path) -> None:
    """Keep some of the inputs that were found, of the smallest set that takes the same branches."""
    target, merged = program.name, work / "merged"
    merged.mkdir()
    limited(
        [program, "-merge=1", f"-timeout={LONGEST}", merged, work / "found", *corpus(target)], work
    ).check_returncode()
    files = sorted(merged.iterdir(), key=lambda path: (path.stat().st_size, path.name), reverse=True)
    (CORPUS / target).mkdir(exist_ok=True)
    # Those that were found before go; those with a name stay, for readers.
    for path in (CORPUS / target).iterdir():
        if re.fullmatch("[0-9a-f]{12}", path.name):
            path.unlink()
    # Spread over all sizes, the longest first: it goes deepest.
    files = [path for path in files if path.stat().st_size <= LARGEST]
    for path in files[:: max(1, len(files) // CORPUS_FILES)]:
        shutil.copy(path, CORPUS / target / path.name[:12])


def run_python(target: str, work: Path, seconds: float, seed: int) -> Outcome:
    """Run a target of :mod:`fuzz.folders` in a process of its own."""
    command = [
        sys.executable, "-m", "fuzz.folders", target, "--seconds", str(seconds), "--seed", str(seed),
        "--artifacts", str(ARTIFACTS), "--longest", str(LONGEST),
    ]  # fmt: skip
    done = limited(command, work)
    told = re.search(r"^(\d+) cases, (\d+) refused, (\d+) MB$", done.stdout, re.MULTILINE)
    cases, refused, megabytes = map(int, told.groups()) if told else (0, 0, 0)
    failure = ""
    if done.returncode and told:
        failure = done.stdout[told.end() :].strip().replace("\n", "\n  FAILED: ")
    elif done.returncode:
        # Hung, out of memory, or killed by a signal from within a library: the input of that moment was left.
        left = max(ARTIFACTS.glob(f"{target}-*"), key=lambda path: path.stat().st_mtime, default="not known")
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[0]
        failure = f"ended with {done.returncode}: {reason}; the input is {left}"
    return Outcome(target, cases, megabytes, f"{refused:,} refused", failure)


if __name__ == "__main__":
    sys.exit(main())
