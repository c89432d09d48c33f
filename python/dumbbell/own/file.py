"""A file of laws as users name it: ``my.py``, or one class of it, ``my.py:Mine(gain=2)``."""

from __future__ import annotations

from pathlib import Path

from dumbbell._files.read import read_text
from dumbbell._laws import LawName, law_name
from dumbbell.own.code import Compiled
from dumbbell.own.compiler import compiled
from dumbbell.own.errors import LawError
from dumbbell.own.read import laws
from dumbbell.own.tree import Law


def read_laws(name: str) -> tuple[Path, list[tuple[Law, Compiled]]]:
    """Return the file, and the class that is named; all laws of the file if none is.

    Raises
    ------
    LawError
        If the file cannot be read, or holds no law; the first thing wrong with a law.
    """
    path, text, law = _read(name)
    labels = [law.label] if law.label else _labels(path, text)
    return path, [compiled(text, str(path), found, law.parameters) for found in labels]


def read_law(name: str) -> tuple[Path, Law, Compiled]:
    """Return the file and the class of a name such as ``my.py:Mine(gain=2)``, and its byte code.

    Raises
    ------
    LawError
        As :func:`read_laws`, and if no class is named.
    """
    path, text, law = _read(name)
    if not law.label:
        found = ", ".join(f"{path}:{label}" for label in _labels(path, text))
        raise LawError(name, "the class is not named", f"name {found}")
    return path, *compiled(text, str(path), law.label, law.parameters)


def _read(name: str) -> tuple[Path, str, LawName]:
    """Return the file, its text, and what the name says."""
    law = law_name(name) or LawName(name, "")
    path = Path(law.file)
    remedy = "give the path of a law, such as my.py:Mine"
    try:
        return path, read_text(path), law
    except UnicodeDecodeError as error:
        raise LawError(str(path), f"not UTF-8 text (byte {error.start})", "save it as UTF-8") from None
    except FileNotFoundError:
        raise LawError(str(path), "no such file", remedy) from None
    except OSError as error:
        raise LawError(str(path), error.strerror or "cannot be read", remedy) from None


def _labels(path: Path, text: str) -> list[str]:
    found = laws(text, str(path))
    if not found:
        raise LawError(str(path), "holds no law", "write `class Mine(Controller):`")
    return found
