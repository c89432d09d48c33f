"""Congestion controllers.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from typing import Any, Literal

from dumbbell.builders._given import given


def highspeed(
    *,
    low_window: float | None = None,
    low_loss: float | None = None,
    high_window: float | None = None,
    high_loss: float | None = None,
    high_decrease: float | None = None,
    whole_steps: bool | None = None,
    counts_acks: bool | None = None,
) -> dict[str, Any]:
    """HighSpeed TCP: larger steps up and smaller cuts at large windows.

    Reference: RFC 3649.

    Parameters
    ----------
    low_window
        Up to this window, in segments, it is standard TCP. Unit: segments.
        Default: ``38.0`` (RFC 3649 section 5: Low_Window).
    low_loss
        Loss rate at which standard TCP has that window. Dimensionless.
        Default: ``0.001`` (RFC 3649 section 5: Low_P, 10^-3).
    high_window
        The upper end of the response function, in segments. Unit: segments.
        Default: ``83000.0`` (RFC 3649 section 5: High_Window).
    high_loss
        Loss rate at which the window is `high_window`. Dimensionless.
        Default: ``1e-07`` (RFC 3649 section 5: High_P, 10^-7).
    high_decrease
        The share that a loss takes from a window of `high_window`. Dimensionless.
        Default: ``0.1`` (RFC 3649 section 5: High_Decrease).
    whole_steps
        a(w) is the next whole number, and b(w) that of the next row of the table: the steps of appendix B. So
        a(w) is twice as much just above `low_window`.
        Default: ``false`` (RFC 3649 section 5: the formula (Linux net/ipv4/tcp_highspeed.c: the table)).
    counts_acks
        An acknowledgement counts as one segment, whatever it acknowledges.
        Default: ``false`` (RFC 3649 section 5: a(w) a round trip (Linux net/ipv4/tcp_highspeed.c:
        acknowledgements)).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "highspeed",
            "low_window": low_window,
            "low_loss": low_loss,
            "high_window": high_window,
            "high_loss": high_loss,
            "high_decrease": high_decrease,
            "whole_steps": whole_steps,
            "counts_acks": counts_acks,
        }
    )


def hpcc(
    *,
    utilisation: float | None = None,
    stages: int | None = None,
    additive: str | None = None,
    rtt: str | None = None,
    line_rate: str | None = None,
    min_rate: str | None = None,
    loss_decrease: float | None = None,
) -> dict[str, Any]:
    """HPCC: the window follows the use of links, which routers tell.

    Reference: Li et al., SIGCOMM 2019; telemetry in one number as in PINT, Ben Basat et al., SIGCOMM 2020.

    Parameters
    ----------
    utilisation
        The use of links to keep: eta. Dimensionless.
        Default: ``0.95`` (Li et al., SIGCOMM 2019 (published HPCC simulator: the same)).
    stages
        Round trips of additive increase, after which the window follows the use at once: maxStage. Unit:
        round trips.
        Default: ``5`` (Li et al., SIGCOMM 2019 (published HPCC simulator: 5, its sample: 0)).
    additive
        What a round trip adds to the window: W_AI.
        Default: ``"80B"`` (Li et al., SIGCOMM 2019 (published HPCC simulator: 50 Mbit/s for 13 us)).
    rtt
        The round-trip time of the empty network, the same for all flows: T; absent: the smallest that the
        flow has measured.
        Default: choice: the paper sets one for the network (13 us in its simulations).
    line_rate
        The rate at the start, and the largest.
        Default: ``"100Gbit/s"`` (Li et al., SIGCOMM 2019: the links of hosts in simulations).
    min_rate
        The smallest rate.
        Default: ``"10Mbit/s"`` (choice: the paper gives none (published HPCC simulator: 100 Mbit/s)).
    loss_decrease
        Share of the window that a loss leaves. Dimensionless.
        Default: ``0.5`` (choice: the paper assumes a fabric without losses (priority flow control); 1 does
        nothing).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "hpcc",
            "utilisation": utilisation,
            "stages": stages,
            "additive": additive,
            "rtt": rtt,
            "line_rate": line_rate,
            "min_rate": min_rate,
            "loss_decrease": loss_decrease,
        }
    )


def htcp(
    *,
    variant: Literal["draft", "linux"] | None = None,
    low_speed_time: str | None = None,
    adaptive_backoff: bool | None = None,
    least_decrease: float | None = None,
    most_decrease: float | None = None,
    throughput_change: float | None = None,
    rtt_scaling: bool | None = None,
    reference_rtt: str | None = None,
) -> dict[str, Any]:
    """H-TCP: grows faster with the time since the latest congestion.

    Reference: Leith, draft-leith-tcp-htcp-06, 2008; Shorten & Leith, PFLDnet 2004.

    Parameters
    ----------
    variant
        Whose. That of Linux counts the time from the end of the repair, f in whole numbers, and takes beta
        from round-trip times above 10 ms alone. Its longest round-trip time rises by 20 ms at a time and
        fades by a twentieth of the queue at each congestion. The ratio to `reference_rtt` is two at most.
        Default: ``"draft"`` (draft-leith-tcp-htcp-06 (Linux net/ipv4/tcp_htcp.c)).
    low_speed_time
        For so long after congestion it grows as standard TCP does.
        Default: ``"1s"`` (draft-leith-tcp-htcp-06: Delta_L).
    adaptive_backoff
        Takes beta from the round-trip times. If false, it is `least_decrease`, and a round trip adds f
        segments.
        Default: ``true`` (draft-leith-tcp-htcp-06 (FreeBSD cc_htcp: off)).
    least_decrease
        Beta at least, and where the throughput has changed. Dimensionless.
        Default: ``0.5`` (draft-leith-tcp-htcp-06).
    most_decrease
        Beta at most. Dimensionless.
        Default: ``0.8`` (draft-leith-tcp-htcp-06).
    throughput_change
        If the largest throughput before a congestion differs by more than this share from that before the
        congestion before, beta is `least_decrease`, so that flows make room for one another. Dimensionless.
        Default: ``0.2`` (Shorten & Leith, PFLDnet 2004; Linux net/ipv4/tcp_htcp.c: use_bandwidth_switch).
    rtt_scaling
        Multiplies f by the shortest round-trip time over `reference_rtt`, one at least, so that the growth in
        a second does not depend on the round-trip time.
        Default: ``true`` (Shorten & Leith, PFLDnet 2004; Linux net/ipv4/tcp_htcp.c: use_rtt_scaling (FreeBSD
        cc_htcp: off)).
    reference_rtt
        The round-trip time at which `rtt_scaling` changes nothing.
        Default: ``"100ms"`` (Linux net/ipv4/tcp_htcp.c; FreeBSD cc_htcp.c: HTCP_RTT_REF).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "htcp",
            "variant": variant,
            "low_speed_time": low_speed_time,
            "adaptive_backoff": adaptive_backoff,
            "least_decrease": least_decrease,
            "most_decrease": most_decrease,
            "throughput_change": throughput_change,
            "rtt_scaling": rtt_scaling,
            "reference_rtt": reference_rtt,
        }
    )


