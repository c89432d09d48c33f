"""How a run tells how far it has come."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float, float, int], object]
"""Called about ten times a second: simulated time so far (s), duration (s), events so far."""
