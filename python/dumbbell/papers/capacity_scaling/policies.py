"""S7: maps of sleeping, two rates and rate adaptation, over load and power profile."""

from __future__ import annotations

from typing import Any

from dumbbell.papers.capacity_scaling.maps import SHARES, within
from dumbbell.report import MapSpec

_ARMS = ("tcponly", "tcp-pc", "multi-up", "alr", "tcp-sleep", "sleep-and-scale")


def _saving(runs: Any, scaling: str, static: float, idle: float, asleep: float) -> Any:
    """Return the saving for a static share, an idle share and a share of sleep power.

    Power is affine in each of the three while the others stay, and so is the saving: exact between the
    metrics, which have idle shares of 0 and 1 and, for sleep, a tenth.
    """
    more = (0.1 - asleep) * runs["asleep"]
    none = (1 - idle) * runs[f"saving-{scaling}-0-idle-0"] + idle * (runs[f"saving-{scaling}-0"] + more)
    return (1 - static) * none + static * (runs["saving-fs-100"] + more)


def _map(scaling: str, idle: float, asleep: float) -> MapSpec:
    def saving(runs: Any, static: float) -> Any:
        return _saving(runs, scaling, static, idle, asleep)

    return MapSpec(
        f"{scaling}-idle-{100 * idle:.0f}-sleep-{100 * asleep:.0f}",
        f"What saves most, {scaling.upper()}, idle share {idle:g}, sleep share {asleep:g}",
        "load", "static share of power", SHARES, within(1.5, saving), "energy saving", _ARMS, "%",
        note="Against full power all the time. Ruled out where mean completion times grow by more than half.",
        possible=(0, 100),
    )  # fmt: skip


MAPS = (
    _map("fs", 0.8, 0.1), _map("dvs", 0.8, 0.1), _map("fs", 0.1, 0.1), _map("dvs", 0.1, 0.1),
    _map("fs", 1.0, 0.7), _map("dvs", 1.0, 0.7),
)  # fmt: skip
"""Of the study ``policies``."""
