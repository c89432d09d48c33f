"""Who is scored: a registered controller, or a law."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from dumbbell import _native
from dumbbell._laws import law_name
from dumbbell.arena.errors import ArenaError

if TYPE_CHECKING:
    from dumbbell.own import Controller

Named: TypeAlias = "str | os.PathLike[str] | Controller | type[Controller]"
"""How users say who is scored: a name, or a law as a value."""

MOST_STEPS = 20_000
"""Instructions of byte code that an answer may take (choice: ten times those of BBR v3). Two hundred networks
with more would take minutes, and a law of the longest answers days."""


@dataclass(frozen=True)
class Entrant:
    """A controller, by its name in tables and by what a scenario writes for it."""

    name: str
    """What tables call it."""
    command: str
    """What commands call it: ``cubic``, ``mine.py:Mine(gain=2)``, with the name of the file alone."""
    value: Any
    """The value of a key ``controller``; the path of a law counts from `folder`."""
    folder: Path
    """Where the file is."""
    text: str | None
    """The file of a law; ``None`` for a registered controller."""

    @property
    def source(self) -> bytes:
        """What held-out sets are drawn by: the file of a law and its name, or the name alone."""
        return (self.text or "").encode() + b"\0" + self.command.encode()


def entrant_of(named: Named) -> Entrant:
    """Return who is scored.

    Parameters
    ----------
    named
        ``cubic``, ``my.py``, ``my.py:Mine(gain=2)``; a class of a law, or an object of it.

    Raises
    ------
    ArenaError
        If there is no such controller, it is a library, or an answer may take more than `MOST_STEPS`.
    LawError
        If the file of a law cannot be read, or the class is no law.
    """
    text = _text(named)
    law = law_name(text)
    if law is not None:
        return _law(text)
    if Path(text).suffix in (".so", ".dylib"):
        raise ArenaError(
            f"{text}: a library can do anything; the arena takes laws and registered controllers"
        )
    known = [name for name, _, _ in dict(_native.algorithms())["controller"]]
    if text not in known:
        raise ArenaError(f"no controller {text!r}; {_native.suggest(text, known)}")
    return Entrant(text, text, text, Path(), None)


def _text(named: Named) -> str:
    if isinstance(named, str | os.PathLike):
        return os.fspath(named)
    value: Mapping[str, Any] = named() if isinstance(named, type) else named
    given = ",".join(f"{key}={each}" for key, each in value.items() if key != "kind")
    return f"{value['kind']}({given})" if given else str(value["kind"])


def _law(text: str) -> Entrant:
    from dumbbell._files.read import read_text
    from dumbbell.own.file import read_laws

    path, found = read_laws(text)
    if len(found) != 1:
        names = ", ".join(f"{path}:{law.label}" for law, _ in found)
        raise ArenaError(f"{text}: holds several laws; name one of {names}")
    [(law, compiled)] = found
    event, steps = max(compiled.steps.items(), key=lambda entry: entry[1], default=("", 0))
    if steps > MOST_STEPS:
        raise ArenaError(
            f"{text}: {event} may take {steps:,} instructions; the arena allows {MOST_STEPS:,}: "
            "shorten its loops"
        )
    name = law_name(text)
    assert name is not None, "it was one before"
    given = ",".join(f"{key}={value}" for key, value in sorted(name.parameters.items()))
    command = f"{path.name}:{law.label}" + (f"({given})" if given else "")
    labelled = law_name(command)
    assert labelled is not None, "a file of Python and a class are the name of a law"
    return Entrant(law.name, command, labelled.value(path.name), path.resolve().parent, read_text(path))
