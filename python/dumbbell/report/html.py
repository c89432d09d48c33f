"""Parts that pages of studies and of runs share: templates, colours, figures next to the page."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape
from matplotlib.figure import Figure

from dumbbell._native import version
from dumbbell.figures.style import data_address, laid_out, save
from dumbbell.report import palette

UPLOT_VERSION = "1.6.32"
"""Of the files in ``vendor/uplot``."""

_FILES = resources.files("dumbbell.report")


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
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        loader=jinja2.FunctionLoader(own),
    )  # fmt: skip
    environment.filters["code"] = _code
    return environment.get_template(template).render(
        **context, script_hashes=script_hashes or [], version=version,
        css=Markup(palette.style_sheet()), light=palette.light(), dark=palette.dark(),
    )  # fmt: skip


def own(name: str) -> str:
    """Return the text of a file next to this one."""
    return (_FILES / name).read_text(encoding="utf-8")


def with_uplot(*scripts: str) -> dict[str, Any]:
    """Return what a template needs of uPlot, and of scripts that run behind it in this order.

    Parameters
    ----------
    scripts
        The page runs these and no others.
    """
    running = [own("vendor/uplot/uPlot.iife.min.js"), *scripts]
    return {
        "scripts": [Markup(text) for text in running],
        "script_hashes": [_script_hash(text) for text in running],
        "uplot_licence": Markup(own("vendor/uplot/LICENSE")),
        "uplot_css": Markup(own("vendor/uplot/uPlot.min.css")),
        "uplot_version": UPLOT_VERSION,
    }


def _script_hash(text: str) -> str:
    """Return the entry of the content security policy that lets this script run, and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


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
    live: bool = False
    """Whether a script draws it in the page; the image is for readers without scripts."""

    @classmethod
    def of(cls, about: Any, image: Figure, folder: Path, live: bool = False) -> Drawn:
        """Draw; the files go below a folder."""
        with laid_out(image):
            address = data_address(image)
            return cls(about, address, image.get_figwidth(), for_print(image, folder, about.id), live)


def for_print(image: Figure, folder: Path, name: str) -> list[str]:
    """Write a figure for print below a folder, and return the paths from there."""
    (folder / "figures").mkdir(exist_ok=True)
    paths = save(image, folder / "figures" / name, ("png", "pdf"))
    return [file.relative_to(folder).as_posix() for file in paths]


def _code(text: str) -> Markup:
    """Mark up what stands in backticks as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))
