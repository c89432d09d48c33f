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


def bbr(
    *,
    startup_gain: float | None = None,
    window_gain: float | None = None,
    rate_rounds: int | None = None,
    rtt_window: str | None = None,
    closed_for: str | None = None,
    least_window: int | None = None,
    margin: float | None = None,
    aggregation: bool | None = None,
    policer: bool | None = None,
) -> dict[str, Any]:
    """BBR, version 1: paces at the largest delivery rate of the path.

    Reference: Cardwell et al., ACM Queue 14(5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00; Linux
    tcp_bbr.c.

    Parameters
    ----------
    startup_gain
        Factor of pacing rate and window in startup: both double in a round trip.
        Default: ``2.885`` (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.3.2.1: 2/ln(2)).
    window_gain
        Window, in bandwidth-delay products, after startup.
        Default: ``2.0`` (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.2.3.2: cwnd_gain).
    rate_rounds
        Length of the filter for the largest delivery rate, in round trips.
        Default: ``10`` (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.1.1.3: BtlBwFilterLen).
    rtt_window
        Length of the filter for the smallest round-trip time. When it has found no smaller one for so long,
        the window closes.
        Default: ``"10s"`` (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.1.2: RTpropFilterLen).
    closed_for
        How long the window stays closed, and a round trip at least.
        Default: ``"200ms"`` (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.3.5: ProbeRTTDuration).
    least_window
        Smallest window but for losses, in segments.
        Default: ``4`` (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.2.3.2: BBRMinPipeCwnd).
    margin
        Part by which the pacing rate stays below what is measured, so that a queue does not grow.
        Default: ``0.01`` (Linux net/ipv4/tcp_bbr.c: bbr_pacing_margin_percent 1).
    aggregation
        Adds to the window what acknowledgements brought beyond the delivery rate, in the last 5 to 10 round
        trips.
        Default: ``true`` (Linux net/ipv4/tcp_bbr.c: bbr_extra_acked_gain 1).
    policer
        Looks for a policer when more than a fifth is lost, and then sends at the rate that it lets through
        for 48 round trips.
        Default: ``true`` (Linux net/ipv4/tcp_bbr.c: bbr_lt_loss_thresh 50/256, bbr_lt_bw_max_rtts 48).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "bbr",
            "startup_gain": startup_gain,
            "window_gain": window_gain,
            "rate_rounds": rate_rounds,
            "rtt_window": rtt_window,
            "closed_for": closed_for,
            "least_window": least_window,
            "margin": margin,
            "aggregation": aggregation,
            "policer": policer,
        }
    )
