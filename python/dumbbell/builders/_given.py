"""The arguments that the caller of a builder has given."""

from __future__ import annotations

from typing import Any


def given(entries: dict[str, Any]) -> dict[str, Any]:
    """Drop the entries that are ``None``, so that the defaults of the registry hold."""
    return {name: value for name, value in entries.items() if value is not None}
