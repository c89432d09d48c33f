"""Given the load and the static share of power: scale, sleep, or neither."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dumbbell.report import MapSpec

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_ARMS = ("tcponly", "tcp-pc", "tcp-sleep")
_KEY = "TCPonly: do neither."


def _saving(runs: Any, share: float, asleep: float) -> Any:
    # Power is affine in the static share, and so is the saving: exact between its values at 0 and 1. In the
    # metrics a sleeping port draws a tenth of an idle one at the highest rate.
    saved = (1 - share) * runs["saving-fs-0"] + share * runs["saving-fs-100"]
    return saved + (0.1 - asleep) * runs["asleep"]


def _net(asleep: float) -> Callable[[Any, float], Any]:
    return lambda runs, share: _saving(runs, share, asleep) - 100 * (runs["slowdown"] - 1)


def within(times: float, saving: Callable[[Any, float], Any]) -> Callable[[Any, float], Any]:
    """Return a score: `saving`, where mean completion times grow by no more than the factor `times`."""

    def score(runs: Any, share: float) -> Any:
        saved = saving(runs, share)
        return saved if np.mean(runs["slowdown"]) <= times else np.full_like(saved, np.nan)

    return score


def _shallow(runs: Any, share: float) -> Any:
    return _saving(runs, share, 0.7)


def _map(
    id_: str, title: str, score: Callable[[Any, float], Any], label: str, sleep: str, most: float = 100
) -> MapSpec:
    return MapSpec(
        id_, title, "load", "static share of power", SHARES, score, label, _ARMS, "%",
        note=f"Frequency scaling; a sleeping port draws {sleep} of an idle one. {_KEY}",
        possible=(-math.inf if most > 100 else 0, most),
    )  # fmt: skip


MAPS = (
    _map(
        "what-to-do", "Scale, sleep or neither: by saving less growth of times, deep sleep",
        _net(0.1), "ES - QoS_D", "a tenth", 200,
    ),
    _map(
        "what-to-do-shallow", "Scale, sleep or neither: by saving less growth of times, shallow sleep",
        _net(0.7), "ES - QoS_D", "seven tenths", 200,
    ),
    _map(
        "what-saves-most", "What saves most where completion times may grow by half, shallow sleep",
        within(1.5, _shallow), "energy saving", "seven tenths",
    ),
    _map(
        "what-saves-most-strict", "What saves most where they may grow by a sixth, shallow sleep",
        within(7 / 6, _shallow), "energy saving", "seven tenths",
    ),
)  # fmt: skip
