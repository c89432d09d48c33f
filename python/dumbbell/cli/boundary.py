"""The end of every command: whatever happened becomes one line and an exit status."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import signal
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from dumbbell import _native
from dumbbell._extras import explained
from dumbbell._files.text import plain, shortened
from dumbbell._loading import ENDING, end_at_once, heeded
from dumbbell.cli import streams
from dumbbell.errors import DumbbellError

BAD_INPUT = 2

FAULT = 70
"""Of a fault of dumbbell itself: ``EX_SOFTWARE`` of sysexits.h."""

_PATIENCE = 3.0
"""Seconds that cleaning up may take before a second signal ends the process as it is."""

_AGAIN = 0.01
"""Seconds after which a signal comes again whose exception Python threw away."""

_OBJECTS = 50_000
"""Objects made before the collector of cycles looks for garbage: some 10 MB at most."""

_LAST_WORDS = 0.05
"""Seconds that each standard stream has to take what is left when a signal ends a command."""

_MOST_MESSAGE = 2000
"""Characters of a message: what is quoted in one may be long."""

_LONGEST = 300
"""Characters of the message of a fault; all of it is in the file."""


class Stopped(BaseException):
    """A signal that ends the process, as an exception: what was half done is removed on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _Stops:
    """Turns the first ending signal into an exception, and leaves the time to clean up."""

    def __init__(self) -> None:
        self._first: float | None = None

    def catch(self) -> None:
        for number in heeded():
            signal.signal(number, self._stop)
        sys.unraisablehook = self._thrown_away

    def _thrown_away(self, found: sys.UnraisableHookArgs) -> None:
        """Stop a little later where the first signal came while an object was destroyed.

        Python prints exceptions of destructors and of callbacks of the collector, and goes on.
        """
        stopped = found.exc_value
        # Windows has no timer, and sends no signals of this kind.
        if not isinstance(stopped, Stopped) or sys.platform == "win32":
            sys.__unraisablehook__(found)
            return

        def stop(_number: int, frame: FrameType | None) -> None:
            self._first = None
            self._stop(stopped.number, frame)

        signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, _AGAIN)

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        if self._first is None:
            self._first = time.monotonic()
            raise Stopped(number)
        if time.monotonic() - self._first > _PATIENCE:
            os._exit(128 + number)


def exit_with(command: click.Command, name: str) -> NoReturn:
    """Run a command with the arguments of the process and exit.

    Whatever happens ends in one line on the standard error at most.

    ====== =================================================================
    status meaning
    ====== =================================================================
    0      done
    2      bad input
    70     a fault of dumbbell itself; the line names a file to report
    128+n  ended by signal n: 129 hung up, 130 interrupted, 143 terminated
    other  the command says which
    ====== =================================================================
    """
    streams.prepare()
    _be_frugal()
    _native.keep_panics()
    threading.excepthook = _fault_in_thread
    try:
        _Stops().catch()
        status = _flushed(_run(command, name))
    except Stopped as stopped:
        status = 128 + stopped.number
        # Nobody may be reading: what is not written soon is not written.
        with streams.at_most(_LAST_WORDS):
            sys.stdout.flush()
        streams.give_up_output()
        with streams.at_most(_LAST_WORDS):
            _say(ENDING[signal.Signals(stopped.number)], status)
        _leave(status)
    end_at_once()
    if threading.active_count() > 1:
        # Python waits for them.
        sys.exit(status)
    _leave(status)


