"""Policies of hosts: what the flows that end at a host share.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from typing import Any

def fair_window(*, bdp: str | None = None) -> dict[str, Any]:
    """Fair windows: connections to a host share its bandwidth-delay product evenly.

    Reference: Hwang, Yoo & Choi, IA-TCP, ICC 2012, without its delay of acknowledgements.

    Parameters
    ----------
    bdp
        The bandwidth-delay product.
        Default: absent: the slowest link into the host times the mean base round-trip time of its senders.

    Returns
    -------
    dict
        What to write in a scenario.
    """

def ia_tcp(*, bdp: str | None = None, segment: str | None = None) -> dict[str, Any]:
    """IA-TCP: acknowledgements that let out what the aggregator's link carries.

    Reference: Hwang, Yoo & Choi, IA-TCP, ICC 2012.

    Parameters
    ----------
    bdp
        The bandwidth-delay product.
        Default: absent: the slowest link into the host times the mean base round-trip time of its senders.
    segment
        Segment size of the senders.
        Default: absent: what the MTU leaves behind headers of 40 bytes (RFC 9293 section 3.7.1).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def ictcp(
    *,
    segment: str | None = None,
    least: int | None = None,
    share: float | None = None,
    memory: float | None = None,
    used: float | None = None,
    unused: float | None = None,
    scarce: float | None = None,
) -> dict[str, Any]:
    """ICTCP: receive windows that grow into what the link has left.

    Reference: Wu, Feng, Guo & Zhang, ICTCP, CoNEXT 2010.

    Parameters
    ----------
    segment
        Segment size of the senders.
        Default: ``"1460B"`` (choice: Ethernet's MTU less headers).
    least
        Smallest window, in segments. Unit: segments.
        Default: ``2`` (Wu et al., CoNEXT 2010: with 1 there is no timeout either, and less goodput).
    share
        Part of the link's rate that windows may fill: alpha. Dimensionless.
        Default: ``0.9`` (Wu et al., CoNEXT 2010: alpha).
    memory
        Weight of the past in the measured throughput: beta. Dimensionless.
        Default: ``0.75`` (choice: Wu et al. name beta and give no value).
    used
        The window grows if the throughput falls short of what it allows by this share at most: gamma 1.
        Dimensionless.
        Default: ``0.1`` (Wu et al., CoNEXT 2010: gamma 1).
    unused
        It shrinks if the throughput falls short by more than this share for three round-trip times: gamma 2.
        Dimensionless.
        Default: ``0.5`` (Wu et al., CoNEXT 2010: gamma 2).
    scarce
        With less of the rate left than this share, windows above the mean shrink. Dimensionless.
        Default: ``0.2`` (Wu et al., CoNEXT 2010, on fairness).

    Returns
    -------
    dict
        What to write in a scenario.
    """
