"""The controllers of ns-2.35, its own and those of Linux, beside ours: one flow, from the first packet on.

``python -m peers.controllers`` runs each in two settings without a seed. In ``long`` one packet is lost in
slow start, and then only the buffer of one bandwidth-delay product ends the growth. In ``lossy`` one packet
of 5000 is lost, the same ones on both; the numbers are means over five lists. It exits with 1 if the results
differ by more than the bounds, and with 2 if ns-2 is missing.

In recovery ns-2's agents of Linux go down to half of the window, whatever the controller leaves, and then to
what it leaves (rate halving of Linux 2.6). So those that cut by less lose goodput there: they are not judged
in ``lossy``.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dumbbell as db
from bench.measure import BUILD, ROOT, missing, timed

SCRIPT = ROOT / "peers" / "ns2" / "controllers.tcl"
FOLDER = BUILD / "controllers"

RATE, DELAY = 100, 49
"""Of the bottleneck, Mbit/s and ms; with access links of 0.5 ms the round-trip time is 100 ms."""
BUFFER = 833
"""Packets: one bandwidth-delay product."""
SECONDS = 120
STEP = 0.01
"""Between looks at windows, s: a part of a round trip."""

FIRST = 300
"""The packet whose loss ends slow start."""
LOSS = 2e-4
LISTS = 5
SETTINGS: dict[str, list[list[int]]] = {
    "long": [[FIRST]],
    "lossy": [
        [FIRST, *(n for n in range(2000, 1_500_000) if draw.random() < LOSS)]
        for draw in map(random.Random, range(LISTS))
    ],
}
"""Lists of packets that are lost on their way into the bottleneck, by number: one run each."""

GOODPUT = "goodput, Mbit/s"
QUEUE = "mean queue, packets"
WINDOW = "mean window, packets"
DISTANCE = "distance of windows"
"""The mean distance of the two windows at one time, over the mean window of ns-2; not in ``lossy``, where
after the first difference the same packet is lost at another moment."""


@dataclass(frozen=True)
class Pair:
    """A controller on both."""

    peer: str
    """As ns-2 has it."""
    own: str
    settings: dict[str, Any] = field(default_factory=dict)
    """What Linux has instead of the values of the paper."""
    transport: dict[str, Any] = field(default_factory=dict)
    bounds: tuple[float | None, float | None] = (0.02, 0.05)
    """Largest relative difference of the goodput, in ``long`` and ``lossy``; None: ns-2 has another law."""


PLAIN = {"sack": False}
"""What the agents of ns-2 without SACK have."""
LESS = (0.02, None)
"""Bounds of controllers that cut by less than half."""

PAIRS = (
    Pair("Agent/TCP", "tahoe", transport=PLAIN),
    Pair("Agent/TCP/Reno", "reno", transport=PLAIN),
    Pair("Agent/TCP/Newreno", "newreno", {"full_ack": "threshold"}, PLAIN),
    Pair("Agent/TCP/Fack", "newreno", {"full_ack": "threshold"}, {"loss_detection": "fack"}),
    Pair("reno", "newreno", {"full_ack": "threshold"}),
    # The CUBIC of 2006.
    Pair("cubic", "cubic", {"variant": "rfc9438", "hystart": "off", "decrease": 0.8}, bounds=LESS),
    # Two averages in a row; and a loss leaves half at least.
    Pair("westwood", "westwood-plus", {"memory": 0.766}, bounds=(None, None)),
    Pair("highspeed", "highspeed", {"whole_steps": True}),
    # Linux counts the time from the end of recovery.
    Pair("htcp", "htcp", bounds=LESS),
    # That of Linux 2.6.22 leaves beta x window, not window - beta x window: an eighth after a random loss.
    Pair("illinois", "illinois", bounds=LESS),
    # 1 / min(window, 50) of a segment for each acknowledgement.
    Pair("scalable", "scalable", {"increase": 0.02, "legacy_window": 50.0}, bounds=LESS),
    Pair("yeah", "yeah", bounds=LESS),
    Pair("hybla", "hybla"),
    Pair(
        "bic", "bic",
        {"max_increment": 16.0, "min_increment": 0.2, "decrease": 819 / 1024, "divisor": 4.0},
        bounds=LESS,
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Physics:
    """What one run amounts to."""

    goodput: float
    queue: float
    windows: list[float]


def peer(pair: Pair, lost: list[int]) -> Physics:
    """Run ns-2."""
    trace = FOLDER / f"{pair.peer.replace('/', '-')}.trace"
    drops = " ".join(map(str, lost))
    command = [
        "ns",
        str(SCRIPT),
        pair.peer,
        f"{RATE}Mb",
        f"{DELAY}ms",
        str(BUFFER),
        str(SECONDS),
        drops,
        str(trace),
    ]
    values = {}
    for line in timed(command).output.splitlines():
        name, _, value = line.partition(" ")
        if name in ("goodput", "queue_waiting", "utilisation"):
            values[name] = float(value)
    windows = [float(line.split()[1]) for line in trace.read_text().splitlines()]
    return Physics(values["goodput"] / 1e6, values["queue_waiting"] + values["utilisation"], windows)


def scenario(pair: Pair, lost: list[int]) -> dict[str, Any]:
    """Return ours."""
    controller = {"kind": pair.own, **pair.settings}
    transport = {
        "kind": "tcp", "profile": "ns2", "handshake": False, "sack": True, "max_window": 100_000,
        "rtt_tick": "0s", "rto_granularity": "1ms", "cut_from": "window", "controller": controller,
        **pair.transport,
    }  # fmt: skip
    queue = {"kind": "droptail", "limit": f"{BUFFER}pkt"}
    bottleneck = {"rate": f"{RATE}Mbit/s", "delay": f"{DELAY}ms", "queue": queue, "drop_list": lost}
    bottleneck["reverse"] = {"drop_list": []}
    return {
        "duration": f"{SECONDS}s", "transport": transport, "record": {"period": f"{STEP}s"},
        "topology": {
            "kind": "dumbbell", "pairs": 1, "bottleneck": bottleneck,
            "access": {"rate": "1Gbit/s", "delay": "500us"},
        },
        "flows": [{"from": "senders", "to": "receivers"}],
    }  # fmt: skip


def own(pair: Pair, lost: list[int]) -> Physics:
    """Run dumbbell."""
    results = db.Scenario.from_dict(scenario(pair, lost)).run()
    ((times, sizes),) = results.series("cwnd").values()
    windows = [0.0] * round(times[0] / STEP) + [size / 1460 for size in sizes.tolist()]
    goodput = 8 * results.flows.row(0)["delivered"] / SECONDS / 1e6
    return Physics(goodput, results.links.row(0)["queue_mean"], windows)


def distance(theirs: list[float], ours: list[float]) -> float:
    """Return how far the windows are from one another."""
    far = statistics.fmean(abs(a - b) for a, b in zip(theirs, ours, strict=False))
    return far / statistics.fmean(theirs)


def compare(pair: Pair, setting: str) -> list[tuple[str, float, float]]:
    """Run both: quantities of ns-2 and of dumbbell, means over the lists of the setting."""
    runs = [(peer(pair, lost), own(pair, lost)) for lost in SETTINGS[setting]]

    def mean(quantity: Callable[[Physics], float]) -> tuple[float, float]:
        theirs, ours = ([quantity(run[side]) for run in runs] for side in range(2))
        return statistics.fmean(theirs), statistics.fmean(ours)

    found = [
        (GOODPUT, *mean(lambda run: run.goodput)),
        (QUEUE, *mean(lambda run: run.queue)),
        (WINDOW, *mean(lambda run: statistics.fmean(run.windows))),
    ]
    if len(runs) == 1:
        ((theirs, ours),) = runs
        found.append((DISTANCE, 0.0, distance(theirs.windows, ours.windows)))
    return found


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="controllers of ns-2 (default: all)")
    parser.add_argument("--json", type=Path, help="write the numbers into this file too")
    arguments = parser.parse_args()
    if message := missing("ns", "ns2"):
        print(message, file=sys.stderr)
        return 2
    FOLDER.mkdir(parents=True, exist_ok=True)
    columns = f"{'quantity':22} {'ns-2.35':>9} {'dumbbell':>9} difference bound"
    print(f"{'ns-2.35':17} {'dumbbell':14} {'losses':6} {columns}")
    broken, found = False, []
    for pair in PAIRS:
        if arguments.names and pair.peer not in arguments.names:
            continue
        for setting, goal in zip(SETTINGS, pair.bounds, strict=True):
            for quantity, theirs, ours in compare(pair, setting):
                difference = ours if quantity == DISTANCE else ours / theirs - 1
                bound = goal if quantity == GOODPUT else None
                beyond = bound is not None and abs(difference) > bound
                broken |= beyond
                found.append([pair.peer, pair.own, setting, quantity, theirs, ours])
                of = f"{pair.peer:17} {pair.own:14} {setting:6} {quantity:22}"
                limit = "" if bound is None else f"{bound:5.0%}"
                verdict = "  BROKEN" if beyond else ""
                print(f"{of} {theirs:9.5g} {ours:9.5g} {difference:+10.2%} {limit}{verdict}", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(found))
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
