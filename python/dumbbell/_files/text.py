"""Text from users and from files: data, never markup of a terminal, a figure or a page."""

from __future__ import annotations

import re

# Control characters, which terminals obey; ends of lines; marks that turn the direction of what follows
# (Unicode Standard Annex 9, section 2); the byte order mark; halves of characters. As `is_plain` in
# crates/core/src/config.rs, which knows no halves.
_REFUSED = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
_CONTROL = re.compile(f"[{_REFUSED}]")
_CONTROL_IN_LINES = re.compile(f"(?![\n\r\t])[{_REFUSED}]")
# Bytes of file names that are not UTF-8 (PEP 383) may be shown, but for those that terminals obey.
_UNSHOWN = re.compile(f"(?![\n\t\udca0-\udcff])[{_REFUSED}]")

_INSTEAD = "\N{REPLACEMENT CHARACTER}"


def control_character(text: str, lines: bool = False) -> str | None:
    """Return the first character that text may not hold, as ``U+001B``; ``None`` if there is none.

    Parameters
    ----------
    text
        Any.
    lines
        Whether it may have several lines, and tabs.
    """
    found = (_CONTROL_IN_LINES if lines else _CONTROL).search(text)
    return f"U+{ord(found[0]):04X}" if found else None


def plain(text: str) -> str:
    """Return text to show, of one or several lines: control characters become replacement characters."""
    return _UNSHOWN.sub(_INSTEAD, text)


def shortened(text: str, most: int) -> str:
    """Return text of at most so many characters, with an ellipsis for what is left out."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
