"""The page: one HTML file with its scripts, the same for all that is watched."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from importlib import resources

from dumbbell._native import version
from dumbbell.report import palette

_FILES = resources.files("dumbbell.watch")
_REPORT = resources.files("dumbbell.report")


def page(kind: str, name: str) -> str:
    """Return the page.

    Parameters
    ----------
    kind
        What it shows: ``run``, ``shell`` or ``study``. A script of that name makes it.
    name
        Of the scenario or the study; any text.
    """
    scripts = {
        "uplot": (_REPORT / "vendor/uplot/uPlot.iife.min.js").read_text(encoding="utf-8"),
        "charts": (_REPORT / "charts.js").read_text(encoding="utf-8"),
        "script": "\n".join(
            (_FILES / f"{script}.js").read_text(encoding="utf-8")
            for script in ("watch", "study" if kind == "study" else "links")
        ),
    }
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts.values()]
    styles = (_REPORT / "vendor/uplot/uPlot.min.css", _REPORT / "report.css", _FILES / "watch.css")
    parts = scripts | {
        "hashes": " ".join(f"'sha256-{digest}'" for digest in hashes),
        "version": version,
        "name": escape(name),
        "light": _variables(palette.light()),
        "dark": _variables(palette.dark()),
        "css": "\n".join(style.read_text(encoding="utf-8") for style in styles),
        "main": (_FILES / f"{'study' if kind == 'study' else 'links'}.html").read_text(encoding="utf-8"),
        "licence": escape((_REPORT / "vendor/uplot/LICENSE").read_text(encoding="utf-8")),
    }
    first, *pieces = (_FILES / "page.html").read_text(encoding="utf-8").split("{{")
    filled = (parts[word] + rest for word, _, rest in (piece.partition("}}") for piece in pieces))
    return first + "".join(filled)


def _variables(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())
