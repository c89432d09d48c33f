"""Congestion controllers.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from typing import Any, Literal

from dumbbell.builders._given import given


def tahoe() -> dict[str, Any]:
    """TCP Tahoe: one segment and slow start after every loss.

    Reference: Jacobson, Congestion avoidance and control, SIGCOMM 1988.

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given({"kind": "tahoe"})


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
        Segments that the window grows by per round-trip time in congestion avoidance.
        Default: ``1.0`` (RFC 5681 section 3.1).
    decrease
        Window after a loss, as a share of the outstanding data.
        Default: ``0.5`` (RFC 5681 equation 4).
    ecn_decrease
        Window after an ECN echo, as a share of the outstanding data.
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


def cubic(
    *,
    variant: Literal["rfc9438", "linux"] | None = None,
    hystart: Literal["off", "linux", "linux-6.6", "rfc9406"] | None = None,
    scale: float | None = None,
    decrease: float | None = None,
    ecn_decrease: float | None = None,
    fast_convergence: bool | None = None,
    reno_friendly: bool | None = None,
) -> dict[str, Any]:
    """TCP CUBIC: window growth independent of the round-trip time.

    Reference: RFC 9438.

    Parameters
    ----------
    variant
        Whose: that of RFC 9438, or that of Linux, which counts whole segments and grows by 5 % a round trip
        before a loss.
        Default: ``"linux"`` (Linux net/ipv4/tcp_cubic.c).
    hystart
        What ends slow start before a loss: `"off"`, `"linux"` (since 6.14), `"linux-6.6"` (before) or
        `"rfc9406"`.
        Default: ``"linux"`` (Linux 6.14 net/ipv4/tcp_cubic.c: hystart and hystart_detect are on).
    scale
        How fast the window grows, in segments per second cubed: `C`.
        Default: ``0.4`` (RFC 9438 section 5.1).
    decrease
        Window after a loss, as a share of the outstanding data: beta.
        Default: ``0.7`` (RFC 9438 section 4.6).
    ecn_decrease
        Window after an ECN echo, as a share of the outstanding data; absent: as after a loss.
        Default: RFC 9438 section 4.6 (RFC 8511 section 3.1, ABE: 0.85, not in slow start).
    fast_convergence
        Gives up part of the last maximum when it was not reached again, to make room for new flows.
        Default: ``true`` (RFC 9438 section 4.7).
    reno_friendly
        Grows at least as fast as Reno.
        Default: ``true`` (RFC 9438 section 4.3).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "cubic",
            "variant": variant,
            "hystart": hystart,
            "scale": scale,
            "decrease": decrease,
            "ecn_decrease": ecn_decrease,
            "fast_convergence": fast_convergence,
            "reno_friendly": reno_friendly,
        }
    )


def xcp(
    *,
    decrease: float | None = None,
) -> dict[str, Any]:
    """XCP: the window follows the feedback of routers.

    Reference: Katabi, Handley & Rohrs, SIGCOMM 2002, in the form of ns-2.35 (xcp-end-sys.cc).

    Parameters
    ----------
    decrease
        Window after a loss, as a share of the outstanding data.
        Default: ``0.5`` (Katabi et al., SIGCOMM 2002, section 3.2: like TCP (RFC 5681 equation 4)).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "xcp",
            "decrease": decrease,
        }
    )


def dctcp(
    *,
    gain: float | None = None,
    initial_alpha: float | None = None,
) -> dict[str, Any]:
    """DCTCP: the window shrinks by half the share of bytes that arrive marked.

    Reference: RFC 8257.

    Parameters
    ----------
    gain
        Weight of the latest window in the estimate: g.
        Default: ``0.0625`` (RFC 8257 section 4.2: 1/16).
    initial_alpha
        The estimate at the start: alpha.
        Default: ``1.0`` (RFC 8257 section 4.2: 1 (ns-2.35: 0)).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "dctcp",
            "gain": gain,
            "initial_alpha": initial_alpha,
        }
    )


def vegas(
    *,
    alpha: float | None = None,
    beta: float | None = None,
    gamma: float | None = None,
    law: Literal["ns2", "x-sim"] | None = None,
    exit_decrease: float | None = None,
    decrease: float | None = None,
    decrease_again: float | None = None,
) -> dict[str, Any]:
    """TCP Vegas: keeps a few segments in queues, by the delay.

    Reference: Brakmo & Peterson, IEEE JSAC 13(8), 1995.

    Parameters
    ----------
    alpha
        Segments that should wait at least.
        Default: ``1.0`` (ns-2.35 tcl/lib/ns-default.tcl: v_alpha_ 1).
    beta
        Segments that should wait at most.
        Default: ``3.0`` (ns-2.35 tcl/lib/ns-default.tcl: v_beta_ 3).
    gamma
        Segments that wait when slow start ends.
        Default: ``1.0`` (ns-2.35 tcl/lib/ns-default.tcl: v_gamma_ 1).
    law
        How the estimate is made.
        Default: ``"ns2"`` (choice: what most published comparisons ran).
    exit_decrease
        Share of the window that is left when slow start ends.
        Default: ``0.875`` (ns-2.35 tcp/tcp-vegas.cc: an eighth less).
    decrease
        Share that is left after the loss of a segment.
        Default: ``0.75`` (Brakmo & Peterson, IEEE JSAC 13(8), 1995; ns-2.35 tcp/tcp-vegas.cc).
    decrease_again
        Share that is left if the segment had been sent twice.
        Default: ``0.5`` (ns-2.35 tcp/tcp-vegas.cc).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "vegas",
            "alpha": alpha,
            "beta": beta,
            "gamma": gamma,
            "law": law,
            "exit_decrease": exit_decrease,
            "decrease": decrease,
            "decrease_again": decrease_again,
        }
    )
