"""The cells of the grid "our TCP beside the kernel's": which flows over which link."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import product
from typing import Any

from dumbbell._scenario import Scenario
from dumbbell.live.kernel import Flow

CONTROLLERS = ("cubic", "newreno")
RATES = (10, 50, 100)
"""In Mbit/s."""
ROUND_TRIPS = (10, 40, 100)
"""In ms."""
QUEUES = ("0.5bdp", "1bdp", "2bdp", "codel")
"""Limits of DropTail, and CoDel with its defaults."""
SIZES = {"10kB": 10e3, "100kB": 100e3, "1MB": 1e6, "5MB": 5e6, "20MB": 20e6}
COUNTS = (2, 4, 8)
UNEQUAL = (20, 80)
"""Base round-trip times in ms of flows that differ in them, in turn."""
UNEQUAL_COUNTS = (2, 4)

_ACCESS = "10Gbit/s"
"""Of the links beside the one that flows share, where round-trip times differ: what a packet takes on them is
below the precision of the emulator."""

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
    "cubic-50M-20+80ms-1bdp-x2",
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """Flows of one size, or several without, over one link."""

    controller: str
    rate: int
    """In Mbit/s."""
    round_trips: tuple[int, ...]
    """Of the flows, in turn (ms)."""
    queue: str
    size: str | None
    count: int = 1

    @property
    def name(self) -> str:
        """Such as ``cubic-50M-40ms-1bdp-5MB`` or ``newreno-10M-20+80ms-codel-x4``."""
        load = self.size or f"x{self.count}"
        times = "+".join(map(str, self.round_trips))
        return f"{self.controller}-{self.rate}M-{times}ms-{self.queue}-{load}"

    @property
    def link(self) -> str:
        """The link that the flows share."""
        return "left->right" if len(self.round_trips) > 1 else "node0->node1"

    @property
    def round_trip(self) -> float:
        """The mean base round-trip time (ms), which a limit in bandwidth-delay products counts with."""
        return sum(self.round_trips) / len(self.round_trips)

    @property
    def ideal(self) -> float:
        """What the data of a flow takes at the rate of the link (s)."""
        return SIZES[self.size] * 8e-6 / self.rate if self.size else _DURATION

    @property
    def duration(self) -> float:
        """How long a run is (s): a flow with a size may be three times as slow as the link, and more."""
        return 3 * self.ideal + _PATIENCE if self.size else _DURATION

    @property
    def flows(self) -> list[Flow]:
        """What the kernel's connections are to send."""
        size, times = SIZES[self.size] if self.size else None, len(self.round_trips)
        return [Flow(_STAGGER * i, size, i % times) for i in range(self.count)]

    def scenario(self) -> Scenario:
        """Return the cell as a scenario."""
        queue = "codel" if self.queue == "codel" else {"kind": "droptail", "limit": self.queue}
        shared = {"rate": f"{self.rate}Mbit/s", "queue": queue}
        topology: dict[str, Any]
        if len(self.round_trips) > 1:
            rtts = [f"{time}ms" for time in self.round_trips]
            bottleneck = {**shared, "delay": f"{min(self.round_trips) / 4:g}ms"}
            topology = {
                "kind": "dumbbell", "pairs": len(rtts), "rtts": rtts, "bottleneck": bottleneck,
                "access": {"rate": _ACCESS},
            }  # fmt: skip
            ends = {"from": "senders", "to": "receivers"}
        else:
            topology = {"kind": "chain", "link": {**shared, "delay": f"{self.round_trip / 2:g}ms"}}
            ends = {"from": "node0", "to": "node1"}
        flow = {**ends, "count": self.count, "stagger": f"{_STAGGER}s"}
        return Scenario.from_dict(
            {
                "name": self.name,
                "duration": f"{self.duration:g}s",
                "topology": topology,
                "flows": [flow | ({"size": self.size} if self.size else {})],
            }
        )


def cells(pattern: str = "*", quick: bool = False) -> list[Cell]:
    """Return the cells whose names match a pattern of the shell.

    One flow of each size over each link and queue, unless its data takes more than 16 s; and 2, 4 and 8 flows
    without a size over each link, with DropTail of one bandwidth-delay product and with CoDel; also 2 and 4
    flows with different round-trip times.
    """
    equal = [(time,) for time in ROUND_TRIPS]
    alone = [
        Cell(*values)
        for values in product(CONTROLLERS, RATES, equal, QUEUES, SIZES)
        if Cell(*values).ideal <= _LONGEST
    ]
    several = [
        Cell(*values[:-1], None, values[-1])
        for times, counts in ((equal, COUNTS), ([UNEQUAL], UNEQUAL_COUNTS))
        for values in product(CONTROLLERS, RATES, times, ("1bdp", "codel"), counts)
    ]
    every = [cell for cell in alone + several if fnmatchcase(cell.name, pattern)]
    return [cell for cell in every if cell.name in _QUICK] if quick else every
