"""How a run tells how far it has come."""

from __future__ import annotations

import sys
from collections.abc import Callable

Progress = Callable[[float, float, int], object]
"""Called about twenty times a second: simulated time so far (s), duration (s), events so far."""


def line_of_notebook() -> Callable[[str], object] | None:
    """Return what shows a line below the cell of a notebook, instead of the last; ``None`` elsewhere."""
    python = sys.modules.get("IPython")
    shell = python and python.get_ipython()
    if not getattr(shell, "kernel", None):
        return None
    from IPython.display import display

    handle = None

    def show(text: str) -> None:
        nonlocal handle
        bundle = {"text/plain": text}
        if handle is None:
            handle = display(bundle, raw=True, display_id=True)
        else:
            handle.update(bundle, raw=True)

    return show
