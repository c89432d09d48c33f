"""Parts that pages of studies and of runs share: templates, colours, figures next to the page."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape
from matplotlib.figure import Figure

from dumbbell._native import version
from dumbbell.figures.style import data_address, laid_out, save, stamp_on
from dumbbell.report import palette
from dumbbell.report.interactive import description
from dumbbell.report.scripted import UPLOT, charts, own, script_hash

UPLOT_VERSION = "1.6.32"
"""Of the files in ``vendor/uplot``."""


def render(template: str, *, script_hashes: list[str] | None = None, **context: Any) -> str:
    """Return the page that a template makes of what it is given; text is escaped.

    Parameters
    ----------
    template
        The name of a file next to this one.
    script_hashes
        Of the scripts that may run in the page; without any it has no button for the theme.
    context
        What the template names.
    """
    return _environment().get_template(template).render(
        **context, script_hashes=script_hashes or [], version=version,
        css=Markup(palette.style_sheet()), light=palette.light(), dark=palette.dark(),
    )  # fmt: skip


@cache
def _environment() -> jinja2.Environment:
    """Return what keeps the templates of a process: to compile one takes longer than to fill it."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        loader=jinja2.FunctionLoader(own),
    )  # fmt: skip
    environment.filters["code"] = _code
    return environment


def with_uplot(*scripts: str) -> dict[str, Any]:
    """Return what a template needs of uPlot, and of scripts that run behind it in this order.

    Parameters
    ----------
    scripts
        The page runs these and no others.
    """
    running = [own(UPLOT), *scripts]
    return {
        "scripts": [Markup(text) for text in running],
        "script_hashes": [script_hash(text) for text in running],
        "uplot_licence": Markup(own("vendor/uplot/LICENSE")),
        "uplot_css": Markup(own("vendor/uplot/uPlot.min.css")),
        "uplot_version": UPLOT_VERSION,
    }


def as_json(value: Any) -> Markup:
    """Write JSON that ends no HTML element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


@dataclass(frozen=True)
class Drawn:
    """A figure in a page."""

    about: Any
    """Its ``id``, ``title``, ``text`` and ``note``."""
    address: Markup
    """The image."""
    inches: float
    """Its width for print."""
    files: list[str]
    """For print, next to the page."""
    described: dict[str, Any] | None = None
    """What a script draws in the page; without, the image stays."""

    @classmethod
    def of(
        cls, about: Any, image: Figure, folder: Path, code: str = "", stamp: str = "", place: str = ""
    ) -> Drawn:
        """Draw; the files go below a folder.

        Parameters
        ----------
        about
            Its ``id``, ``title``, ``text`` and ``note``.
        image
            Drawn, not yet laid out.
        folder
            That of the page.
        code
            Lines of Python that draw it.
        stamp
            What must stand on it.
        place
            The id of its element; ``figure-`` and its own by default.
        """
        # Without the stamp, which the page has apart.
        found = description(about.id, about.title, image, code)
        if found is not None and place:
            found["place"] = place
        return cls.described_as(about, stamp_on(image, stamp), folder, found)

    @classmethod
    def described_as(cls, about: Any, image: Figure, folder: Path, described: dict[str, Any] | None) -> Drawn:
        """Draw what has a description already."""
        with laid_out(image):
            files = for_print(image, folder, about.id)
            return cls(about, data_address(image), image.get_figwidth(), files, described)


def engine(drawn: Sequence[Drawn]) -> dict[str, Any]:
    """Return what a template needs for figures: their descriptions, and what draws them.

    Parameters
    ----------
    drawn
        The figures of the page.
    """
    figures = [figure.described for figure in drawn if figure.described is not None]
    return {"figures_json": as_json(figures), **with_uplot(charts(), own("page.js"))}


def for_print(image: Figure, folder: Path, name: str) -> list[str]:
    """Write a figure for print below a folder, and return the paths from there."""
    (folder / "figures").mkdir(exist_ok=True)
    paths = save(image, folder / "figures" / name, ("png", "pdf"))
    return [file.relative_to(folder).as_posix() for file in paths]


def _code(text: str) -> Markup:
    """Mark up what stands in backticks as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))
