"""What can be wrong with a user's input."""

from __future__ import annotations


class DumbbellError(Exception):
    """Anything that a user can cause and mend. ``str()`` of it is one line."""


class ScenarioError(DumbbellError, ValueError):
    """A scenario that cannot be run.

    Parameters
    ----------
    path
        The place, for example ``links[0].queue.limit``; empty for the whole scenario.
    message
        What is wrong.
    remedy
        What to do about it.
    """

    def __init__(self, path: str, message: str, remedy: str) -> None:
        super().__init__(path, message, remedy)
        self.path = path
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        place = f"{self.path}: " if self.path else ""
        return f"{place}{self.message}; {self.remedy}"


class FolderError(DumbbellError, OSError):
    """A folder that cannot take, or does not hold, results."""


class NothingToDrawError(DumbbellError, ValueError):
    """A figure for which the results hold no data."""


class ResultsError(DumbbellError, ValueError):
    """Results without the requested data."""


class UnknownNameError(DumbbellError, KeyError):
    """A name, or the number of a flow or a link, that is not there. The message names what is."""

    def __str__(self) -> str:
        # That of `KeyError` would stand in quotes.
        return str(self.args[0])


class ColumnError(UnknownNameError):
    """A table that has no such column, or none of that kind."""


class TraceLimitError(DumbbellError):
    """A trace that would have more events than its limit; nothing was written.

    Parameters
    ----------
    most
        The limit.
    in_bytes
        Whether it is in bytes, not in events.
    reached
        The simulated time at which it was passed (s).
    """

    def __init__(self, most: int, in_bytes: bool, reached: float) -> None:
        super().__init__(most, in_bytes, reached)
        self.most = most
        self.in_bytes = in_bytes
        self.reached = reached

    def __str__(self) -> str:
        unit = "bytes" if self.in_bytes else "events"
        return (
            f"limit: more than {self.most:,} {unit}, by {self.reached:.3g} s already; "
            "choose flows, links or times, or give a higher limit"
        )


class TheoryError(DumbbellError, ValueError):
    """Numbers that an optimum or a closed form cannot be computed from."""
