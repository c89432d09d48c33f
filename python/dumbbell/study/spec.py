"""What a study consists of: axes, arms, metrics, a stop rule; and its runs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from dumbbell import _native
from dumbbell.errors import ScenarioError
from dumbbell.study.errors import StudyError

if TYPE_CHECKING:
    from dumbbell._results import Results

AxisValue: TypeAlias = float | int | str
Point: TypeAlias = dict[str, AxisValue]
"""One value of each axis, by name."""

Source: TypeAlias = "Mapping[str, Any] | Callable[[Results], float]"
"""Where a metric comes from: see :mod:`dumbbell.study.metric`."""


_VALUE = re.compile(r"\{([A-Za-z][A-Za-z0-9_-]*)(?:/([A-Za-z][A-Za-z0-9_-]*))?\}")
"""Where the value of an axis stands in a setting, or that of one over another."""


def filled(settings: Iterable[str], point: Point) -> tuple[str, ...]:
    """Return settings with the values of the point instead of ``{axis}`` and ``{axis/axis}``.

    Raises
    ------
    ScenarioError
        If there is no such axis, or no such ratio.
    """

    def text(found: re.Match[str]) -> str:
        names = [name for name in found.groups() if name is not None]
        for name in names:
            if name not in point:
                remedy = _native.suggest(name, list(point)) if point else "leave the braces out"
                raise ScenarioError(found[0], f"the study has no axis {name!r}", remedy)
        values = [point[name] for name in names]
        if len(values) == 1:
            return str(values[0])
        over, under = values
        if isinstance(over, str) or isinstance(under, str) or not under:
            message = f"{over} over {under} is no number"
            raise ScenarioError(found[0], message, "use axes of numbers other than zero")
        return str(over / under)

    return tuple(_VALUE.sub(text, setting) for setting in settings)


def check_name(name: object, place: str) -> None:
    """Refuse what a study file does not take as a name: what has run must open again.

    Raises
    ------
    StudyError
        If it is none; the message names the place.
    """
    try:
        _native.check_name(name, place)
    except ScenarioError as error:
        raise StudyError(str(error)) from None


@dataclass(frozen=True)
class Axis:
    """A quantity that the study varies.

    Linked axes are one axis whose every value sets several paths of the scenario.
    """

    name: str
    """What settings, claims and tables call it."""
    label: str
    """What figures call it."""
    unit: str
    """Of its values; may be empty."""
    values: tuple[AxisValue, ...]
    """In their order: numbers, or texts."""
    settings: tuple[tuple[str, ...], ...]
    """For each value, what it changes in the scenario: ``path=value``."""

    def __post_init__(self) -> None:
        check_name(self.name, "axis")

    @classmethod
    def of(cls, name: str, label: str, unit: str, values: Iterable[AxisValue], *templates: str) -> Axis:
        """Return an axis whose values stand in settings for ``{value}``.

        Parameters
        ----------
        name, label, unit, values
            Of the axis.
        templates
            Settings with ``{value}`` for a value: ``path={value}``.

        Examples
        --------
        >>> Axis.of("buffer", "buffer", "packets", (5, 10), "queue.limit={value}pkt").settings
        (('queue.limit=5pkt',), ('queue.limit=10pkt',))
        """
        values = tuple(values)
        # Texts of numbers are Python's: ids of runs hang on them.
        settings = (tuple(text.replace("{value}", str(value)) for text in templates) for value in values)
        return cls(name, label, unit, values, tuple(settings))

    def write(self) -> dict[str, Any]:
        """Return JSON types, as in a study file."""
        return {
            "name": self.name,
            "label": self.label,
            "unit": self.unit,
            "values": list(self.values),
            "settings": [list(settings) for settings in self.settings],
        }

    def keeping(self, values: Collection[AxisValue]) -> Axis:
        """Return the axis with those of its values alone that are among `values`."""
        kept = [pair for pair in zip(self.values, self.settings, strict=True) if pair[0] in values]
        return replace(self, values=tuple(v for v, _ in kept), settings=tuple(s for _, s in kept))


@dataclass(frozen=True)
class Arm:
    """One of the designs that are compared. At the same seed all arms see the same arrivals."""

    name: str
    """What claims and tables call it."""
    label: str
    """What figures call it."""
    settings: tuple[str, ...] = ()
    """What the arm changes in the scenario: ``path=value``."""

    def __post_init__(self) -> None:
        check_name(self.name, "arm")


AT_LEAST_ZERO = (0.0, math.inf)
"""The range of times, counts and rates."""


@dataclass(frozen=True)
class Metric:
    """A number that each run gives."""

    name: str
    """What claims and tables call it."""
    label: str
    """What figures call it."""
    unit: str
    """Of the number; may be empty."""
    source: Source
    """Where the number comes from."""
    better: Literal["lower", "higher"] | None = None
    """Which way it improves; ``None``: neither."""
    possible: tuple[float, float] | None = None
    """The least and the largest value there can be; ``None``: what the source and the plan tell."""

    def __post_init__(self) -> None:
        check_name(self.name, "metric")


@dataclass(frozen=True)
class StopRule:
    """Ends a point early, once a metric is known well enough.

    In stages: from the first `minimum` seeds of the list, in all arms, the rule computes how many it takes
    until each half-width is at most the bound (Stein, Ann. Math. Stat. 16(3), 1945), and looks again when
    these are there, until that is so (Chow & Robbins, Ann. Math. Stat. 36(2), 1965). It looks two or three
    times, not at every seed, and not before it knows the variance well: so its intervals hold the truth
    nearly as often as they say (docs/statistics.md). It looks at seeds in their order, never at which runs
    happened to end first, so the result does not depend on timing.
    """

    metric: str
    """Name of the metric."""
    half_width: float
    """The bound: in units of the metric, or as a share of the mean if `relative`."""
    relative: bool = True
    """Whether the bound is a share of the mean."""
    confidence: float = 0.95
    """The level of the intervals."""
    minimum: int = 40
    """Seeds of the first stage, which every point has."""
    of: Literal["means", "differences"] = "means"
    """What must be known well enough: the mean of every arm, or its paired differences from the first arm, of
    whose mean a relative bound is then a share."""

    def write(self) -> dict[str, Any]:
        """Return JSON types, as in a study file."""
        return {
            "metric": self.metric,
            "of": self.of,
            "relative" if self.relative else "absolute": self.half_width,
            "confidence": self.confidence,
            "minimum": self.minimum,
        }


class RunSpec(NamedTuple):
    """One run of a study."""

    id: str
    """Made from the plan, the seed, the metrics and the version of the code: same id, same results."""
    point: Point
    """The value of each axis."""
    arm: str
    """Name of the arm."""
    seed: int
    """The seed of every random stream."""
    settings: tuple[str, ...]
    """Every change to the base scenario, the seed included."""
