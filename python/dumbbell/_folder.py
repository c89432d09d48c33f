"""Folders that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dumbbell.errors import FolderError

_MARKS = ("runs.parquet", "scenario.toml", "summary.json")
"""Files by which a folder of results is known."""


@contextmanager
def new_folder(folder: Path, force: bool = False) -> Iterator[Path]:
    """Yield a folder to write into, which takes the place of `folder` if the block succeeds.

    Refuses before the block starts what would fail after it. If the block fails, nothing is
    left, not even the parent folders that were made.

    Parameters
    ----------
    folder
        The folder to make.
    force
        Replace the results that are there. Never replaces anything but results.

    Raises
    ------
    FolderError
        If the folder cannot be made, or holds something.
    """
    folder = folder.absolute()
    _refuse_occupied(folder, force)
    part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    made: list[Path] = []
    try:
        for parent in [*reversed([p for p in folder.parents if not p.exists()]), part]:
            parent.mkdir()
            made.append(parent)
        yield part
        _swap(part, folder)
    except BaseException as error:
        if part in made:
            shutil.rmtree(part, ignore_errors=True)
        for parent in reversed([p for p in made if p != part]):
            parent.rmdir()
        if isinstance(error, OSError) and part not in made:
            raise FolderError(
                f"{folder}: cannot be written ({error.strerror}); choose another folder"
            ) from None
        raise


def _refuse_occupied(folder: Path, force: bool) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise FolderError(f"{folder}: is a file; choose another name")
    if not any(folder.iterdir()):
        return
    if not all((folder / mark).is_file() for mark in _MARKS):
        raise FolderError(f"{folder}: holds files that are not results; choose another folder")
    if not force:
        raise FolderError(
            f"{folder}: holds results already; choose another folder, or replace them with --force"
        )


def _swap(part: Path, folder: Path) -> None:
    """Put `part` in the place of `folder`; at every moment one of them stands whole, there or beside it."""
    if folder.exists() and any(folder.iterdir()):
        old = part.with_suffix(".old")
        folder.rename(old)
        try:
            part.rename(folder)
        except BaseException:
            old.rename(folder)
            raise
        shutil.rmtree(old)
    else:
        part.rename(folder)
