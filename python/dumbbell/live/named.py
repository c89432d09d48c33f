"""Estimates as cells of a row: a number, and both ends of its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dumbbell.stats import Estimate
from dumbbell.stats.estimate import digits


def named(name: str, found: Estimate) -> dict[str, float | None]:
    """Return the cells ``name``, ``name_low`` and ``name_high``; ``None`` for what there is not."""
    low, high = found.interval or (math.nan, math.nan)
    bounded = math.isfinite(low) and math.isfinite(high)
    return {
        name: found.value if math.isfinite(found.value) else None,
        f"{name}_low": low if bounded else None,
        f"{name}_high": high if bounded else None,
    }


def cell(row: Mapping[str, Any], name: str) -> str:
    """Write the cells of a name: a number, with its interval where there is one."""
    value, low, high = (row.get(key) for key in (name, f"{name}_low", f"{name}_high"))
    if value is None:
        return "-"
    return digits(value) + ("" if low is None or high is None else f" [{digits(low)}, {digits(high)}]")
