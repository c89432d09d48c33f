"""The colours of reports, light and dark."""

from __future__ import annotations

from pathlib import Path

from dumbbell._colours import COLOURS

_LIGHT = {
    "background": "#ffffff",
    "surface": "#f4f6f8",
    "text": "#1b1f24",
    "muted": "#57606a",
    "line": "#c9d1d9",
    "grid": "#e3e7eb",
    "link": "#0059a8",
    "focus": "#0059a8",
    "reference": "#57606a",
    "yes": "#0b6e4f",
    "no": "#a8320a",
    "open": "#6b5300",
    "stamp": "#a8320a",
}

_DARK = {
    "background": "#14181d",
    "surface": "#1d232a",
    "text": "#e8ebee",
    "muted": "#a3adb8",
    "line": "#3d4650",
    "grid": "#2b333b",
    "link": "#7cc0ff",
    "focus": "#9fd0ff",
    "reference": "#a3adb8",
    "yes": "#5fd0a5",
    "no": "#ff9a6b",
    "open": "#e8c553",
    "stamp": "#ff9a6b",
}

# The hues of `COLOURS`, lighter, so that each keeps a contrast of 5:1 on the dark ground.
_COLOURS_DARK = ("#5ab4ee", "#ff8f4a", "#34c796", "#e79cc6", "#f3bb3c", "#a5dcff", "#ffffff")


def light() -> dict[str, str]:
    """CSS variables and their values."""
    return _LIGHT | {f"arm-{slot}": colour for slot, colour in enumerate(COLOURS)}


def dark() -> dict[str, str]:
    """CSS variables and their values."""
    return _DARK | {f"arm-{slot}": colour for slot, colour in enumerate(_COLOURS_DARK)}


def style_sheet() -> str:
    """The style sheet of pages; it uses the variables of :func:`light` or :func:`dark`."""
    return (Path(__file__).parent / "report.css").read_text(encoding="utf-8")
