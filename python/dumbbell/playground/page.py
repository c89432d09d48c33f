"""The page that `make playground` builds into the package."""

from __future__ import annotations

from importlib import resources

from dumbbell.errors import DumbbellError


class PlaygroundError(DumbbellError):
    """A playground that cannot be shown."""


BUILT = "playground.html"
"""Next to this file; not in the repository."""


def built_page() -> str:
    """Return the page: one HTML file that needs nothing else.

    Raises
    ------
    PlaygroundError
        If it was not built.
    """
    try:
        return (resources.files("dumbbell.playground") / BUILT).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise PlaygroundError(
            "this dumbbell came without the playground; build it in a checkout: make playground"
        ) from None
