"""Parse what comes from others and may be hostile: JSON, TOML, names of files and folders."""

from __future__ import annotations

import json
import math
import os
import threading
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

from dumbbell import _native
from dumbbell._files.names import real
from dumbbell._files.special import refuse_special
from dumbbell.errors import FolderError, ScenarioError

MOST_BYTES = 64 << 20
"""Of a JSON file: a study of a million runs is described in one."""

MOST_LEVELS = 80
"""Tables and lists within each other, as in the parser of scenarios; a study needs ten."""


class NotDataError(ValueError):
    """Text that is not JSON or TOML, or more than any of our files holds. ``str()`` of it is one line."""


def inflated(data: bytes) -> bytes:
    """Return what a gzip file holds; anything else as it is. A small file may say that it is a large one.

    Raises
    ------
    NotDataError
        If it is damaged, or holds more than `MOST_BYTES`.
    """
    if not data.startswith(b"\x1f\x8b"):
        return data
    machine = zlib.decompressobj(wbits=31)
    try:
        content = machine.decompress(data, MOST_BYTES + 1)
    except zlib.error:
        raise NotDataError("damaged: it does not decompress") from None
    if len(content) > MOST_BYTES:
        raise NotDataError(f"above the limit of {MOST_BYTES:,} bytes when decompressed")
    if not machine.eof:
        raise NotDataError("damaged: its end is missing")
    return content


def parse_json(data: bytes) -> Any:
    """Return what JSON text says.

    Raises
    ------
    NotDataError
        Also for not-a-number, which JSON does not have.
    """
    if len(data) > MOST_BYTES:
        raise NotDataError(f"{len(data):,} bytes are above the limit of {MOST_BYTES:,}")
    try:
        value = json.loads(data.decode("utf-8"), parse_constant=_refuse_constant)
    except RecursionError:
        raise NotDataError(_too_deep()) from None
    except NotDataError:
        raise
    except ValueError as error:
        raise NotDataError(f"not JSON: {_reason(error)}") from None
    check_values(value, finite=True)
    return value


def parse_toml(text: str) -> dict[str, Any]:
    """Return what TOML text says.

    Raises
    ------
    NotDataError
        What is wrong with it.
    """
    try:
        values = _native.parse_toml(text)
    except ScenarioError as error:
        raise NotDataError(f"not TOML: {error}") from None
    check_values(values)
    return values


def check_values(value: Any, finite: bool = False) -> None:
    """Raise `NotDataError` for what no other program could read: too many levels, numbers of too many bits.

    Parameters
    ----------
    value
        Dictionaries, lists and what they hold.
    finite
        Whether to refuse numbers that are not finite, too.
    """
    # The list of seeds is long: what is in a list is looked at where it stands.
    waiting: list[tuple[Iterable[Any], int]] = [((value,), 0)]
    while waiting:
        entries, level = waiting.pop()
        if level > MOST_LEVELS:
            raise NotDataError(_too_deep())
        for entry in entries:
            if isinstance(entry, int):
                if not -(2**63) <= entry < 2**63:
                    raise NotDataError("a whole number has more than 63 bits")
            elif isinstance(entry, str):
                if not entry.isascii() and any("\ud800" <= character <= "\udfff" for character in entry):
                    raise NotDataError("a text holds half a character (a lone surrogate)")
            elif isinstance(entry, dict):
                waiting += [(entry, level + 1), (entry.values(), level + 1)] if entry else ()
            elif isinstance(entry, list | tuple):
                waiting += [(entry, level + 1)] if entry else ()
            elif finite and isinstance(entry, float) and not math.isfinite(entry):
                raise NotDataError("a number is not finite")


def blamed(error: BaseException, path: Path) -> str:
    """Return what went wrong in a program of others, and its last line that took part."""
    line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else None
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == str(path):
            line = frame.tb_lineno
        frame = frame.tb_next
    place = "" if line is None else f"line {line}: "
    return f"{place}{type(error).__name__}: {error}; correct the program"


def inside(folder: Path, path: Path) -> Path:
    """Return a path below a folder that others have made.

    Raises
    ------
    FolderError
        If a link leads out of the folder.
    """
    # A link to nothing opens nothing; what reads it says so.
    if path.exists() and not real(path).is_relative_to(real(folder)):
        raise FolderError(f"{path}: a link that leads out of {folder}; put the file itself there")
    return path


def replace_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, also in a folder of others: no link in it is followed.

    Raises
    ------
    FolderError
        If something else than a regular file stands there.
    """
    refuse_special(path)
    part = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _refuse_constant(name: str) -> NoReturn:
    raise NotDataError(f"{name} is not a number of JSON")


def _too_deep() -> str:
    return f"more than {MOST_LEVELS} tables or lists stand within each other"


def _reason(error: ValueError) -> str:
    return " ".join(str(error).split())
