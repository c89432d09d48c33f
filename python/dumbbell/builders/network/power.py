"""Power control of links.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from dumbbell.builders._given import given


def power(
    *,
    policy: Literal[
        "fixed", "practra", "multi-up", "multi-both", "alr", "buffer-and-burst", "sleep-and-scale"
    ]
    | Mapping[str, Any]
    | None = None,
    rates: Sequence[str] | Mapping[str, Any] | None = None,
    pause: str | None = None,
    guard: str | None = None,
    guard_from: Literal["start", "end"] | None = None,
    wake: str | None = None,
    in_service: Literal["finish", "hold"] | None = None,
    start: Literal["highest", "lowest"] | None = None,
    model: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Power control of one direction of a link.

    Parameters
    ----------
    policy
        What decides.
        Default: ``"practra"`` (Panarello et al., e-Energy 2012, section 2).
    rates
        The rates of the port: a list, or a grid below the link's rate.
        A table of ``dumbbell.network.rate_grid``: ``levels``, ``spacing``, ``ratio``.
        Default: ``{ levels = 10 }`` (Panarello et al., e-Energy 2012, section 3: 1 to 10 Mb/s in steps of 1).
    pause
        Time after each change of the rate in which nothing is sent.
        Default: ``"2ms"`` (Panarello et al., e-Energy 2012, section 3).
    guard
        Least time between two changes of the rate.
        Default: ``"16ms"`` (Panarello et al., e-Energy 2012, section 3).
    guard_from
        What the guard counts from: `start` of a transition, or `end` of its pause.
        Default: ``"start"`` (choice: the reading under which the rate of transitions is at most 1/guard).
    wake
        Time to wake from sleep, in which nothing is sent.
        Default: ``"1ms"`` (Nedevschi et al., NSDI 2008, from memory).
    in_service
        The packet in transmission when the rate changes: `finish` it at the old rate before the pause, or
        `hold` it until after the pause.
        Default: ``"finish"`` (choice: a serialiser cannot change its clock inside a frame).
    start
        The rate at the start, and the first value of a predictor: `highest` or `lowest`.
        Default: ``"highest"`` (choice: a port that has not been controlled runs at full rate).
    model
        Power in each state.
        A table of ``dumbbell.network.power_model``: ``scaling``, ``voltage_range``, ``below``,
        ``static_share``, ``idle_share``, ``sleep_share``, ``pause``, ``full_power``.
        Default: ``{}`` (see its fields).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "policy": policy,
            "rates": rates,
            "pause": pause,
            "guard": guard,
            "guard_from": guard_from,
            "wake": wake,
            "in_service": in_service,
            "start": start,
            "model": model,
        }
    )


def rate_grid(
    *,
    levels: int | None = None,
    spacing: Literal["uniform", "exponential"] | None = None,
    ratio: float | None = None,
) -> dict[str, Any]:
    """The rates of a port by rule; the highest is the link's.

    Parameters
    ----------
    levels
        Number of rates. Unit: rates.
        Default: ``10`` (Panarello et al., e-Energy 2012, section 3).
    spacing
        `uniform`: rate k of n is k/n of the link's rate; `exponential`: each is `ratio` times the one below.
        Default: ``"uniform"`` (Panarello et al., e-Energy 2012, section 3).
    ratio
        Ratio of an exponential grid. Dimensionless.
        Default: ``2.0`` (choice: octaves, as clock dividers give).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "levels": levels,
            "spacing": spacing,
            "ratio": ratio,
        }
    )


def power_model(
    *,
    scaling: Literal["fs", "dvs"] | None = None,
    voltage_range: float | None = None,
    below: Literal["linear", "flat"] | None = None,
    static_share: float | None = None,
    idle_share: float | None = None,
    sleep_share: float | None = None,
    pause: Literal["max", "old", "new", "top"] | None = None,
    full_power: float | None = None,
) -> dict[str, Any]:
    """Power in each state of a port.

    Parameters
    ----------
    scaling
        `fs`, frequency scaling: power falls linearly with the rate; `dvs`, dynamic voltage scaling: with its
        cube.
        Default: ``"fs"`` (Panarello et al., e-Energy 2012, section 2).
    voltage_range
        Highest rate over the lowest that has a voltage of its own (`dvs` only). Dimensionless.
        Default: ``2.0`` (Panarello et al., e-Energy 2012, section 2: the maximum scaling factor).
    below
        Power below that rate (`dvs` only): `linear` in the rate, since the frequency still falls, or `flat`.
        Default: ``"linear"`` (choice: at constant voltage, power is proportional to the frequency).
    static_share
        Share of the power at the highest rate that does not depend on the rate.
        Default: ``0.0`` (Panarello et al., e-Energy 2012, section 2: 0, 0.25, 0.5 and 0.75).
    idle_share
        Part of the rate-dependent power that an awake port draws while it sends nothing.
        Default: ``1.0`` (Panarello et al., e-Energy 2012, section 2: power depends on the configured rate
        alone).
    sleep_share
        Power of a sleeping port, as a share of that of an idle one at the highest rate.
        Default: ``0.1`` (Nedevschi et al., NSDI 2008, from memory).
    pause
        Power during the pause of a transition: that of the `old` rate, the `new`, the `max` of both, or the
        `top` rate.
        Default: ``"max"`` (choice: both clocks may run).
    full_power
        Watts at the link's rate. Unit: watts.
        Default: ``1.0`` (choice: energies in seconds at full power).

    Returns
    -------
    dict
        What to write in a scenario.
    """
    return given(
        {
            "scaling": scaling,
            "voltage_range": voltage_range,
            "below": below,
            "static_share": static_share,
            "idle_share": idle_share,
            "sleep_share": sleep_share,
            "pause": pause,
            "full_power": full_power,
        }
    )
