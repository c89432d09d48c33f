"""The shrunk network as a recorded link: when a source that always sends gets its packets through."""

from __future__ import annotations

import numpy as np

from dumbbell import Scenario
from dumbbell.attack.errors import AttackError

FILE = "link.trace"
"""The name of the file."""

_PACKET = 1500
"""Bytes of a packet, and of what one line lets pass."""

_BEYOND = "right->receiver0"
"""The link after the bottleneck, where packets come out."""

_PLACE = "topology.bottleneck"
"""Where a scenario describes the link."""

_OVERLOAD = 1.2
"""How much faster than the link the source is: the link is never idle."""


def record_link(scenario: Scenario, rate: float) -> str:
    """Return the opportunities of the bottleneck in the format of Mahimahi: a time in milliseconds a line.

    Jitter is in the times. Random loss is not, since a recorded link passes what it can: it stays in the
    scenario.

    Parameters
    ----------
    scenario
        The network.
    rate
        Of the bottleneck, in Mbit/s.

    Raises
    ------
    AttackError
        If nothing comes out of the link.
    """
    source = {"kind": "cbr", "rate": f"{_OVERLOAD * rate:.6g}Mbit/s", "packet_size": _PACKET}
    flow = {"name": "probe", "from": "sender0", "to": "receiver0", "transport": source, "sampled": False}
    probe = (
        scenario.with_("flows", [flow])
        .with_(f"{_PLACE}.loss", 0.0)
        .with_("record.arrivals", [_BEYOND])
        .with_("record.flows", False)
    )
    times = probe.run().arrivals["time"]
    if len(times) < 2:
        raise AttackError("the link lets nothing pass: it cannot be recorded")
    lines = np.floor((times - times[0]) * 1e3).astype(np.int64)
    # A list starts again at its last time, which is above zero.
    return "\n".join(map(str, [*lines[:-1], max(int(lines[-1]), 1)])) + "\n"


def recorded_settings(file: str) -> tuple[str, ...]:
    """Return what changes in the scenario when the link is a recorded one."""
    trace = f"{{ file = '{file}', opportunity = '{_PACKET}B', overhead = '0B' }}"
    return f"{_PLACE}.trace={trace}", f"{_PLACE}.impairments=[]"
