"""Build a wheel into dist, optimised by what runs do: ``make wheel``.

The extension is built with counters, makes short runs of all scenarios, and is built again with what they
have counted: which way branches go, what is called often. That is 2 to 5 % of the time of a run. What Debian
has of rustc's LLVM merges the counters; where it is missing, the wheel is built without, and a line says so.
With ``--glibc`` zig links the libraries for systems whose C library is no newer than that. With ``--target``
it builds for another processor or for musl, where no runs can count. ``--all`` is what ``make dist`` makes:
the source distribution, the wheel of this machine, and those of :data:`OTHERS` whose standard library can be
had. Each line that begins with ``dist:`` gives a file, its size and how long it took.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tools.reached import llvm
from tools.systems import has

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "target" / "profiled"
COUNTS = TARGET / "counts"
MERGED = TARGET / "merged.profdata"
PACKAGE = TARGET / "package"
"""A copy of the Python package with the extension that counts; that of `make setup` stays as it is."""
OTHERS = (
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
)
"""The systems that zig builds for from here; :file:`.github/workflows/wheels.yml` has the others."""
MUSL = "musllinux_1_2"
"""The name of wheels for musl: 1.2 is what Rust brings, of 2020 (Alpine 3.13)."""
LIBRARY = "libdumbbell_packetdrill.so"
BUILD = ("--release", "--locked", "--quiet", "--target-dir", str(TARGET))


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the wheel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--glibc", help="the oldest C library that will do, such as 2.17; needs zig")
    parser.add_argument("--target", help="another Linux, such as aarch64-unknown-linux-musl; needs zig")
    parser.add_argument("--all", action="store_true", help="the source distribution, and every wheel")
    chosen = parser.parse_args(arguments)
    glibc, host = chosen.glibc, host_of_rustc()
    if (chosen.all or chosen.target) and not glibc:
        parser.error("zig links for other processors; name the oldest C library with --glibc")
    if chosen.target and chosen.target != host:
        with made():
            return other(chosen.target, glibc)
    if chosen.all:
        with made():
            sources()
    with made():
        _this_machine(host, glibc)
    failed = 0
    for target in OTHERS if chosen.all else ():
        if target != host:
            with made():
                failed |= other(target, glibc)
    return failed


def _this_machine(host: str, glibc: str | None) -> None:
    """Build the wheel of this machine, with what runs count if that can be had."""
    flags = {}
    version = llvm()
    profdata = f"llvm-profdata-{version}"
    if shutil.which(profdata):
        count(host)
        _run([profdata, "merge", "--output", str(MERGED), str(COUNTS)])
        flags = {"RUSTFLAGS": f"-Cprofile-use={MERGED}"}
    else:
        print(
            f"{profdata} is missing: the wheel is built without what runs count, and is 2 to 5 % slower; "
            f"apt-get install llvm-{version}",
            file=sys.stderr,
        )
    packetdrill(host, glibc)
    build(host, glibc, flags)


@contextmanager
def made() -> Iterator[None]:
    """Say which files of ``dist`` the block has made, of what size, and how long it took."""
    begun, now = time.monotonic(), time.time()
    yield
    for path in sorted((ROOT / "dist").glob("*")):
        if path.stat().st_mtime >= now:
            size, minutes = path.stat().st_size / 2**20, (time.monotonic() - begun) / 60
            print(f"dist: {path.name}: {size:.1f} MiB, {minutes:.1f} minutes", flush=True)


def sources() -> None:
    """Write the source distribution."""
    _run([str(Path(sys.executable).with_name("maturin")), "sdist", "--out", "dist"])


def other(target: str, glibc: str) -> int:
    """Build the wheel of another processor or C library; return the status of the process."""
    if not has(target):
        print(
            f"{target}: no wheel, its standard library cannot be had: rustup target add {target}",
            file=sys.stderr,
        )
        return 1
    with kept(ROOT / "python" / "dumbbell" / LIBRARY):
        # The program `strip` knows the files of this processor.
        # A library that Python loads shares its C library: musl's would be linked into it otherwise.
        flags = "-Cstrip=symbols -Ctarget-feature=-crt-static" if "musl" in target else "-Cstrip=symbols"
        packetdrill(target, glibc, {"RUSTFLAGS": flags})
        build(target, glibc, {})
    return 0


@contextmanager
def kept(path: Path) -> Iterator[None]:
    """Put a file that the block replaces back after it, if there was one."""
    before = path.read_bytes() if path.is_file() else None
    try:
        yield
    finally:
        if before is None:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(before)


def host_of_rustc() -> str:
    """Return the target that rustc builds for by itself."""
    told = subprocess.run(["rustc", "-vV"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return next(line for line in told.splitlines() if line.startswith("host:")).split()[1]


def count(host: str) -> None:
    """Build the extension with counters, and let runs count."""
    shutil.rmtree(COUNTS, ignore_errors=True)
    COUNTS.mkdir(parents=True)
    # With a target named, the flags are those of the extension alone, and not of what builds it.
    flags = {"RUSTFLAGS": f"-Cprofile-generate={COUNTS}", "PYO3_PYTHON": sys.executable}
    _run(["cargo", "build", "--package", "dumbbell-py", "--target", host, *BUILD], flags)
    shutil.rmtree(PACKAGE, ignore_errors=True)
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    # Scenarios are linked into the package.
    shutil.copytree(ROOT / "python", PACKAGE, ignore=ignored)
    shutil.copy(TARGET / host / "release" / "lib_native.so", PACKAGE / "dumbbell" / "_native.abi3.so")
    _run([sys.executable, "-m", "tools.training"], {"PYTHONPATH": str(PACKAGE)})


def packetdrill(host: str, glibc: str | None, flags: Mapping[str, str] | None = None) -> None:
    """Build the library for packetdrill, which stands in the package; strip it, unless the flags do."""
    how = "zigbuild" if glibc else "build"
    target = f"{host}.{glibc}" if glibc and "musl" not in host else host
    _run(["cargo", how, "--package", "dumbbell-packetdrill", "--target", target, *BUILD], flags)
    library = ROOT / "python" / "dumbbell" / LIBRARY
    shutil.copy(TARGET / host / "release" / library.name, library)
    if not flags:
        _run(["strip", str(library)])


def build(host: str, glibc: str | None, flags: Mapping[str, str]) -> None:
    """Build the wheel by maturin."""
    maturin = Path(sys.executable).with_name("maturin")
    name = MUSL if "musl" in host else f"manylinux_{(glibc or '').replace('.', '_')}"
    zig = ["--zig", "--compatibility", name] if glibc else []
    _run([str(maturin), "build", "--target", host, *BUILD, *zig, "--out", "dist"], flags)


def _run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
    # zig stands beside Python, in the environment of the checkout.
    beside = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run(command, cwd=ROOT, env={**os.environ, **beside, **(environment or {})}, check=True)


if __name__ == "__main__":
    sys.exit(main())
