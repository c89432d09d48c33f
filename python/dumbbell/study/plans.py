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
    """

    def __init__(self, study: Study) -> None:
        self._study = study
        self._found: dict[tuple[str, ...], dict[str, Any] | None] = {}

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
