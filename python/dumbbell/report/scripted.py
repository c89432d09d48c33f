"""What pages with scripts share: charts, uPlot, and the policy that lets these scripts run and no others.

Needs no Matplotlib.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
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


def assembled(title: str, body: str, script: str, style: str, policy: str = "", **parts: str) -> str:
    """Return a page with charts, around what stands in its body.

    Parameters
    ----------
    title
        Of the page, as HTML.
    body
        Its text, with ``{{name}}`` where one of ``parts`` goes, or ``{{version}}``.
    script
        What runs in it behind the engine of charts.
    style
        Behind the style of all pages.
    policy
        What the page allows besides its scripts, for its content security policy.
    parts
        Text that goes in as it is.
    """
    scripts = {"uplot": own(UPLOT), "charts": charts(), "script": script}
    about = {
        "title": title,
        "body": _filled(body, parts | {"version": version}),
        "hashes": " ".join(f"'{script_hash(text)}'" for text in scripts.values()),
        "policy": policy,
        "version": version,
        "light": _variables(palette.light()),
        "dark": _variables(palette.dark()),
        "css": "\n".join((own("vendor/uplot/uPlot.min.css"), own("report.css"), style)),
        "licence": escape(own("vendor/uplot/LICENSE")),
    }
    return _filled(own("scripted.html"), scripts | about)


def _filled(template: str, parts: Mapping[str, str]) -> str:
    first, *pieces = template.split("{{")
    parted = (piece.partition("}}") for piece in pieces)
    return first + "".join(parts[word] + rest for word, _, rest in parted)


def _variables(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())
