"""Markers: what sets the traffic class of packets.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from typing import Any

def head_tail(
    *,
    block: str,
    packets: int | None = None,
    segment: str | None = None,
    in_class: int | None = None,
    out_class: int | None = None,
) -> dict[str, Any]:
    """Head and tail: the first and last packets of each block of TCP are in profile.

    Reference: Zhang, Ren & Lin, INFOCOM 2011: timeouts at the head and at the tail of a block.

    Parameters
    ----------
    block
        Bytes of a block: the `size` of transfers.
        Required.
    packets
        Packets in profile at the beginning of a block, and as many at its end. Unit: packets.
        Default: ``1`` (choice: the fewest).
    segment
        Bytes of data in a full packet.
        Default: ``"1460B"`` (RFC 9293 section 3.7.1: an MTU of 1500 bytes without headers).
    in_class
        Class of packets in profile.
        Default: ``0`` (choice: the class that `strict-priority` serves first and `rio` protects best).
    out_class
        Class of packets out of profile.
        Default: ``1`` (choice: the next).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def srtcm(
    *,
    rate: str,
    burst: str | None = None,
    excess_burst: str | None = None,
    colour_aware: bool | None = None,
    green: int | None = None,
    yellow: int | None = None,
    red: int | None = None,
) -> dict[str, Any]:
    """Single rate three colour marker.

    Reference: RFC 2697.

    Parameters
    ----------
    rate
        Committed information rate: bytes that are green in the long run, headers included, in bits a second.
        Required.
    burst
        Committed burst size: bytes that are green at once.
        Default: ``"10kB"`` (choice: six full packets).
    excess_burst
        Excess burst size: bytes that are yellow at once.
        Default: ``"10kB"`` (choice: as many).
    colour_aware
        A packet gets no better a colour than that of the class it arrives with.
        Default: ``false`` (choice: hosts do not colour packets).
    green
        Class of packets that are green: within the profile.
        Default: ``0`` (choice: the class that `rio` protects best).
    yellow
        Class of packets that are yellow: above it.
        Default: ``1`` (choice: the next).
    red
        Class of packets that are red: far above it.
        Default: ``2`` (choice: the next).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def static(*, share: float, in_class: int | None = None, out_class: int | None = None) -> dict[str, Any]:
    """Static: a share of all packets is in profile, at random.

    Reference: choice: a profile that asks for no meter.

    Parameters
    ----------
    share
        Share of packets in profile.
        Required.
    in_class
        Class of packets in profile.
        Default: ``0`` (choice: the class that `strict-priority` serves first and `rio` protects best).
    out_class
        Class of packets out of profile.
        Default: ``1`` (choice: the next).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def token_bucket(
    *, rate: str, burst: str | None = None, in_class: int | None = None, out_class: int | None = None
) -> dict[str, Any]:
    """Token bucket: tells packets in profile from packets out of profile.

    Reference: Clark & Fang, IEEE/ACM ToN 6(4), 1998; RFC 2697 without the excess bucket.

    Parameters
    ----------
    rate
        Bytes in profile in the long run, headers included, in bits a second.
        Required.
    burst
        Bytes in profile at once.
        Default: ``"10kB"`` (choice: six full packets).
    in_class
        Class of packets in profile.
        Default: ``0`` (choice: the class that `strict-priority` serves first and `rio` protects best).
    out_class
        Class of packets out of profile.
        Default: ``1`` (choice: the next).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def trtcm(
    *,
    rate: str,
    peak_rate: str,
    burst: str | None = None,
    peak_burst: str | None = None,
    colour_aware: bool | None = None,
    green: int | None = None,
    yellow: int | None = None,
    red: int | None = None,
) -> dict[str, Any]:
    """Two rate three colour marker.

    Reference: RFC 2698.

    Parameters
    ----------
    rate
        Committed information rate: bytes that are green in the long run, headers included, in bits a second.
        Required.
    peak_rate
        Peak information rate: bytes that are green or yellow in the long run, in bits a second.
        Required.
    burst
        Committed burst size: bytes that are green at once.
        Default: ``"10kB"`` (choice: six full packets).
    peak_burst
        Peak burst size: bytes that are green or yellow at once.
        Default: ``"10kB"`` (choice: as many).
    colour_aware
        A packet gets no better a colour than that of the class it arrives with.
        Default: ``false`` (choice: hosts do not colour packets).
    green
        Class of packets that are green: within the profile.
        Default: ``0`` (choice: the class that `rio` protects best).
    yellow
        Class of packets that are yellow: above it.
        Default: ``1`` (choice: the next).
    red
        Class of packets that are red: far above it.
        Default: ``2`` (choice: the next).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def tsw2cm(
    *, rate: str, window: str | None = None, in_class: int | None = None, out_class: int | None = None
) -> dict[str, Any]:
    """Time sliding window two colour marker: the excess over a rate, at random.

    Reference: Clark & Fang, IEEE/ACM ToN 6(4), 1998; RFC 2859 section 2 for the estimate.

    Parameters
    ----------
    rate
        Committed rate: bytes in profile in the long run, headers included, in bits a second.
        Required.
    window
        Time over which the rate of arrivals is estimated.
        Default: ``"1s"`` (ns-2.35, dsPolicy.h: WinLen).
    in_class
        Class of packets in profile.
        Default: ``0`` (choice: the class that `strict-priority` serves first and `rio` protects best).
    out_class
        Class of packets out of profile.
        Default: ``1`` (choice: the next).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def tsw3cm(
    *,
    rate: str,
    peak_rate: str,
    window: str | None = None,
    green: int | None = None,
    yellow: int | None = None,
    red: int | None = None,
) -> dict[str, Any]:
    """Time sliding window three colour marker: the excess over two rates, at random.

    Reference: RFC 2859.

    Parameters
    ----------
    rate
        Committed target rate: bytes that are green in the long run, headers included, in bits a second.
        Required.
    peak_rate
        Peak target rate: bytes that are green or yellow in the long run, in bits a second.
        Required.
    window
        Time over which the rate of arrivals is estimated.
        Default: ``"1s"`` (ns-2.35, dsPolicy.h: WinLen).
    green
        Class of packets that are green: within the profile.
        Default: ``0`` (choice: the class that `rio` protects best).
    yellow
        Class of packets that are yellow: above it.
        Default: ``1`` (choice: the next).
    red
        Class of packets that are red: far above it.
        Default: ``2`` (choice: the next).

    Returns
    -------
    dict
        What to write in a scenario.
    """
