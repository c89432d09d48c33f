"""Draws what a controller does alone on the test bed, for its page: window and queue over time, as SVG."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import matplotlib as mpl
import numpy as np

import dumbbell as db
from dumbbell.errors import ScenarioError
from dumbbell.figures.style import COLOURS, STYLE, new_figure, save

LIMIT = 60_000
"""Bytes of a figure, at most."""

SECONDS = 30


def bed(controller: str, router: str | None) -> db.Scenario:
    """Return the test bed: 10 Mbit/s, 50 ms, a buffer of one bandwidth-delay product."""
    queue = {"kind": "droptail", "limit": "42pkt"}
    # XCP and its like get the router that they ask.
    told = {"router": router} if router else {}
    return db.Scenario.from_dict(
        {
            "duration": f"{SECONDS}s",
            "transport": {"kind": "tcp", "controller": controller},
            "topology": {
                "kind": "dumbbell",
                "pairs": 1,
                "bottleneck": {"rate": "10Mbit/s", "delay": "20ms", "queue": queue, **told},
                "access": {"rate": "100Mbit/s", "delay": "2.5ms"},
            },
            "flows": [{"from": "senders", "to": "receivers", "sampled": True}],
            "record": {"period": "100ms", "queues": ["left->right"]},
        }
    )


def alone(controller: str) -> db.Results | None:
    """Run a controller alone, behind the first router that it can ask if it needs one; None if none suits."""
    routers = [member["name"] for member in db.registry()["families"]["router"]]
    for router in (None, *routers):
        try:
            return bed(controller, router).run()
        except ScenarioError:
            continue
    return None


def draw(folder: Path, controllers: Iterable[str]) -> None:
    """Draw all, and remove the figures of controllers that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = set()
    for controller in controllers:
        results = alone(controller)
        if results is None:
            continue
        figure, (panel,) = new_figure(1, "double", 2.0)
        with mpl.rc_context(STYLE):
            (times, window), *_ = results.series("cwnd").values()
            panel.plot(times, window / 1448, color=COLOURS[0], label="congestion window")
            (times, waiting), *_ = results.series("queue").values()
            panel.plot(times, waiting, color=COLOURS[1], label="queue")
            panel.set(xlabel="time, s", ylabel="packets", xlim=(0, SECONDS))
            top = float(np.nanmax(window[times > 1])) / 1448 if len(window) else 100.0
            panel.set_ylim(0, min(max(60.0, 1.1 * top), 200.0))
            figure.legend(loc="outside upper left", ncols=2)
        (path,) = save(figure, folder / controller, ("svg",))
        assert path.stat().st_size < LIMIT, f"{path} is too large: sample less often"
        drawn.add(path)
    for path in set(folder.glob("*.svg")) - drawn:
        path.unlink()
