"""Figures of results, fit for a paper. Every function returns a Matplotlib ``Figure``.

Examples
--------
>>> import dumbbell as db
>>> results = db.load("out/demo/cubic")  # doctest: +SKIP
>>> db.figures.draw("cwnd", results)  # doctest: +SKIP
>>> db.figures.draw("queue", {"NewReno": results, "CUBIC": other})  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dumbbell import _native
from dumbbell._declared import SERIES
from dumbbell._results import Results
from dumbbell.figures import drops, fct_cdf, fct_size, rate
from dumbbell.figures.series import draw_series
from dumbbell.figures.style import FORMATS, STYLE, WIDTHS, as_label, finish, new_figure, save
from dumbbell.figures.sweep import sweep

__all__ = ["FORMATS", "KINDS", "USUAL", "WIDTHS", "Figure", "draw", "save", "sweep"]

_OWN: Mapping[str, Callable[[Axes, Results], None]] = {
    "rate": rate.draw,
    "drops": drops.draw,
    "fct_cdf": fct_cdf.draw,
    "fct_size": fct_size.draw,
}
"""Figures with an arithmetic of their own."""

KINDS: Mapping[str, Callable[[Axes, Results], None]] = {
    **{name: partial(draw_series, series=series) for name, series in SERIES.items()},
    **_OWN,
}
"""The kinds of figures, by name: every series, and some of their own. Each draws one run into axes."""

USUAL = ("cwnd", "rate", "rtt", "queue", "drops", "fct_cdf", "fct_size")
"""The kinds that are drawn where none is named."""


def draw(kind: str, results: Results | Mapping[str, Results], width: str | None = None) -> Figure:
    """Draw one kind of figure.

    Parameters
    ----------
    kind
        One of :data:`KINDS`: ``cwnd``, ``rate``, ``rtt``, ``queue``, ``drops``, ``fct_cdf``, ``fct_size``, or
        any series.
    results
        One run, or several by title, drawn side by side on the same scales.
    width
        ``single`` or ``double`` column; figures over time and of several runs are double by default.

    Raises
    ------
    NothingToDrawError
        If the results hold no data for it.
    """
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is not a kind of figure; {_native.suggest(kind, list(KINDS))}")
    runs = {"": results} if isinstance(results, Results) else results
    wide = len(runs) > 1 or not kind.startswith("fct")
    figure, panels = new_figure(len(runs), width or ("double" if wide else "single"))
    with mpl.rc_context(STYLE):
        for axes, (title, run) in zip(panels, runs.items(), strict=True):
            KINDS[kind](axes, run)
            axes.set_title(as_label(title))
            if axes is not panels[0]:
                axes.set_ylabel("")
        finish(figure, panels)
    return figure
