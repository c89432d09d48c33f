"""Pages of what goes on: a run, a shell, a study, at 127.0.0.1 while it lasts.

``dumbbell run --live`` and others show them; ``docs/live-pages.md`` is about them.
"""

SLOWEST, FASTEST = 1e-6, 1e6
"""Simulated seconds in one of wall time."""
