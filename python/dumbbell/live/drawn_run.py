"""Drawn cells in virtual time: each run has a kernel of its own, in which this module is the program.

``python -m dumbbell.live.drawn_run SEED NUMBER CONTROLLERS PLACE OUT TRACE`` makes one run of one cell in the
kernel that runs. OUT takes JSON: what :func:`dumbbell.live.referee.traced` returns, or ``error``. What a
kernel in virtual time need not do is done outside: there, a page that is touched for the first time takes as
long as a packet.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from dumbbell.errors import DumbbellError
from dumbbell.live import packets, referee, virtual
from dumbbell.live.boots import Boots, at_once
from dumbbell.live.criteria import Summary
from dumbbell.live.drawn import Cell, cells
from dumbbell.live.packets import Packets


@dataclass(frozen=True)
class InVirtualTime:
    """Kernels in virtual time, several at once."""

    boots: Boots
    controllers: Sequence[str]
    """Those among which the cells were drawn."""

    @property
    def version(self) -> str:
        """Of the kernel."""
        return self.boots.kernel.release

    def make(
        self, cell: Cell, place: int, progress: virtual.Progress, /
    ) -> tuple[Summary, Sequence[str], Packets]:
        """Make a run of a cell in a kernel of its own, with the seed of the first plus its number."""
        with tempfile.TemporaryDirectory() as name:
            out, seen = Path(name, "out"), Path(name, "trace")
            words = [str(cell.seed), str(cell.number), ",".join(self.controllers), str(place)]
            told = self.boots.answer(__name__, [*words, str(out), str(seen)], out, progress, cell.number)
            return told["found"], told["reasons"], packets.real(seen, told["origin"])

    def each(self, runs: Mapping[Cell, Callable[[virtual.Progress], None]]) -> Generator[Cell, None, None]:
        """Run one on each core."""
        with closing(at_once(runs)) as ended:
            for cell, _ in ended:
                yield cell


def main() -> None:
    """Do what the command line says."""
    seed, number, controllers, place, out, trace = sys.argv[1:]
    (cell,) = cells(int(number) + 1, int(seed), controllers.split(","), f"{int(number):04d}-*")
    try:
        names = ("found", "reasons", "origin")
        told = dict(zip(names, referee.traced(cell, int(place), Path(trace)), strict=True))
    except DumbbellError as error:
        told = {"error": str(error)}
    Path(out).write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main()
