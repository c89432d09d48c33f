"""Cells that are drawn: which flows over which link, each by a seed and its own number."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import sha256
from typing import Any, NamedTuple

from dumbbell._scenario import Scenario
from dumbbell.errors import DumbbellError
from dumbbell.live.kernel import Flow

CONTROLLERS = {
    "cubic": "cubic", "reno": "newreno", "bbr": "bbr", "dctcp": "dctcp", "vegas": "vegas",
    "illinois": "illinois", "westwood": "westwood-plus", "htcp": "htcp", "yeah": "yeah", "bic": "bic",
    "hybla": "hybla", "scalable": "scalable", "highspeed": "highspeed",
}  # fmt: skip
"""The kernel's name of a controller, and ours."""

LINK = "node0->node1"
"""The link that all flows share."""

VERSION = 1
"""Of the law by which cells are drawn. With another law, a cell of the same number is another cell."""

_RATES = (1.0, 100.0)
_ROUND_TRIPS = (4.0, 200.0)
_BUFFERS = (0.2, 4.0)
_FEWEST = 4
_DROPTAIL = 0.6
_AQMS = ("codel", "fq-codel", "pie", "dualpi2")
_ALONE = 0.3
_MOST_FLOWS = 8
_STARTS = 1 / 3
_LONG = 0.4
_SMALLEST, _LARGEST = 10e3, 20e6
_LOSSLESS = 0.7
_LOSSES = (1e-4, 3e-2)
_DURATIONS = (5.0, 20.0)
_MOST_PACKETS = 60_000
_PACKET = 1500


class Draw(NamedTuple):
    """How one quantity of a cell is drawn, and why so."""

    quantity: str
    law: str
    reason: str


DISTRIBUTION = (
    Draw("controller", "each of those in the draw is as likely", "every controller has as many cells"),
    Draw("rate", "1 to 100 Mbit/s, log-uniform", "each decade as often; 100 Mbit/s bounds the packets"),
    Draw("round-trip time", "4 to 200 ms, log-uniform", "from a campus to another continent"),
    Draw(
        "queue",
        "DropTail in 60 % of the cells, else CoDel, FQ-CoDel, PIE or DualPI2",
        "DropTail is the most frequent and the hardest: it drops in bursts",
    ),
    Draw(
        "buffer of DropTail",
        "0.2 to 4 BDP, log-uniform, and 4 packets or more",
        "from far too small to bloated; below four packets nothing but timeouts is seen",
    ),
    Draw("flows", "one in 30 % of the cells, else 2 to 8", "one flow tells what differs, several who wins"),
    Draw(
        "starts",
        "the first at 0 s, the others anywhere in the first third, in ms",
        "slow starts meet flows in every state, and two thirds remain to share",
    ),
    Draw(
        "sizes",
        "none in 40 % of the flows, which send until the end; else 10 kB to what the link carries in "
        "1/(2n) of the run with n flows, at most 20 MB, log-uniform",
        "short flows complete, long ones have shares; flows with a size take half of the link at most",
    ),
    Draw(
        "random loss",
        "none in 70 % of the cells, else 0.01 to 3 %, log-uniform, of the data",
        "loss without congestion is rare; both sides lose the same packets by number",
    ),
    Draw(
        "duration",
        "5 to 20 s, log-uniform, and at most what carries 60,000 full packets",
        "longer than the 10 s of BBR's smallest round-trip time in half of the cells; bounded cost",
    ),
)


@dataclass(frozen=True)
class Cell:
    """Flows of one controller over one link."""

    seed: int
    """By which it was drawn."""
    number: int
    """Which of that seed, from 0."""
    controller: str
    """As the kernel calls it."""
    rate: float
    """In Mbit/s."""
    round_trip: float
    """In ms."""
    queue: str
    buffer: float | None
    """The limit of DropTail in bandwidth-delay products; ``None`` with another queue."""
    loss: float
    """The share of packets that the link loses on the way to the receivers."""
    duration: float
    """In s."""
    starts: tuple[float, ...]
    """Of the flows, in order (s)."""
    sizes: tuple[int | None, ...]
    """Bytes; ``None`` for a flow that sends until the end."""

    @property
    def name(self) -> str:
        """Such as ``0007-cubic-droptail-x3``."""
        return f"{self.number:04d}-{self.controller}-{self.queue}-x{len(self.starts)}"

    @property
    def ours(self) -> str:
        """Our name of the controller."""
        return CONTROLLERS[self.controller]

    @property
    def flows(self) -> list[Flow]:
        """What the kernel's connections are to send."""
        return [Flow(*each) for each in zip(self.starts, self.sizes, strict=True)]

    @property
    def about(self) -> str:
        """The link in words, such as ``12 Mbit/s, 40 ms, 0.5 BDP, loss 0.1 %``."""
        queue = f"{self.buffer:g} BDP" if self.buffer is not None else self.queue
        loss = f", loss {self.loss * 100:g} %" if self.loss else ""
        return f"{self.rate:g} Mbit/s, {self.round_trip:g} ms, {queue}{loss}"

    def scenario(self) -> Scenario:
        """Return the cell as a scenario. Its seed is its own: both sides draw losses by it."""
        queue: Any = self.queue
        if self.buffer is not None:
            queue = {"kind": self.queue, "limit": f"{self.buffer:g}bdp"}
        link = {
            "rate": f"{self.rate:g}Mbit/s", "delay": f"{self.round_trip / 2:g}ms", "queue": queue,
            "loss": self.loss,
        }  # fmt: skip
        flows = [
            {"from": "node0", "to": "node1", "start": f"{start:g}s"}
            | ({} if size is None else {"size": f"{size}B"})
            for start, size in zip(self.starts, self.sizes, strict=True)
        ]
        return Scenario.from_dict(
            {
                "name": self.name,
                "description": f"Cell {self.number} of `compare-real --draw`, seed {self.seed}.",
                "seed": int(_uniform(self.seed, self.number, "seed") * 2**31),
                "duration": f"{self.duration:g}s",
                "topology": {"kind": "chain", "link": link},
                "flows": flows,
                "transport": {"kind": "tcp", "profile": "linux", "controller": self.ours},
            }
        )


