"""Congestion controllers.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from dumbbell.builders.controller.a_to_f import bbr, bbr3, bic, copa, cubic, dcqcn, dctcp
from dumbbell.builders.controller.g_to_m import (
    highspeed,
    hpcc,
    htcp,
    hybla,
    illinois,
    ledbat,
    ledbat_plus_plus,
)
from dumbbell.builders.controller.n_to_r import newreno, prague, reno
from dumbbell.builders.controller.s_to_z import (
    scalable,
    swift,
    tahoe,
    timely,
    vegas,
    westwood,
    westwood_plus,
    xcp,
    yeah,
)

__all__ = [
    "bbr",
    "bbr3",
    "bic",
    "copa",
    "cubic",
    "dcqcn",
    "dctcp",
    "highspeed",
    "hpcc",
    "htcp",
    "hybla",
    "illinois",
    "ledbat",
    "ledbat_plus_plus",
    "newreno",
    "prague",
    "reno",
    "scalable",
    "swift",
    "tahoe",
    "timely",
    "vegas",
    "westwood",
    "westwood_plus",
    "xcp",
    "yeah",
]
