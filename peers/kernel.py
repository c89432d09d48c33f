"""The queues of the Linux kernel beside ours, on the same arrivals.

``python -m peers.kernel`` boots Linux in user mode (``make kernel``) in virtual time: a busy machine changes
nothing. Datagrams arrive at its queues all at once and by one list. Our queues then get the arrivals as the
kernel had them. Each queue of the kernel is there several times, for both sides draw and one run of a queue
says little; what differs from one boot to the next is in no interval. It exits with 1 if the results differ
by more than the bounds for sure, and with 2 if the kernel was not built.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import dumbbell as db
from bench.measure import BUILD, ROOT
from dumbbell.live import virtual
from peers.kernel_guest import BURST, LATE, SIZE

FOLDER = BUILD / "kernel"
VERSION = "6.1"
"""Of the kernel."""
WALL = 7200.0
"""Seconds of wall time after which a kernel is stopped."""

RATE = 1e6
"""Of the link, bit/s."""
LOAD = 1.3
FIRST = 0.4
"""Share of packets in the first flow."""
COPIES = 5
"""Of each queue of the kernel; ours has another seed beside each."""

LOSS = "loss"
WAIT = "mean wait, s"
SHARE = "share of the first flow"
BOUNDS = {LOSS: 0.01, WAIT: 0.1, SHARE: 0.02}
"""Largest difference: of the wait relative, of the others absolute."""


@dataclass(frozen=True)
class Queue:
    """A queue on both."""

    name: str
    peer: str
    """As tc has it."""
    own: dict[str, Any]
    judged: bool = True
    """False where Linux has another law: the difference is shown and not judged."""


CODEL_PEER = "target 40ms interval 500ms noecn"
CODEL = {"target": "40ms", "interval": "500ms", "ecn": False}
QUEUES = (
    Queue("DropTail", "pfifo limit 50", {"kind": "droptail", "limit": "50pkt"}),
    # Linux reckons 1 / sqrt(count) by one step of Newton's method for each drop.
    Queue("CoDel", f"codel {CODEL_PEER} limit 1000", {"kind": "codel", **CODEL}, judged=False),
    Queue("FQ-CoDel", f"fq_codel {CODEL_PEER} limit 10240", {"kind": "fq-codel", **CODEL}, judged=False),
    # A timer of 30 ms fires after 40 ms where the kernel has 100 ticks a second.
    Queue(
        "PIE",
        "pie target 60ms tupdate 30ms limit 1000",
        {"kind": "pie", "target": "60ms", "interval": "40ms", "ecn": False},
    ),
    Queue("SFQ", "sfq limit 127 quantum 1514", {"kind": "sfq", "quantum": "1514B"}),
    # The kernel counts the packet that the bucket filter has looked at. The weight comes out as 1/16.
    Queue(
        "CHOKe",
        "choke limit 200 min 20 max 60 avpkt 1000 burst 30 bandwidth 1mbit probability 0.1",
        {
            "kind": "choke", "limit": "200pkt", "min_threshold": "19pkt", "max_threshold": "59pkt",
            "mean_packet": "1000B", "weight": 0.0625, "max_probability": 0.1, "ecn": False,
        },
    ),
    Queue("SFB", "sfb", {"kind": "sfb", "ecn": False}),
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One quantity of one queue, of each copy."""

    queue: str
    quantity: str
    peer: list[float]
    own: list[float]
    judged: bool = True

    @property
    def differences(self) -> list[float]:
        """Of each copy to the mean of the kernel's: of the wait relative, of the others absolute."""
        unit = statistics.fmean(self.peer) if self.quantity == WAIT else 1.0
        return [(own - peer) / unit for own, peer in zip(self.own, self.peer, strict=True)]

    @property
    def difference(self) -> db.stats.Estimate:
        """The mean difference, with the interval that the copies give it."""
        return db.stats.mean(self.differences)

    @property
    def verdict(self) -> str:
        """``BROKEN`` where the whole interval is beyond the bound, ``unsure`` where a part is."""
        bound = BOUNDS[self.quantity]
        low, high = self.difference.interval or (math.nan, math.nan)
        if self.judged and not all(map(math.isfinite, self.differences)):
            return "BROKEN"
        if not self.judged or -bound <= low <= high <= bound:
            return ""
        return "unsure" if low <= bound and high >= -bound else "BROKEN"

    def __str__(self) -> str:
        """Return a line of the table."""
        form = "{:+.2%} [{:+.2%}, {:+.2%}]" if self.quantity == WAIT else "{:+.4f} [{:+.4f}, {:+.4f}]"
        mean = self.difference
        difference = form.format(mean.value, *(mean.interval or (math.nan, math.nan)))
        peer, own = statistics.fmean(self.peer), statistics.fmean(self.own)
        bound = f"{BOUNDS[self.quantity]:g}" if self.judged else ""
        numbers = f"{peer:9.4f} {own:9.4f} {difference:>26} {bound:>6}"
        return f"{self.queue:9} {self.quantity:24} {numbers}  {self.verdict}".rstrip()


