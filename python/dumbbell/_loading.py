"""Signals while the package loads, before the command line can catch them.

Python answers Ctrl-C with a traceback. A command that has not begun has nothing to clean up. So this module
ends it at once and with one line. Imported by another program, this module does nothing.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import FrameType

_WORDS = {
    "SIGHUP": "hung up",
    "SIGINT": "interrupted",
    "SIGQUIT": "quit",
    "SIGTERM": "terminated",
    "SIGXCPU": "out of processor time",
    **{
        name: f"ended by {name}"
        for name in ("SIGALRM", "SIGIO", "SIGPROF", "SIGPWR", "SIGUSR1", "SIGUSR2", "SIGVTALRM")
    },
}

ENDING = {number: _WORDS[number.name] for number in signal.Signals if number.name in _WORDS}
"""The signals whose default is to end a process and that a process may catch, and a word for each.

Not here: SIGPIPE and SIGXFSZ, which Python turns into errors of the write, and those of a broken process.
"""


def heeded() -> list[signal.Signals]:
    """Return the ending signals that are not ignored: ``nohup`` ignores SIGHUP, and that has to stay so."""
    return [number for number in ENDING if signal.getsignal(number) is not signal.SIG_IGN]


def end_at_once() -> None:
    """From now on an ending signal ends the process in one line, without cleaning up."""
    for number in heeded():
        signal.signal(number, _end)


def _end(number: int, _frame: FrameType | None) -> None:
    try:
        os.write(2, f"dumbbell: {ENDING[signal.Signals(number)]}\n".encode())
    finally:
        os._exit(128 + number)


def _is_program() -> bool:
    """Whether the process is ``dumbbell`` or ``python -m dumbbell``, and not a program that imports it."""
    program = sys.argv[0] if sys.argv else ""
    if program == "-m":
        # What `python -m` sets while it imports the package of the module.
        words = sys.orig_argv
        return words[words.index("-m") + 1].partition(".")[0] == "dumbbell"
    return Path(program).name == "dumbbell"


if _is_program():
    end_at_once()
