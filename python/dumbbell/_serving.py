"""A server at 127.0.0.1 behind a token: for the playground and for pages of what goes on."""

from __future__ import annotations

import secrets
import sys
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from dumbbell.errors import DumbbellError

Answer = tuple[str, bytes]
"""A media type and what it is of."""

Get = Callable[[str, str], Answer | None]
"""Takes a place below the token and the words after its question mark."""

Post = Callable[[str, bytes], Answer | None]
"""Takes a place below the token and what was sent."""

_MOST_DIGITS = 6
"""Of the length of what is sent."""

_REFUSED = b"dumbbell: wrong address; the terminal shows the whole of it, with its token\n"
_NOTHING = b"dumbbell: nothing is here; the page is at the address that the terminal shows\n"
_TOO_LONG = b"dumbbell: more was sent than this takes\n"


class LocalServer:
    """A server of pages at 127.0.0.1, behind a token that is drawn anew each time.

    Only who has the address gets an answer. A page of another origin cannot read the answers, and a name that
    leads here (DNS rebinding) is refused. Each request has a thread.

    Parameters
    ----------
    get, post
        Answer what asks for a page, and what sends something; ``None`` where there is nothing.
    port
        To listen at; 0 for any that is free.
    most
        Bytes that may be sent.

    Raises
    ------
    OSError
        If the port is taken.
    """

    def __init__(self, get: Get, post: Post, port: int = 0, most: int = 100_000) -> None:
        token = secrets.token_urlsafe(16)

        class Handler(_Handler):
            home = f"/{token}/"

        Handler.get, Handler.post, Handler.most = staticmethod(get), staticmethod(post), most
        self._server = _Server(("127.0.0.1", port), Handler)
        self._serves = False
        number = self._server.server_address[1]
        Handler.host = f"127.0.0.1:{number}"
        self.address = f"http://{Handler.host}{Handler.home}"

    def serve(self) -> None:
        """Answer until :meth:`close` or an exception such as Ctrl-C."""
        self._serves = True
        self._server.serve_forever(poll_interval=0.1)

    def start(self) -> None:
        """Answer in a thread, which ends with the process."""
        self._serves = True
        threading.Thread(target=self.serve, name="pages", daemon=True).start()

    def close(self) -> None:
        """Stop, and free the port."""
        if self._serves:
            self._server.shutdown()
        self._server.server_close()


def listening(get: Get, post: Post, port: int) -> LocalServer:
    """Return a server at a port that a user may have chosen.

    Raises
    ------
    DumbbellError
        If the port is taken.
    """
    try:
        return LocalServer(get, post, port)
    except OSError as error:
        raise DumbbellError(
            f"--port: cannot listen at {port}: {error.strerror}; choose another one"
        ) from None


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that went away before it had its answer."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    home = ""
    host = ""
    most = 0
    get: Get
    post: Post
    timeout: ClassVar[float | None] = 10

    def do_GET(self) -> None:
        """Answer with a page."""
        place = self._place()
        if place is not None:
            path, _, words = place.partition("?")
            self._answer(self.get(path, words))

    def do_POST(self) -> None:
        """Take what was sent."""
        place = self._place()
        if place is None:
            return
        size = self.headers.get("Content-Length", "")
        # Python refuses to read a number of thousands of digits.
        if not size.isdecimal() or len(size) > _MOST_DIGITS or int(size) > self.most:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _TOO_LONG)
            return
        self._answer(self.post(place, self.rfile.read(int(size))))

    def _place(self) -> str | None:
        """Return what follows the token, if the request has it and names this host; else refuse it."""
        known, rest = self.path[: len(self.home)], self.path[len(self.home) :]
        has_token = secrets.compare_digest(known.encode(errors="replace"), self.home.encode())
        if has_token and self.headers.get("Host") == self.host:
            return rest
        self._refuse(HTTPStatus.FORBIDDEN, _REFUSED)
        return None

    def _refuse(self, status: HTTPStatus, line: bytes) -> None:
        self.close_connection = True
        self._send(status, "text/plain; charset=utf-8", line)

    def _answer(self, answer: Answer | None) -> None:
        if answer is None:
            self._refuse(HTTPStatus.NOT_FOUND, _NOTHING)
        else:
            self._send(HTTPStatus.OK, *answer)

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its name in the base class)
        """Say nothing of each request."""
