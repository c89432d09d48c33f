"""Three scores of a controller over a set of networks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from dumbbell import Scenario, _native, stats
from dumbbell._extras import require
from dumbbell._scenario import run_seeds
from dumbbell.arena.entrant import Entrant, Named, entrant_of
from dumbbell.arena.errors import ArenaError
from dumbbell.arena.networks import (
    EACH,
    LINK,
    SCORES,
    TRAIN,
    Group,
    Network,
    held_out_key,
    latest_year,
    networks,
)
from dumbbell.errors import ScenarioError
from dumbbell.stats import Estimate

_FLOWS = {"table": "flows", "column": "goodput", "counted": False}
_SOURCES: tuple[Mapping[str, Any], ...] = (
    {**_FLOWS, "group": "own", "statistic": "sum"},
    {**_FLOWS, "group": "own", "statistic": "min"},
    {"table": "links", "link": LINK, "column": "sojourn_mean"},
    {**_FLOWS, "group": "other", "statistic": "mean"},
)


class Numbers(NamedTuple):
    """What a run gives; not-a-number for what it does not have."""

    own: float
    """Goodput of the candidate's flows, in bit/s."""
    least: float
    """That of the one that has least."""
    wait: float
    """Mean time at the shared link, in s."""
    other: float
    """Mean goodput of the other flows, in bit/s."""


@dataclass(frozen=True)
class Row:
    """A network and what the candidate made of it."""

    network: Network
    """Which one."""
    plan: str
    """SHA-256 of the resolved scenario."""
    numbers: Numbers
    """What its run gave."""
    values: Mapping[str, float]
    """By score, from 0 to 1: those for which its group counts."""
    harm: float | None
    """Harm to the other flows above that of CUBIC in the candidate's place; ``None`` without others."""

    @property
    def worst(self) -> float:
        """The least of its values."""
        return min(self.values.values())


@dataclass(frozen=True)
class Mark:
    """One of the scores."""

    name: str
    """Of the score."""
    value: float
    """The least lower end of its groups, no more than the cap."""
    group: Group
    """The one that has it."""
    estimate: Estimate
    """The mean of that group."""
    is_capped: bool
    """Whether harm to CUBIC made it lower."""


@dataclass(frozen=True)
class Score:
    """What a controller scored in a set of networks."""

    entrant: Entrant
    """Who."""
    set: str
    """``train``, or ``held-out`` and the year."""
    key: str
    """What the networks are drawn by."""
    marks: Mapping[str, Mark]
    """The three scores, by name."""
    groups: tuple[tuple[str, Group, Estimate], ...]
    """The mean of each score in each of its groups."""
    harm: tuple[tuple[Group, Estimate], ...]
    """Mean harm above that of CUBIC, by group."""
    cap: float
    """What no score is above: one less the harm that is sure."""
    rows: tuple[Row, ...]
    """By network."""

    def __getitem__(self, name: str) -> float:
        return self.marks[name].value

    def worst(self, count: int = 5) -> list[Row]:
        """Return the `count` networks with the lowest values, two of a group at most."""
        chosen: list[Row] = []
        for row in sorted(self.rows, key=lambda row: row.worst):
            if sum(entry.network.group is row.network.group for entry in chosen) < 2:
                chosen.append(row)
        return chosen[:count]


def score(named: Named, *, set: str = TRAIN, each: int = EACH) -> Score:  # noqa: A002
    """Return the three scores of a controller: what it gets of links, how little packets wait, how it shares.

    A network counts from 0 to 1. Throughput is goodput as a share of what the link can carry; latency is
    the base round-trip time as a share of that with the mean wait at the link; coexistence is the share that
    the flow with least has of an equal one, or what short flows keep of their speed. A score is the least,
    over groups of networks, of the lower ends of the 95 % intervals of means. Where the interval of its harm
    to CUBIC, less that of CUBIC in its place, lies above zero, the lower end of that comes off one as a cap.

    Parameters
    ----------
    named
        ``cubic``, ``my.py:Mine(gain=2)``; a class of a law, or an object of it.
    set
        ``train``; ``held-out``, drawn by the source and the latest salt; or ``held-out-2026`` by another.
    each
        How many networks of each group, the first ones. Fewer than all give a look, and no score of a board.

    Raises
    ------
    ArenaError
        If there is no such controller or set, or it cannot run in these networks.
    LawError
        If a law cannot be compiled.

    Examples
    --------
    >>> from dumbbell import arena
    >>> found = arena.score("newreno", each=4)
    >>> sorted(found.marks)
    ['coexistence', 'latency', 'throughput']
    """
    require("scipy")
    if not 2 <= each <= 1000:
        raise ArenaError(f"{each} networks of each group are out of range; give 2 to 1000")
    entrant = entrant_of(named)
    name, key = _set(set, entrant)
    rows = _rows(entrant, networks(key, each), _references(key, each))
    return _scored(entrant, name, key, rows)


