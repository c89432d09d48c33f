"""How many small faults the tests of the crates notice: ``make mutants``.

cargo-mutants lists the faults that it could plant: another operator, a function that only returns, an arm or
a guard of a match less. It changes no numbers, so that this tool adds those: each number in a function one
higher, or a tenth higher if it has a point. From all mutants of a part of the code a seed draws a sample.

cargo-mutants compiles a crate for each mutant. Here all mutants of a sample are compiled at once: a function
becomes a choice between its bodies, and the environment of a test tells which one runs. The tests run once to
note which of them reach which function. A mutant then runs those tests alone, until one fails: no other can
notice it. What the compiler rejects is left out.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import random
import re
import resource
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import scipy.stats

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "target" / "mutants"
TREE = FOLDER / "tree"
"""A copy of the sources, in which the mutants are."""

PARTS = {
    "net": ("dumbbell-net", "crates/net/src", ["--lib"]),
    "proto": ("dumbbell-proto", "crates/proto/src", ["--lib"]),
    "engine": ("dumbbell-sim", "crates/sim/src/engine", ["--lib", "--tests"]),
}
"""For each part of the table its package, its folder, and the tests that judge it."""

CASES = {"PROPTEST_CASES": "16", "PROPTEST_RNG_SEED": "1"}
"""Properties try few cases, and the same for each mutant: whether a test reaches it is then no chance."""

MEMORY = 4 << 30
"""Bytes that the tests of a mutant may take: some mutants only allocate."""

VERDICTS = ("caught", "timed out", "missed", "unviable", "not woven")

ACTIVE = """
#[doc(hidden)]
#[allow(warnings, clippy::all)]
pub mod mutant {
    use std::io::Write;
    static ACTIVE: std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();
    thread_local! {
        static REACHED: std::cell::RefCell<std::collections::BTreeSet<usize>> = Default::default();
    }
    #[inline]
    pub fn is(id: usize) -> bool {
        let active = ACTIVE.get_or_init(|| std::env::var("MUTANT").ok().and_then(|id| id.parse().ok()));
        match active {
            Some(active) => *active == id,
            None => {
                let _ = REACHED.try_with(|reached| {
                    if reached.borrow_mut().insert(id) {
                        note(id);
                    }
                });
                false
            }
        }
    }
    fn note(id: usize) {
        let Ok(path) = std::env::var("MUTANTS_REACHED") else { return };
        let thread = std::thread::current();
        let line = format!("{id} {}\\n", thread.name().unwrap_or("?"));
        let log = std::fs::OpenOptions::new().create(true).append(true).open(path);
        log.unwrap().write_all(line.as_bytes()).unwrap();
    }
}
"""
"""Goes to the end of a crate: whether a mutant runs. Without one, notes which test reaches each."""

Place = tuple[int, int]
"""Line and column, from 1."""


@dataclass(frozen=True)
class Mutant:
    """A fault."""

    name: str
    file: str
    genre: str
    function: tuple[Place, Place]
    """Where the function begins and ends, its end excluded."""
    start: Place
    end: Place
    replacement: str


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant."""

    part: str
    name: str
    genre: str
    verdict: str
    by: str
    """The test that failed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw mutants, test them and print the table; 1 if something is not as it must be before."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=150, help="mutants of each part")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--missed", type=Path, help="test those again that an earlier run missed: its file")
    chosen = parser.parse_args(arguments)
    FOLDER.mkdir(parents=True, exist_ok=True)
    out = FOLDER / (f"again-{chosen.missed.name}" if chosen.missed else f"seed-{chosen.seed}.jsonl")
    verdicts: list[Verdict] = []
    for part in chosen.parts:
        population = listed(part)
        if chosen.missed:
            earlier = [Verdict(**json.loads(line)) for line in chosen.missed.read_text().splitlines()]
            names = {verdict.name for verdict in earlier if verdict.verdict == "missed"}
            drawn = [mutant for mutant in population if mutant.name in names]
        else:
            drawn = random.Random(chosen.seed).sample(population, min(chosen.sample, len(population)))
        print(f"{part}: {len(drawn)} of {len(population)} mutants", file=sys.stderr)
        try:
            for verdict in judge(part, drawn):
                verdicts.append(verdict)
                # What is finished is not lost if the rest is interrupted.
                out.write_text("".join(json.dumps(asdict(each)) + "\n" for each in verdicts))
                print(f"  {verdict.verdict:10}{verdict.name} {verdict.by}", file=sys.stderr, flush=True)
        except BrokenError as error:
            print(f"mutants: {error}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print("mutants: interrupted; the table holds what is finished", file=sys.stderr)
            break
    print(table(verdicts))
    print(f"\nevery verdict: {out.relative_to(ROOT)}")
    return 0


class BrokenError(Exception):
    """The sources do not compile, or their tests fail, without any mutant."""


def listed(part: str) -> list[Mutant]:
    """Return all mutants of a part, sorted by name."""
    package, folder, _ = PARTS[part]
    command = ["cargo", "mutants", "--list", "--json", "--package", package, "--file", f"{folder}/**"]
    told = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    mutants = [_listed(entry) for entry in json.loads(told)]
    bodies = {(mutant.file, mutant.function) for mutant in mutants}
    texts = {file: (ROOT / file).read_text() for file, _ in bodies}
    numbers = [mutant for file, function in bodies for mutant in literals(file, texts[file], function)]
    # A function within another one is part of both.
    return sorted({mutant.name: mutant for mutant in [*mutants, *numbers]}.values(), key=lambda m: m.name)


def _listed(entry: Mapping[str, Any]) -> Mutant:
    def place(span: Mapping[str, Any], end: str) -> Place:
        return span[end]["line"], span[end]["column"]

    span, function = entry["span"], (entry.get("function") or entry)["span"]
    return Mutant(
        entry["name"],
        entry["file"],
        entry["genre"],
        (place(function, "start"), place(function, "end")),
        place(span, "start"),
        place(span, "end"),
        entry["replacement"],
    )


HIDDEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|b?r(\#*)".*?"\1|b?"(?:\\.|[^"\\])*"|b?'(?:\\[^']+|[^'\\\n])'|\#!?\[[^\]]*\]""",
    re.DOTALL | re.VERBOSE,
)
"""What is no code: comments, texts, characters, attributes."""

