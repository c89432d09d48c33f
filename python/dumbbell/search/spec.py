"""What a search varies and what it aims at, as a TOML file says it."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, cast, get_args

from dumbbell import _native
from dumbbell._files.read import read_toml
from dumbbell._files.table import Table
from dumbbell.claims import Claim, claims_of
from dumbbell.errors import DumbbellError, UnknownNameError
from dumbbell.papers import Paper, find_paper
from dumbbell.study import Arm, Derived, Study
from dumbbell.study.declared import Declared
from dumbbell.study.spec import AxisValue

Statistic = Literal["median", "mean", "sum", "low", "high", "zeros"]
"""What a target takes of a metric over the runs of an arm: `low` and `high` are the 5th and the 95th
percentile, `zeros` is the share of runs in which it is 0."""

AXIS = "reading"
"""The axis of readings in the study that is run."""

_MOST_READINGS = 1 << 14
_MOST_FACTORS = 40


class SearchError(DumbbellError, ValueError):
    """A search that cannot be made, or that finds nothing."""


@dataclass(frozen=True)
class Factor:
    """What a reading chooses: a number between two ends, or one of some values."""

    name: str
    """What reports call it."""
    templates: tuple[tuple[str, ...], ...]
    """Changes of the scenario with ``{value}`` in them: one entry, or one for each of :attr:`values`."""
    values: tuple[AxisValue, ...] = ()
    """What it may be; empty: any number from :attr:`low` to :attr:`high`."""
    low: float = math.nan
    """The least number."""
    high: float = math.nan
    """The largest number."""
    log: bool = False
    """Whether it is drawn by its logarithm."""
    integer: bool = False
    """Whether it is a whole number."""

    @property
    def choices(self) -> int:
        """How many values it has; 0 if any number between the ends will do."""
        return len(self.values) or (round(self.high - self.low) + 1 if self.integer else 0)

    @property
    def numeric(self) -> bool:
        """Whether it may move, and near values have near effects, as a local search supposes."""
        return not self.values and self.low < self.high

    def value(self, place: float) -> AxisValue:
        """Return the value at a place between 0 and 1.

        Numbers have four significant digits, so that a reading can be written down and repeated.
        """
        if self.choices:
            index = min(int(place * self.choices), self.choices - 1)
            return self.values[index] if self.values else round(self.low) + index
        low, high = (math.log(end) if self.log else end for end in (self.low, self.high))
        number = low + (high - low) * place
        return float(f"{math.exp(number) if self.log else number:.4g}")

    def place(self, value: AxisValue) -> float:
        """Return the place between 0 and 1 at which it has a value."""
        if self.values:
            return (self.values.index(value) + 0.5) / len(self.values)
        number = float(value)
        if self.integer:
            return (number - self.low) / max(self.choices - 1, 1)
        low, high, number = (math.log(x) if self.log else x for x in (self.low, self.high, number))
        return min(max((number - low) / (high - low), 0.0), 1.0)

    def settings(self, value: AxisValue) -> tuple[str, ...]:
        """Return the changes of the scenario for a value."""
        templates = self.templates[self.values.index(value) if len(self.templates) > 1 else 0]
        return tuple(template.replace("{value}", f"{value}") for template in templates)


@dataclass(frozen=True)
class Target:
    """A published number that a reading should make."""

    metric: str
    """Name of a metric of the study."""
    arm: str
    """Name of an arm."""
    value: float
    """What was published."""
    statistic: Statistic = "mean"
    """Of the metric over the runs."""
    over: str = ""
    """Name of the arm by whose statistic that of :attr:`arm` is divided; empty: by none."""
    within: float = 1.5
    """The factor from the published number up to which a reading is said to make it."""
    weight: float = 1.0
    """Of the target in the objective."""
    at: Mapping[str, AxisValue] = field(default_factory=dict)
    """The value of each axis of the study."""

    def __str__(self) -> str:
        place = "".join(f", {name} = {value}" for name, value in self.at.items())
        over = f" / {self.over}" if self.over else ""
        return f"{self.statistic} of {self.metric}, {self.arm}{over}{place}"


@dataclass(frozen=True)
class Search:
    """A study, what a reading may choose, and the numbers that it should make."""

    name: str
    """The name in reports."""
    study: Study
    """Of the arms that targets and claims need."""
    derived: tuple[Derived, ...]
    """Derived metrics of the paper."""
    claims: tuple[Claim, ...]
    """Judged by their own rules."""
    claim_weight: float
    """Of each claim in the objective."""
    factors: tuple[Factor, ...]
    """What a reading chooses."""
    targets: tuple[Target, ...]
    """Published numbers."""
    seeds: tuple[int, ...]
    """Of each reading that is tried in full."""
    first: int
    """How many of the seeds a reading of the Sobol sequence has at first."""
    readings: int
    """Of the Sobol sequence."""
    keep: float
    """The share of these that get all seeds."""
    local: int
    """Readings of the local search."""
    best: int
    """How many of the best are judged at fresh seeds."""
    fresh: tuple[int, ...]
    """Seeds that the search does not see."""
    seed: int
    """Of the search itself."""

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Search:
        """Read a TOML file.

        Parameters
        ----------
        path
            Names of files in it count from its folder.

        Raises
        ------
        SearchError
            The first thing wrong with it.
        OSError
            If it cannot be read.
        """
        path = Path(path)
        values = read_toml(path, SearchError)
        values.setdefault("name", path.stem)
        try:
            return cls.from_dict(values, path.parent)
        except (DumbbellError, FileNotFoundError) as error:
            raise SearchError(f"{path}: {error}") from None

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], base_dir: str | os.PathLike[str] = ".") -> Search:
        """Read a dictionary of the same keys and values as a TOML file.

        Parameters
        ----------
        values
            The search.
        base_dir
            The folder from which the name of the study counts.

        Raises
        ------
        SearchError, StudyError, PaperError
            The first thing wrong with it.
        """
        reader = Table(values, "", SearchError)
        study, paper = _studied(reader, Path(base_dir))
        derived = paper.derived() if paper else ()
        factors = tuple(_factor(entry) for entry in reader.tables("factors"))
        targets = tuple(_target(entry, study, derived) for entry in reader.tables("targets", ()))
        claims = _claims(reader, study, paper)
        seeds = reader.seeds("seeds")
        search = cls(
            name=reader.name("name"),
            study=replace(_only(study, reader, targets, claims), declared=Declared()),
            derived=derived,
            claims=claims,
            claim_weight=reader.number("claim_weight", 1.0, least=0.0),
            factors=factors,
            targets=targets,
            seeds=seeds,
            first=reader.integer("first", max(1, len(seeds) // 4), least=1, most=len(seeds)),
            readings=reader.integer("readings", 64, least=2, most=_MOST_READINGS),
            keep=reader.number("keep", 0.25, least=0.0, most=1.0),
            local=reader.integer("local", 32, least=0, most=_MOST_READINGS),
            best=reader.integer("best", 3, least=1, most=100),
            fresh=reader.seeds("fresh"),
            seed=reader.integer("seed", 1, least=0, most=2**31),
        )
        reader.close()
        search._check()
        return search

    def _check(self) -> None:
        if not 1 <= len(self.factors) <= _MOST_FACTORS:
            raise SearchError(f"{len(self.factors)} factors; give 1 to {_MOST_FACTORS} as [[factors]]")
        names = [factor.name for factor in self.factors]
        if twice := {name for name in names if names.count(name) > 1}:
            raise SearchError(f"factors: two are called {min(twice)!r}; rename one")
        if not self.targets and not self.claims:
            raise SearchError("there is nothing to aim at; give [[targets]] or claims")
        if common := set(self.seeds) & set(self.fresh):
            raise SearchError(
                f"fresh: seed {min(common)} is one of `seeds`; give others, such as from 1001 on"
            )
        if any(axis.name == AXIS for axis in self.study.axes):
            raise SearchError(f"the study has an axis {AXIS!r}, which the search needs; rename it")

    def settings(self, values: Sequence[AxisValue]) -> tuple[str, ...]:
        """Return the changes of the scenario that a reading makes.

        Parameters
        ----------
        values
            Of each factor, in order.
        """
        pairs = zip(self.factors, values, strict=True)
        return tuple(setting for factor, value in pairs for setting in factor.settings(value))


def _studied(reader: Table, base_dir: Path) -> tuple[Study, Paper | None]:
    """Return the study and its paper, if it is that of one."""
    if reader.has("paper") == reader.has("study"):
        raise SearchError('give one of `study = "FILE"` and `paper = "NAME"`')
    if not reader.has("paper"):
        study = Study.from_file(base_dir / reader.text("study"))
        return replace(study, stop=None), None
    paper = find_paper(reader.text("paper"))
    if paper.programs:
        raise SearchError(f"paper: {paper.folder} holds programs; search over its study.toml instead")
    return replace(paper.study(), stop=None), paper


def _claims(reader: Table, study: Study, paper: Paper | None) -> tuple[Claim, ...]:
    """Return the claims of the study that patterns of their ids name."""
    patterns = reader.texts("claims", ())
    if not patterns:
        return ()
    found = {claim.id: claim for claim in (claims_of(study) if paper is None else paper.claims())}
    if not found:
        raise SearchError("claims: the study has none; add [[claims]] to its file, or give [[targets]]")
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in found):
            remedy = _native.suggest(pattern, list(found))
            raise SearchError(f"claims: no claim is called {pattern!r}; {remedy}")
    return tuple(claim for name, claim in found.items() if any(fnmatchcase(name, p) for p in patterns))


def _factor(table: Table) -> Factor:
    name = table.name("name")
    if table.has("values"):
        values = tuple(table.take("values", list, "a list of values"))
        if len(values) < 2 or not all(isinstance(v, str | int | float) for v in values):
            raise SearchError(f"{table.at('values')}: two or more numbers or texts are a choice; give them")
        if len(set(map(str, values))) < len(values):
            raise SearchError(f"{table.at('values')}: a value stands there twice; remove one")
        if table.has("settings"):
            lists = table.take("settings", list, "a list of settings for each value")
            templates = tuple((each,) if isinstance(each, str) else tuple(each) for each in lists)
            if len(templates) != len(values):
                count = f"{len(templates)} entries for {len(values)} values"
                raise SearchError(f"{table.at('settings')}: {count}; give one for each value")
        else:
            templates = (_set(table),)
        if not all(isinstance(text, str) for entry in templates for text in entry):
            raise SearchError(f"{table.at('settings')}: a setting is a text; write path=value")
        return Factor(name, templates, values=values)
    low, high = table.number("low"), table.number("high")
    if low >= high:
        raise SearchError(f"{table.at('low')}: {low:g} is not below `high`, {high:g}; put the lower first")
    scale = table.text("scale", "linear")
    if scale not in ("linear", "log"):
        raise SearchError(f'{table.at("scale")}: {scale!r} is no scale; use "linear" or "log"')
    if scale == "log" and low <= 0:
        raise SearchError(f"{table.at('low')}: {low:g} has no logarithm; give a number above 0")
    whole = table.flag("integer")
    if whole and (low % 1 or high % 1):
        raise SearchError(f"{table.at('low')}: the ends of whole numbers are whole; round them")
    return Factor(name, (_set(table),), low=low, high=high, log=scale == "log", integer=whole)


def _set(table: Table) -> tuple[str, ...]:
    """Return the settings of a factor, in which its value must stand."""
    texts = table.texts("set")
    if not any("{value}" in text for text in texts):
        raise SearchError(f"{table.at('set')}: {{value}} stands nowhere; write path={{value}}")
    return texts


def _target(table: Table, study: Study, derived: Sequence[Derived]) -> Target:
    statistic = table.text("statistic", "mean")
    if statistic not in get_args(Statistic):
        remedy = _native.suggest(statistic, list(get_args(Statistic)))
        raise SearchError(f"{table.at('statistic')}: {statistic!r} is no statistic; {remedy}")
    value = table.number("value")
    if value <= 0:
        why = "a reading is compared with it as a ratio"
        raise SearchError(f"{table.at('value')}: {value:g} published, and {why}; give a number above 0")
    within = table.number("within", 1.5)
    if within <= 1:
        raise SearchError(f"{table.at('within')}: {within:g} holds nothing; give a factor above 1")
    metric = table.text("metric")
    names = [*(entry.name for entry in study.metrics), *(entry.name for entry in derived)]
    if metric not in names:
        remedy = _native.suggest(metric, names)
        what = f"the study {study.name!r} has no metric {metric!r}"
        raise SearchError(f"{table.at('metric')}: {what}; {remedy}")
    target = Target(
        metric=metric,
        arm=table.text("arm", study.arms[0].name),
        value=value,
        statistic=cast("Statistic", statistic),
        over=table.text("over", ""),
        within=within,
        weight=table.number("weight", 1.0, least=0.0),
        at=table.take("at", dict, "a value for each axis", {}),
    )
    try:
        for arm in filter(None, (target.arm, target.over)):
            study.arm(arm)
        for name in target.at:
            study.axis(name)
        for axis in study.axes:
            if target.at.get(axis.name) not in axis.values:
                known = ", ".join(map(str, axis.values))
                raise SearchError(
                    f"{table.at('at')}: gives no value of the axis {axis.name!r}; use one of {known}"
                )
    except UnknownNameError as error:
        raise SearchError(f"{table.place}: {error}") from None
    return target


def _only(study: Study, reader: Table, targets: Sequence[Target], claims: Sequence[Claim]) -> Study:
    """Return the study with what targets and claims look at: claims at all points, targets at their own."""
    if not claims:
        looked_at = {axis.name: [t.at[axis.name] for t in targets] for axis in study.axes}
        study = replace(study, axes=tuple(axis.keeping(looked_at[axis.name]) for axis in study.axes))
    needed = {arm for target in targets for arm in (target.arm, target.over) if arm}
    chosen = reader.texts("arms", ())
    if not chosen and not claims:
        return replace(study, arms=tuple(arm for arm in study.arms if arm.name in needed))
    if not chosen:
        return study
    arms: dict[str, Arm] = {arm: study.arm(arm) for arm in chosen}
    if missing := needed - arms.keys():
        raise SearchError(f"arms: a target needs {min(missing)!r}; add it")
    return replace(study, arms=tuple(arms.values()))
