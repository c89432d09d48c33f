"""Power policies of a port.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from collections.abc import Mapping
from typing import Any, Literal

def alr(*, low: str | None = None, high: str | None = None) -> dict[str, Any]:
    """Adaptive link rate: lowest and highest rate by two queue thresholds.

    Reference: Gunaratne et al., IEEE Transactions on Computers 57(4), 2008: dual-threshold policy.

    Parameters
    ----------
    low
        The port goes to the lowest rate when the backlog is this or less.
        Default: ``"6kB"`` (choice: four full packets, so that a lone burst does not hold the rate up).
    high
        The port goes to the highest rate when the backlog exceeds this.
        Default: ``"31250B"`` (choice: half of the buffer of Panarello et al.).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def buffer_and_burst(
    *, hold: str | None = None, idle: str | None = None, placement: Literal["local", "upstream"] | None = None
) -> dict[str, Any]:
    """Sleeps between bursts of held-back traffic, at the highest rate when awake.

    Reference: Nedevschi et al., NSDI 2008: buffer-and-burst; choice: the exact form.

    Parameters
    ----------
    hold
        Longest time that a packet is held back, waking included; 0s to wake at the first packet.
        Default: ``"10ms"`` (Nedevschi et al., NSDI 2008, from memory).
    idle
        Time that an empty port stays awake.
        Default: ``"0s"`` (choice: sleep at once).
    placement
        Who holds packets back: the port itself (`local`), or a shaper one hop before it (`upstream`) that
        lets everything pass at the multiples of `hold`.
        Default: ``"local"`` (choice: no other node has to know).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def fixed() -> dict[str, Any]:
    """Stays at the initial rate.

    Reference: choice: the reference without control, with the same account of energy.

    Returns
    -------
    dict
        What to write in a scenario.
    """

def multi_both(
    *,
    delay: str | None = None,
    down: Literal["P12", "N08"] | None = None,
    predictor: Literal["ewma-tau", "ewma-window"] | Mapping[str, Any] | None = None,
    counted: Literal["arrived", "accepted"] | None = None,
    backlog: Literal["with-service", "waiting"] | None = None,
    decision: Literal["event", "periodic"] | None = None,
    period: str | None = None,
    headroom: float | None = None,
) -> dict[str, Any]:
    """PractRA that rises and falls over several rates at once.

    Reference: Panarello et al., e-Energy 2012, section 4: non-consecutive rates; choice: the exact form.

    Parameters
    ----------
    delay
        Bound on the queueing delay that the law tries to keep; longer than the port's pause.
        Default: ``"40ms"`` (Panarello et al., e-Energy 2012, section 3).
    down
        A step down when the queue is empty and the predicted rate is below the present one (`P12`), or below
        the next lower one (`N08`).
        Default: ``"P12"`` (Panarello et al., e-Energy 2012, section 2).
    predictor
        How the arrival rate is predicted.
        Default: ``"ewma-tau"`` (choice: Panarello et al. say only that it is an exponential average).
    counted
        What the predictor counts: packets that `arrived`, or those that the queue `accepted`.
        Default: ``"arrived"`` (choice: a lost packet will come again).
    backlog
        What the law takes for the backlog: what waits and the rest of the packet in transmission
        (`with-service`), or what waits alone (`waiting`).
        Default: ``"with-service"`` (choice: a packet in transmission delays those that wait).
    decision
        When the law is applied: at every `event` that can change its answer, or `periodic`.
        Default: ``"event"`` (choice: the law as stated has no clock).
    period
        The interval of periodic decisions.
        Default: ``"10ms"`` (choice: below the guard of 16 ms).
    headroom
        Share by which the new rate exceeds the predicted rate after a step down. Dimensionless.
        Default: ``0.1`` (choice: a tenth, one step of the default rates).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def multi_up(
    *,
    delay: str | None = None,
    down: Literal["P12", "N08"] | None = None,
    predictor: Literal["ewma-tau", "ewma-window"] | Mapping[str, Any] | None = None,
    counted: Literal["arrived", "accepted"] | None = None,
    backlog: Literal["with-service", "waiting"] | None = None,
    decision: Literal["event", "periodic"] | None = None,
    period: str | None = None,
) -> dict[str, Any]:
    """PractRA that rises over several rates at once.

    Reference: Panarello et al., e-Energy 2012, section 4: non-consecutive rates; choice: the exact form.

    Parameters
    ----------
    delay
        Bound on the queueing delay that the law tries to keep; longer than the port's pause.
        Default: ``"40ms"`` (Panarello et al., e-Energy 2012, section 3).
    down
        A step down when the queue is empty and the predicted rate is below the present one (`P12`), or below
        the next lower one (`N08`).
        Default: ``"P12"`` (Panarello et al., e-Energy 2012, section 2).
    predictor
        How the arrival rate is predicted.
        Default: ``"ewma-tau"`` (choice: Panarello et al. say only that it is an exponential average).
    counted
        What the predictor counts: packets that `arrived`, or those that the queue `accepted`.
        Default: ``"arrived"`` (choice: a lost packet will come again).
    backlog
        What the law takes for the backlog: what waits and the rest of the packet in transmission
        (`with-service`), or what waits alone (`waiting`).
        Default: ``"with-service"`` (choice: a packet in transmission delays those that wait).
    decision
        When the law is applied: at every `event` that can change its answer, or `periodic`.
        Default: ``"event"`` (choice: the law as stated has no clock).
    period
        The interval of periodic decisions.
        Default: ``"10ms"`` (choice: below the guard of 16 ms).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def practra(
    *,
    delay: str | None = None,
    down: Literal["P12", "N08"] | None = None,
    predictor: Literal["ewma-tau", "ewma-window"] | Mapping[str, Any] | None = None,
    counted: Literal["arrived", "accepted"] | None = None,
    backlog: Literal["with-service", "waiting"] | None = None,
    decision: Literal["event", "periodic"] | None = None,
    period: str | None = None,
) -> dict[str, Any]:
    """Practical rate adaptation, to the next rate up or down.

    Reference: Panarello et al., e-Energy 2012, section 2; Nedevschi et al., NSDI 2008.

    Parameters
    ----------
    delay
        Bound on the queueing delay that the law tries to keep; longer than the port's pause.
        Default: ``"40ms"`` (Panarello et al., e-Energy 2012, section 3).
    down
        A step down when the queue is empty and the predicted rate is below the present one (`P12`), or below
        the next lower one (`N08`).
        Default: ``"P12"`` (Panarello et al., e-Energy 2012, section 2).
    predictor
        How the arrival rate is predicted.
        Default: ``"ewma-tau"`` (choice: Panarello et al. say only that it is an exponential average).
    counted
        What the predictor counts: packets that `arrived`, or those that the queue `accepted`.
        Default: ``"arrived"`` (choice: a lost packet will come again).
    backlog
        What the law takes for the backlog: what waits and the rest of the packet in transmission
        (`with-service`), or what waits alone (`waiting`).
        Default: ``"with-service"`` (choice: a packet in transmission delays those that wait).
    decision
        When the law is applied: at every `event` that can change its answer, or `periodic`.
        Default: ``"event"`` (choice: the law as stated has no clock).
    period
        The interval of periodic decisions.
        Default: ``"10ms"`` (choice: below the guard of 16 ms).

    Returns
    -------
    dict
        What to write in a scenario.
    """

def sleep_and_scale(
    *,
    delay: str | None = None,
    down: Literal["P12", "N08"] | None = None,
    predictor: Literal["ewma-tau", "ewma-window"] | Mapping[str, Any] | None = None,
    counted: Literal["arrived", "accepted"] | None = None,
    backlog: Literal["with-service", "waiting"] | None = None,
    decision: Literal["event", "periodic"] | None = None,
    period: str | None = None,
    hold: str | None = None,
    idle: str | None = None,
    placement: Literal["local", "upstream"] | None = None,
) -> dict[str, Any]:
    """Sleeps between bursts and adapts the rate while awake.

    Reference: Francini & Stiliadis, Rate adaptation for energy efficiency in packet networks, 2010; choice:
    the exact form.

    Parameters
    ----------
    delay
        Bound on the queueing delay that the law tries to keep; longer than the port's pause.
        Default: ``"40ms"`` (Panarello et al., e-Energy 2012, section 3).
    down
        A step down when the queue is empty and the predicted rate is below the present one (`P12`), or below
        the next lower one (`N08`).
        Default: ``"P12"`` (Panarello et al., e-Energy 2012, section 2).
    predictor
        How the arrival rate is predicted.
        Default: ``"ewma-tau"`` (choice: Panarello et al. say only that it is an exponential average).
    counted
        What the predictor counts: packets that `arrived`, or those that the queue `accepted`.
        Default: ``"arrived"`` (choice: a lost packet will come again).
    backlog
        What the law takes for the backlog: what waits and the rest of the packet in transmission
        (`with-service`), or what waits alone (`waiting`).
        Default: ``"with-service"`` (choice: a packet in transmission delays those that wait).
    decision
        When the law is applied: at every `event` that can change its answer, or `periodic`.
        Default: ``"event"`` (choice: the law as stated has no clock).
    period
        The interval of periodic decisions.
        Default: ``"10ms"`` (choice: below the guard of 16 ms).
    hold
        Longest time that a packet is held back, waking included; 0s to wake at the first packet.
        Default: ``"10ms"`` (Nedevschi et al., NSDI 2008, from memory).
    idle
        Time that an empty port stays awake.
        Default: ``"0s"`` (choice: sleep at once).
    placement
        Who holds packets back: the port itself (`local`), or a shaper one hop before it (`upstream`) that
        lets everything pass at the multiples of `hold`.
        Default: ``"local"`` (choice: no other node has to know).

    Returns
    -------
    dict
        What to write in a scenario.
    """
