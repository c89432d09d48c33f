"""The comparisons that an answer rests on."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from dumbbell.stats import CONFIDENCE
from dumbbell.study.estimates import difference, level, ratio
from dumbbell.study.metric import possible

if TYPE_CHECKING:
    from dumbbell.stats import Estimate
    from dumbbell.study import Arm, Axis, Metric, Point, Study, StudyResult

Value: TypeAlias = float | int | str

Sign = Literal[-1, 0, 1]
"""Of a difference; 0 if it cannot be distinguished from chance."""

_MOST_POINTS = 4
"""Points on the other axes at which a study answers and draws that names none."""


@dataclass(frozen=True)
class Question:
    """Which arm is better in a metric, and where along an axis."""

    metric: str
    """Its name."""
    x: str = ""
    """Name of the axis along which; empty if the study has none."""
    at: Mapping[str, Value] = field(default_factory=dict)
    """Values of the other axes, by name; needed for each that has more than one."""
    arms: tuple[str, ...] = ()
    """Names of the arms; empty for all."""
    over: str = ""
    """Name of an arm: compare each of the others with this one alone."""
    x_range: tuple[float, float] | None = None
    """Leave out what lies outside, of an axis of numbers."""
    factor: float = 1.0
    """Multiplies differences before they are shown."""
    unit: str | None = None
    """Unit after the factor; that of the metric by default."""


def asked_metrics(study: Study) -> list[Metric]:
    """Return the metrics that a study asks about: those that say what is better, or else the first."""
    return [metric for metric in study.metrics if metric.better] or list(study.metrics[:1])


def default_places(study: Study) -> tuple[Axis | None, list[Point]]:
    """Return the longest axis of a study, if it has one, and the first points on the others."""
    x = max(study.axes, key=lambda axis: len(axis.values), default=None)
    others = [axis for axis in study.axes if axis is not x]
    points = itertools.islice(itertools.product(*(axis.values for axis in others)), _MOST_POINTS)
    return x, [{axis.name: value for axis, value in zip(others, values, strict=True)} for values in points]


def default_questions(study: Study) -> list[Question]:
    """Return the questions of a study that names none: along its longest axis, of the metrics asked about."""
    x, places = default_places(study)
    return [
        Question(metric.name, x.name if x else "", at) for metric in asked_metrics(study) for at in places
    ]


@dataclass(frozen=True)
class Versus:
    """One arm against another at one point, paired by seed."""

    difference: Estimate
    """The first less the second."""
    ratio: Estimate | None
    """The first over the second; ``None`` where a share of the second says nothing."""

    @property
    def sign(self) -> Sign | None:
        """Of the difference, as far as the interval says it; ``None`` without an interval."""
        ends = self.difference.interval
        if ends is None or not all(map(math.isfinite, ends)):
            return None
        return -1 if ends[1] < 0 else 1 if ends[0] > 0 else 0


@dataclass(frozen=True)
class Asked:
    """A question on a result."""

    question: Question
    result: StudyResult

    @classmethod
    def of(cls, result: StudyResult, question: Question) -> Asked:
        """Ask; a metric by size is in a result of its own."""
        return cls(question, result.having(question.metric))

    @cached_property
    def metric(self) -> Metric:
        """The metric."""
        return self.result.study.metric(self.question.metric)

    @cached_property
    def axis(self) -> Axis | None:
        """The axis along which."""
        return self.result.study.axis(self.question.x) if self.question.x else None

    @cached_property
    def values(self) -> list[Value]:
        """Those of the axis, numbers in order; without an axis there is one that nothing shows."""
        if self.axis is None:
            return [""]
        if self.named:
            return list(self.axis.values)
        low, high = self.question.x_range or (-math.inf, math.inf)
        return sorted(value for value in self.axis.values if low <= float(value) <= high)

    @cached_property
    def named(self) -> bool:
        """Whether the values of the axis are names, which have no order."""
        return self.axis is not None and any(isinstance(value, str) for value in self.axis.values)

    @cached_property
    def fixed(self) -> list[tuple[Axis, Value]]:
        """The other axes and where on them; those of one value only need no mention."""
        axes = [axis for axis in self.result.study.axes if axis is not self.axis]
        return [(axis, self.question.at.get(axis.name, axis.values[0])) for axis in axes]

    def point(self, index: int) -> Point:
        """Return the point at a value of the axis."""
        here = {axis.name: value for axis, value in self.fixed}
        return here if self.axis is None else {**here, self.axis.name: self.values[index]}

    @cached_property
    def arms(self) -> list[Arm]:
        """The arms that have a value anywhere; a base comes last."""
        study = self.result.study
        names = [
            name
            for name in self.question.arms or (arm.name for arm in study.arms)
            if name != self.question.over
        ]
        arms = [study.arm(name) for name in (*names, *filter(None, [self.question.over]))]
        return [
            arm for arm in arms if any(self.mean(arm, index) is not None for index in range(len(self.values)))
        ]

    def mean(self, arm: Arm, index: int) -> float | None:
        """Return the mean of an arm at a value of the axis, or its median, if it has one."""
        value = level(self.result, self.metric.name, (arm.name, self.point(index)))(CONFIDENCE).value
        return value if math.isfinite(value) else None

    @cached_property
    def pairs(self) -> list[tuple[Arm, Arm]]:
        """The two arms that are compared, or each with the base; none where the best of several counts."""
        if self.question.over:
            base = [arm for arm in self.arms if arm.name == self.question.over]
            return [(arm, base[0]) for arm in self.arms if base and arm is not base[0]]
        return [(self.arms[0], self.arms[1])] if len(self.arms) == 2 else []

    @property
    def comparisons(self) -> int:
        """How many differences must hold together for the answer to be right.

        At each value one fewer than there are arms, also where the best of several is chosen by the data:
        while all differences from the arm that truly is best hold, that arm is never ruled out, and no other
        is called best (multiple comparisons with the best: Hsu, Ann. Statist. 12(3), 1984).
        """
        return max(len(self.arms) - 1, 0) * len(self.values) or self.alone

    @property
    def alone(self) -> bool:
        """Whether there is one arm, whose change along an axis of numbers is all that can be asked."""
        return len(self.arms) == 1 and not self.question.over and not self.named and len(self.values) > 1

    def versus(self, a: tuple[Arm, int], b: tuple[Arm, int], confidence: float) -> Versus:
        """Compare an arm at a value with another, or with itself at another value."""
        first, second = ((arm.name, self.point(index)) for arm, index in (a, b))
        name = self.metric.name
        relative = ratio(self.result, name, first, second) if self._relative else None
        return Versus(
            difference(self.result, name, first, second)(confidence),
            relative(confidence) if relative else None,
        )

    @property
    def _relative(self) -> bool:
        """Whether percent of another value say something: not of shares, nor of what may be below 0."""
        low, high = possible(self.metric)
        return low >= 0 and math.isinf(high) and self.unit != "%"

    @property
    def unit(self) -> str:
        """Of differences."""
        return self.metric.unit if self.question.unit is None else self.question.unit

    @property
    def why_median(self) -> str | None:
        """Why medians replace means at some value; ``None`` if they do nowhere."""
        places = itertools.product(self.arms, range(len(self.values)))
        reasons = (self.result.why_median(arm.name, **self.point(index)) for arm, index in places)
        return next(filter(None, reasons), None)

    def repeated(self, indexes: Sequence[int]) -> bool:
        """Whether the runs of all arms at some values are the same for every seed."""
        return all(
            self.result.repeated(arm.name, **self.point(index)) for arm in self.arms for index in indexes
        )
