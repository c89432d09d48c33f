"""Congestion controllers.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from typing import Any, Literal

from dumbbell.builders._given import given


def newreno(
    *,
    increase: float | None = None,
    decrease: float | None = None,
    ecn_decrease: float | None = None,
    full_ack: Literal["flight", "threshold"] | None = None,
    hystart: Literal["off", "linux", "linux-6.6", "rfc9406"] | None = None,
) -> dict[str, Any]:
    """TCP NewReno: fast recovery of any number of losses per window.

    Reference: RFC 6582, RFC 5681.

    Parameters
    ----------
    increase
        Segments that the window grows by per round-trip time in congestion avoidance. Unit: segments.
        Default: ``1.0`` (RFC 5681 section 3.1).
    decrease
        Window after a loss, as a share of the outstanding data. Dimensionless.
        Default: ``0.5`` (RFC 5681 equation 4).
    ecn_decrease
        Window after an ECN echo, as a share of the outstanding data. Dimensionless.
        Default: ``0.5`` (RFC 3168 section 6.1.2 (RFC 8511 section 3.1, ABE: 0.8, not in slow start)).
    full_ack
        Window when recovery ends: `threshold`, or `flight`: one segment more than the outstanding data, at
        most the threshold.
        Default: ``"flight"`` (RFC 6582 section 3.2 step 3 option 1: no burst (ns-2.35 takes `threshold`)).
    hystart
        What ends slow start before a loss: `"off"`, `"rfc9406"`, or what CUBIC has in Linux, `"linux"` (since
        6.14) or `"linux-6.6"` (before).
        Default: ``"off"`` (RFC 5681 section 3.1: a loss ends slow start (RFC 9406 suits any controller)).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "newreno",
            "increase": increase,
            "decrease": decrease,
            "ecn_decrease": ecn_decrease,
            "full_ack": full_ack,
            "hystart": hystart,
        }
    )


def prague(
    *,
    gain: float | None = None,
    initial_alpha: float | None = None,
    least_rtt: str | None = None,
    transition: int | None = None,
    decrease: float | None = None,
) -> dict[str, Any]:
    """Prague: DCTCP for the Internet, with ECT(1) for queues of L4S.

    Reference: draft-briscoe-iccrg-prague-congestion-control-04, 2024; RFC 9331.

    Parameters
    ----------
    gain
        Weight of the latest round trip in the estimate: g. Dimensionless.
        Default: ``0.0625`` (draft-briscoe-iccrg-prague-congestion-control-04 section 2.4.2: 1/16).
    initial_alpha
        The estimate before the first mark: alpha. Dimensionless.
        Default: ``1.0`` (TCP Prague for Linux, net/ipv4/tcp_prague.c: PRAGUE_MAX_ALPHA until a mark is seen).
    least_rtt
        Round-trip times below this count as this, in growth and in answers to marks. Zero: as they are.
        Default: ``"25ms"`` (draft-briscoe-iccrg-prague-congestion-control-04 section 2.4.4).
    transition
        Round trips for which they count as they are first. Unit: round trips.
        Default: ``500`` (draft-briscoe-iccrg-prague-congestion-control-04 section 2.4.4: short flows shall
        not suffer).
    decrease
        What is left of the window after a loss. Dimensionless.
        Default: ``0.5`` (RFC 9331 section 4.3, RFC 5681 equation 4: like Reno).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "prague",
            "gain": gain,
            "initial_alpha": initial_alpha,
            "least_rtt": least_rtt,
            "transition": transition,
            "decrease": decrease,
        }
    )


def reno(
    *,
    variant: Literal["rfc", "bsd"] | None = None,
) -> dict[str, Any]:
    """TCP Reno: fast recovery of one loss per window.

    Reference: RFC 2581.

    Parameters
    ----------
    variant
        `rfc`: RFC 5681. `bsd`: each acknowledgement opens the window, also the one that ends recovery: by a
        segment up to and at the threshold, above it by a segment over the window in segments. The threshold
        is a whole number of segments, and each timeout in a row sets it anew.
        Default: ``"rfc"`` (RFC 5681 sections 3.1 and 3.2).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "reno",
            "variant": variant,
        }
    )
