"""What can be wrong with a study."""

from __future__ import annotations

from collections.abc import Sequence

from dumbbell.errors import DumbbellError


class StudyError(DumbbellError, ValueError):
    """A study that cannot be run, or a folder that does not fit it.

    Parameters
    ----------
    problems
        Everything that is wrong, one line each: "place: what is wrong; remedy".
    """

    def __init__(self, problems: str | Sequence[str]) -> None:
        self.problems = (problems,) if isinstance(problems, str) else tuple(problems)
        super().__init__(self.problems)

    def __reduce__(self) -> tuple[type[StudyError], tuple[tuple[str, ...]]]:
        return type(self), (self.problems,)

    def __str__(self) -> str:
        if len(self.problems) == 1:
            return self.problems[0]
        return f"{len(self.problems)} problems: " + " | ".join(self.problems)
