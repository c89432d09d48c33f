"""Studies: a base scenario, axes, arms, seeds and metrics."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from dumbbell._results import Results
    from dumbbell._scenario import Scenario
    from dumbbell.study.sizes import BySize

AxisValue: TypeAlias = float | int | str
Point: TypeAlias = dict[str, AxisValue]
"""One value of each axis, by name."""

Source: TypeAlias = "Mapping[str, Any] | Callable[[Results], float]"
"""Where a metric comes from: see :mod:`dumbbell.study.metric`."""


@dataclass(frozen=True)
class Axis:
    """A quantity that the study varies.

    Linked axes are one axis whose every value sets several paths of the scenario.
    """

    name: str
    label: str
    unit: str
    values: tuple[AxisValue, ...]
    settings: tuple[tuple[str, ...], ...]
    """For each value, what it changes in the scenario: ``path=value``."""

    def keeping(self, values: Collection[AxisValue]) -> Axis:
        """Return the axis with those of its values alone that are among `values`."""
        kept = [pair for pair in zip(self.values, self.settings, strict=True) if pair[0] in values]
        return replace(self, values=tuple(v for v, _ in kept), settings=tuple(s for _, s in kept))


@dataclass(frozen=True)
class Arm:
    """One of the designs that are compared. At the same seed all arms see the same arrivals."""

    name: str
    label: str
    settings: tuple[str, ...] = ()
    """What the arm changes in the scenario: ``path=value``."""


@dataclass(frozen=True)
class Metric:
    """A number that each run gives."""

    name: str
    label: str
    unit: str
    source: Source
    better: Literal["lower", "higher"] | None = None


@dataclass(frozen=True)
class StopRule:
    """Ends a point early, once the mean of a metric is known well enough in every arm.

    The rule looks at the first k seeds of the list, for k = `minimum`, `minimum` + 1, ..., and at all arms;
    the point ends at the smallest k where each t interval of the mean has a half-width of at most the bound.
    It never looks at which runs happened to end first, so the result does not depend on timing. Looking again
    and again makes the intervals cover a little less than they say; a larger `minimum` limits that.
    """

    metric: str
    half_width: float
    """The bound: in units of the metric, or as a share of the mean if `relative`."""
    relative: bool = True
    confidence: float = 0.95
    minimum: int = 5


@dataclass(frozen=True)
class RunSpec:
    """One run of a study."""

    id: str
    """Made from the plan, the seed, the metrics and the version of the code: same id, same results."""
    point: Point
    arm: str
    seed: int
    settings: tuple[str, ...]
    """Every change to the base scenario, the seed included."""


@dataclass(frozen=True)
class Study:
    """A question, and the runs that answer it.

    Examples
    --------
    >>> from dumbbell.study import Study
    >>> study = Study.from_dict(
    ...     {
    ...         "name": "two-controllers",
    ...         "scenario": {
    ...             "duration": "2s",
    ...             "topology": {"kind": "dumbbell", "pairs": 1},
    ...             "transport": {"kind": "tcp"},
    ...             "flows": [{"from": "senders", "to": "receivers"}],
    ...         },
    ...         "seeds": 3,
    ...         "arms": [
    ...             {"name": "newreno", "set": "transport.controller=newreno"},
    ...             {"name": "cubic", "set": "transport.controller=cubic"},
    ...         ],
    ...         "metrics": [{"name": "goodput", "source": {"table": "runs", "column": "goodput"}}],
    ...     }
    ... )
    >>> len(study.runs())
    6
    """

    name: str
    title: str
    question: str
    scenario: dict[str, Any]
    """The base scenario, as the dictionary that :meth:`dumbbell.Scenario.from_dict` takes."""
    base_dir: Path
    """Names of files in the scenario count from here."""
    axes: tuple[Axis, ...]
    arms: tuple[Arm, ...]
    seeds: tuple[int, ...]
    metrics: tuple[Metric, ...]
    stop: StopRule | None = None
    by_size: BySize | None = None
    """Metrics that a run gives for each bin of flow sizes."""
    confined: bool = False
    """Whether scenarios open no file outside :attr:`base_dir`: those of a folder or an archive do not."""

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Study:
        """Read ``study.toml``, or a Python file that defines ``study``.

        Raises
        ------
        StudyError
            Everything wrong with the file itself; :meth:`runs` checks what the axes make of the scenario.
        OSError
            If the file cannot be read.
        """
        from dumbbell.study.reader import read_file

        return read_file(Path(path))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], base_dir: str | os.PathLike[str] = ".") -> Study:
        """Read a dictionary of the same keys and values as a TOML file.

        Raises
        ------
        StudyError
            Everything wrong with it.
        """
        from dumbbell.study.reader import read_dict

        return read_dict(values, Path(base_dir))

    @classmethod
    def from_folder(cls, values: object, folder: str | os.PathLike[str]) -> Study:
        """Read what :meth:`to_dict` wrote into a folder or an archive, which may be somebody else's.

        The scenario stands in it as a table, and opens no file outside the folder.

        Raises
        ------
        StudyError
            Everything wrong with it.
        """
        from dumbbell.study.reader import read_dict

        return read_dict(values, Path(folder), confined=True)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON types that :meth:`from_dict` reads. Functions are named, and cannot be read back."""
        from dumbbell.study.reader import write_dict

        return write_dict(self)

    def plan(self, settings: Iterable[str]) -> Scenario:
        """Return the base scenario with some changes.

        Raises
        ------
        ScenarioError
            The first thing wrong with it.
        """
        from dumbbell._scenario import Scenario

        return Scenario.from_dict(self.scenario, settings, self.base_dir, confined=self.confined)

    def points(self) -> list[Point]:
        """Return every combination of axis values, the last axis fastest."""
        return [point for point, _ in self.grid()]

    def grid(self) -> Iterator[tuple[Point, tuple[str, ...]]]:
        """Yield every point and its settings, the last axis fastest."""
        choices = [list(zip(axis.values, axis.settings, strict=True)) for axis in self.axes]
        names = [axis.name for axis in self.axes]
        for combination in itertools.product(*choices):
            point = dict(zip(names, (value for value, _ in combination), strict=True))
            yield point, tuple(itertools.chain.from_iterable(settings for _, settings in combination))

    def runs(self) -> list[RunSpec]:
        """Return every run, seed by seed: all points and arms at the first seed, then at the second.

        Raises
        ------
        StudyError
            Every point that makes an invalid scenario, all at once.
        """
        from dumbbell.study.plan import StudyPlan

        return list(StudyPlan(self).runs())

    @cached_property
    def columns(self) -> list[str]:
        """Names of the numbers that a run gives: those of the metrics, then those by size."""
        names = [metric.name for metric in self.metrics]
        return names if self.by_size is None else [*names, *self.by_size.columns]

    def metric(self, name: str) -> Metric:
        """Return the metric of that name; `KeyError` if there is none."""
        return {metric.name: metric for metric in self.metrics}[name]

    def arm(self, name: str) -> Arm:
        """Return the arm of that name; `KeyError` if there is none."""
        return {arm.name: arm for arm in self.arms}[name]

    def axis(self, name: str) -> Axis:
        """Return the axis of that name; `KeyError` if there is none."""
        return {axis.name: axis for axis in self.axes}[name]
