"""The look of all figures: sized for one or two columns, legible in print, safe for the colour-blind."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import MappingProxyType
from typing import Any

import matplotlib as mpl
import numpy as np
from cycler import cycler
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FuncFormatter
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from dumbbell._colours import COLOURS as COLOURS
from dumbbell._files.foreign import replace_file
from dumbbell._files.names import real
from dumbbell._files.text import shortened
from dumbbell.figures import fonts

WIDTHS = {"single": 3.5, "double": 7.16}
"""Column widths in inches: those of IEEE and ACM two-column pages."""

_MOST_LABEL = 60
"""Characters of a label."""

_NOTEBOOK_DPI = 110
"""Dots per inch in a notebook: a double column fills the width of a cell."""

_LOW = 0.03
"""Part of the height of a panel below which a line lies on the axis."""

_BETWEEN = 1.2
"""Between the columns of a legend, in sizes of its font."""

HEIGHT = 2.3
"""Height of one row of panels in inches."""

DASHES: tuple[Any, ...] = (
    "-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)), (0, (8, 2)), (0, (3, 1.5, 1, 1.5, 1, 1.5)),
)  # fmt: skip
"""Of lines, one fewer than colours: no two of the first 42 lines have both in common."""

GREYS = ("#555555", "#888888")
LIMIT_DASHES = ((1.0, 1.5), (4.0, 1.5), (6.0, 1.5, 1.0, 1.5))
"""Of lines to compare with: no two of the first six have grey and dashes in common."""

FORMATS = ("png", "svg", "pdf")
"""The formats of files that figures are written in, unless told otherwise."""

STYLE: Any = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 8,
    "figure.dpi": 200,
    "figure.titlesize": 9,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 8,
    "grid.color": "#d9d9d9",
    "grid.linewidth": 0.5,
    "figure.constrained_layout.h_pad": 0.02,
    "figure.constrained_layout.w_pad": 0.02,
    "legend.borderaxespad": 0.2,
    "legend.borderpad": 0.1,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "lines.linewidth": 0.9,
    "lines.markersize": 3.5,
    "pdf.fonttype": 42,
    # The backend of PDF looks here for how many glyphs a font may have: with 3, two fonts hold what one can.
    "ps.fonttype": 42,
    "savefig.dpi": 300,
    "svg.fonttype": "none",
    "svg.hashsalt": "dumbbell",
    # A dollar sign in a name is one; nothing here is set as mathematics.
    "text.parse_math": False,
    "xtick.labelsize": 7,
    "xtick.major.width": 0.6,
    "xtick.minor.pad": 5.0,
    "ytick.labelsize": 7,
    "ytick.major.width": 0.6,
    "ytick.minor.pad": 5.0,
}

_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"))


def prefix(largest: float) -> tuple[float, str]:
    """Return the decimal factor and SI prefix with which `largest` reads as a number of at least one."""
    return next(((factor, name) for factor, name in _PREFIXES if abs(largest) >= factor), (1.0, ""))


def plain_log(axis: Axis) -> None:
    """Make an axis logarithmic, with ticks in plain numbers: 0.1 and 10k, not powers of ten."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})  # type: ignore[attr-defined]
    axis.set_major_formatter(FuncFormatter(_plain))
    axis.set_minor_formatter(FuncFormatter(lambda value, _: _plain_between(value, axis)))


def _widen(axis: Axis) -> None:
    """Show at least a factor of ten, so that some tick has a label even where all values are equal."""
    low, high = axis.get_view_interval()
    if high < 10 * low:
        middle = math.sqrt(low * high)
        axis.axes.set(**{f"{axis.axis_name}lim": (middle / math.sqrt(10), middle * math.sqrt(10))})  # type: ignore[attr-defined]


def _plain_between(value: float, axis: Axis) -> str:
    """Label 2 and 5 of each decade where there are few decades."""
    low, high = axis.get_view_interval()
    leading = f"{value:e}"[0]
    return _plain(value) if leading in "25" and high < 100 * low else ""


def _plain(value: float, _position: int | None = None) -> str:
    factor, name = prefix(value) if value >= 1000 else (1.0, "")
    return f"{value / factor:g}{name}"


def as_label(text: str) -> str:
    """Return a name for a legend or an axis: whatever it holds is text, and it leaves room for the figure."""
    # Matplotlib leaves names that begin with an underscore out of legends.
    return shortened(f" {text}" if text.startswith("_") else text, _MOST_LABEL)


class Shown(Figure):
    """A figure that notebooks show as it is, without pyplot."""

    def _repr_png_(self) -> bytes:
        with io.BytesIO() as buffer, mpl.rc_context(STYLE):
            self.savefig(buffer, format="png", dpi=_NOTEBOOK_DPI)
            return buffer.getvalue()


def new_figure(panels: int, width: str, height: float = HEIGHT) -> tuple[Figure, list[Axes]]:
    """Make a figure of one row of panels that share their axes' ranges, so many inches high."""
    with mpl.rc_context(STYLE):
        figure = Shown(figsize=(WIDTHS[width], height), layout="constrained")
        axes = figure.subplots(1, panels, squeeze=False, sharex=True, sharey=True)
    return figure, list(axes[0])


def finish(figure: Figure, panels: list[Axes]) -> None:
    """Start linear scales at zero, widen logarithmic ones that show too little, and name the lines.

    Where one of several lines stays near zero, the scale starts a little below, so that it is off the axis.
    """
    flat = any(_lies_low(panel) for panel in panels)
    for panel in panels:
        # After everything is drawn: a limit set by hand ends the automatic choice of the other one.
        if panel.get_yscale() == "linear":
            panel.set_ylim(bottom=-_LOW * panel.get_ylim()[1] if flat else 0)
        for axis in (panel.xaxis, panel.yaxis):
            if axis.get_scale() == "log":
                _widen(axis)
    name_lines(figure, panels)


