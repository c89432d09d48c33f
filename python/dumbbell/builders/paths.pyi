"""Choices among equally short paths.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from typing import Any, Literal

def change(*, at: str) -> dict[str, Any]:
    """A route change: from some time on packets take the second path.

    Reference: Bennett et al., Packet reordering is not pathological, IEEE/ACM ToN 1999.

    Parameters
    ----------
    at
        When the route changes.
        Required.

    Returns
    -------
    dict
        What to write in a scenario.
    """

def ecmp() -> dict[str, Any]:
    """Equal-cost multipath: a hash of the flow chooses at each node.

    Reference: RFC 2992: the hash-threshold algorithm.

    Returns
    -------
    dict
        What to write in a scenario.
    """

def single() -> dict[str, Any]:
    """One path for each pair: of equally short next hops, each node takes the link listed first.

    Reference: choice: every packet of a pair sees the same links.

    Returns
    -------
    dict
        What to write in a scenario.
    """

def spray(*, order: Literal["round-robin", "random"] | None = None) -> dict[str, Any]:
    """Packet spraying: each packet takes a path of its own.

    Reference: Dixit et al., INFOCOM 2013.

    Parameters
    ----------
    order
        `round-robin` takes one path after the other, from a drawn one on; `random` draws each time.
        Default: ``"round-robin"`` (Handley et al., SIGCOMM 2017: taking turns keeps the load of paths even).

    Returns
    -------
    dict
        What to write in a scenario.
    """
