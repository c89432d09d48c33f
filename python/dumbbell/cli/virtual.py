"""`--virtual`: the same command line again, in a kernel in virtual time."""

from __future__ import annotations

import functools
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from dumbbell import _native
from dumbbell._printing import Output
from dumbbell.cli.common import SizeOf, echo
from dumbbell.errors import DumbbellError
from dumbbell.live import virtual
from dumbbell.live.boots import Boots

Command = TypeVar("Command", bound=Callable[..., object])

_REFUSED = 2
"""Exit status of bad input."""

_CRASHES = {
    128 + crash: crash.name
    for crash in (signal.SIGILL, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGSEGV)
}
"""Signals that end a program that is broken, by exit status."""

_AT_ONCE = 0.01
"""Seconds of virtual time in which no packet crosses a link and comes back; threads that start take some."""

_OPTIONS = ("virtual", "kernel", "kernel_seed", "kernel_memory", "wall_limit")


def virtual_options(
    *outputs: str,
    check: Callable[[dict[str, Any]], None] = lambda _given: None,
    boots: Callable[[dict[str, Any]], bool] = lambda _given: False,
) -> Callable[[Command], Command]:
    """Add `--virtual` and what belongs to it to a command.

    Parameters
    ----------
    outputs
        The parameters that name what the command writes.
    check
        Refuses, with a `DumbbellError`, what has no meaning in virtual time; may name outputs that have a
        default.
    boots
        Whether the command boots kernels itself, one for each of its runs: then it gets `boots`. By default,
        the whole command runs in one kernel.
    """

    def add(command: Command) -> Command:
        @functools.wraps(command)
        def run(**given: Any) -> object:
            chosen = {name: given.pop(name) for name in _OPTIONS}
            # Within such a kernel, the option has been obeyed.
            if _native.is_virtual() or not _wanted(chosen):
                return command(**given)
            check(given)
            if boots(given):
                return command(**given, boots=_boots(chosen))
            return _again(chosen, [given[name] for name in outputs if given[name] is not None])

        return _with_options(run)  # type: ignore[return-value]

    return add


def _with_options(command: Callable[..., object]) -> Callable[..., object]:
    options = (
        click.option(
            "--virtual", is_flag=True,
            help="Run in virtual time, in a kernel of its own: exact, and without privileges (make kernel).",
        ),
        click.option("--kernel", type=click.Choice(virtual.VERSIONS), help="With --virtual: which kernel."),
        click.option(
            "--kernel-seed", type=click.IntRange(0, 2**64 - 1), default=1, show_default=True,
            help="With --virtual: the seed of the kernel's random numbers.",
        ),
        click.option(
            "--kernel-memory", type=SizeOf("--kernel-memory"), default=virtual.MEMORY, metavar="SIZE",
            help="With --virtual: the memory of the kernel; 2 GiB by default.",
        ),
        click.option(
            "--wall-limit", type=click.FloatRange(0, min_open=True), default=virtual.WALL_LIMIT,
            show_default=True, help="With --virtual: seconds of wall time after which all is ended.",
        ),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def _wanted(chosen: dict[str, Any]) -> bool:
    if chosen["virtual"]:
        return True
    context = click.get_current_context()
    for name in _OPTIONS:
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise DumbbellError(f"--{name.replace('_', '-')}: goes with --virtual; give both, or neither")
    return False


def _boots(chosen: dict[str, Any]) -> Boots:
    kernel = virtual.find(chosen["kernel"])
    return Boots(kernel, chosen["kernel_seed"], chosen["kernel_memory"], chosen["wall_limit"])


def _again(chosen: dict[str, Any], outputs: list[Path]) -> int:
    """Run this command line in a kernel in virtual time, and say what its results rest on."""
    show = _Progress()
    try:
        ran = _boots(chosen).run(sys.orig_argv, outputs=outputs, progress=show)
    finally:
        show.clear()
    if ran.status in _CRASHES:
        echo(
            f"note: {_CRASHES[ran.status]} ended the command in the kernel; what it had written is kept; "
            "with much memory, it may need a larger vm.max_map_count on this machine",
            err=True,
        )
    # Nothing rests on a kernel in which a command was refused at once.
    if ran.status != _REFUSED or ran.virtual > _AT_ONCE:
        echo(f"VIRTUAL: {ran.rests_on}; {ran.virtual:.1f} s in {ran.wall:.1f} s", err=True)
    return ran.status


class _Progress(virtual.Progress):
    """Virtual time and wall time, on a terminal."""

    PERIOD = 0.5

    def __init__(self) -> None:
        self._shows = sys.stderr.isatty() and not Output.quiet
        self._last = 0.0
        self._is_there = False

    def show(self, at: float, wall: float) -> None:
        if self._shows and wall - self._last >= self.PERIOD:
            self._last = wall
            self._is_there = True
            os.write(2, f"\r\x1b[K{at:.0f} s of virtual time in {wall:.0f} s".encode())

    def clear(self) -> None:
        if self._is_there:
            os.write(2, b"\r\x1b[K")
            self._is_there = False