def _be_frugal() -> None:
    """Set what a process that soon ends needs less of.

    No command multiplies large matrices: threads for that only cost their start. Nearly everything that loads
    stays, so looking for garbage after each 700 objects finds none.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(_OBJECTS)


def _leave(status: int) -> NoReturn:
    """End the process without taking down every module: that takes 10 ms, 0.1 s with packages for tables."""
    atexit._run_exitfuncs()
    os._exit(status)


def _run(command: click.Command, name: str) -> int:
    """Run a command and return its status; only a signal leaves this as an exception."""
    try:
        return _invoke(command, name) or 0
    except Stopped:
        raise
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 0
    except KeyboardInterrupt:
        raise Stopped(signal.SIGINT) from None
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "", err=True)
        return BAD_INPUT
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else name
        return _say(f"{error.format_message().rstrip('.')}; see `{path} --help`", BAD_INPUT)
    except click.ClickException as error:
        return _say(error.format_message(), BAD_INPUT)
    except DumbbellError as error:
        return _say(str(error), BAD_INPUT)
    except ModuleNotFoundError as error:
        missing = explained(error)
        return _fault(error) if missing is None else _say(str(missing), BAD_INPUT)
    except MemoryError:
        return _say(
            "memory: the system refuses more; make fewer runs at a time, or lower --memory", BAD_INPUT
        )
    except BrokenPipeError:
        # The reader of the output has seen enough, as in `dumbbell schema | head`.
        streams.give_up_output()
        return 0
    except OSError as error:
        return _say(_refused(error), BAD_INPUT)
    except BaseException as error:  # noqa: BLE001 - the end of every command.
        # Not only `Exception`: a panic of the extension is none.
        stopped = _stopped_behind(error)
        if stopped is not None:
            raise stopped from None
        return _fault(error)


def _stopped_behind(error: BaseException | None) -> Stopped | None:
    """Return the signal behind an error: modules of C make an `ImportError` of one while they load."""
    while error is not None and not isinstance(error, Stopped):
        error = error.__cause__ or error.__context__
    return error


def _flushed(status: int) -> int:
    """Write what is left of the output, here, where it can be caught, and not when the interpreter ends."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        streams.give_up_output()
    except OSError as error:
        streams.give_up_output()
        return status or _say(f"standard output: {_refused(error)}", BAD_INPUT)
    return status


def _invoke(command: click.Command, name: str) -> int | None:
    if f"_{name.upper()}_COMPLETE" in os.environ:
        from dumbbell.cli.completing import prepare

        prepare()
        command.main(prog_name=name)
    with command.make_context(name, sys.argv[1:]) as context:
        status: int | None = command.invoke(context)
    return status


def _refused(error: OSError) -> str:
    """Return what the system has refused, and the place if it is known."""
    place = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, (str, bytes)) else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{place}the disk is full; free some space and give the same command again"
    return f"{place}{error.strerror or error}"


def _fault(error: BaseException) -> int:
    """Write down what is needed to find a fault of dumbbell itself, and say where."""
    import platform
    import shlex
    import traceback

    words = f"{type(error).__name__}: {error}".rstrip(": ")
    shown = shortened(words, _LONGEST)
    # A panic says where it happened, and its trace ends where Rust begins.
    panic = _native.last_panic()
    parts = [
        f"command: {shlex.join(sys.orig_argv)}",
        f"version: dumbbell {_native.version}, Python {platform.python_version()}, {platform.platform()}",
        "".join(traceback.format_exception(error)).rstrip(),
        *([panic] if panic else []),
    ]
    try:
        path = _written("\n\n".join(parts) + "\n")
        remedy = f"please report it with the file {path}: command, version and traceback"
    except OSError as refusal:
        remedy = (
            f"please report it with the command and version {_native.version} (no file: {refusal.strerror})"
        )
    return _say(f"a fault of dumbbell itself: {shown}; {remedy}", FAULT)


def _written(text: str) -> str:
    """Write a file that nobody else can read, and return its path."""
    import tempfile

    descriptor, path = tempfile.mkstemp(prefix="dumbbell-fault-", suffix=".txt")
    try:
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:  # noqa: PTH123
            file.write(text)
    except OSError:
        Path(path).unlink()
        raise
    return path


def _fault_in_thread(found: threading.ExceptHookArgs) -> None:
    if found.exc_value is not None:
        _fault(found.exc_value)


def _say(message: str, status: int) -> int:
    """Print one line on the standard error, without control characters; return the status."""
    line = " ".join(message.split())
    print(f"dumbbell: {plain(shortened(line, _MOST_MESSAGE))}", file=sys.stderr)
    return status
