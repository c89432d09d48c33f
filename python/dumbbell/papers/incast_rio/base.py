"""What the further studies share: the classes of RIO, and ways to mark."""

from __future__ import annotations

SEEDS = 10

YELLOW = ("100pkt", "200pkt", 0.02)
GREEN = ("50pkt", "100pkt", 0.2)
"""Thresholds and largest probability of a class."""

UNMARKED = ("workloads[0].class=1",)
"""All packets are green."""


BASIC = ("transport.controller=tahoe", "transport.timestamps=false")
"""Basic TCP."""


def port(kind: str, *classes: tuple[str, str, float], more: str = "", limit: str = "300pkt") -> str:
    """Return the setting of a port that has classes."""
    text = ", ".join(
        f"{{ min_threshold = '{low}', max_threshold = '{high}', max_probability = {most} }}"
        for low, high, most in classes
    )
    return f"topology.port={{ kind = '{kind}', limit = '{limit}', classes = [{text}]{more} }}"


def marker(kind: str, **parameters: object) -> tuple[str, ...]:
    """Return the setting of a marker at each server."""
    text = "".join(f", {key} = {value!r}" for key, value in parameters.items())
    return (f"topology.link.marker={{ kind = '{kind}'{text} }}",)


FAIR = "{rate/servers}kbit/s"
"""The client's rate over the servers."""
BURST = "2256B"
"""Four packets."""
TOKENS = marker("token-bucket", rate=FAIR, burst=BURST)
