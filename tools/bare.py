"""Installs the newest wheel into an empty environment, and times a new user's way to a first figure.

``python tools/bare.py dist`` needs nothing but Python and PyPI, so that it runs in a container, too. It takes
the wheels of this system, prints sizes and times, and fails where a library of the wheel asks for a newer C
library than its name says, or for a function that this one lacks, or where the figure takes more than
30 seconds.
"""

from __future__ import annotations

import os
import platform
import re
import resource
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

LONGEST = 30.0
"""Processor seconds from an empty environment with the wheel in it to a figure, what pip takes included."""

MIB = 1 << 20

SCENARIO = "bufferbloat-droptail"

_DYNSYM, _VERSYM, _WEAK = 11, 0x6FFFFFFF, 2
"""Types of sections, and the binding of a symbol that may be missing (elf(5))."""


def main() -> int:
    """Measure; return the status of the process."""
    wheels = sorted(Path(sys.argv[1]).glob("*.whl"), key=lambda path: path.stat().st_mtime)
    wheels = [path for path in wheels if fits(path.name, platform.machine(), platform.libc_ver()[0])]
    if not wheels:
        print(f"bare: no wheel for this system in {sys.argv[1]}; run `make wheel`")
        return 1
    print(f"Python {platform.python_version()}, {' '.join(platform.libc_ver())}, {platform.machine()}")
    wheel = wheels[-1].resolve()
    print(f"{wheel.name}: {wheel.stat().st_size / MIB:.1f} MiB")
    with tempfile.TemporaryDirectory() as folder:
        problems = [*newer(wheel, Path(folder)), *_first_figure(wheel, Path(folder))]
    for line in problems:
        print(f"bare: {line}")
    return int(bool(problems))


def fits(name: str, machine: str, libc: str) -> bool:
    """Return whether a wheel is one of this processor, and of its C library: `make dist` leaves five."""
    musl = "musllinux" in name
    return machine.lower() in name and ("linux" not in name or musl == (libc != "glibc"))


def newer(wheel: Path, folder: Path) -> list[str]:
    """Say which libraries of a wheel need a newer C library than its name promises."""
    promised = re.search(r"manylinux_(\d+)_(\d+)", wheel.name)
    with zipfile.ZipFile(wheel) as opened:
        names = [name for name in opened.namelist() if name.endswith(".so")]
        opened.extractall(folder / "wheel", names)
    problems = []
    for name in names:
        path = folder / "wheel" / name
        # The names of versions stand in the file as text: those of symbols that it takes from the C library.
        asked = {tuple(map(int, found)) for found in re.findall(rb"GLIBC_(\d+)\.(\d+)", path.read_bytes())}
        newest = max(asked, default=(0, 0))
        print(f"{name}: {path.stat().st_size / MIB:.1f} MiB, glibc {newest[0]}.{newest[1]}")
        if promised and newest > tuple(map(int, promised.groups())):
            problems.append(f"{name} needs glibc {newest[0]}.{newest[1]}, more than the wheel's name says")
        # Linked against a C library that lacks a function, a library asks for it without a version.
        if promised and (unknown := sorted(unversioned(path.read_bytes()))):
            problems.append(f"{name} needs {', '.join(unknown)}, which the glibc of its name does not have")
    return problems


def unversioned(library: bytes) -> Iterator[str]:
    """Name what a library must find when it is loaded, and in no version: all that is not Python's.

    Parameters
    ----------
    library
        The content of a file of the format ELF, of 64 bits, little-endian.
    """
    (at,) = struct.unpack_from("<Q", library, 40)
    size, count = struct.unpack_from("<HH", library, 58)
    # Of each section: type, offset, size and the number of the section that it refers to (elf(5)).
    sections = [struct.unpack_from("<4xI16xQQI", library, at + size * number) for number in range(count)]
    symbols = next(section for section in sections if section[0] == _DYNSYM)
    versions = next((section[1] for section in sections if section[0] == _VERSYM), None)
    names = sections[symbols[3]][1]
    for number in range(1, symbols[2] // 24):
        name, info, _, section = struct.unpack_from("<IBBH", library, symbols[1] + 24 * number)
        weak, defined = info >> 4 == _WEAK, section != 0
        version = 0 if versions is None else struct.unpack_from("<H", library, versions + 2 * number)[0]
        text = library[names + name : library.index(b"\0", names + name)].decode()
        if not weak and not defined and version <= 1 and not text.startswith(("Py", "_Py")):
            yield text


def _first_figure(wheel: Path, folder: Path) -> list[str]:
    """Go from an empty environment to a figure."""
    home = folder / "venv"
    python, dumbbell = str(home / "bin" / "python"), str(home / "bin" / "dumbbell")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _step("an empty environment", folder, sys.executable, "-m", "venv", str(home))
    empty = _size(home)
    spent = _step("the core installed", folder, *pip, str(wheel))
    print(f"  {(_size(home) - empty) / MIB:.0f} MiB beyond an empty environment")
    spent += _step("an example copied", folder, dumbbell, "examples", SCENARIO, "-o", "first.toml")
    spent += _step("the first run", folder, dumbbell, "run", "first.toml", "-o", "out", "--quiet")
    spent += _step("with the extra `plot`", folder, *pip, f"{wheel}[plot]")
    print(f"  {(_size(home) - empty) / MIB:.0f} MiB beyond an empty environment")
    spent += _step("the first figure", folder, dumbbell, "plot", "out")
    figures = [path for path in (folder / "out").rglob("*.png") if path.stat().st_size > 0]
    print(f"from the wheel to {len(figures)} figures: {spent:.1f} s of processor time")
    problems = [] if figures else ["no figure was drawn"]
    if spent > LONGEST:
        problems.append(f"{spent:.1f} s of processor time to the first figure, more than {LONGEST:.0f}")
    return problems


def _step(what: str, folder: Path, *command: str) -> float:
    """Run a command in a folder, print what it took, and return its processor time."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    begun, before = time.monotonic(), _spent()
    subprocess.run(
        command, cwd=folder, env=clean, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    spent = _spent() - before
    print(f"{what}: {time.monotonic() - begun:.1f} s, of the processor {spent:.1f} s")
    return spent


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


if __name__ == "__main__":
    sys.exit(main())
