"""Runs of the kernel that a folder keeps: one file for each cell, written after each run."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol, TypeVar

from dumbbell._files.foreign import replace_file
from dumbbell._files.read import read_bytes
from dumbbell.errors import DumbbellError
from dumbbell.live.criteria import Summary

_ATTEMPTS = 3
"""Runs until one is valid."""


class Named(Protocol):
    """A cell."""

    @property
    def name(self) -> str:
        """Of its file, without ``.json``."""


AnyCell = TypeVar("AnyCell", bound=Named)


def open_folder(output: Path, what: str) -> Path:
    """Return the folder of the runs, within an output, and make both if they are missing.

    Raises
    ------
    DumbbellError
        If the output is something else; `what` says in the message what it should be.
    """
    folder = output / "cells"
    if output.exists() and not folder.is_dir() and (not output.is_dir() or any(output.iterdir())):
        raise DumbbellError(f"{output}: this is no folder of {what}; give a new folder to -o")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DumbbellError(f"{folder}: {error.strerror}; give another folder to -o") from None
    return folder


def measure(
    cells: Iterable[AnyCell],
    folder: Path,
    repeats: int,
    run: Callable[[AnyCell], tuple[Summary, Iterable[str]]],
    check: Callable[[Summary, AnyCell], None],
    note: Callable[[str], object] = lambda _: None,
) -> None:
    """Run the kernel for every cell that has too few runs, and write each run when it is done.

    Parameters
    ----------
    cells
        What to run.
    folder
        Exists; takes ``NAME.json`` for each cell. Runs that it has are kept, of this kernel or of another.
    repeats
        Valid runs of each cell. One that is invalid is made again, up to three times.
    run
        Runs a cell; returns what it came to, and why it is invalid, if it is. The file also has the
        version of the kernel, ``kernel``: of that which runs here, if the run names none.
    check
        As for :func:`read`.
    note
        Told about each cell.

    Raises
    ------
    DumbbellError
        If a file there is none of a cell, or a run fails.
    """
    for cell in cells:
        runs, invalid = read(folder, cell, check)
        if len(runs) >= repeats:
            continue
        attempts = _ATTEMPTS
        while len(runs) < repeats and attempts:
            summary, reasons = run(cell)
            why = "; ".join(reasons)
            if why:
                invalid.append(why)
                attempts -= 1
            else:
                runs.append({"kernel": platform.release().partition("-")[0], **summary})
                attempts = _ATTEMPTS
            replace_file(
                _path(folder, cell), (json.dumps({"runs": runs, "invalid": invalid}) + "\n").encode()
            )
        note(f"{cell.name}: {len(runs)} valid, {len(invalid)} invalid")


def read(
    folder: Path, cell: AnyCell, check: Callable[[Summary, AnyCell], None]
) -> tuple[list[Summary], list[str]]:
    """Return the runs of a cell, and why others were invalid.

    Parameters
    ----------
    folder, cell
        Where they are; a file that is missing has none.
    check
        Raises `ValueError`, `KeyError` or `TypeError` for what is no summary of the cell: the file may be
        anybody's.

    Raises
    ------
    DumbbellError
        If the file is none of this cell.
    """
    path = _path(folder, cell)
    try:
        found = json.loads(read_bytes(path))
        for run in found["runs"]:
            if not isinstance(run["kernel"], str):
                raise TypeError
            check(run, cell)
        return list(found["runs"]), [str(reason) for reason in found["invalid"]]
    except FileNotFoundError:
        return [], []
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise DumbbellError(
            f"{path}: these are no runs of the cell; remove the file, and it is run again"
        ) from None


def _path(folder: Path, cell: Named) -> Path:
    return folder / f"{cell.name}.json"
