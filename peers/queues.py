"""The queues of ns-2.35 beside ours, on the same arrivals.

Datagrams arrive by a list, so that what a queue does changes nothing of what arrives. What is left to differ
is the laws and their random numbers.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from bench.measure import BUILD, ROOT, simulate, timed
from peers.row import Row

SCRIPT = ROOT / "peers" / "ns2" / "queue.tcl"

RATE = 10e6
"""Of the link, bit/s."""
SIZE = 1000
"""Of every packet, bytes."""
DURATION = 200.0
"""Seconds."""
PROTECTED = 0.4
"""Share of packets in class 0."""
SWINGING = (1.4, 0.6)
"""Offered load of one second, and of the next: the averages rise and fall, and the link idles."""
STEADY = (1.3, 1.3)
"""The link never idles."""

QUEUE = "mean queue, packets"
LOSS = "loss"
LOSSES = ("loss, class 0", "loss, class 1")
BOUNDS = {QUEUE: 0.02, LOSS: 0.005, LOSSES[0]: 0.0005, LOSSES[1]: 0.005}
"""Largest difference: of the mean queue relative, of losses absolute."""

IN = '{ min_threshold = "40pkt", max_threshold = "70pkt", max_probability = 0.02 }'
THRESHOLDS = 'min_threshold = "10pkt", max_threshold = "30pkt", max_probability = 0.2'
OUT = f"{{ {THRESHOLDS} }}"
VARIANT = "first_passes = true, least_waiting = 2"
COMMON = f'mean_packet = "{SIZE}B", limit = "200pkt"'
RED = f'kind = "red", {THRESHOLDS}, {VARIANT}, {COMMON}'
"""As queue/red.cc has it."""
DSRED = f'classes = [{IN}, {OUT}], weight = 0.002, spacing = "pseudocode", limit_first = true, {COMMON}'
"""As diffserv/dsredq.cc has it."""


@dataclass(frozen=True)
class Queue:
    """A queue on both."""

    name: str
    peer: tuple[str, ...]
    """Arguments of the script for ns-2."""
    own: str
    """Parameters of ours."""
    loads: tuple[float, float] = SWINGING
    bounded: bool = True
    """False where ns-2 has another law: the difference is shown and not judged."""

    @property
    def of_one_class(self) -> bool:
        """True if it tells no classes apart."""
        return self.peer[0] in ("RED", "PI", "REM", "SFQ")


def of_controllers() -> list[Queue]:
    """Return the queues of ns-2 whose laws move at fixed times, and its fair queue."""
    # A hundred times the gains, so that 200 s show where the probability settles.
    gains = {"a_": 1.822e-3, "b_": 1.816e-3}
    pi = ("PI", *(f"{name}={value}" for name, value in gains.items()))
    own_pi = f'kind = "pi", limit = "200pkt", gain_present = {gains["a_"]}, gain_previous = {gains["b_"]}'
    # ns-2 never has more than one packet less than its limit in REM.
    own_rem = f'kind = "rem", mean_packet = "{SIZE}B", limit = "199pkt"'
    own_sfq = f'kind = "sfq", buckets = 16, limit = "40pkt", overflow = "share", quantum = "{SIZE}B"'
    kinds = (("PI", pi, own_pi), ("REM", ("REM",), own_rem), ("SFQ", ("SFQ",), own_sfq))
    return [
        Queue(f"{name}, {suffix}", peer, own, loads)
        for loads, suffix in ((STEADY, "busy"), (SWINGING, "idle"))
        for name, peer, own in kinds
    ]


def of_dsred() -> list[Queue]:
    """Return the queues of dsRED: judged where the link does not idle, since dsRED counts idle time twice."""
    forms = (
        ("RIO-C", "RIO-C", 'kind = "rio"'),
        ("RIO-DC", "RIO-D", 'kind = "rio", averages = "decoupled"'),
        ("WRED", "WRED", 'kind = "wred"'),
    )
    return [
        Queue(f"{name}, {suffix}", (mode,), f"{own}, {DSRED}", loads, bounded=loads == STEADY)
        for loads, suffix in ((STEADY, "busy"), (SWINGING, "idle"))
        for name, mode, own in forms
    ]


QUEUES = (
    Queue("RED", ("RED", "wait_=false"), f'{RED}, spacing = "pseudocode"'),
    Queue("RED, wait", ("RED", "wait_=true"), f'{RED}, spacing = "wait"'),
    Queue("RED, gentle", ("RED", "wait_=true", "gentle_=true"), f'{RED}, spacing = "wait", gentle = true'),
    Queue(
        "RED, adaptive",
        ("RED", "wait_=true", "gentle_=true", "adaptive_=1"),
        f'{RED}, spacing = "wait", gentle = true, adaptive = {{}}, weight = 0.002',
    ),
    *of_controllers(),
    *of_dsred(),
    # The average of rio.cc does not move when packets of class 1 arrive.
    Queue(
        "RIO, rio.cc",
        ("RIO", "wait_=true"),
        f'kind = "rio", classes = [{IN}, {OUT}], spacing = "wait", {VARIANT}, {COMMON}',
        bounded=False,
    ),
)


@dataclass(frozen=True)
class Arrivals:
    """The list of packets, for both."""

    peer: Path
    own: tuple[Path, Path]
    """One for each class."""


def arrivals(loads: tuple[float, float]) -> Arrivals:
    """Write the list: Poisson arrivals at a load that changes each second."""
    rng = random.Random(1)
    per_second = RATE / 8 / SIZE
    packets = []
    at = 0.0
    while (at := at + rng.expovariate(loads[int(at) % 2] * per_second)) < DURATION:
        packets.append((at, int(rng.random() >= PROTECTED)))
    folder = BUILD / "arrivals"
    folder.mkdir(parents=True, exist_ok=True)
    written = Arrivals(folder / "queues.txt", (folder / "queues-0.csv", folder / "queues-1.csv"))
    written.peer.write_text("".join(f"{at:.9f} {of}\n" for at, of in packets))
    for this, path in enumerate(written.own):
        path.write_text("".join(f"{at:.9f},{SIZE}\n" for at, of in packets if of == this))
    return written


def peer(queue: Queue, listed: Arrivals) -> dict[str, float]:
    """Run ns-2."""
    lines = timed(["ns", str(SCRIPT), str(listed.peer), *queue.peer]).output.splitlines()
    values = {name: float(value) for name, value in (line.split() for line in lines)}
    # ns-2 counts the packets that wait; with the one in transmission the two count the same.
    counted = values["queue_waiting"] + values["utilisation"]
    losses = (
        {LOSS: values["lost"]}
        if queue.of_one_class
        else {name: values[f"lost{i}"] for i, name in enumerate(LOSSES)}
    )
    return {QUEUE: counted, **losses}


def own(program: str, queue: Queue, listed: Arrivals) -> dict[str, float]:
    """Run dumbbell."""
    scenario = BUILD / "arrivals" / "queue.toml"
    flow = '[[flows]]\nfrom = "senders"\nto = "receivers"\nclass = {}\npackets = "{}"\n'
    text = f"""
        duration = "{DURATION}s"
        transport = "replay"
        record = {{ samples = false, queues = "none" }}
        [topology]
        kind = "chain"
        [topology.link]
        rate = "{RATE}bit/s"
        delay = "1ms"
        queue = {{ {queue.own} }}
        [topology.link.reverse]
        queue = "droptail"
        """
    flows = "".join(flow.format(of, path) for of, path in enumerate(listed.own))
    if queue.of_one_class:
        flows = flows.replace("class = 1", "class = 0")
    scenario.write_text(text + flows)
    values = simulate(program, scenario, []).results
    link = values["links"][0]
    if queue.of_one_class:
        return {QUEUE: link["queue_mean"], LOSS: link["loss"]}
    losses = (row["dropped"] / row["arrived"] for row in values["classes"][:2])
    return {QUEUE: link["queue_mean"], **dict(zip(LOSSES, losses, strict=True))}


def compare(program: str, queue: Queue) -> list[Row]:
    """Run a queue on both."""
    listed = arrivals(queue.loads)
    theirs, ours = peer(queue, listed), own(program, queue, listed)
    bounds = BOUNDS if queue.bounded else {}
    return [
        Row(queue.name, name, theirs[name], ours[name], bounds.get(name), relative=name == QUEUE)
        for name in theirs
    ]
