"""Numbers in JSON, which has none that are not finite."""

from __future__ import annotations

import math
from typing import Any


def finite(value: Any) -> Any:
    """Return a value of JSON types with ``None`` in the place of every number that is not finite."""
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
