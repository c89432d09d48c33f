"""What a study file says besides the study: quick form, sources, claims, figures, index, further studies.

Claims and figures are made of it by :func:`dumbbell.claims.claims_of` and :func:`dumbbell.report.figures_of`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dumbbell._files.text import shortened

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Declared:
    """The tables of a study file as the extension has read them, every default filled in."""

    quick: Values | None = None
    """What the quick form leaves; ``None``: there is none."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Where values of the scenario come from, by path."""
    claims: tuple[Values, ...] = ()
    """Those of ``[[claims]]``."""
    figures: tuple[Values, ...] = ()
    """Those of ``[[figures]]``."""
    index: tuple[Values, ...] = ()
    """Those of ``[[index]]``."""
    companions: tuple[Values, ...] = ()
    """Those of ``[[companions]]``."""
    own_scenario: bool = False
    """Whether it is a further study with a scenario of its own, so that :attr:`sources` are all there are."""

    def write(self) -> dict[str, Any]:
        """Return what the report of a folder needs, in JSON types, as in a study file."""
        values = {
            "sources": dict(self.sources),
            "claims": [dict(entry) for entry in self.claims],
            "figures": [dict(entry) for entry in self.figures],
            "index": [dict(entry) for entry in self.index],
        }
        return {key: value for key, value in values.items() if value}

    def clashes(self) -> Iterator[str]:
        """Yield what is there twice."""
        parts = (("claims", "id", self.claims), ("figures", "id", self.figures))
        for place, key, entries in (*parts, ("companions", "name", self.companions)):
            for name, count in Counter(entry[key] for entry in entries).items():
                if count > 1:
                    yield f"{place}: {count} have the {key} {shortened(repr(name), 200)}; rename all but one"


def declared_of(read: Values, included: Sequence[Values]) -> Declared:
    """Return what a study file and the files that it includes declare.

    Parameters
    ----------
    read
        The study file, as the extension has read it.
    included
        The files that it includes, the same.
    """

    def all_of(key: str) -> tuple[Values, ...]:
        return tuple(entry for file in (read, *included) for entry in file[key])

    return Declared(
        quick=read["quick"],
        sources=read["sources"] or {},
        claims=all_of("claims"),
        figures=all_of("figures"),
        index=all_of("index"),
        companions=all_of("companions"),
    )
