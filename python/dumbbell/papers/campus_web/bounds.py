"""Bounds of claims that are ours: of which claims, by their ids, and why they are where they are."""

OURS = (("anchor", "half of the last digit that is given, either way"),)
