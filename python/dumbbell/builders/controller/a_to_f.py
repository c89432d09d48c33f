"""Congestion controllers.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from typing import Any, Literal

from dumbbell.builders._given import given


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
        Factor of pacing rate and window in startup: both double in a round trip. Dimensionless.
        Default: ``2.885`` (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.3.2.1: 2/ln(2)).
    window_gain
        Window, in bandwidth-delay products, after startup. Dimensionless.
        Default: ``2.0`` (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.2.3.2: cwnd_gain).
    rate_rounds
        Length of the filter for the largest delivery rate, in round trips. Unit: round trips.
        Default: ``10`` (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.1.1.3: BtlBwFilterLen).
    rtt_window
        Length of the filter for the smallest round-trip time. When it has found no smaller one for so long,
        the window closes.
        Default: ``"10s"`` (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.1.2: RTpropFilterLen).
    closed_for
        How long the window stays closed, and a round trip at least.
        Default: ``"200ms"`` (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.3.5: ProbeRTTDuration).
    least_window
        Smallest window but for losses, in segments. Unit: segments.
        Default: ``4`` (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.2.3.2: BBRMinPipeCwnd).
    margin
        Part by which the pacing rate stays below what is measured, so that a queue does not grow.
        Dimensionless.
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


def bbr3(
    *,
    startup_pacing_gain: float | None = None,
    drain_pacing_gain: float | None = None,
    down_pacing_gain: float | None = None,
    up_pacing_gain: float | None = None,
    cwnd_gain: float | None = None,
    up_cwnd_gain: float | None = None,
    probe_rtt_cwnd_gain: float | None = None,
    pacing_margin: float | None = None,
    full_pipe_growth: float | None = None,
    loss_threshold: float | None = None,
    startup_loss_ranges: int | None = None,
    beta: float | None = None,
    headroom: float | None = None,
    min_window: int | None = None,
    min_rtt_filter: str | None = None,
    probe_rtt_interval: str | None = None,
    probe_rtt_duration: str | None = None,
    probe_wait: str | None = None,
    probe_wait_random: str | None = None,
    probe_rounds: int | None = None,
    offload_quanta: int | None = None,
) -> dict[str, Any]:
    """BBR version 3: a model of the path, probed with a bound on losses.

    Reference: draft-ietf-ccwg-bbr-06, with the appendix of test cases of August 2026 (commit 4ce5e87).

    Parameters
    ----------
    startup_pacing_gain
        Pacing gain of Startup. Dimensionless.
        Default: ``2.77`` (draft-ietf-ccwg-bbr-06 section 2.5).
    drain_pacing_gain
        Pacing gain of Drain. Dimensionless.
        Default: ``0.5`` (draft-ietf-ccwg-bbr-06 section 2.5).
    down_pacing_gain
        Pacing gain of ProbeBW_DOWN. Dimensionless.
        Default: ``0.9`` (draft-ietf-ccwg-bbr-06 section 5.3.3.1).
    up_pacing_gain
        Pacing gain of ProbeBW_UP. Dimensionless.
        Default: ``1.25`` (draft-ietf-ccwg-bbr-06 section 5.3.3.5).
    cwnd_gain
        What may be in flight, in bandwidth-delay products. Dimensionless.
        Default: ``2.0`` (draft-ietf-ccwg-bbr-06 section 2.6).
    up_cwnd_gain
        The same in ProbeBW_UP. Dimensionless.
        Default: ``2.25`` (draft-ietf-ccwg-bbr-06 section 5.3.3.5).
    probe_rtt_cwnd_gain
        The same in ProbeRTT. Dimensionless.
        Default: ``0.5`` (draft-ietf-ccwg-bbr-06 section 2.16.2).
    pacing_margin
        By how much it paces below the rate of the model. Dimensionless.
        Default: ``0.01`` (draft-ietf-ccwg-bbr-06 section 2.5).
    full_pipe_growth
        The pipe is full when the rate grows by less than this part for three rounds. Dimensionless.
        Default: ``0.25`` (draft-ietf-ccwg-bbr-06 section 5.3.1.2).
    loss_threshold
        The part of what is in flight that may be lost in a round. Dimensionless.
        Default: ``0.02`` (draft-ietf-ccwg-bbr-06 section 2.8).
    startup_loss_ranges
        Ranges that must be lost in a round for losses to end Startup. Unit: ranges.
        Default: ``6`` (draft-ietf-ccwg-bbr-06 section 5.3.1.3).
    beta
        What a loss leaves at least. Dimensionless.
        Default: ``0.7`` (draft-ietf-ccwg-bbr-06 section 2.8).
    headroom
        The part of the long-term bound that is left free while it does not probe. Dimensionless.
        Default: ``0.15`` (draft-ietf-ccwg-bbr-06 section 2.8).
    min_window
        The smallest window in segments. Unit: segments.
        Default: ``4`` (draft-ietf-ccwg-bbr-06 section 2.8).
    min_rtt_filter
        How long the shortest round-trip time is believed.
        Default: ``"10s"`` (draft-ietf-ccwg-bbr-06 section 2.16.1).
    probe_rtt_interval
        Without a shorter round-trip time for so long, it looks for one.
        Default: ``"5s"`` (draft-ietf-ccwg-bbr-06 section 2.16.2).
    probe_rtt_duration
        For how long it does.
        Default: ``"200ms"`` (draft-ietf-ccwg-bbr-06 section 2.16.2).
    probe_wait
        The time between two probes for bandwidth.
        Default: ``"2s"`` (draft-ietf-ccwg-bbr-06 section 5.3.3.8.3).
    probe_wait_random
        The longest random time added to it.
        Default: ``"1s"`` (draft-ietf-ccwg-bbr-06 section 5.3.3.8.3).
    probe_rounds
        The most rounds between two probes, so that Reno has its share. Unit: round trips.
        Default: ``63`` (draft-ietf-ccwg-bbr-06 section 5.3.3.8.3).
    offload_quanta
        Quanta in flight that a host with segmentation offload needs to be busy. Unit: quanta.
        Default: ``3`` (draft-ietf-ccwg-bbr-06 section 5.5.8.1).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "bbr3",
            "startup_pacing_gain": startup_pacing_gain,
            "drain_pacing_gain": drain_pacing_gain,
            "down_pacing_gain": down_pacing_gain,
            "up_pacing_gain": up_pacing_gain,
            "cwnd_gain": cwnd_gain,
            "up_cwnd_gain": up_cwnd_gain,
            "probe_rtt_cwnd_gain": probe_rtt_cwnd_gain,
            "pacing_margin": pacing_margin,
            "full_pipe_growth": full_pipe_growth,
            "loss_threshold": loss_threshold,
            "startup_loss_ranges": startup_loss_ranges,
            "beta": beta,
            "headroom": headroom,
            "min_window": min_window,
            "min_rtt_filter": min_rtt_filter,
            "probe_rtt_interval": probe_rtt_interval,
            "probe_rtt_duration": probe_rtt_duration,
            "probe_wait": probe_wait,
            "probe_wait_random": probe_wait_random,
            "probe_rounds": probe_rounds,
            "offload_quanta": offload_quanta,
        }
    )


