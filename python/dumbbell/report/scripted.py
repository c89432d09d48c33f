"""What pages with scripts share: charts, uPlot, and the policy that lets these scripts run and no others.

Needs no Matplotlib.
"""

from __future__ import annotations

import base64
import hashlib
from html import escape
from importlib import resources

from dumbbell._native import version
from dumbbell.report import palette

_FILES = resources.files("dumbbell.report")

UPLOT = "vendor/uplot/uPlot.iife.min.js"
_ENGINE = ("marks.js", "charts.js")


def own(name: str) -> str:
    """Return the text of a file next to this one."""
    return (_FILES / name).read_text(encoding="utf-8")


def charts() -> str:
    """Return the script that draws charts; it runs behind that of uPlot."""
    return "\n".join(map(own, _ENGINE))


def script_hash(text: str) -> str:
    """Return the entry of the content security policy that lets this script run, and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def assembled(template: str, script: str, style: str, **parts: str) -> str:
    """Return a page with charts.

    Parameters
    ----------
    template
        Its text, with ``{{name}}`` where a part goes: those of ``parts``, ``uplot``, ``charts``, ``script``,
        ``hashes``, ``version``, ``light``, ``dark``, ``css`` and ``licence``.
    script
        What runs in it behind the engine of charts.
    style
        Behind the style of all pages.
    parts
        Text that goes in as it is.
    """
    scripts = {"uplot": own(UPLOT), "charts": charts(), "script": script}
    filling = parts | scripts | {
        "hashes": " ".join(f"'{script_hash(text)}'" for text in scripts.values()),
        "version": version,
        "light": _variables(palette.light()),
        "dark": _variables(palette.dark()),
        "css": "\n".join((own("vendor/uplot/uPlot.min.css"), own("report.css"), style)),
        "licence": escape(own("vendor/uplot/LICENSE")),
    }  # fmt: skip
    first, *pieces = template.split("{{")
    parted = (piece.partition("}}") for piece in pieces)
    return first + "".join(filling[word] + rest for word, _, rest in parted)


def _variables(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())