NUMBER = re.compile(
    r"(?<![\w.])(?P<digits>\d[\d_]*(?P<point>\.\d[\d_]*)?(?P<power>e-?\d+)?)(?P<suffix>_?(?:[iuf]\d+|[iu]size))?(?![\w])"
)


def code(text: str) -> str:
    """Return the source with spaces for all that is no code; places stay."""
    return HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def literals(file: str, text: str, function: tuple[Place, Place]) -> Iterator[Mutant]:
    """Yield a mutant for each number in the body of a function."""
    body = inside(text, function)
    if body is None:
        return
    for found in NUMBER.finditer(code(text), *body):
        digits = found["digits"].replace("_", "")
        suffix = found["suffix"] or ""
        if found["point"] or found["power"] or "f" in suffix:
            value = repr(float(digits) * 1.1 or 1.0)
        else:
            value = str(int(digits) + 1)
        start, end = (_place(text, found.start()), _place(text, found.end()))
        name = f"{file}:{start[0]}:{start[1]}: replace {found.group()} with {value}{suffix}"
        yield Mutant(name, file, "Literal", function, start, end, value + suffix)


def inside(text: str, function: tuple[Place, Place]) -> tuple[int, int] | None:
    """Return where the body of a function begins and ends, its braces excluded.

    Returns ``None`` if bodies cannot be exchanged while a program runs: in constant functions, and where the
    type of what is returned depends on the body.
    """
    first, last = (_offset(text, place) for place in function)
    signature = code(text)[first:last]
    if "{" not in signature:
        return None
    begin = signature.index("{")
    if re.search(r"\bconst\s+(?:unsafe\s+)?fn\b|->[^{]*\bimpl\b", signature[:begin]):
        return None
    return first + begin + 1, last - 1


def weave(text: str, mutants: Mapping[int, Mutant]) -> tuple[str, dict[int, tuple[int, int]], set[int]]:
    """Return a file in which each function chooses between its own body and those of its mutants.

    Parameters
    ----------
    text
        The file.
    mutants
        Its mutants by number.

    Returns
    -------
    The new text; for each mutant the first and the last line of its body; mutants that cannot be woven in.
    """
    functions: dict[tuple[int, int], dict[int, Mutant]] = defaultdict(dict)
    left = set()
    for number, mutant in mutants.items():
        if (body := inside(text, mutant.function)) is None:
            left.add(number)
        else:
            functions[body][number] = mutant
    pieces, lines, position, line = [], {}, 0, 1

    def add(piece: str) -> int:
        nonlocal line
        pieces.append(piece)
        line += piece.count("\n")
        return line

    for (begin, end), bodies in sorted(functions.items()):
        if begin < position:
            # It stands in another function of the sample.
            left |= bodies.keys()
            continue
        add(text[position:begin])
        for number, mutant in bodies.items():
            start, stop = _offset(text, mutant.start), _offset(text, mutant.end)
            first = add(f"if crate::mutant::is({number}) {{\n")
            last = add(text[begin:start] + mutant.replacement + text[stop:end])
            add("\n} else ")
            lines[number] = (first, last)
        add("{\n" + text[begin:end] + "\n}")
        position = end
    add(text[position:])
    return "".join(pieces), lines, left