def bic(
    *,
    variant: Literal["paper", "linux"] | None = None,
    low_window: float | None = None,
    max_increment: float | None = None,
    min_increment: float | None = None,
    decrease: float | None = None,
    divisor: float | None = None,
    fast_convergence: bool | None = None,
) -> dict[str, Any]:
    """BIC-TCP: a binary search for the window at which losses begin.

    Reference: Xu, Harfoush & Rhee, Binary increase congestion control, INFOCOM 2004.

    Parameters
    ----------
    variant
        Whose. That of Linux counts whole segments, adds 5 % a round trip at least until the first loss, the
        least within a segment times `divisor` of the window of the loss, then a third of the way since, and
        weighs by the segments of an acknowledgement.
        Default: ``"paper"`` (Xu, Harfoush & Rhee, INFOCOM 2004 (Linux net/ipv4/tcp_bic.c)).
    low_window
        Below this window, in segments, it is standard TCP. Unit: segments.
        Default: ``14.0`` (Xu, Harfoush & Rhee, INFOCOM 2004, section III: low_window).
    max_increment
        Segments that a round trip adds at most: S_max. Unit: segments.
        Default: ``32.0`` (Xu, Harfoush & Rhee 2004, section III: S_max (Linux net/ipv4/tcp_bic.c: 16)).
    min_increment
        Segments that a round trip adds at least: S_min. Unit: segments.
        Default: ``0.01`` (Xu, Harfoush & Rhee 2004, section III: S_min (Linux: 0.2)).
    decrease
        What is left of the window after a loss. Dimensionless.
        Default: ``0.875`` (Xu, Harfoush & Rhee 2004, section III: 1 - beta, beta = 0.125 (Linux: 819 /
        1024)).
    divisor
        A round trip adds the way that is left over this number. Dimensionless.
        Default: ``2.0`` (Xu, Harfoush & Rhee 2004, section III: the midpoint (Linux: 4)).
    fast_convergence
        A loss below the window of the one before sets the upper end of the search halfway to the window that
        is left, to make room for new flows.
        Default: ``true`` (Xu, Harfoush & Rhee 2004, section III).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "bic",
            "variant": variant,
            "low_window": low_window,
            "max_increment": max_increment,
            "min_increment": min_increment,
            "decrease": decrease,
            "divisor": divisor,
            "fast_convergence": fast_convergence,
        }
    )


def copa(
    *,
    delta: float | None = None,
    competes: bool | None = None,
    rtt_window: str | None = None,
) -> dict[str, Any]:
    """Copa: a rate of 1 / (delta x queueing delay), and loss-based where others are.

    Reference: Arun & Balakrishnan, Copa: practical delay-based congestion control for the Internet, NSDI
    2018.

    Parameters
    ----------
    delta
        Weight of the delay: alone, up to 2.5 / delta segments wait. Unit: 1/segment.
        Default: ``0.5`` (Arun & Balakrishnan, NSDI 2018, section 2.1).
    competes
        Follows losses where others fill the queue. If false, the delay alone rules.
        Default: ``true`` (Arun & Balakrishnan, NSDI 2018, section 2.2).
    rtt_window
        Length of the filter for the smallest round-trip time.
        Default: ``"10s"`` (Arun & Balakrishnan, NSDI 2018, section 2.1).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "copa",
            "delta": delta,
            "competes": competes,
            "rtt_window": rtt_window,
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
        How fast the window grows, in segments per second cubed: `C`. Unit: segments/s^3.
        Default: ``0.4`` (RFC 9438 section 5.1).
    decrease
        Window after a loss, as a share of the outstanding data: beta. Dimensionless.
        Default: ``0.7`` (RFC 9438 section 4.6).
    ecn_decrease
        Window after an ECN echo, as a share of the outstanding data; absent: as after a loss. Dimensionless.
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


