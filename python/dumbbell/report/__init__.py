"""Reports of studies and of runs: one HTML file, readable anywhere.

Examples
--------
>>> from dumbbell.report import FigureSpec, write_report
>>> figures = [FigureSpec("fct", "Completion time against load", x="load", metric="fct")]
>>> write_report("report.html", result, judgements, figures)  # doctest: +SKIP
"""

from dumbbell.report.data import FigureData, figure_data
from dumbbell.report.extras import PlotSpec, TableData, TableSpec
from dumbbell.report.maps import MapData, MapSpec, draw_map, map_data
from dumbbell.report.page import write_report
from dumbbell.report.parameters import Algorithm, Parameter, algorithms, parameters
from dumbbell.report.run import write_run_report
from dumbbell.report.spec import FigureError, FigureSpec, Measured, Reference, default_figures, questions
from dumbbell.report.static import draw

__all__ = [
    "Algorithm",
    "FigureData",
    "FigureError",
    "FigureSpec",
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
    "map_data",
    "parameters",
    "questions",
    "write_report",
    "write_run_report",
]
