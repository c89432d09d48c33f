"""Runs of one scenario that differ as runs of the kernel do: packets arrive a little late."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dumbbell._scenario import Scenario

LATENESS = "80us"
"""How late packets arrive in the mean. Measured in runs that the emulator calls valid: half of all packets
are later than 74 to 90 us, and one in ten than 147 us."""


def late_runs(scenario: Scenario, link: str, runs: int) -> list[Scenario]:
    """Return so many scenarios that differ by when packets arrive over a link, both ways.

    The simulator repeats a run to the bit, and no kernel does: one drop at another time decides how flows
    share a link from then on.

    Parameters
    ----------
    scenario
        What to run.
    link
        Its name in :meth:`Scenario.explain`. Other links with the same description are late too.
    runs
        How many; they differ by their seeds, as those of :func:`seeded` do.
    """
    return seeded(late(scenario, link), runs)


def late(scenario: Scenario, link: str, by: str = LATENESS) -> Scenario:
    """Return a scenario whose packets arrive later over a link, both ways, by a time with a mean.

    Parameters
    ----------
    scenario, link
        As for :func:`late_runs`.
    by
        The mean, such as ``"80us"``; the times are exponentially distributed.
    """
    values = scenario.to_dict()
    before = _impairments(scenario, link)
    for topology in _late(values["topology"], by):
        found = Scenario.from_dict({**values, "topology": topology})
        if _impairments(found, link) != before:
            return found
    raise AssertionError(f"no description of a link is that of {link}")


def seeded(scenario: Scenario, runs: int) -> list[Scenario]:
    """Return so many scenarios with seeds of their own, the first with that of the scenario.

    Parameters
    ----------
    scenario, runs
        As for :func:`late_runs`.
    """
    return [scenario.with_seed((scenario.seed + i) % 2**63) for i in range(runs)]


def _impairments(scenario: Scenario, link: str) -> Any:
    return next(each["impairments"] for each in scenario.explain()["links"] if each["name"] == link)


def _late(table: Any, by: str) -> Iterator[Any]:
    """Copies of a part of a topology: in each, one description of links is late in both directions."""
    if isinstance(table, dict):
        if "impairments" in table:
            yield {**_jittered(table, by), "reverse": _jittered(table["reverse"], by)}
            return
        for key, part in table.items():
            for changed in _late(part, by):
                yield {**table, key: changed}
    elif isinstance(table, list):
        for i, part in enumerate(table):
            for changed in _late(part, by):
                yield [*table[:i], changed, *table[i + 1 :]]


def _jittered(direction: dict[str, Any], by: str) -> dict[str, Any]:
    jitter = {"kind": "jitter", "distribution": "exponential", "spread": by}
    return {**direction, "impairments": [*direction["impairments"], jitter]}
