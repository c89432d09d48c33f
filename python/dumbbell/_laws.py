"""How users name a law: ``my.py:Mine``, with parameters ``my.py:Mine(gain=2)``.

Imports nothing of the language of laws: commands ask of any name whether it is one of a law.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from dumbbell.errors import DumbbellError

_NAME = re.compile(r"(?P<file>.*?\.py)(?::(?P<label>\w*))?(?P<given>\(.*)?", re.DOTALL)
_GIVEN = re.compile(r"""\s*(?P<name>\w+)\s*=\s*(?P<quote>['"]?)(?P<value>[\w.+-]+)(?P=quote)\s*""")
_TRUTHS = {"true": True, "false": False}


@dataclass(frozen=True)
class LawName:
    """What the name of a law says."""

    file: str
    """The path of the file."""
    label: str
    """The class; empty if only the file is named."""
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    """Values of parameters; the others keep their defaults. Values are not checked."""

    def value(self, file: object) -> str | dict[str, int | str]:
        """Return what a scenario holds as its controller, with another path of the file."""
        kind = f"{file}:{self.label}"
        return {"kind": kind, **self.parameters} if self.parameters else kind

    def setting(self, file: object) -> str:
        """Return the same in TOML, as a setting has it: ``transport.controller=...``."""
        value = self.value(file)
        # Texts, numbers and truth values look alike in TOML and JSON.
        if isinstance(value, str):
            return json.dumps(value)
        return f"{{ {', '.join(f'{name} = {json.dumps(each)}' for name, each in value.items())} }}"


def law_name(text: str) -> LawName | None:
    """Return what the name of a law says; ``None`` of a name that is none of a law.

    Parameters
    ----------
    text
        A file, ``my.py``, or a class of it: ``my.py:Mine``, ``my.py:Mine(gain=2, start=fast)``.

    Raises
    ------
    DumbbellError
        If what stands in brackets gives no values to parameters.
    """
    found = _NAME.fullmatch(text)
    if found is None:
        return None
    label, given = found["label"] or "", found["given"] or "()"
    example = f"{found['file']}:{label or 'Mine'}(gain=2)"
    if not given.endswith(")"):
        raise DumbbellError(f"{text}: the bracket is not closed; write it as {example}")
    if found["given"] and not label:
        raise DumbbellError(f"{text}: the class is not named; write it as {example}")
    parameters: dict[str, int | str] = {}
    for part in given[1:-1].split(",") if given[1:-1].strip() else ():
        entry = _GIVEN.fullmatch(part)
        if entry is None:
            raise DumbbellError(f"{text}: {part.strip()!r} gives no parameter a value; write it as {example}")
        if entry["name"] in parameters:
            raise DumbbellError(f"{text}: {entry['name']} stands there twice; name each parameter once")
        parameters[entry["name"]] = _value(entry["value"], quoted=bool(entry["quote"]))
    return LawName(found["file"], label, parameters)


def _value(text: str, *, quoted: bool) -> int | str:
    if not quoted and text.lower() in _TRUTHS:
        return _TRUTHS[text.lower()]
    if not quoted and re.fullmatch(r"[+-]?\d[\d_]*", text):
        return int(text)
    return text


def listed(text: str) -> list[str]:
    """Return the names of a list with commas; those within brackets part no names."""
    return [name.strip() for name in re.split(r",(?![^()]*\))", text)]
