"""What a law needs, what it costs, and where it can run: for `dumbbell check`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dumbbell import _native
from dumbbell.own import vocabulary
from dumbbell.own.code import Compiled, reads
from dumbbell.own.tree import Law

KERNEL_WORDS = 256
"""Words of state of a connection in the kernel, at most: its verifier follows every access."""

_NOT_IN_KERNEL = {
    "ROUTERS": "the kernel asks no routers",
    "ECHOES": "the kernel tells no controller of every mark in a form that ours takes",
    "RANDOM": "its random numbers would not be those of the seed",
    "WAKE": "the kernel wakes no controller",
    "LOSSES": "the kernel tells no controller of each lost segment",
    "SENT": "the kernel tells no controller of each segment that leaves",
    "SCALABLE": "the kernel sends ECT(1) for no controller of ours",
}
"""Needs that Linux does not meet."""

_NOT_SAMPLED = {
    "rate.lost": "rate_lost", "rate.in_flight": "rate_in_flight", "rate.packets_in_flight": "rate_packets",
}  # fmt: skip
"""Fields of a rate sample that Linux does not note, as laws call them."""

_MEANING = {
    "RATES": "a record of every segment in flight",
    "ECHOES": "the echo of every mark",
    "FINE_TIMEOUTS": "exact timeouts without SACK",
    "PACING": "pacing",
    "WAKE": "wake-ups",
    "LOSSES": "every loss",
    "REPAIRS": "the end of every repair",
    "RESTARTS": "restarts",
    "RANDOM": "random numbers",
    "SCALABLE": "ECT(1)",
    "ROUTERS": "a header for routers",
    "SENT": "every segment that leaves",
    "CUTS": "cuts for marks",
}


STORIES = 1000
"""Drawn connections that a law is held to the laws of its kind in."""


@dataclass(frozen=True)
class Broken:
    """A law of its kind that a law has broken."""

    connection: int
    """The number of the drawn connection."""
    law: str
    event: str
    """Empty if no single event shows it."""
    windows: list[int]
    """The window before and after the event, the threshold before and after (bytes)."""

    def __str__(self) -> str:
        if not self.event:
            return self.law
        window, new_window, threshold, new_threshold = (
            "none" if number == vocabulary.CONSTANTS["UNLIMITED"] else f"{number:,}"
            for number in self.windows
        )
        return (
            f"{self.law}; at on_{self.event}, window {window} -> {new_window}, threshold {threshold} -> "
            f"{new_threshold} bytes"
        )


@dataclass(frozen=True)
class Report:
    """What is to be said of a law."""

    law: Law
    compiled: Compiled

    @property
    def needs(self) -> list[str]:
        """What it needs of the transport, in words."""
        return [_MEANING[need] for need in self.law.needs]

    @property
    def state(self) -> int:
        """Words of 64 bits of state that it keeps for each connection, parameters apart."""
        return self.compiled.visible - sum(word.parameter for word in self.law.words)

    @property
    def kernel(self) -> list[str]:
        """Why Linux could not have it; empty if it could."""
        reasons = [_NOT_IN_KERNEL[need] for need in self.law.needs if need in _NOT_IN_KERNEL]
        known = reads(self.compiled)
        reasons += [f"the kernel notes no {name}" for code, name in _NOT_SAMPLED.items() if code in known]
        if self.state > KERNEL_WORDS:
            reasons.append(f"{self.state} words of state are more than {KERNEL_WORDS}")
        return reasons

    @cached_property
    def broken(self) -> Broken | None:
        """The first law of its kind that it breaks in :data:`STORIES` drawn connections."""
        found = _native.law_broken(self.compiled.image, STORIES)
        return None if found is None else Broken(*found)

    def as_json(self) -> dict[str, Any]:
        """Return everything as JSON types."""
        law = self.law
        return {
            "law": law.label,
            "name": law.name,
            "title": law.title,
            "kind": law.kind,
            "needs": [need.lower().replace("_", "-") for need in law.needs],
            "events": list(law.answers),
            "parameters": [
                {
                    "name": word.name, "kind": word.kind, "value": word.value, "least": word.least,
                    "most": word.most, "unit": word.unit, "source": word.source,
                }
                for word in law.words
                if word.parameter
            ],
            "state_words": self.state,
            "instructions": self.compiled.instructions,
            "most_steps": {event: self.compiled.steps[m.name] for event, m in law.answers.items()},
            "kernel": self.kernel,
            "broken": None if self.broken is None else vars(self.broken),
        }  # fmt: skip
