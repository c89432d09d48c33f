"""The page: one HTML file with its scripts, the same for all that is watched."""

from __future__ import annotations

from html import escape
from importlib import resources

from dumbbell.report.scripted import assembled

_FILES = resources.files("dumbbell.watch")


def page(kind: str, name: str) -> str:
    """Return the page.

    Parameters
    ----------
    kind
        What it shows: ``run``, ``shell`` or ``study``. A script of that name makes it.
    name
        Of the scenario or the study; any text.
    """
    shown = "study" if kind == "study" else "links"
    script = "\n".join((_text("watch.js"), _text(f"{shown}.js")))
    parts = {"name": escape(name), "main": _text(f"{shown}.html")}
    return assembled(f"{escape(name)}: live", _text("page.html"), script, _text("watch.css"), **parts)


def _text(name: str) -> str:
    return (_FILES / name).read_text(encoding="utf-8")