def judge(part: str, drawn: Sequence[Mutant]) -> Iterator[Verdict]:
    """Compile mutants, run the tests of each, and yield what became of it."""
    package, folder, tests = PARTS[part]
    numbered = dict(enumerate(drawn, start=1))
    crate = TREE.joinpath(*Path(folder).parts[:2])
    programs, left = build(package, crate, tests, numbered)
    for number, why in left.items():
        yield Verdict(part, numbered[number].name, numbered[number].genre, why, "")
    seconds = 0.0
    for program in programs:
        status, took = execute(program, crate, 0, [], 3600)
        seconds += took
        if status:
            raise BrokenError(f"{status} without a mutant")
    reached = {program: reaching(program, crate) for program in programs}
    for number, mutant in numbered.items():
        if number not in left:
            verdict, by = "missed", ""
            for program, by_test in reached.items():
                verdict, by = run(program, crate, number, mutant, by_test[number], 2 * seconds + 5)
                if verdict != "missed":
                    break
            yield Verdict(part, mutant.name, mutant.genre, verdict, by)


def run(
    program: Path, crate: Path, number: int, mutant: Mutant, reached: Iterable[str], seconds: float
) -> tuple[str, str]:
    """Run the tests that reach a mutant, those of its own file first."""
    tests = set(reached)
    if tests & {"?", "main"}:
        # A test has started a thread: it may be any of them.
        stages: list[list[str]] = [[]]
    else:
        parts = Path(mutant.file).with_suffix("").parts[3:]
        module = "::".join(part for part in parts if part != "mod") + "::"
        near = {test for test in tests if test.startswith(module)}
        stages = [sorted(stage) for stage in (near, tests - near) if stage]
    for stage in stages:
        status, _ = execute(program, crate, number, stage, seconds)
        if status:
            return ("timed out" if status == "timed out" else "caught"), status
    return "missed", ""


