"""The works W1, W2 and W4S on csg-htsim, which the user has: https://github.com/Broadcom/csg-htsim (BSD).

Its library is built by its own Makefile, where it is; our program (``peers/htsim/works.cpp``) is linked
with it.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from bench.measure import BUILD, ROOT, missing, timed
from bench.works import Work

SOURCE = ROOT / "peers" / "htsim" / "works.cpp"


def unfit(place: Path) -> str | None:
    """Say what is wrong with a place of htsim's; None if it can be built there."""
    if not (place / "sim" / "tcp.h").is_file():
        return f"{place}: is not csg-htsim; give the folder that holds its sim/tcp.h"
    return missing("g++", "g++") or missing("make", "make")


def built(place: Path) -> str:
    """Build the program, and return its path."""
    library = place / "sim"
    subprocess.run(["make", "-C", str(library), "libhtsim.a"], check=True, stdout=subprocess.DEVNULL)
    program = BUILD / "htsim-works"
    BUILD.mkdir(exist_ok=True)
    command = ["g++", "-std=c++11", "-O3", "-Wall", f"-I{library}", str(SOURCE), str(library / "libhtsim.a")]
    subprocess.run([*command, "-o", str(program)], check=True)
    return str(program)


def command(program: str, work: Work, mode: str, arrivals: Path | None) -> list[str]:
    """Return the command that runs a work; `mode` is ``physics``, with counters, or ``speed``."""
    return [program, work.name, mode, *([str(arrivals)] if arrivals else [])]


def physics(program: str, work: Work, arrivals: Path | None) -> dict[str, float]:
    """Run a work with counters, and return what they say."""
    lines = timed(command(program, work, "physics", arrivals)).output.splitlines()
    return {name: float(value) for name, value in (line.split() for line in lines)}
