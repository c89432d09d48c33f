"""Fuzzing: hostile inputs for every parser. ``python -m fuzz.run`` runs all targets."""
