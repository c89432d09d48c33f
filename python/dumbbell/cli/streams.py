"""The standard streams: a failed write to them never breaks a command, whatever they are connected to."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import signal
import sys
from collections.abc import Iterator
from types import FrameType

_ERRORS = "dumbbell"
"""The name of the error handler of the streams."""

_PLAIN = {"→": ">", "µ": "u", "✓": "+", "✗": "-", "─": "-", "…": "."}
"""For terminals without Unicode, one for one, so that tables stay straight; others become question marks."""


class _Side(io.TextIOWrapper):
    """A standard error that nobody may be reading: closed or full, it ends no work."""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError:
            return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            super().flush()


def prepare() -> None:
    """Make the standard streams usable.

    A stream that was closed before the start is replaced by one that holds nothing. Otherwise the next file
    that is opened would get its number, and with it what libraries print. Bytes of file names leave as they
    came, and characters that the encoding lacks are replaced.
    """
    codecs.register_error(_ERRORS, _replace)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            stream = _nothing(number)
            setattr(sys, name, stream)
            # As Python does; it also keeps the stream open when another one takes its place.
            setattr(sys, f"__{name}__", stream)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=_ERRORS)
    sys.stderr = _Side(
        sys.stderr.buffer, sys.stderr.encoding, _ERRORS, line_buffering=True, write_through=True
    )


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Give up what the block writes after so much time, without an error."""
    # mypy reads the package as Windows too, and understands this question alone.
    if sys.platform == "win32":
        yield
        return

    writing = True

    def stop(_number: int, _frame: FrameType | None) -> None:
        if writing:
            raise _TooLateError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        with contextlib.suppress(_TooLateError, OSError, ValueError):
            yield
    finally:
        writing = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class _TooLateError(Exception):
    """The time is over."""


def give_up_output() -> None:
    """Throw away what is left in the standard output; the interpreter would fail over it at its end."""
    with contextlib.suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)


def _nothing(number: int) -> io.TextIOWrapper:
    """Open the null device, at this number if that is free."""
    descriptor = os.open(os.devnull, os.O_RDONLY if number == 0 else os.O_WRONLY)
    try:
        os.fstat(number)
    except OSError:
        os.dup2(descriptor, number)
        os.close(descriptor)
        descriptor = number
    if descriptor == number:
        os.set_inheritable(number, True)
    return open(descriptor, "r" if number == 0 else "w", encoding="utf-8")  # noqa: PTH123


def _replace(error: UnicodeError) -> tuple[bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    parts = []
    for character in error.object[error.start : error.end]:
        if "\udc80" <= character <= "\udcff":
            # A byte of a file name that is not UTF-8 (PEP 383).
            parts.append(bytes([ord(character) - 0xDC00]))
        else:
            parts.append(_PLAIN.get(character, "?").encode("ascii"))
    return b"".join(parts), error.end
