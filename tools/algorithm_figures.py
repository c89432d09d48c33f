"""Draws what a controller does alone on the test bed, for its page: window and queue over time, as SVG."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

import dumbbell as db
from dumbbell import _native
from dumbbell.errors import ScenarioError
from dumbbell.figures.style import COLOURS, STYLE, new_figure, save

LIMIT = 60_000
"""Bytes of a figure, at most."""

_SEGMENT = 1448
"""Bytes of data in a packet."""

_HIGHEST = 200.0
"""Packets: the first windows of slow start may be above the figure."""


@dataclass(frozen=True)
class Bed:
    """A network with one pair of hosts."""

    seconds: float
    settings: dict[str, Any]
    """Of the scenario."""
    factor: float
    """From seconds to the unit of the axis of time."""
    unit: str


_QUEUES = ["left->right"]


def _wide_area(rate: str, delay: str, queue: dict[str, str]) -> Bed:
    """Return a bed of a link at which a packet waits for a millisecond or so, and of 30 s."""
    bottleneck = {"rate": rate, "delay": delay, "queue": queue}
    topology = {"bottleneck": bottleneck, "access": {"rate": "100Mbit/s", "delay": "2.5ms"}}
    record = {"period": "100ms", "queues": _QUEUES}
    return Bed(30.0, {"duration": "30s", "topology": topology, "record": record}, 1.0, "s")


BEDS = {
    "wide-area": _wide_area("10Mbit/s", "20ms", {"kind": "droptail", "limit": "42pkt"}),
    "step-marking": _wide_area("10Mbit/s", "20ms", {"kind": "threshold", "threshold": "10pkt"}),
    "dual-queue": _wide_area("50Mbit/s", "5ms", {"kind": "dualpi2"}),
    "data-centre": Bed(
        0.03,
        {
            "duration": "30ms",
            "topology": {
                "bottleneck": {
                    "rate": "10Gbit/s", "delay": "4us",
                    "queue": {"kind": "ramp", "min_threshold": "5kB", "max_threshold": "200kB"},
                },
                "access": {"rate": "40Gbit/s", "delay": "3us"},
            },
            "record": {"period": "100us", "queues": _QUEUES},
        },
        1e3,
        "ms",
    ),
}  # fmt: skip


def alone(controller: str, bed: Bed) -> db.Results | None:
    """Run a controller alone, behind the first router that it can ask if it needs one; None if none suits."""
    scenario = bed.settings | {
        "transport": {"kind": "tcp", "controller": controller},
        "flows": [{"from": "senders", "to": "receivers", "sampled": True}],
        "topology": {"kind": "dumbbell", "pairs": 1} | bed.settings["topology"],
    }
    routers = [name for name, _, _ in dict(_native.algorithms())["router"]]
    for settings in ((), *((f"topology.bottleneck.router={router}",) for router in routers)):
        try:
            return db.Scenario.from_dict(scenario, settings).run()
        except ScenarioError:
            continue
    return None


def draw(folder: Path, controllers: Mapping[str, str]) -> None:
    """Draw all, each on the bed of that name, and remove the figures of controllers that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = set()
    for controller, where in controllers.items():
        bed = BEDS[where]
        results = alone(controller, bed)
        if results is None:
            continue
        figure, (panel,) = new_figure(1, "double", 2.0)
        with mpl.rc_context(STYLE):
            (times, window), *_ = results.series("cwnd").values()
            settled = window[times > bed.seconds / 30] / _SEGMENT
            # A controller that sets a rate leaves the window open.
            if np.median(settled) < _HIGHEST:
                panel.plot(times * bed.factor, window / _SEGMENT, color=COLOURS[0], label="congestion window")
            (times, waiting), *_ = results.series("queue").values()
            panel.plot(times * bed.factor, waiting, color=COLOURS[1], label="queue")
            panel.set(xlabel=f"time, {bed.unit}", ylabel="packets", xlim=(0, bed.seconds * bed.factor))
            panel.set_ylim(0, min(max(60.0, 1.1 * float(settled.max())), _HIGHEST))
            figure.legend(loc="outside upper left", ncols=2)
        (path,) = save(figure, folder / controller, ("svg",))
        assert path.stat().st_size < LIMIT, f"{path} is too large: sample less often"
        drawn.add(path)
    for path in set(folder.glob("*.svg")) - drawn:
        path.unlink()