def _lies_low(panel: Axes) -> bool:
    """Whether one of several lines of a linear panel stays near zero most of the time."""
    values = [np.asarray(line.get_ydata(), dtype=np.float64) for line in panel.get_lines()]
    if panel.get_yscale() != "linear" or len(values) < 2:
        return False
    low = _LOW * panel.get_ylim()[1]
    return any(np.isfinite(of_line).any() and np.nanmedian(of_line) < low for of_line in values)


def name_lines(figure: Figure, panels: list[Axes]) -> None:
    """Name the lines above the panels, where the legend covers no data; if the panels differ, inside each."""
    contents = [panel.get_legend_handles_labels() for panel in panels]
    names = {tuple(labels) for _, labels in contents if labels}
    if len(names) == 1:
        handles, labels = next(content for content in contents if content[1])
        columns = _columns(labels, figure.get_figwidth())
        figure.legend(handles, labels, loc="outside upper left", ncols=columns, columnspacing=_BETWEEN)
    else:
        for panel, (_, labels) in zip(panels, contents, strict=True):
            if labels:
                panel.legend(loc="best", frameon=True, framealpha=0.8, edgecolor="none")


def _columns(labels: Sequence[str], inches: float) -> int:
    """Return how many columns of a legend have room: a column is as wide as its longest label."""
    size = STYLE["legend.fontsize"]
    # Beside a label stand the line, of 1.6 sizes, and the gap between, of 0.8 (`legend.handletextpad`).
    beside = (STYLE["legend.handlelength"] + 0.8) * size
    font = FontProperties(size=size)
    widths = [
        text_to_path.get_text_width_height_descent(label, font, ismath=False)[0] + beside for label in labels
    ]
    for count in range(len(labels), 1, -1):
        # Matplotlib fills a legend column by column.
        shares = np.array_split(widths, count)
        if sum(map(max, shares)) + (count - 1) * _BETWEEN * size < 72 * inches:
            return count
    return 1


def stamp_on(figure: Figure, stamp: str) -> Figure:
    """Write across the top what must stand there, such as ``INCOMPLETE: 3 of 8 runs``; return the figure."""
    if stamp:
        with mpl.rc_context(STYLE):
            figure.axes[0].set_title(stamp, color=COLOURS[1], fontweight="bold")
    return figure


@contextmanager
def laid_out(figure: Figure) -> Iterator[None]:
    """Lay a figure out once for all formats that it is written in.

    Otherwise each format does, and draws the whole figure once more for it.
    """
    engine = figure.get_layout_engine()
    if engine is None:
        yield
        return
    with mpl.rc_context(STYLE):
        engine.execute(figure)
    figure.set_layout_engine(None)
    try:
        yield
    finally:
        figure.set_layout_engine(engine)


def save(figure: Figure, stem: Path, formats: Iterable[str] = FORMATS) -> list[Path]:
    """Write the figure as ``stem.png``, ``stem.svg``, ``stem.pdf``, each whole or not at all.

    The same figure gives the same bytes.

    Parameters
    ----------
    figure
        What to write.
    stem
        Path without the suffix; its folder must exist.
    formats
        Some of ``png``, ``svg``, ``pdf``.
    """
    paths = []
    with laid_out(figure):
        for suffix in formats:
            path = stem.with_name(f"{stem.name}.{suffix}")
            undated: dict[str, None] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}.get(suffix, {})
            replace_file(real(path), _drawn(figure, suffix, undated))
            paths.append(path)
    return paths


_MOST_SVG = 400_000
"""Bytes of a drawing in a page; one of many points is a picture of dots instead."""


def data_address(figure: Figure) -> Markup:
    """Return a figure as an image within the address of a page: SVG, or PNG where that is much smaller."""
    with laid_out(figure):
        drawn = _drawn(figure, "svg", {"Date": None, "Creator": None})
        kind = "svg+xml"
        if len(drawn) > _MOST_SVG:
            drawn, kind = _drawn(figure, "png"), "png"
    return Markup(f"data:image/{kind};base64,{base64.b64encode(drawn).decode()}")


def _drawn(figure: Figure, suffix: str, undated: Mapping[str, None] = MappingProxyType({})) -> bytes:
    with io.BytesIO() as buffer, mpl.rc_context(STYLE), fonts.shared() if suffix == "pdf" else nullcontext():
        if suffix != "png":
            figure.savefig(buffer, format=suffix, metadata=dict(undated))
            return buffer.getvalue()
        dpi: float = mpl.rcParams["savefig.dpi"]
        figure.savefig(buffer, format="raw", dpi=dpi)
        size = int(figure.bbox_inches.width * dpi), int(figure.bbox_inches.height * dpi)
        return _as_png(Image.frombuffer("RGBA", size, buffer.getvalue()), dpi)


def _as_png(image: Image.Image, dpi: float) -> bytes:
    """Compress a picture that nothing shines through: as small as Matplotlib does it, in half of the time."""
    # By this we know files of ours that no manifest lists.
    about = PngInfo()
    about.add_text("Software", "Matplotlib")
    with io.BytesIO() as buffer:
        image.convert("RGB").save(buffer, "png", dpi=(dpi, dpi), compress_level=3, pnginfo=about)
        return buffer.getvalue()
