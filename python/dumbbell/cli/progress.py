"""The progress of a study, on a terminal or in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from dumbbell.cli.bars import bar
from dumbbell.cli.common import echo

if TYPE_CHECKING:
    from dumbbell.study import Progress

_LINE_PERIOD = 30.0
"""Seconds between lines of progress where there is no terminal."""

_STAGE_PERIOD = 5.0
"""Seconds between those of what is done beside the runs, which takes a minute or two."""


@dataclass
class StudyProgress:
    """A callback for :func:`dumbbell.study.run_study`."""

    title: str
    last: Progress | None = None
    """What it was told last."""
    also: Callable[[Progress], object] | None = None
    """Another listener, which hears the same."""
    _bar: Bar = field(init=False, repr=False)
    _line: float = field(default_factory=time.monotonic, init=False, repr=False)
    _stage: str = field(default="", init=False, repr=False)

    def __post_init__(self) -> None:
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[eta]}", markup=False),
        )
        # Drawn when there is news, by no thread of its own that would take time from the runs.
        self._bar = bar(*columns, refresh=False, disable=not sys.stderr.isatty())
        self._task = self._bar.add_task(self.title, total=None, eta="")

    def __call__(self, progress: Progress) -> None:
        """Show how far the study is: a bar on a terminal, else now and then a line."""
        if self.last is None:
            self._say_what_is_there(progress)
            self._bar.start()
        self.last = progress
        if self.also is not None:
            self.also(progress)
        there = progress.reused + progress.done
        eta = "" if progress.remaining is None else f"{_clock(progress.remaining)} to go"
        self._bar.update(
            self._task, description=self.title, total=progress.total, completed=there, eta=eta, refresh=True
        )
        if self._bar.disable and time.monotonic() - self._line > _LINE_PERIOD:
            self._line = time.monotonic()
            echo(f"{self.title}: {there:,} of {progress.total:,} runs, {eta}", err=True)

    def stage(self, what: str, done: int, total: int) -> None:
        """Show how far what precedes or follows the runs is: at once, then by the bar or now and then."""
        begins = what != self._stage
        self._stage = what
        if self._bar.disable:
            if begins or time.monotonic() - self._line > _STAGE_PERIOD:
                self._line = time.monotonic()
                echo(f"{self.title}: {done:,} of {total:,} {what}", err=True)
            return
        self._bar.start()
        shown = f"{self.title}: {what}"
        self._bar.update(self._task, description=shown, total=total, completed=done, eta="", refresh=True)

    def stop(self) -> None:
        """Take the bar away; say what is kept if the study did not end."""
        self._bar.stop()
        if self.last is None or self.last.reused + self.last.done >= self.last.total:
            return
        kept = self.last.reused + self.last.done
        echo(
            f"{self.title}: stopped; {kept:,} of {self.last.total:,} runs are finished and kept, "
            "the same command goes on from there",
            err=True,
        )

    def _say_what_is_there(self, progress: Progress) -> None:
        for note in progress.notes:
            echo(f"{self.title}: {note}", err=True)
        left = progress.total - progress.reused
        reused = f"{progress.reused:,} reused, {left:,} to make" if progress.reused else "none there yet"
        echo(f"{self.title}: {progress.total:,} runs, {reused}", err=True)


@contextmanager
def study_progress(title: str, also: Callable[[Progress], object] | None = None) -> Iterator[StudyProgress]:
    """Yield a callback for :func:`dumbbell.study.run_study`, with the time to go on a terminal.

    What was reused and found in the folder is said in any case, once. `also` hears the same.
    """
    show = StudyProgress(title, also=also)
    try:
        yield show
    finally:
        show.stop()


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
