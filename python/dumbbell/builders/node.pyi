"""Node agents: what a router does beside queueing that takes all its ports.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from typing import Any, Literal

def circuit_breaker(
    *,
    interval: str | None = None,
    loss: float | None = None,
    intervals: int | None = None,
    packets: int | None = None,
) -> dict[str, Any]:
    """Circuit breaker: a port whose loss stays excessive passes nothing any more.

    Reference: RFC 8084.

    Parameters
    ----------
    interval
        Length of a measurement.
        Default: ``"1s"`` (choice: many round trips (RFC 8084 section 4, requirements 4 and 8)).
    loss
        Share of the packets of an interval above which congestion is excessive.
        Default: ``0.1`` (RFC 8084 section 3.1, item 5: more than 10 % loss).
    intervals
        Intervals one after the other with more than that, which open the breaker. Unit: intervals.
        Default: ``3`` (RFC 8084 section 3.1, item 5: three successive measurements).
    packets
        Packets that an interval has at least. One with fewer tells nothing, and ends the row. Unit: packets.
        Default: ``20`` (choice: two lost packets of 20 are a tenth (RFC 8084 section 4, requirement 6)).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def rbcc(
    *,
    threshold: int | None = None,
    alpha: float | None = None,
    quench: bool | None = None,
    quench_scope: Literal["all", "own"] | None = None,
    quench_causes: Literal["data", "setup"] | None = None,
    decisions: Literal["misses", "packets"] | None = None,
    counted: Literal["waiting", "found", "all"] | None = None,
    accuracy: float | None = None,
    teardown: Literal["miss", "update", "leave"] | None = None,
    revupdates: bool | None = None,
    quench_size: int | None = None,
    idle: str | None = None,
    idle_packets: int | None = None,
    sweep: str | None = None,
) -> dict[str, Any]:
    """RBCC: allocates the bandwidth of each interface to its flows.

    Reference: W. Toomey, A Rate-Based Congestion Control for Connectionless Packet-Switched Networks, UNSW,
    1998.

    Parameters
    ----------
    threshold
        Packets on an interface above which its bandwidth is scaled: T. Unit: packets.
        Default: ``5`` (Toomey 1998, chapter 11.3: thresh=5; chapter 11.9 recommends 4).
    alpha
        The factor by which it is scaled, above 0 and at most 1. Dimensionless.
        Default: ``0.75`` (Toomey 1998, chapter 11.3: alpha=0.75; chapter 11.9 recommends 0.4).
    quench
        True if the router quenches sources at once when their rates fall.
        Default: ``false`` (Toomey 1998, chapter 11.4: quench=no; chapter 11.9 recommends yes).
    quench_scope
        Whom: `all` flows that are lowered, or the packet's `own` alone.
        Default: ``"all"`` (choice: a newcomer lowers the others, and the text can be read either way).
    quench_causes
        Which packets quench: `data`, or `setup` packets as well.
        Default: ``"data"`` (Toomey 1998, chapter 11.3: if a data packet causes a rate to be lowered).
    decisions
        Which packets let the router look at its queue: `misses`, or all `packets`.
        Default: ``"misses"`` (Toomey 1998, chapter 11.2: hits skip update decisions; no row has more updates
        than misses).
    counted
        Which packets count: those `waiting`, or those that a packet `found`, the one in transmission counted,
        or `all`, itself counted too.
        Default: ``"waiting"`` (Toomey 1998, chapter 11.5: packets queued for transmission).
    accuracy
        The share by which a field of a packet may differ from the last one for a hit. Dimensionless.
        Default: ``0.001`` (RBCC report, 1996, section 12: rates are accurate to a part in a thousand).
    teardown
        What a teardown does: a `miss` is counted and the table is computed again; an `update` computes it
        without a miss; `leave` removes the flow, and the next miss shares its rate out.
        Default: ``"leave"`` (choice: with it the updates and misses of Toomey 1998, chapter 11, come out
        within 1.5).
    revupdates
        True if what acknowledgements return changes the table too. Routes must be the same both ways.
        Default: ``false`` (Toomey 1998, chapter 11.3: revupdates=no).
    quench_size
        Bytes of a quench. Unit: bytes.
        Default: ``40`` (choice: as an acknowledgement).
    idle
        The shortest silence after which a flow is forgotten.
        Default: ``"10s"`` (choice: the rule is not published; ten times the interval of set-up packets).
    idle_packets
        Intervals between packets of 1500 bytes after which a flow is forgotten, if that is longer. Unit:
        intervals.
        Default: ``10`` (choice: a slow flow is silent for seconds between two packets).
    sweep
        How often the router looks for flows to forget.
        Default: ``"1s"`` (choice: a tenth of `idle`).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def source_quench(*, threshold: int | None = None, min_interval: str | None = None) -> dict[str, Any]:
    """Source quench: slows the sources of packets that find a long queue.

    Reference: RFC 792, RFC 1016; deprecated by RFC 6633.

    Parameters
    ----------
    threshold
        Packets waiting on the link out from which on sources are quenched. Unit: packets.
        Default: ``20`` (choice: a part of usual limits; RFC 1016 section 1 has quenches sent before the limit
        is reached).
    min_interval
        Least time between two quenches to one source.
        Default: ``"100ms"`` (RFC 1812 section 4.3.2.8 asks for a limit; choice: a usual round-trip time).

    Returns
    -------
    dict
        What to write in a scenario.
    """
