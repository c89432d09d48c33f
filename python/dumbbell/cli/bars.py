"""Bars of progress on a terminal, by rich: loaded only where one may be drawn."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import Progress, ProgressColumn
from rich.segment import Segment

from dumbbell._files.text import plain
from dumbbell._printing import Output


class Terminal(Console):
    """A console to which all text is data: it has no markup, and its control characters are not sent.

    A closed pipe is an error like any other, not the end of the process.
    """

    def __init__(self, error: bool) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, stderr=error)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments of anything; whatever is drawn goes through here."""
        for segment in super().render(renderable, options):
            text = segment.text if segment.control else plain(segment.text)
            yield segment._replace(text=text) if text != segment.text else segment

    def on_broken_pipe(self) -> None:
        """Pass on what rich has caught."""
        raise  # noqa: PLE0704 - rich calls this while it handles the error.


def bar(
    *columns: ProgressColumn, error: bool = True, refresh: bool = True, disable: bool = False
) -> Progress:
    """Return a bar that goes away at its end, on the standard error or the standard output.

    With `refresh` a thread draws it; without, whoever updates it.
    """
    return Progress(
        *columns,
        console=Terminal(error),
        transient=True,
        auto_refresh=refresh,
        disable=disable or Output.quiet,
    )
