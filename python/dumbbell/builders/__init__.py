"""Builders: one typed, documented function for each algorithm and each table of a scenario.

Generated from the registry by ``tools/builders.py``, but for this file and ``_given.py``. The package offers
them at its top: ``dumbbell.queue.codel``.
"""