def hybla(
    *,
    reference_rtt: str | None = None,
    most_doublings: float | None = None,
    starts_with_rho: bool | None = None,
) -> dict[str, Any]:
    """TCP Hybla: satellite paths grow as fast as short ones.

    Reference: Caini & Firrincieli, TCP Hybla, IJSCN 22(5), 2004.

    Parameters
    ----------
    reference_rtt
        The round-trip time whose growth it has: RTT_0.
        Default: ``"25ms"`` (Caini & Firrincieli, International Journal of Satellite Communications and
        Networking 22(5), 2004: RTT_0).
    most_doublings
        Rho at most, in slow start, where it is an exponent. Dimensionless.
        Default: ``16.0`` (choice: Linux 6.1 net/ipv4/tcp_hybla.c; the paper has no limit).
    starts_with_rho
        The window begins with rho segments, rounded down, and not with the initial window of the transport.
        Default: ``false`` (Caini & Firrincieli 2004 (Linux net/ipv4/tcp_hybla.c: hybla_init)).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "hybla",
            "reference_rtt": reference_rtt,
            "most_doublings": most_doublings,
            "starts_with_rho": starts_with_rho,
        }
    )


def illinois(
    *,
    alpha_max: float | None = None,
    alpha_min: float | None = None,
    beta_min: float | None = None,
    beta_max: float | None = None,
    window_threshold: float | None = None,
    eta1: float | None = None,
    eta2: float | None = None,
    eta3: float | None = None,
    theta: int | None = None,
    single_delays: bool | None = None,
) -> dict[str, Any]:
    """TCP Illinois: losses give the direction, the queueing delay the step.

    Reference: Liu, Basar & Srikant, TCP-Illinois, Performance Evaluation 65(6-7), 2008.

    Parameters
    ----------
    alpha_max
        Segments a round trip adds without a queue. Unit: segments.
        Default: ``10.0`` (Liu, Basar & Srikant, Performance Evaluation 65, 2008).
    alpha_min
        Segments a round trip adds at the longest queue. Unit: segments.
        Default: ``0.3`` (Liu, Basar & Srikant 2008; Linux net/ipv4/tcp_illinois.c).
    beta_min
        The share that a loss takes at short queues. Dimensionless.
        Default: ``0.125`` (Liu, Basar & Srikant 2008).
    beta_max
        The share that a loss takes at long queues. Dimensionless.
        Default: ``0.5`` (Liu, Basar & Srikant 2008).
    window_threshold
        Below this window, in segments, it is standard TCP. Unit: segments.
        Default: ``15.0`` (Liu, Basar & Srikant 2008: W_thresh).
    eta1
        Up to this part of dm, alpha is `alpha_max`. Dimensionless.
        Default: ``0.01`` (Liu, Basar & Srikant 2008).
    eta2
        Up to this part of dm, beta is `beta_min`. Dimensionless.
        Default: ``0.1`` (Liu, Basar & Srikant 2008).
    eta3
        From this part of dm on, beta is `beta_max`. Dimensionless.
        Default: ``0.8`` (Liu, Basar & Srikant 2008).
    theta
        Round trips in a row with a delay of at most `eta1` after which alpha is `alpha_max` again. Unit:
        round trips.
        Default: ``5`` (Liu, Basar & Srikant 2008).
    single_delays
        dm is the largest queueing delay of a single segment, not of the mean of a round trip; a loss takes
        whole segments.
        Default: ``false`` (Liu, Basar & Srikant 2008 (Linux net/ipv4/tcp_illinois.c: max_rtt)).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "illinois",
            "alpha_max": alpha_max,
            "alpha_min": alpha_min,
            "beta_min": beta_min,
            "beta_max": beta_max,
            "window_threshold": window_threshold,
            "eta1": eta1,
            "eta2": eta2,
            "eta3": eta3,
            "theta": theta,
            "single_delays": single_delays,
        }
    )


