"""Serves the playground on this machine, with the compiler of laws."""

from __future__ import annotations

import json
import secrets
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from dumbbell.playground.compiling import compile_law

_MOST_SOURCE = 100_000
"""Bytes of a law that is compiled."""

_MOST_DIGITS = 6
"""Of the length of a law."""


class Served:
    """A server of one page at 127.0.0.1, behind a token that is drawn anew each time.

    Only who has the address can ask for the page or for the compiler. A page of another origin cannot read
    the answers, and a name that leads here (DNS rebinding) is refused.

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
        token = secrets.token_urlsafe(16)
        marked = page.replace("<title>", '<meta name="compiler" content="compile">\n<title>', 1)

        class Handler(_Handler):
            home = f"/{token}/"
            content = marked.encode()

        self._server = _Server(("127.0.0.1", port), Handler)
        number = self._server.server_address[1]
        Handler.host = f"127.0.0.1:{number}"
        self.address = f"http://{Handler.host}{Handler.home}"

    def serve(self) -> None:
        """Answer until :meth:`close` or an exception such as Ctrl-C."""
        self._server.serve_forever(poll_interval=0.1)

    def close(self) -> None:
        """Stop, and free the port."""
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that went away before it had its answer."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    home = ""
    host = ""
    content = b""
    timeout: ClassVar[float | None] = 10

    def do_GET(self) -> None:
        """Answer with the page."""
        if self._knows(self.home):
            self._answer("text/html; charset=utf-8", self.content)

    def do_POST(self) -> None:
        """Compile the law that was sent."""
        if not self._knows(f"{self.home}compile"):
            return
        size = self.headers.get("Content-Length", "")
        # Python refuses to read a number of thousands of digits.
        if not size.isdecimal() or len(size) > _MOST_DIGITS or int(size) > _MOST_SOURCE:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return
        source = self.rfile.read(int(size)).decode(errors="replace")
        self._answer("application/json", json.dumps(compile_law(source)).encode())

    def _knows(self, place: str) -> bool:
        """Whether the request has the token and names this host; else it is refused."""
        known = secrets.compare_digest(self.path.encode(), place.encode())
        if known and self.headers.get("Host") == self.host:
            return True
        self._refuse(HTTPStatus.NOT_FOUND)
        return False

    def _refuse(self, status: HTTPStatus) -> None:
        self.close_connection = True
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _answer(self, kind: str, content: bytes) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its name in the base class)
        """Say nothing of each request."""
