"""Metrics made from others: savings against losses of quality (figures 6 and 7), and what explains them.

The paper has four static shares of power and does not say which figures 6 and 7 have, so these are made for
each, and for both technologies: ``net-time-fs-50`` has frequency scaling and a static share of 0.5.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from dumbbell.study import AT_LEAST_ZERO, Derived

SHARES = (0, 25, 50, 75)
"""Static shares of power in %: those of figure 3."""

SCALINGS = ("fs", "dvs")

_REFERENCE = "tcponly"


def _unfinished(runs: Any) -> Any:
    return 100 * (1 - runs["completed"] / runs["started"])


def _window(runs: Any) -> Any:
    # Little's law: packets in flight of a flow = its rate of packets x round-trip time.
    return runs["packets"] * runs["rtt"] / runs["fct"]


def _resent_share(runs: Any) -> Any:
    return 100 * runs["resent"] / runs["packets"]


def _slowdown(runs: Any, base: Any) -> Any:
    return runs["fct"] / base["fct"]


def _extra_loss(runs: Any, base: Any) -> Any:
    return runs["loss"] - base["loss"]


def _lost_goodput(runs: Any, base: Any) -> Any:
    return 100 * (1 - runs["goodput"] / base["goodput"])


def _growth(runs: Any, base: Any) -> Any:
    return 100 * (runs["fct"] / base["fct"] - 1)


def _bounded_growth(runs: Any, base: Any) -> Any:
    return 100 * (1 - base["fct"] / runs["fct"])


_Quality = Callable[[Any, Any], Any]


def _net(lost: _Quality, saving: str) -> _Quality:
    def net(runs: Any, base: Any) -> Any:
        return runs[saving] - lost(runs, base)

    return net


def _of_figures_6_and_7(scaling: str, share: int) -> tuple[Derived, ...]:
    saving, place = f"saving-{scaling}-{share}", f"{scaling}-{share}"
    words = f"{scaling.upper()}, static share {share / 100:g}"
    return tuple(
        Derived(
            f"net-{name}-{place}",
            f"ES - QoS_D, {what}, {words}",
            "%",
            _net(lost, saving),
            _REFERENCE,
            "higher",
            possible=ends,
        )
        # A saving lies between 0 and 100 %. All goodput may be lost, and a time may shrink to nothing.
        for name, what, lost, ends in (
            ("goodput", "goodput", _lost_goodput, (-100, math.inf)),
            ("time", "completion time", _growth, (-math.inf, 200)),
            ("time-bounded", "completion time, bounded form", _bounded_growth, (-100, math.inf)),
        )
    )


DERIVED = (
    Derived(
        "unfinished",
        "flows not completed when the run ends",
        "%",
        _unfinished,
        better="lower",
        possible=(0, 100),
    ),
    Derived("window", "packets in flight per flow in progress", "packets", _window, possible=AT_LEAST_ZERO),
    Derived(
        "resent-share",
        "segments sent again, of all sent",
        "%",
        _resent_share,
        better="lower",
        possible=(0, 100),
    ),
    Derived(
        "slowdown",
        "mean completion time over that of TCPonly",
        "",
        _slowdown,
        _REFERENCE,
        "lower",
        possible=AT_LEAST_ZERO,
    ),
    Derived(
        "extra-loss",
        "loss at N1 less that of TCPonly",
        "%",
        _extra_loss,
        _REFERENCE,
        "lower",
        possible=(-100, 100),
    ),
    *(entry for scaling in SCALINGS for share in SHARES for entry in _of_figures_6_and_7(scaling, share)),
)