def dcqcn(
    *,
    notification_interval: str | None = None,
    gain: float | None = None,
    alpha_interval: str | None = None,
    timer: str | None = None,
    byte_counter: str | None = None,
    fast_steps: int | None = None,
    additive_rate: str | None = None,
    hyper_rate: str | None = None,
    line_rate: str | None = None,
    min_rate: str | None = None,
    loss_decrease: float | None = None,
) -> dict[str, Any]:
    """DCQCN: a rate for RDMA, cut by marks, that climbs back by time and by bytes.

    Reference: Zhu et al., SIGCOMM 2015.

    Parameters
    ----------
    notification_interval
        Shortest time from one notification to the next of a flow.
        Default: ``"50us"`` (Zhu et al., SIGCOMM 2015: at most one CNP in 50 us).
    gain
        Weight of the latest notification, and of the latest interval without one: g. Dimensionless.
        Default: ``0.00390625`` (Zhu et al., SIGCOMM 2015: 1/256 (published HPCC simulator: 1/16, its sample:
        1/256)).
    alpha_interval
        Time without a notification after which alpha shrinks: K.
        Default: ``"55us"`` (Zhu et al., SIGCOMM 2015: longer than the notification interval).
    timer
        Steps of the timer: T.
        Default: ``"55us"`` (Zhu et al., SIGCOMM 2015 (published HPCC simulator: 1500 us, its sample: 900
        us)).
    byte_counter
        Steps of the byte counter: B. Bytes count when they are acknowledged.
        Default: ``"10MB"`` (Zhu et al., SIGCOMM 2015).
    fast_steps
        Steps of fast recovery, in which the target stands: F. Unit: steps.
        Default: ``5`` (Zhu et al., SIGCOMM 2015).
    additive_rate
        What a step adds to the target after fast recovery of one of the two: R_AI.
        Default: ``"40Mbit/s"`` (Zhu et al., SIGCOMM 2015 (published HPCC simulator: 5 Mbit/s, its sample:
        50)).
    hyper_rate
        What a step adds to the target after fast recovery of both: R_HAI.
        Default: ``"400Mbit/s"`` (choice: ten times `additive_rate`, as in the published HPCC simulator; the
        paper gives no number).
    line_rate
        The rate at the start, and the largest.
        Default: ``"40Gbit/s"`` (Zhu et al., SIGCOMM 2015: the links of the testbed).
    min_rate
        The smallest rate.
        Default: ``"10Mbit/s"`` (choice: the paper gives none (published HPCC simulator: 100 Mbit/s)).
    loss_decrease
        Share of the rate that a loss leaves. Dimensionless.
        Default: ``0.5`` (choice: the paper assumes a fabric without losses (priority flow control); 1 does
        nothing).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "dcqcn",
            "notification_interval": notification_interval,
            "gain": gain,
            "alpha_interval": alpha_interval,
            "timer": timer,
            "byte_counter": byte_counter,
            "fast_steps": fast_steps,
            "additive_rate": additive_rate,
            "hyper_rate": hyper_rate,
            "line_rate": line_rate,
            "min_rate": min_rate,
            "loss_decrease": loss_decrease,
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
        Weight of the latest window in the estimate: g. Dimensionless.
        Default: ``0.0625`` (RFC 8257 section 4.2: 1/16).
    initial_alpha
        The estimate at the start: alpha. Dimensionless.
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
