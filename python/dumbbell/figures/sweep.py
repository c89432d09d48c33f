"""A quantity against a parameter, over several seeds."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from dumbbell.figures.style import STYLE, as_label, finish, new_figure, plain_log


def draw(
    axes: Axes, x: ArrayLike, y: ArrayLike, x_label: str, y_label: str, label: str | None = None
) -> None:
    """Draw the mean over seeds as a line and the range of the seeds as bars.

    Parameters
    ----------
    axes
        Where.
    x
        The parameter, shape (points,).
    y
        The quantity, shape (points, seeds).
    x_label, y_label
        With units.
    label
        For the legend.
    """
    values = np.asarray(y, dtype=np.float64)
    mean = values.mean(axis=1)
    spread = np.stack([mean - values.min(axis=1), values.max(axis=1) - mean])
    axes.errorbar(
        np.asarray(x),
        mean,
        yerr=spread,
        marker="o",
        capsize=2,
        elinewidth=0.7,
        capthick=0.7,
        label=label and as_label(label),
    )
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)


def sweep(
    x: ArrayLike,
    curves: Sequence[tuple[str | None, ArrayLike]],
    x_label: str,
    y_label: str,
    *,
    log: bool = False,
    width: str = "single",
) -> Figure:
    """Make a figure of one or more curves.

    Parameters
    ----------
    x
        The parameter, shape (points,).
    curves
        A label and values of shape (points, seeds) each.
    x_label, y_label
        With units.
    log
        Logarithmic scale of the values.
    width
        ``single`` or ``double`` column.
    """
    figure, panels = new_figure(1, width)
    with mpl.rc_context(STYLE):
        for label, y in curves:
            draw(panels[0], x, y, x_label, y_label, label)
        if log:
            plain_log(panels[0].yaxis)
        finish(figure, panels)
    return figure
