"""Queue lengths over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from dumbbell.figures.series import draw_lines, link_lines

if TYPE_CHECKING:
    from dumbbell._results import Results


def draw(axes: Axes, results: Results) -> None:
    """Draw the queue of every sampled link."""
    draw_lines(axes, link_lines(results, "queue"), "queue", " packets")