def execute(
    program: Path, crate: Path, number: int, tests: Sequence[str], seconds: float
) -> tuple[str, float]:
    """Run tests of a program until one fails; return which, and the seconds of CPU that they took."""
    limits = ["prlimit", f"--cpu={math.ceil(seconds)}", f"--as={MEMORY}", "nice"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(
        [*limits, str(program), "--test-threads", "2", *(["--exact", *tests] if tests else [])],
        cwd=crate, env=os.environ | CASES | {"MUTANT": str(number)},
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace",
    )  # fmt: skip
    # Threads that wait for each other take no CPU.
    watch = threading.Timer(600 + 60 * seconds, process.kill)
    watch.start()
    failed = ""
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if line.startswith("test ") and line.rstrip().endswith("FAILED"):
                failed = line.split()[1]
                break
    finally:
        process.kill() if failed else None
        process.stdout.close()
        status = process.wait()
        watch.cancel()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if not failed and status:
        failed = "timed out" if -status in (24, 9) else f"signal {-status}" if status < 0 else "the program"
    return failed, took


def reaching(program: Path, crate: Path) -> dict[int, set[str]]:
    """Run all tests once; return which of them reach each mutant."""
    log = FOLDER / "reached"
    log.unlink(missing_ok=True)
    # Each test has a thread of its name, unless there is one thread.
    subprocess.run(
        ["nice", program, "--test-threads", "2"],
        cwd=crate, env=os.environ | CASES | {"MUTANTS_REACHED": str(log)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    tests: dict[int, set[str]] = defaultdict(set)
    with contextlib.suppress(FileNotFoundError):
        for line in log.read_text().splitlines():
            number, name = line.split(" ", 1)
            tests[int(number)].add(name)
    return tests


def build(
    package: str, crate: Path, tests: Sequence[str], numbered: Mapping[int, Mutant]
) -> tuple[list[Path], dict[int, str]]:
    """Compile the mutants; return the programs of their tests, and why some are left out."""
    out: dict[int, str] = {}
    by_file: dict[str, dict[int, Mutant]] = defaultdict(dict)
    for number, mutant in numbered.items():
        by_file[mutant.file][number] = mutant
    library = str((crate / "src" / "lib.rs").relative_to(TREE))
    copy({library, *by_file})
    write(TREE / library, (ROOT / library).read_text() + ACTIVE)
    while True:
        places: dict[int, tuple[str, int, int]] = {}
        for file, mutants in by_file.items():
            woven, lines, left = weave(
                (ROOT / file).read_text(), {n: m for n, m in mutants.items() if n not in out}
            )
            out |= dict.fromkeys(left, "not woven")
            places |= {number: (file, *span) for number, span in lines.items()}
            write(TREE / file, woven)
        messages, passed = compile_tests(package, tests)
        if passed:
            return [Path(message["executable"]) for message in messages if message.get("executable")], out
        rejected = _rejected(messages, places)
        if not rejected:
            told = "".join(message["message"]["rendered"] for message in _errors(messages))
            raise BrokenError(f"{package} does not compile:\n{told}")
        out |= rejected


def compile_tests(package: str, tests: Sequence[str]) -> tuple[list[dict[str, Any]], bool]:
    """Compile the tests of a package of the copy, quickly; return what cargo says."""
    done = subprocess.run(
        ["nice", "cargo", "test", "--no-run", "--package", package, *tests, "--locked",
         "--message-format", "json", "--target-dir", str(FOLDER / "build"),
         "--config", f"profile.test.package.{package}.opt-level=1"],
        cwd=TREE, check=False, capture_output=True, text=True,
    )  # fmt: skip
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode and not _errors(messages):
        # Not the compiler: cargo itself.
        raise BrokenError(done.stderr.strip())
    return messages, done.returncode == 0


def _errors(messages: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [m for m in messages if m["reason"] == "compiler-message" and m["message"]["level"] == "error"]


def _rejected(
    messages: Iterable[dict[str, Any]], places: Mapping[int, tuple[str, int, int]]
) -> dict[int, str]:
    """Return the mutants in whose bodies the compiler finds errors; around bodies it is the weaving."""
    rejected: dict[int, str] = {}
    for message in _errors(messages):
        for span in map(_written, (span for span in message["message"]["spans"] if span["is_primary"])):
            near = [(n, p) for n, p in places.items() if span["file_name"] == p[0]]
            within = [n for n, p in near if p[1] <= span["line_start"] <= p[2]]
            rejected |= dict.fromkeys(within, "unviable")
            if not within and near:
                # The body itself, or the whole choice: that of the nearest mutant above.
                nearest = min(near, key=lambda each: abs(each[1][1] - span["line_start"]))
                rejected[nearest[0]] = "not woven"
    return rejected


def _written(span: dict[str, Any]) -> dict[str, Any]:
    """Return where a macro was called that an error is in."""
    return _written(span["expansion"]["span"]) if span["expansion"] else span


def copy(woven: Collection[str]) -> None:
    """Bring the copy up to date, without files that are woven; unchanged files keep their times."""
    told = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard",
         "crates", "docs/*.md", "examples", "scenarios", "bench", "Cargo.*"],
        cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True,
    ).stdout  # fmt: skip
    files = {file for file in told.splitlines() if (ROOT / file).is_file()}
    for old in TREE.rglob("*"):
        if old.is_file() and str(old.relative_to(TREE)) not in files:
            old.unlink()
    for file in files.difference(woven):
        write(TREE / file, (ROOT / file).read_bytes())


def write(path: Path, content: str | bytes) -> None:
    """Write a file unless it has that content."""
    content = content.encode() if isinstance(content, str) else content
    if not path.is_file() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def table(verdicts: Sequence[Verdict]) -> str:
    """Return the verdicts counted by part and by genre, with Wilson's interval of the share of the caught."""
    rows = [f"{'':16}" + "".join(f"{name:>11}" for name in VERDICTS) + "  caught of viable [95 %]"]
    for groups in ("part", "genre"):
        rows += [
            _row(name, [v for v in verdicts if getattr(v, groups) == name])
            for name in dict.fromkeys(getattr(v, groups) for v in verdicts)
        ]
        rows.append("")
    return "\n".join([*rows, _row("all", verdicts)])


def _row(name: str, verdicts: Sequence[Verdict]) -> str:
    counts = Counter(verdict.verdict for verdict in verdicts)
    line = f"{name:16}" + "".join(f"{counts[verdict]:>11}" for verdict in VERDICTS)
    # A mutant that does not end is noticed.
    caught = counts["caught"] + counts["timed out"]
    if not (viable := caught + counts["missed"]):
        return line
    interval = scipy.stats.binomtest(caught, viable).proportion_ci(method="wilson")
    return f"{line}  {caught / viable:.1%} [{interval.low:.1%}, {interval.high:.1%}]"


def _offset(text: str, place: Place) -> int:
    line, column = place
    start = 0
    for _ in range(line - 1):
        start = text.index("\n", start) + 1
    return start + column - 1


def _place(text: str, offset: int) -> Place:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


if __name__ == "__main__":
    sys.exit(main())
