"""Serves the playground on this machine, with the compiler of laws."""

from __future__ import annotations

import json

from dumbbell._serving import Answer, LocalServer
from dumbbell.playground.compiling import compile_law

_MOST_SOURCE = 100_000
"""Bytes of a law that is compiled."""


class Served(LocalServer):
    """A server of one page, and of the compiler.

    Parameters
    ----------
    page
        HTML.
    port
        To listen at; 0 for any that is free.

    Raises
    ------
    OSError
        If the port is taken.
    """

    def __init__(self, page: str, port: int = 0) -> None:
        marked = page.replace("<title>", '<meta name="compiler" content="compile">\n<title>', 1).encode()

        def get(place: str, _words: str) -> Answer | None:
            return ("text/html; charset=utf-8", marked) if place == "" else None

        def post(place: str, sent: bytes) -> Answer | None:
            if place != "compile":
                return None
            return "application/json", json.dumps(compile_law(sent.decode(errors="replace"))).encode()

        super().__init__(get, post, port, _MOST_SOURCE)
