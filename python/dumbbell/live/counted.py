"""One run of connections of the kernel, as numbers: those of both ways of the link, and of flows.

``python -m dumbbell.live.counted ORDER OUT`` makes the run, such as in a kernel in virtual time. ORDER is
what :meth:`Order.write` gives, and OUT takes :class:`Counted` as JSON, or ``error``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dumbbell._scenario import Scenario
from dumbbell.errors import DumbbellError
from dumbbell.live.kernel import Connection, Flow, run_kernel
from dumbbell.live.lines import goodput, growth, life

_PERIOD = 0.02
"""Seconds between two looks at a connection, for a few of them: goodput counts from the look before the
warm-up ends, so that in 15 s it is off by 0.15 % at most."""

_LOOKS = 400
"""At all connections in a second, at most: each takes system calls."""


@dataclass(frozen=True)
class Order:
    """What a run is made of."""

    scenario: str
    """In TOML. Its own flows do not run."""
    link: str
    """The link to emulate."""
    flows: tuple[Flow, ...]
    """The connections; each names its controller as the kernel calls it."""
    ecn: bool
    """Whether the kernel negotiates ECN."""

    def write(self) -> str:
        """Return JSON that tells this run from all others."""
        return json.dumps(asdict(self) | {"flows": [flow._asdict() for flow in self.flows]}, sort_keys=True)

    @classmethod
    def read(cls, text: str) -> Order:
        """Return what :meth:`write` wrote."""
        given = json.loads(text)
        return cls(**given | {"flows": tuple(Flow(**flow) for flow in given["flows"])})


@dataclass(frozen=True)
class Counted:
    """What a run came to, after the warm-up. Names are those of the columns of a simulation's tables."""

    links: tuple[Mapping[str, Any], Mapping[str, Any]]
    """The link, and that of its way back."""
    flows: tuple[Mapping[str, Any], ...]
    """In the order of the connections: ``goodput`` (bit/s), ``delivered`` (bytes), ``completion_time`` (s),
    ``retransmissions``, ``timeouts``; ``None`` where there is none."""
    reasons: tuple[str, ...]
    """Why the emulation is not valid; empty if it is."""


def count(order: Order) -> Counted:
    """Make a run on real packets, here and now.

    Raises
    ------
    DumbbellError
        If the machine does not allow it, or the kernel refuses a controller.
    """
    scenario = Scenario.from_toml(order.scenario)
    period = max(_PERIOD, len(order.flows) / _LOOKS)
    controller = next((flow.controller for flow in order.flows if flow.controller), "cubic")
    run = run_kernel(scenario, order.flows, controller, at=order.link, period=period, ecn=order.ecn)
    about = scenario.explain()
    span = about["warmup"], about["duration"]
    links = run.emulation.results.links
    pairs = zip(order.flows, run.connections, strict=True)
    flows = (_row(seen, flow.size, span) for flow, seen in pairs)
    return Counted((links.row(0), links.row(1)), tuple(flows), tuple(run.emulation.fidelity["reasons"]))


def _row(seen: Connection, size: float | None, span: tuple[float, float]) -> dict[str, Any]:
    time = None if size is None or seen.completed is None else seen.completed - seen.start
    begin, end = life(seen.start, time, span)
    return {
        "goodput": goodput(seen.delivered, begin, end),
        "delivered": growth(seen.delivered, begin, max(begin, end)),
        "completion_time": time,
        "retransmissions": seen.retransmissions,
        "timeouts": seen.timeouts,
    }


def main() -> None:
    """Make the run that a file orders."""
    told: dict[str, Any]
    try:
        told = asdict(count(Order.read(Path(sys.argv[1]).read_text(encoding="utf-8"))))
    except DumbbellError as error:
        told = {"error": str(error)}
    Path(sys.argv[2]).write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main()