def _set(name: str, entrant: Entrant) -> tuple[str, str]:
    """Return the whole name of a set and its key."""
    if name == TRAIN:
        return name, TRAIN
    kind, _, year = name.rpartition("-")
    if name == "held-out":
        kind, year = name, str(latest_year())
    if kind != "held-out" or not year.isascii() or not year.isdigit():
        raise ArenaError(f"no set {name!r}; use train, held-out or held-out-{latest_year()}")
    return f"held-out-{year}", held_out_key(entrant.source, int(year))


def _rows(
    entrant: Entrant, drawn: Sequence[Network], references: Mapping[str, tuple[float, float]]
) -> tuple[Row, ...]:
    found = _run(drawn, [network.scenario(entrant.value) for network in drawn], entrant)
    return tuple(
        _row(network, plan, numbers, references.get(network.name))
        for network, (plan, numbers) in zip(drawn, found, strict=True)
    )


def _run(
    drawn: Sequence[Network], described: Sequence[dict[str, Any]], entrant: Entrant | None = None
) -> list[tuple[str, Numbers]]:
    """Run scenarios one after the other; return the hash of each plan and its numbers."""
    metrics = _native.Metrics([dict(source) for source in _SOURCES], False)
    base = entrant.folder if entrant else "."
    try:
        scenarios = [Scenario.from_dict(values, base=base) for values in described]
    except ScenarioError as error:
        name = entrant.command if entrant else "cubic"
        raise ArenaError(f"{name} cannot run in the arena: {error}") from None
    runs = [(scenario, network.seed) for scenario, network in zip(scenarios, drawn, strict=True)]
    made, failure = run_seeds(runs, metrics=metrics)
    if failure is not None:
        raise failure
    return [
        (scenario.plan_hash, Numbers(*numbers))
        for scenario, (numbers, _) in zip(scenarios, made, strict=True)
    ]


@cache
def _references(key: str, each: int) -> dict[str, tuple[float, float]]:
    """Return what the other flows get next to CUBIC, and alone, in the networks that have any."""
    drawn = [network for network in networks(key, each) if not network.is_alone]
    beside = _run(drawn, [network.scenario("cubic") for network in drawn])
    alone = _run(drawn, [network.scenario(None) for network in drawn])
    return {
        network.name: (there.other, without.other)
        for network, (_, there), (_, without) in zip(drawn, beside, alone, strict=True)
    }


def _row(network: Network, plan: str, numbers: Numbers, reference: tuple[float, float] | None) -> Row:
    own, least = (0.0 if math.isnan(number) else number for number in numbers[:2])
    numbers = numbers._replace(own=own, least=least)
    values: dict[str, float] = {}
    if "throughput" in network.group.scores:
        values["throughput"] = min(1.0, numbers.own / network.capacity)
    if "latency" in network.group.scores:
        # Whoever sends nothing has no delay to show.
        values["latency"] = 0.0 if math.isnan(numbers.wait) else network.base / (network.base + numbers.wait)
    if reference is None:
        if "coexistence" in network.group.scores:
            equal = network.capacity / float(network.values["flows"])
            values["coexistence"] = min(1.0, numbers.least / equal)
        return Row(network, plan, numbers, values, None)
    beside, alone = reference
    if not alone > 0:
        # No short flow came: nobody can be harmed.
        return Row(network, plan, numbers, values | {"coexistence": 1.0}, 0.0)
    other = 0.0 if math.isnan(numbers.other) else numbers.other
    beside = 0.0 if math.isnan(beside) else beside
    keeps = min(1.0, other / alone)
    short = bool(network.values["load"])
    values["coexistence"] = keeps if short else min(1.0, min(numbers.own, other) / (network.capacity / 2))
    return Row(network, plan, numbers, values, (beside - other) / alone)


def _scored(entrant: Entrant, name: str, key: str, rows: tuple[Row, ...]) -> Score:
    groups = tuple(dict.fromkeys(row.network.group for row in rows))
    of = {group: [row for row in rows if row.network.group is group] for group in groups}
    means = tuple(
        (mark, group, stats.mean([row.values[mark] for row in of[group]]).within(0, 1))
        for mark in SCORES
        for group in groups
        if mark in group.scores
    )
    harm = tuple(
        (group, stats.mean([row.harm for row in of[group] if row.harm is not None]))
        for group in groups
        if of[group][0].harm is not None
    )
    cap = 1 - max(0.0, *(low(estimate) for _, estimate in harm))
    marks = {mark: _mark(mark, means, cap) for mark in SCORES}
    return Score(entrant, name, key, marks, means, harm, cap, rows)


def low(estimate: Estimate) -> float:
    """Return the lower end of an interval; the value of one without."""
    return estimate.value if estimate.low is None else estimate.low


def _mark(name: str, means: Sequence[tuple[str, Group, Estimate]], cap: float) -> Mark:
    own = [(group, estimate) for mark, group, estimate in means if mark == name]
    group, estimate = min(own, key=lambda entry: low(entry[1]))
    return Mark(name, round(min(low(estimate), cap), 4), group, estimate, cap < low(estimate))
