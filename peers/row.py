"""One quantity on both simulators, and tables of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One quantity of one work, queue or number of flows."""

    of: str
    """What was run, as `make peers` calls it."""
    quantity: str
    peer: float
    own: float
    bound: float | None = None
    """The largest difference allowed; None if there is no bound."""
    relative: bool = True
    """Whether the difference is relative to the peer, or absolute."""

    @property
    def difference(self) -> float:
        """Of ours from the peer's."""
        return self.own / self.peer - 1 if self.relative else self.own - self.peer

    @property
    def broken(self) -> bool:
        """True beyond the bound."""
        return self.bound is not None and not abs(self.difference) <= self.bound

    def __str__(self) -> str:
        form = ".2%" if self.relative else ".4f"
        bound = "" if self.bound is None else f"{self.bound:{'.0%' if self.relative else 'g'}}"
        verdict = "  BROKEN" if self.broken else ""
        numbers = f"{self.peer:10.5g} {self.own:10.5g} {self.difference:+10{form}}"
        return f"{self.quantity:22} {numbers} {bound:>7}{verdict}"


def print_rows(what: str, width: int, rows: Iterable[Row]) -> bool:
    """Print a table as its rows come, and return whether a bound is broken; `what` heads what was run."""
    print(f"{what:{width}}  {'quantity':22} {'ns-2.35':>10} {'dumbbell':>10} {'difference':>10} {'bound':>7}")
    broken = False
    for row in rows:
        print(f"{row.of:{width}}  {row}")
        broken |= row.broken
    return broken
