"""What a figure of a study shows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from dumbbell.answers import Question, asked_metrics, default_places, default_questions
from dumbbell.report.errors import FigureError

if TYPE_CHECKING:
    from dumbbell.study import Study

Value = float | int | str
"""A value of an axis."""

Scale = Literal["linear", "log"]

Statistic = Literal["mean", "median"]


QUICK = "QUICK: few runs, so intervals are wide; the full study gives the intervals to rely on"
"""The note of a quick study."""


@dataclass(frozen=True)
class Reference:
    """Something to compare with: a level across the figure, or a published curve."""

    label: str
    """For the legend."""
    y: tuple[float, ...]
    """In the figure's unit. One value without `x` is a level."""
    x: tuple[float, ...] = ()
    """Values of the axis, as many as `y`; empty for a level."""
    source: str = ""
    """Where it comes from: ``"Dukkipati (2008), figure 2.4"``."""
    marks: bool = False
    """Draw its points and no line: published measurements."""

    def __post_init__(self) -> None:
        if len(self.y) != (len(self.x) or 1):
            raise FigureError(
                f"reference {self.label!r}: {len(self.x)} x and {len(self.y)} y; "
                "give as many of each, or one y alone"
            )
        if not all(map(math.isfinite, (*self.x, *self.y))):
            raise FigureError(f"reference {self.label!r}: not a finite number; leave such points out")


@dataclass(frozen=True)
class Measured:
    """Something to compare with that the study measures itself: another metric, its mean over seeds."""

    label: str
    """For the legend."""
    metric: str
    """Name of the metric of the study."""
    arm: str
    """Name of the arm."""


@dataclass(frozen=True)
class FigureSpec:
    """A metric against an axis of a study, one line for each arm, with intervals over seeds."""

    id: str
    """Short and unique in the report: names its files and its anchor."""
    title: str
    x: str
    """Name of the axis of the study."""
    metric: str
    """Name of the metric of the study."""
    arms: tuple[str, ...] = ()
    """Names of the arms, in order; empty for all. With `relative_to`, the others."""
    at: Mapping[str, Value] = field(default_factory=dict)
    """Values of the other axes, by name; needed for each that has more than one."""
    statistic: Statistic = "mean"
    """Over seeds."""
    relative_to: str = ""
    """Name of an arm: draw paired ratios of the others to it instead of values."""
    scale: Scale = "linear"
    """Of the y axis, at first; the reader can change it."""
    x_scale: Scale = "linear"
    factor: float = 1.0
    """Multiplies values before they are shown: 100 with the unit ``%``."""
    unit: str | None = None
    """Unit after the factor; that of the metric by default."""
    x_range: tuple[float, float] | None = None
    """Leave out what lies outside, of an axis of numbers."""
    references: tuple[Reference | Measured, ...] = ()
    note: str = ""
    """A sentence under the figure."""
    answers: bool = False
    """Its values answer the question of the study; where no figure does, those of the first."""

    def __post_init__(self) -> None:
        if not self.id or not self.id.replace("-", "").replace("_", "").isalnum() or not self.id.isascii():
            raise FigureError(f"figure {self.id!r}: not an id; use letters, digits, - and _")
        if not (math.isfinite(self.factor) and self.factor > 0):
            raise FigureError(f"figure {self.id!r}: factor {self.factor:g}; use one above zero")
        if self.relative_to and (self.factor != 1 or self.unit is not None):
            raise FigureError(f"figure {self.id!r}: a ratio has no unit; leave factor and unit out")

    @property
    def question(self) -> Question:
        """The question that the figure answers, of the same arms at the same points."""
        return Question(
            self.metric, self.x, self.at, self.arms, self.relative_to, self.x_range, self.factor, self.unit
        )


def questions(study: Study, figures: Sequence[FigureSpec], told: bool = False) -> list[Question]:
    """Return what a report answers: the figures that answer, else the first, else the study itself.

    With `told` it has an answer of its own, and asks the study nothing more.
    """
    answering = [spec for spec in figures if spec.answers] or figures[:1]
    return [spec.question for spec in answering] or ([] if told else default_questions(study))


def default_figures(study: Study) -> list[FigureSpec]:
    """Return figures of every metric against the longest axis, for the first points of the others."""
    x, points = default_places(study)
    if x is None:
        return []
    figures = []
    asked = asked_metrics(study)
    for metric in study.metrics:
        for number, at in enumerate(points):
            places = ", ".join(f"{study.axis(name).label} {value}" for name, value in at.items())
            title = f"{metric.label} against {x.label}" + (f"; {places}" if places else "")
            name = metric.name if len(points) == 1 else f"{metric.name}-{number + 1}"
            title = title[:1].upper() + title[1:]
            figures.append(FigureSpec(name, title, x.name, metric.name, at=at, answers=metric in asked))
    return figures
