"""What the plans of a study say of its arms and points, for the answers and notes of results."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any

from dumbbell.errors import DumbbellError
from dumbbell.study.spec import Point, filled

if TYPE_CHECKING:
    from dumbbell.study.plan import Study

_NO_MATTER = re.compile(r"record\b|(.*\.)?(queue|port|power|start|jitter|stagger)[.=]")
"""Settings that change neither sizes of flows nor what links can carry: to plan every arm at every point
takes long."""


class Plans:
    """The plans of the arms of a study at its points.

    Parameters
    ----------
    study
        Whose.
    like
        Those of a study of the same scenario: what is known of one is known of both.
    """

    def __init__(self, study: Study, like: Plans | None = None) -> None:
        self._study = study
        self._found: dict[tuple[str, ...], dict[str, Any] | None] = {} if like is None else like._found

    def settings(self, arm: str, point: Point) -> tuple[str, ...]:
        """Return all changes to the base scenario, but for the seed."""
        axes = (axis.settings[axis.values.index(point[axis.name])] for axis in self._study.axes)
        return filled((*chain.from_iterable(axes), *self._study.arm(arm).settings), point)

    def explained(self, settings: tuple[str, ...]) -> dict[str, Any] | None:
        """Return the plan in figures; ``None`` if the scenario names a file that is not here.

        It may, in a folder from elsewhere. Queues and the like are those of any arm.
        """
        key = tuple(setting for setting in settings if not _NO_MATTER.match(setting))
        if key not in self._found:
            try:
                self._found[key] = self._study.plan(settings).explain()
            except (DumbbellError, OSError):
                self._found[key] = None
        return self._found[key]


def plans_of(study: Study) -> Plans:
    """Return the plans of a study, the same ones each time."""
    kept: Plans = vars(study).setdefault("_plans", Plans(study))
    return kept


def sharing_plans(study: Study, other: Study) -> Study:
    """Return a study, which knows what the plans of another one of the same scenario have said."""
    same_files = (study.base_dir, study.confined) == (other.base_dir, other.confined)
    if study.scenario is other.scenario and same_files:
        vars(study)["_plans"] = Plans(study, plans_of(other))
    return study
