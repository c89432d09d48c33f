"""Who is judged: a registered controller, or one of one's own in a library or in Python's syntax."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from dumbbell import _native
from dumbbell._laws import LawName, law_name
from dumbbell.judge.chapter import JudgeError

_SUFFIXES = (".so", ".dylib")


@dataclass(frozen=True)
class Candidate:
    """A controller by its name in tables and by what a scenario writes for it."""

    name: str
    """What tables call it."""
    setting: str
    """The value of a ``controller`` key in a setting."""
    command: str
    """What commands call it, in any folder."""
    foreign: bool = False
    """Whether its code comes from a library, which may end the process that loads it."""


def controllers() -> list[str]:
    """Return the names of the registered controllers."""
    return [name for name, _, _ in dict(_native.algorithms())["controller"]]


def candidate_of(text: str) -> Candidate:
    """Return the controller of a name, that of a library by its path, or a class of a file.

    Parameters
    ----------
    text
        ``bbr3``, ``./mine.so`` or ``my.py:Mine``.

    Raises
    ------
    JudgeError
        If there is no such controller and no such file.
    LawError
        If the file of a class cannot be read, or the class is no law.
    """
    law = law_name(text)
    if law is not None:
        return _law(text, law)
    path = Path(text)
    if path.suffix in _SUFFIXES:
        if not path.is_file():
            raise JudgeError(f"{text}: no such file; compile the library first")
        whole = str(path.resolve())
        return Candidate(path.stem, f"{{ library = {json.dumps(whole)} }}", whole, foreign=True)
    return Candidate(text, registered(text), text)


def _law(text: str, name: LawName) -> Candidate:
    # Other candidates do not load the language.
    from dumbbell.own.file import read_law

    path, law, _ = read_law(text)
    whole = path.resolve()
    return Candidate(law.name, name.setting(whole), f"{whole}{text.removeprefix(name.file)}")


def registered(name: str) -> str:
    """Return the name of a registered controller.

    Raises
    ------
    JudgeError
        If there is none of that name.
    """
    known = controllers()
    if name not in known:
        raise JudgeError(f"no controller {name!r}; {_native.suggest(name, known)}")
    return name
