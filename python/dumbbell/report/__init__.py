"""Reports of studies and of runs: one HTML file, readable anywhere.

Examples
--------
>>> from dumbbell.report import FigureSpec, write_report
>>> figures = [FigureSpec("fct", "Completion time against load", x="load", metric="fct")]
>>> write_report("report.html", result, judgements, figures)  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dumbbell.report.data import FigureData, figure_data
    from dumbbell.report.declared import figures_of, index_of, report_problems
    from dumbbell.report.errors import FigureError
    from dumbbell.report.extras import PlotSpec, TableData, TableSpec
    from dumbbell.report.index import IndexRow
    from dumbbell.report.map_figure import draw_map
    from dumbbell.report.maps import MapData, MapSpec, map_data
    from dumbbell.report.page import write_report
    from dumbbell.report.parameter import Algorithm, Parameter, algorithms, parameters
    from dumbbell.report.run import write_run_report
    from dumbbell.report.spec import (
        QUICK,
        FigureSpec,
        Measured,
        Reference,
        default_figures,
        questions,
    )
    from dumbbell.report.static import draw
    from dumbbell.report.study import shown_figures, write_study_report
    from dumbbell.report.two_metrics import trade_off

__all__ = [
    "QUICK",
    "Algorithm",
    "FigureData",
    "FigureError",
    "FigureSpec",
    "IndexRow",
    "MapData",
    "MapSpec",
    "Measured",
    "Parameter",
    "PlotSpec",
    "Reference",
    "TableData",
    "TableSpec",
    "algorithms",
    "default_figures",
    "draw",
    "draw_map",
    "figure_data",
    "figures_of",
    "index_of",
    "map_data",
    "parameters",
    "questions",
    "report_problems",
    "shown_figures",
    "trade_off",
    "write_report",
    "write_run_report",
    "write_study_report",
]

_PLACES = {
    "dumbbell.report.data": (
        "FigureData",
        "figure_data",
    ),
    "dumbbell.report.declared": (
        "figures_of",
        "index_of",
        "report_problems",
    ),
    "dumbbell.report.errors": ("FigureError",),
    "dumbbell.report.extras": (
        "PlotSpec",
        "TableData",
        "TableSpec",
    ),
    "dumbbell.report.index": ("IndexRow",),
    "dumbbell.report.map_figure": ("draw_map",),
    "dumbbell.report.maps": ("MapData", "MapSpec", "map_data"),
    "dumbbell.report.page": ("write_report",),
    "dumbbell.report.parameter": (
        "Algorithm",
        "Parameter",
        "algorithms",
        "parameters",
    ),
    "dumbbell.report.run": ("write_run_report",),
    "dumbbell.report.spec": (
        "QUICK",
        "FigureSpec",
        "Measured",
        "Reference",
        "default_figures",
        "questions",
    ),
    "dumbbell.report.static": ("draw",),
    "dumbbell.report.study": ("shown_figures", "write_study_report"),
    "dumbbell.report.two_metrics": ("trade_off",),
}
"""Where names come from. They are loaded when first used: a list of papers names figures and draws none."""

_PLACE = {name: place for place, names in _PLACES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _PLACE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_PLACE[name]), name)
    globals()[name] = value
    return value
