"""Queue disciplines.

Generated from the registry by ``tools/builders.py``: change the registry, not this file.
"""

from __future__ import annotations

from dumbbell.builders.queue.a_to_f import (
    blue,
    cake,
    choke,
    cobalt,
    codel,
    droptail,
    drr,
    dualpi2,
    fq_codel,
    fq_pie,
    fred,
)
from dumbbell.builders.queue.n_to_r import pi, pie, policer, push_out, ramp, red, rem, rio
from dumbbell.builders.queue.s_to_z import (
    sfb,
    sfq,
    strict_priority,
    threshold,
    token_bucket_filter,
    wred,
    wrr,
)

__all__ = [
    "blue",
    "cake",
    "choke",
    "cobalt",
    "codel",
    "droptail",
    "drr",
    "dualpi2",
    "fq_codel",
    "fq_pie",
    "fred",
    "pi",
    "pie",
    "policer",
    "push_out",
    "ramp",
    "red",
    "rem",
    "rio",
    "sfb",
    "sfq",
    "strict_priority",
    "threshold",
    "token_bucket_filter",
    "wred",
    "wrr",
]
