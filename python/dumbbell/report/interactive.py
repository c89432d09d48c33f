"""Figures as descriptions that `charts.js` draws: what a Matplotlib figure consists of, as numbers.

So a figure of a page and its print have one source.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import LineCollection, PathCollection, PolyCollection, QuadMesh
from matplotlib.colors import to_hex
from matplotlib.container import ErrorbarContainer
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Annotation, Text
from matplotlib.ticker import FixedLocator

from dumbbell.figures.style import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

_MOST_POINTS = 2000
"""Of a line; of more, those of the least and the largest value of each part remain."""

_MOST_PIECES = 4000
"""Of bars and the like; of more, every n-th remains."""

_DIGITS = 6

_STEPS = {"steps-pre": -1, "steps-post": 1}
"""As uPlot has them."""

_SLOTS = {colour.lower(): slot for slot, colour in enumerate(COLOURS)}

_SHAPES = {"o": 0, ".": 0, "s": 1, "^": 2, "D": 3, "v": 4, "x": 5, "X": 5, "+": 6, "P": 6, "*": 3}
"""Markers as `charts.js` numbers them."""

_PIXELS = 96 / 72
"""CSS pixels in a point."""

_LARGER = 1.3
"""Of a figure in a page over its print."""

_TALLEST, _SQUARE = 1.1, 0.55
"""Height over width in a page: of networks and diagrams; of others, which are wider there than in print."""

_Pieces = list["NDArray[np.float64]"]
"""Points of shape (n, 2) each."""


def description(name: str, title: str, figure: Figure, code: str = "") -> dict[str, Any] | None:
    """Return what `charts.js` needs to draw a figure; ``None`` if it holds an image.

    Parameters
    ----------
    name
        The figure's id in the page.
    title
        Its heading.
    figure
        Drawn, not yet laid out.
    code
        Lines of Python that draw it.
    """
    panels = [axes for axes in figure.axes if axes.get_label() != "<colorbar>" and axes.get_visible()]
    if not panels or any(axes.images for axes in panels):
        return None
    handles = _handles(figure)
    found = [_panel(axes, handles) for axes in panels]
    if not any(panel["lines"] or panel["texts"] for panel in found):
        return None
    about: dict[str, Any] = {"id": name, "title": title, "code": code}
    if len(found) == 1:
        return found[0] | about
    return about | {"panels": found}


def _panel(axes: Axes, handles: Sequence[tuple[int | None, bool, str]]) -> dict[str, Any]:
    # Stubs of Matplotlib do not know what many getters return.
    figure: Any = axes.figure
    width, height = figure.get_size_inches()
    bare = not axes.axison
    label, *notes = axes.get_xlabel().split("\n") if not bare else [""]
    x, y = _axis(axes.xaxis, bare), _axis(axes.yaxis, bare)
    lines = _Lines(axes, bare)
    texts: list[dict[str, Any]] = []
    lines.read()
    lines.name(handles)
    for text in axes.texts:
        texts += _text(axes, text, lines)
    entries = list(lines.found.values())
    # Plain lines have ranges that follow what is seen; all else those of the print.
    plain = not texts and not (x.get("ticks") or y.get("ticks"))
    plain = plain and not any(
        "path" in line or ("marker" in line and "marks" not in line) for line in entries
    )
    if not plain or (entries and all("marks" in line for line in entries)):
        x["range"], y["range"] = ([float(end) for end in ends] for ends in (axes.get_xlim(), axes.get_ylim()))
    shared, numbers = _grids(entries)
    found = {
        "title": axes.get_title(loc="left") or axes.get_title(),
        "x": x | {"label": label},
        "y": y | {"label": "" if bare else axes.get_ylabel().replace("\n", " ")},
        "grids": shared,
        "lines": numbers,
        "texts": texts,
    }
    if notes:
        found["note"] = " ".join(notes)
    if not plain:
        most = _TALLEST if bare or y.get("range", [0, 1])[0] > y.get("range", [0, 1])[1] else _SQUARE
        found["aspect"] = round(min(height / width, most), 3)
    return found


def _axis(axis: Axis, bare: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"scale": axis.get_scale()}
    locator: Any = axis.get_major_locator()
    fixed = type(locator) is FixedLocator
    if bare or (fixed and not len(locator.locs)):
        found["bare"] = True
    elif fixed:
        names = axis.get_major_formatter().format_ticks(locator.locs)
        found["ticks"] = [
            [float(place), name.strip()] for place, name in zip(locator.locs, names, strict=True)
        ]
    return found


def _handles(figure: Figure) -> list[tuple[int | None, bool, str]]:
    """Return the colour of each entry of the legends, whether it is an area, and its name."""
    legends = [*figure.legends, *(own for axes in figure.axes if (own := axes.get_legend()))]
    found: list[tuple[int | None, bool, str]] = []
    for legend in legends:
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=False):
            colour: Any = handle.get_facecolor() if isinstance(handle, Patch) else None
            if isinstance(handle, Line2D):
                colour = handle.get_color()
            if colour is not None:
                found.append((_slot(colour), isinstance(handle, Patch), text.get_text().strip()))
    return found


class _Lines:
    """The lines, areas and marks of a panel, those of one look together."""

    def __init__(self, axes: Axes, bare: bool) -> None:
        self.axes, self.bare = axes, bare
        self.found: dict[Any, dict[str, Any]] = {}
        self.rectangles: list[tuple[tuple[float, float, float, float], Any]] = []
        """Corners of areas on which text may stand, with the key of their line."""

    def read(self) -> None:
        axes = self.axes
        bars = {
            container.lines[0]: container
            for container in axes.containers
            if isinstance(container, ErrorbarContainer) and container.lines[0] is not None
        }
        caps = {cap for container in bars.values() for cap in container.lines[1]}
        # Areas lie beneath lines.
        for patch in axes.patches:
            self.patch(patch)
        for collection in axes.collections:
            self.collection(collection)
        for line in axes.get_lines():
            if line.get_visible() and line not in caps:
                self.line(line, str(bars[line].get_label()) if line in bars else None)

    def path(self, pieces: _Pieces, colour: Any, label: str = "", **look: Any) -> Any:
        """Add pieces to the line that looks so."""
        slot = _slot(colour)
        shown = label if label and not label.startswith("_") else ""
        hexed = to_hex(colour) if slot is None and not _grey(colour) else None
        key = ("path", slot, hexed, *sorted(look.items()))
        entry = self.found.setdefault(
            key, {"label": shown.strip(), "slot": slot, "path": True, "pieces": []} | look
        )
        if hexed:
            entry["colour"] = hexed
        entry["label"] = entry["label"] or shown.strip()
        entry["pieces"] += pieces
        return key

    def patch(self, patch: Patch) -> None:
        if not patch.get_visible() or isinstance(patch, Annotation):
            return
        outline: Any = patch.get_path().transformed(patch.get_transform()).to_polygons(closed_only=False)
        pieces = [self._data(points) for points in outline if len(points) > 1]
        if not pieces:
            return
        colour: Any = patch.get_facecolor()
        look: dict[str, Any] = {"fill": round(float(colour[3]), 3)} if patch.get_fill() and colour[3] else {}
        if not look:
            colour = patch.get_edgecolor()
        elif _slot(patch.get_edgecolor()) != _slot(colour):
            look["edge"] = False
        key = self.path(pieces, colour[:3], str(patch.get_label()), **look)
        if look:
            corners = np.concatenate(pieces)
            (left, bottom), (right, top) = corners.min(axis=0), corners.max(axis=0)
            self.rectangles.append(((left, bottom, right, top), key))

    def collection(self, collection: Any) -> None:
        if not collection.get_visible():
            return
        label = str(collection.get_label())
        colour: Any
        if isinstance(collection, LineCollection):
            pieces = [np.asarray(segment, np.float64) for segment in collection.get_segments()]
            if collection.get_transform() != self.axes.transData:
                return
            for colour, own in _by_colour(collection.get_colors(), pieces):
                self.path(own, colour[:3], label)
        elif isinstance(collection, QuadMesh):
            self._mesh(collection)
        elif isinstance(collection, PolyCollection):
            pieces = [np.asarray(path.vertices, np.float64) for path in collection.get_paths()]
            colour = _first(collection)
            self.path(pieces, colour[:3], label, fill=round(float(colour[3]), 3), edge=False)
        elif isinstance(collection, PathCollection):
            points: Any = np.ma.asarray(collection.get_offsets()).filled(np.nan)
            colour = _first(collection)
            self._marks(points[:, 0], points[:, 1], colour[:3], label, 0, 3.0, hollow=False)

    def _mesh(self, mesh: QuadMesh) -> None:
        corners: Any = mesh.get_coordinates()
        values: Any = np.ma.asarray(mesh.get_array())
        colours: Any = mesh.to_rgba(values)
        rows, columns = values.shape
        for row in range(rows):
            for column in range(columns):
                if np.ma.getmaskarray(values)[row, column] or not np.isfinite(values[row, column]):
                    continue
                low, high = corners[row, column], corners[row + 1, column + 1]
                (left, right), (bottom, top) = sorted((low[0], high[0])), sorted((low[1], high[1]))
                piece = np.array([(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)])
                key = self.path([piece], tuple(colours[row, column][:3]), fill=1.0, edge=False)
                self.rectangles.append(((left, bottom, right, top), key))

    def line(self, line: Line2D, label: str | None) -> None:
        axes = self.axes
        x, y = (np.asarray(data, np.float64) for data in (line.get_xdata(), line.get_ydata()))
        name = str(line.get_label()) if label is None else label
        marker = _SHAPES.get(str(line.get_marker()))
        bare = line.get_linestyle() == "None" or (len(x) == 1 and marker is not None)
        if line.get_transform() != axes.transData:
            # Across the axes, whatever they show.
            if line.get_transform() == axes.get_xaxis_transform(which="grid"):
                x, y = np.full(2, x[0]), np.asarray(axes.get_ylim())
                self.path([np.stack([x, y], axis=1)], line.get_color(), name)
                return
            x, y = np.asarray(axes.get_xlim()), np.full(2, y[0])
        if bare:
            if marker is not None:
                hollow = _white(line.get_markerfacecolor())
                size = float(line.get_markersize()) * (0.8 if line.get_marker() == "." else 0.7)
                colour = line.get_color() if hollow else line.get_markerfacecolor()
                self._marks(x, y, colour, name, marker, size, hollow)
            return
        known = x[np.isfinite(x)]
        if self.bare or bool(np.any(np.diff(known) < 0)):
            bold = line.get_linewidth() > 2
            pieces = [np.stack([x, y], axis=1)]
            self.path(pieces, line.get_color(), name, **({"bold": True} if bold else {}))
            return
        before = sum(bool(look["label"]) and look["slot"] is not None for look in self.found.values())
        look = _look(line, name, before)
        if marker is not None:
            look["marker"] = marker
        x, y = _thinned(x, y)
        self.found[line] = look | {"x": x, "y": y}

    def _marks(
        self, x: Any, y: Any, colour: Any, label: str, marker: int, size: float, hollow: bool
    ) -> None:  # fmt: skip
        slot = _slot(colour)
        named = "" if label.startswith("_") else label.strip()
        key = ("marks", slot, marker, size, hollow, named)
        entry = self.found.setdefault(
            key,
            {"label": named, "slot": slot, "marks": True, "marker": marker, "size": round(max(size, 1.2), 2),
             "hollow": hollow, "x": np.empty(0), "y": np.empty(0)},
        )  # fmt: skip
        x, y = _thinned(x, y)
        entry["x"], entry["y"] = np.concatenate((entry["x"], x)), np.concatenate((entry["y"], y))

    def _data(self, points: Any) -> NDArray[np.float64]:
        return np.asarray(self.axes.transData.inverted().transform(points), np.float64)

    def name(self, handles: Sequence[tuple[int | None, bool, str]]) -> None:
        """Give names of the legend to what has none itself."""
        known = {line["label"] for line in self.found.values()}
        for slot, area, label in handles:
            if label in known:
                continue
            for line in self.found.values():
                if line["slot"] == slot and not line["label"] and ("fill" in line) == area:
                    line["label"] = label

    def beneath(self, x: float, y: float) -> int | None:
        """Return the line of the area at a point."""
        for (left, bottom, right, top), key in reversed(self.rectangles):
            if left <= x <= right and bottom <= y <= top:
                return list(self.found).index(key)
        return None


def _first(collection: Any) -> Any:
    return collection.get_facecolor()[0]


def _by_colour(colours: Any, pieces: _Pieces) -> Iterator[tuple[Any, _Pieces]]:
    if len(colours) <= 1:
        yield (colours[0] if len(colours) else (0, 0, 0, 1)), pieces
        return
    for colour in np.unique(colours[: len(pieces)], axis=0):
        same = (colours[: len(pieces)] == colour).all(axis=1)
        yield colour, [piece for piece, own in zip(pieces, same, strict=True) if own]


def _text(axes: Axes, text: Text, lines: _Lines) -> Iterator[dict[str, Any]]:
    """Return a text where it stands; its arrow, if it has one, becomes a line."""
    to_data = axes.transData.inverted()
    if isinstance(text, Annotation):
        place = _transform(text, text.xycoords).transform(text.xy)
        offset = (0.0, 0.0)
        if text.anncoords == "offset points":
            offset = (text.xyann[0] * _PIXELS, -text.xyann[1] * _PIXELS)
            stands = place
        else:
            stands = _transform(text, text.anncoords).transform(text.xyann)
        if text.arrowprops is not None:
            ends = to_data.transform([stands, place])
            head: dict[str, Any] = {} if text.arrowprops.get("arrowstyle", "->") == "-" else {"arrow": True}
            lines.path([ends], text.arrowprops.get("color", "black"), **head)
    else:
        stands, offset = text.get_transform().transform(text.get_position()), (0.0, 0.0)
    words = text.get_text().strip()
    if not words:
        return
    x, y = (float(f"{value:.{_DIGITS}g}") for value in to_data.transform(stands))
    found: dict[str, Any] = {
        "x": x, "y": y, "text": words.replace("\n", " "), "align": text.get_horizontalalignment(),
    }  # fmt: skip
    # Letters are larger in a page than in print, and so is the room that they need.
    if offset != (0.0, 0.0):
        found |= {"dx": round(offset[0] * _LARGER, 1), "dy": round(offset[1] * _LARGER, 1)}
    on = lines.beneath(x, y)
    if on is not None:
        found["on"] = on
    yield found


def _transform(text: Annotation, coordinates: Any) -> Any:
    from matplotlib.transforms import blended_transform_factory

    axes: Any = text.axes
    known = {"data": axes.transData, "axes fraction": axes.transAxes}
    if isinstance(coordinates, tuple):
        return blended_transform_factory(*(known[name] for name in coordinates))
    return known.get(coordinates, axes.transData)


def _slot(colour: Any) -> int | None:
    return _SLOTS.get(to_hex(colour))


def _grey(colour: Any) -> bool:
    return len({to_hex(colour)[at : at + 2] for at in (1, 3, 5)}) == 1


def _white(colour: Any) -> bool:
    return to_hex(colour) == "#ffffff"


def _grids(lines: Sequence[dict[str, Any]]) -> tuple[list[list[float | None]], list[dict[str, Any]]]:
    """Return the values of x that lines have, each once, and the lines with the number of theirs."""
    grids: list[list[float | None]] = []
    known: dict[bytes, int] = {}
    found = []
    for line in lines:
        entry = {name: value for name, value in line.items() if name != "pieces"}
        if "pieces" in line:
            entry["x"], entry["y"] = _pieces(line["pieces"])
        key = entry["x"].tobytes()
        if key not in known:
            known[key] = len(grids)
            grids.append(_numbers(entry["x"]))
        found.append(entry | {"x": known[key], "y": _numbers(entry["y"])})
    return grids, found


def _pieces(pieces: _Pieces) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return pieces as one line, not-a-number between them."""
    kept = pieces[:: math.ceil(len(pieces) / _MOST_PIECES)] if pieces else []
    between = np.full((1, 2), np.nan)
    points = np.concatenate([part for piece in kept for part in (between, piece)][1:])
    return points[:, 0], points[:, 1]


def _thinned(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if len(x) <= _MOST_POINTS:
        return x, y
    known = np.nan_to_num(y)
    edges = np.linspace(0, len(x), _MOST_POINTS // 2 + 1).astype(int)
    parts = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    kept = {low + int(pick(known[low:high])) for low, high in parts for pick in (np.argmin, np.argmax)}
    rows = sorted(kept | {0, len(x) - 1})
    return x[rows], y[rows]


def _look(line: Line2D, name: str, before: int) -> dict[str, Any]:
    """Return the look of a line; its dashes follow the number of named lines before it."""
    named = not name.startswith("_")
    slot = _slot(line.get_color())
    look: dict[str, Any] = {"label": name.strip() if named else "", "slot": slot, "dash": 0}
    if named and line.is_dashed():
        look["dash"] = max(before, 1)
    if line.get_drawstyle() in _STEPS:
        look["step"] = _STEPS[line.get_drawstyle()]
    if named and line.get_linewidth() > 1:
        look["bold"] = True
    return look


def _numbers(values: NDArray[np.float64]) -> list[float | None]:
    """Return values with six digits; ``None`` for those that are none."""
    return [float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None for value in values.tolist()]
