"""Pages of what goes on: a run, a shell, a study, at 127.0.0.1 while it lasts.

``dumbbell run --live`` and others show them; ``docs/live-pages.md`` is about them.
"""
