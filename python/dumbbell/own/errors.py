"""What can be wrong with a law."""

from __future__ import annotations

from dumbbell.errors import DumbbellError


class LawError(DumbbellError):
    """A source that is no law, or a parameter that does not fit.

    Parameters
    ----------
    place
        File, line and column, such as ``my.py:3:37``; the file alone if no line is to blame.
    message, remedy
        What is wrong, and what to do about it.
    parameter
        The parameter that is wrong, if one of those given is.
    """

    def __init__(self, place: str, message: str, remedy: str, parameter: str | None = None) -> None:
        super().__init__(place, message, remedy)
        self.place, self.message, self.remedy, self.parameter = place, message, remedy, parameter

    @property
    def place_and_message(self) -> str:
        """What is wrong, with its place."""
        return f"{self.place}: {self.message}"

    def __str__(self) -> str:
        return f"{self.place_and_message}; {self.remedy}"
