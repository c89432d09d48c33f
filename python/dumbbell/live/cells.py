"""The cells of the grid "our TCP beside the kernel's": which flows over which link."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import product

from dumbbell._scenario import Scenario

LINK = "node0->node1"
"""The link of every cell."""

CONTROLLERS = ("cubic", "newreno")
RATES = (10, 50, 100)
"""In Mbit/s."""
ROUND_TRIPS = (10, 40, 100)
"""In ms."""
QUEUES = ("0.5bdp", "1bdp", "2bdp", "codel")
"""Limits of DropTail, and CoDel with its defaults."""
SIZES = {"10kB": 10e3, "100kB": 100e3, "1MB": 1e6, "5MB": 5e6, "20MB": 20e6}
COUNTS = (2, 4, 8)

_LONGEST = 16.0
"""Seconds that the data of one flow may take at the rate of the link."""
_STAGGER = 0.5
_DURATION = 6.0
_PATIENCE = 5.0
"""Seconds that a flow with a size may take beyond three times what its data takes at the link's rate."""

_QUICK = (
    "cubic-10M-40ms-1bdp-10kB", "cubic-10M-40ms-1bdp-100kB", "cubic-10M-40ms-1bdp-1MB",
    "cubic-10M-100ms-2bdp-1MB", "cubic-50M-10ms-1bdp-1MB", "cubic-50M-40ms-0.5bdp-5MB",
    "cubic-50M-40ms-1bdp-5MB", "cubic-50M-40ms-2bdp-5MB", "cubic-50M-40ms-codel-5MB",
    "cubic-50M-100ms-1bdp-5MB", "cubic-100M-10ms-1bdp-5MB", "cubic-100M-40ms-1bdp-20MB",
    "cubic-100M-100ms-1bdp-20MB", "newreno-10M-40ms-1bdp-1MB", "newreno-50M-40ms-1bdp-5MB",
    "newreno-50M-40ms-codel-5MB", "cubic-50M-40ms-1bdp-x2", "cubic-50M-40ms-codel-x2",
    "cubic-50M-40ms-1bdp-x4", "cubic-50M-40ms-1bdp-x8", "newreno-50M-40ms-1bdp-x2",
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """Flows of one size, or several without, over one link."""

    controller: str
    rate: int
    """In Mbit/s."""
    round_trip: int
    """In ms."""
    queue: str
    size: str | None
    count: int = 1

    @property
    def name(self) -> str:
        """Such as ``cubic-50M-40ms-1bdp-5MB`` or ``newreno-10M-10ms-codel-x4``."""
        load = self.size or f"x{self.count}"
        return f"{self.controller}-{self.rate}M-{self.round_trip}ms-{self.queue}-{load}"

    @property
    def ideal(self) -> float:
        """What the data of a flow takes at the rate of the link (s)."""
        return SIZES[self.size] * 8e-6 / self.rate if self.size else _DURATION

    @property
    def flows(self) -> list[tuple[float, float | None]]:
        """Starts (s) and sizes (bytes)."""
        return [(_STAGGER * i, SIZES[self.size] if self.size else None) for i in range(self.count)]

    def scenario(self) -> Scenario:
        """Return the cell as a scenario."""
        duration = 3 * self.ideal + _PATIENCE if self.size else _DURATION
        queue = "codel" if self.queue == "codel" else {"kind": "droptail", "limit": self.queue}
        flow = {"from": "node0", "to": "node1", "count": self.count, "stagger": f"{_STAGGER}s"}
        return Scenario.from_dict(
            {
                "name": self.name,
                "duration": f"{duration:g}s",
                "topology": {
                    "kind": "chain",
                    "link": {
                        "rate": f"{self.rate}Mbit/s", "delay": f"{self.round_trip / 2:g}ms", "queue": queue,
                    },
                },
                "flows": [flow | ({"size": self.size} if self.size else {})],
            }
        )  # fmt: skip


def cells(pattern: str = "*", quick: bool = False) -> list[Cell]:
    """Return the cells whose names match a pattern of the shell.

    One flow of each size over each link and queue, unless its data takes more than 16 s; and 2, 4 and 8 flows
    without a size over each link, with DropTail of one bandwidth-delay product and with CoDel.
    """
    alone = [
        Cell(*values)
        for values in product(CONTROLLERS, RATES, ROUND_TRIPS, QUEUES, SIZES)
        if Cell(*values).ideal <= _LONGEST
    ]
    several = [
        Cell(*values[:-1], None, values[-1])
        for values in product(CONTROLLERS, RATES, ROUND_TRIPS, ("1bdp", "codel"), COUNTS)
    ]
    every = [cell for cell in alone + several if fnmatchcase(cell.name, pattern)]
    return [cell for cell in every if cell.name in _QUICK] if quick else every
