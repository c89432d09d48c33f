"""The completed flows of a run, for the figures of completion times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dumbbell.errors import NothingToDrawError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dumbbell._results import Results


@dataclass(frozen=True)
class Completed:
    """The counted and completed flows of one group."""

    name: str
    sizes: NDArray[np.float64]
    """Application bytes, shape (flows,)."""
    times: NDArray[np.float64]
    """Completion times (s), shape (flows,)."""


def completed_groups(results: Results) -> list[Completed]:
    """Return the groups that have completed flows that started after the warm-up.

    Raises
    ------
    NothingToDrawError
        If there are none.
    """
    flows = results.flows
    sizes, times = flows["size"], flows["completion_time"]
    usable = flows["counted"] & np.isfinite(times) & (times > 0) & (sizes > 0)
    groups = []
    for name, rows in flows.groups("group"):
        chosen = rows[usable[rows]]
        if chosen.size:
            groups.append(Completed(name, sizes[chosen], times[chosen]))
    if not groups:
        raise NothingToDrawError("no flow with a size completed after the warm-up")
    return groups