def missing() -> str | None:
    """Say what to do where the kernel was not built; None if it was."""
    try:
        virtual.find(VERSION)
    except db.DumbbellError as error:
        return str(error)
    return None


def arrivals(seconds: float) -> list[tuple[float, int]]:
    """Return the list: Poisson arrivals of two flows."""
    rng, at, listed = random.Random(1), 0.0, []
    while (at := at + rng.expovariate(LOAD * RATE / 8 / SIZE)) < seconds:
        listed.append((at, int(rng.random() >= FIRST)))
    return listed


def of_kernel(seconds: float) -> list[dict[str, Any]]:
    """Run all queues of the kernel at once."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    found = FOLDER / "found.json"
    found.unlink(missing_ok=True)
    queues = [queue.peer for queue in QUEUES for _ in range(COPIES)]
    work = {"arrivals": arrivals(seconds), "queues": queues}
    (FOLDER / "work.json").write_text(json.dumps(work))
    start = FOLDER / "start.sh"
    start.write_text(
        "#!/bin/sh\nexport PATH=/usr/sbin:/usr/bin:/sbin:/bin\n"
        "mount -t proc proc /proc\nmount -t sysfs sys /sys\n"
        f"{sys.executable} {ROOT / 'peers' / 'kernel_guest.py'} {FOLDER} > {FOLDER / 'log'} 2>&1\nhalt -f\n"
    )
    start.chmod(0o755)
    kernel = [
        str(virtual.find(VERSION).path),
        f"mem={virtual.MEMORY >> 20}M",
        "rootfstype=hostfs",
        "rootflags=/",
        "rw",
    ]
    time = ["time-travel=inf-cpu", f"time-travel-start={virtual.BEGIN}000000000"]
    quiet = [f"init={start}", "con=null", "con0=null,fd:1", "ssl=null", "quiet"]
    subprocess.run([*kernel, *time, *quiet], check=False, capture_output=True, timeout=WALL)
    if not found.exists():
        message = f"Linux in user mode left no results; {FOLDER / 'log'} says why"
        raise RuntimeError(message)
    ran: list[dict[str, Any]] = json.loads(found.read_text())
    return ran


def of_ours(queue: Queue, sent: list[tuple[float, int]], seed: int) -> dict[str, float]:
    """Run ours on the arrivals that the kernel had."""
    lists = [FOLDER / f"{queue.name}-{flow}.csv" for flow in range(2)]
    for flow, path in enumerate(lists):
        path.write_text("".join(f"{at:.9f},{SIZE}\n" for at, of in sent if of == flow))
    shaped = {"kind": "token-bucket-filter", "rate": "1Mbit/s", "burst": f"{BURST}B", "queue": queue.own}
    link = {"rate": "1Gbit/s", "delay": "1us", "queue": shaped, "reverse": {"queue": "droptail"}}
    scenario = {
        "duration": f"{sent[-1][0] + LATE}s", "seed": seed, "transport": "replay",
        "record": {"samples": False, "queues": "none"}, "topology": {"kind": "chain", "link": link},
        "flows": [{"from": "senders", "to": "receivers", "packets": str(path)} for path in lists],
    }  # fmt: skip
    results = db.Scenario.from_dict(scenario).run()
    row = results.links.row(0)
    first, second = (results.flows.row(flow)["delivered"] for flow in range(2))
    return {LOSS: row["loss"], WAIT: row["sojourn_mean"], SHARE: first / (first + second)}


def compare(seconds: float) -> Iterator[Row]:
    """Run all queues on both."""
    ran_all = of_kernel(seconds)
    for place, queue in enumerate(QUEUES):
        copies = ran_all[place * COPIES :][:COPIES]
        peer = [of_run(ran["sent"], dict(map(tuple, ran["left"]))) for ran in copies]
        own = [of_ours(queue, ran["sent"], seed) for seed, ran in enumerate(copies, 1)]
        for quantity in BOUNDS:
            theirs, ours = ([run[quantity] for run in runs] for runs in (peer, own))
            yield Row(queue.name, quantity, theirs, ours, queue.judged)


def of_run(sent: list[tuple[float, int]], left: dict[int, float]) -> dict[str, float]:
    """Reckon the quantities from what a queue of the kernel was sent, and when each packet left it."""
    waits = [at - sent[number][0] for number, at in left.items()]
    first = sum(sent[number][1] == 0 for number in left)
    return {LOSS: 1 - len(left) / len(sent), WAIT: statistics.fmean(waits), SHARE: first / len(left)}


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=240.0, help="length of the list (default 240)")
    seconds = parser.parse_args().seconds
    if message := missing():
        print(message, file=sys.stderr)
        return 2
    columns = f"{'kernel':>9} {'dumbbell':>9} {'difference, 95 %':>26} {'bound':>6}"
    print(f"{'queue':9} {'quantity':24} {columns}")
    broken = False
    try:
        for row in compare(seconds):
            print(row, flush=True)
            broken |= row.verdict == "BROKEN"
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 2
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
