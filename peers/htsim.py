"""The works W1, W2 and W4S on csg-htsim, which the user has: https://github.com/Broadcom/csg-htsim (BSD).

Its library is built by its own Makefile, where it is; our program (``peers/htsim/works.cpp``) is linked
with it.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
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
    """Build the program, and return its path; exit with a message where that fails."""
    library = place / "sim"
    program = BUILD / "htsim-works"
    BUILD.mkdir(exist_ok=True)
    ours = ["g++", "-std=c++11", "-O3", "-Wall", f"-I{library}", str(SOURCE), str(library / "libhtsim.a")]
    # Its Makefile needs the rules that every make has; ours turns them off for all that it calls.
    own = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    for command in (["make", "-C", str(library), "libhtsim.a"], [*ours, "-o", str(program)]):
        if subprocess.run(command, check=False, stdout=subprocess.DEVNULL, env=own).returncode:
            sys.exit(f"{place}: csg-htsim could not be built: see above; failed: {shlex.join(command)}")
    return str(program)


def command(program: str, work: Work, mode: str, arrivals: Path | None) -> list[str]:
    """Return the command that runs a work; `mode` is ``physics``, with counters, or ``speed``."""
    return [program, work.name, mode, *([str(arrivals)] if arrivals else [])]


def physics(program: str, work: Work, arrivals: Path | None) -> dict[str, float]:
    """Run a work with counters, and return what they say."""
    lines = timed(command(program, work, "physics", arrivals)).output.splitlines()
    return {name: float(value) for name, value in (line.split() for line in lines)}
