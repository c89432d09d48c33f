"""Runs scripts of packetdrill over the TCP of dumbbell; docs/packetdrill.md describes it."""

from __future__ import annotations

from dumbbell import _linux as _linux  # First of all.
from dumbbell.packetdrill.running import (
    ABSENT,
    FAILED,
    MASKED,
    PASSED,
    UNREADABLE,
    Controller,
    Outcome,
    controller_of,
    find_program,
    run_all,
)
from dumbbell.packetdrill.scripts import find, holds_python

__all__ = [
    "ABSENT",
    "FAILED",
    "MASKED",
    "PASSED",
    "UNREADABLE",
    "Controller",
    "Outcome",
    "controller_of",
    "find",
    "find_program",
    "holds_python",
    "run_all",
]