def cells(count: int, seed: int, controllers: Sequence[str], pattern: str = "*") -> list[Cell]:
    """Return the first cells of a seed whose names match a pattern of the shell.

    A cell is the same however many are drawn.

    Parameters
    ----------
    count
        How many are drawn, above 0.
    seed
        From 0 on.
    controllers
        Of :data:`CONTROLLERS`. A cell is the same as with more of them, if its controller is among these;
        else only its controller is another.
    pattern
        Chooses among those that were drawn.

    Raises
    ------
    DumbbellError
        If a controller is unknown, or there is none.
    """
    for name in controllers:
        if name not in CONTROLLERS:
            raise DumbbellError(f"--controllers: {name!r} is not drawn; use some of {', '.join(CONTROLLERS)}")
    if not controllers:
        raise DumbbellError("--controllers: there is none to draw; see `dumbbell doctor`")
    drawn = (_cell(seed, number, controllers) for number in range(count))
    return [cell for cell in drawn if fnmatchcase(cell.name, pattern)]


def _cell(seed: int, number: int, controllers: Sequence[str]) -> Cell:
    """Draw one cell. Each quantity has a number of its own, so a new quantity changes no other."""

    def uniform(what: str) -> float:
        return _uniform(seed, number, what)

    rate = _rounded(_log_uniform(uniform("rate"), *_RATES))
    round_trip = _rounded(_log_uniform(uniform("round-trip time"), *_ROUND_TRIPS))
    most = _MOST_PACKETS * _PACKET * 8e-6 / rate
    duration = _rounded(min(_log_uniform(uniform("duration"), *_DURATIONS), most))
    queue, buffer = _AQMS[int(uniform("AQM") * len(_AQMS))], None
    if uniform("queue") < _DROPTAIL:
        packets = rate * 1e3 * round_trip / (_PACKET * 8)
        product = _log_uniform(uniform("buffer"), *_BUFFERS)
        queue, buffer = "droptail", _rounded(max(product, _FEWEST / packets))
    several = 2 + int(uniform("number of flows") * (_MOST_FLOWS - 1))
    count = 1 if uniform("alone") < _ALONE else several
    starts = sorted(
        round(uniform(f"start {flow}") * duration * _STARTS, 3) if flow else 0.0 for flow in range(count)
    )
    loss = 0.0
    if uniform("lossless") >= _LOSSLESS:
        loss = _rounded(_log_uniform(uniform("loss"), *_LOSSES), 2)
    largest = min(rate * 1e6 / 8 * duration / (2 * count), _LARGEST)
    return Cell(
        seed, number, _chosen(controllers, uniform), rate, round_trip, queue, buffer, loss, duration,
        tuple(starts), tuple(_size(flow, largest, uniform) for flow in range(count)),
    )  # fmt: skip


def _size(flow: int, largest: float, uniform: Callable[[str], float]) -> int | None:
    if uniform(f"endless {flow}") < _LONG:
        return None
    return round(_rounded(_log_uniform(uniform(f"size {flow}"), _SMALLEST, largest)))


def _chosen(controllers: Sequence[str], uniform: Callable[[str], float]) -> str:
    """Choose the controller that draws the largest number: without another one, the choice is the same."""
    return max(controllers, key=lambda name: uniform(f"controller {name}"))


def _uniform(seed: int, number: int, what: str) -> float:
    """A number between 0 and 1, the same on every machine and with every version of every library."""
    digest = sha256(f"{VERSION} {seed} {number} {what}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def _log_uniform(u: float, low: float, high: float) -> float:
    return low * math.exp(u * math.log(high / low))


def _rounded(value: float, digits: int = 3) -> float:
    return float(f"{value:.{digits}g}")