def ledbat(
    *,
    target: str | None = None,
    gain: float | None = None,
    least_window: int | None = None,
    allowed_increase: int | None = None,
    current_delays: int | None = None,
    base_minutes: int | None = None,
) -> dict[str, Any]:
    """LEDBAT: background transfers that wait for 100 ms at most and yield to others.

    Reference: RFC 6817.

    Parameters
    ----------
    target
        Delay of queues that it aims at.
        Default: ``"100ms"`` (RFC 6817 section 2.5: 100 ms or less).
    gain
        Growth of an undisturbed window, in segments a round trip. Unit: segments.
        Default: ``1.0`` (RFC 6817 section 2.5: 1 or less).
    least_window
        Smallest window, in segments. Unit: segments.
        Default: ``2`` (RFC 6817 section 2.5: MIN_CWND).
    allowed_increase
        Segments by which the window may be larger than what is outstanding. Unit: segments.
        Default: ``1`` (RFC 6817 section 2.5: ALLOWED_INCREASE).
    current_delays
        Delays of which the smallest counts as that of now. Unit: delays.
        Default: ``4`` (RFC 6817 section 2.5: CURRENT_FILTER; choice of the number: libutp).
    base_minutes
        Minutes after which a smallest delay is forgotten. Unit: minutes.
        Default: ``10`` (RFC 6817 section 2.5: BASE_HISTORY).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "ledbat",
            "target": target,
            "gain": gain,
            "least_window": least_window,
            "allowed_increase": allowed_increase,
            "current_delays": current_delays,
            "base_minutes": base_minutes,
        }
    )


def ledbat_plus_plus(
    *,
    target: str | None = None,
    decrease: float | None = None,
    exit_at: float | None = None,
    closed_for: int | None = None,
    apart: float | None = None,
    current_delays: int | None = None,
    base_minutes: int | None = None,
) -> dict[str, Any]:
    """LEDBAT++: background transfers that wait for 60 ms at most, with equal shares.

    Reference: draft-irtf-iccrg-ledbat-plus-plus-01, 2020.

    Parameters
    ----------
    target
        Delay of queues that it aims at.
        Default: ``"60ms"`` (draft-irtf-iccrg-ledbat-plus-plus-01 section 4.2).
    decrease
        Factor of the decrease. Dimensionless.
        Default: ``1.0`` (draft-irtf-iccrg-ledbat-plus-plus-01 section 4.2: Constant).
    exit_at
        Part of the target at which the first slow start ends. Dimensionless.
        Default: ``0.75`` (draft-irtf-iccrg-ledbat-plus-plus-01 section 4.3).
    closed_for
        Round trips for which the window stays closed. Unit: round trips.
        Default: ``2`` (draft-irtf-iccrg-ledbat-plus-plus-01 section 4.4).
    apart
        Time between two pauses, as a multiple of the length of the last. Dimensionless.
        Default: ``9.0`` (draft-irtf-iccrg-ledbat-plus-plus-01 section 4.4: a tenth of the time at most).
    current_delays
        Delays of which the smallest counts as that of now. Unit: delays.
        Default: ``4`` (draft-irtf-iccrg-ledbat-plus-plus-01 section 4.1).
    base_minutes
        Minutes after which a smallest delay is forgotten. Unit: minutes.
        Default: ``10`` (RFC 6817 section 2.5: BASE_HISTORY).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "kind": "ledbat-plus-plus",
            "target": target,
            "decrease": decrease,
            "exit_at": exit_at,
            "closed_for": closed_for,
            "apart": apart,
            "current_delays": current_delays,
            "base_minutes": base_minutes,
        }
    )
