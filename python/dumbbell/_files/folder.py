"""Write folders and files completely or not at all, and never over what dumbbell has not written."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dumbbell import _system
from dumbbell._files import manifest, parts, special
from dumbbell._files.foreign import inside
from dumbbell._files.names import real
from dumbbell.errors import FolderError


@contextmanager
def new_folder(folder: Path, force: bool = False) -> Iterator[Path]:
    """Yield a folder to write into, which takes the place of `folder` if the block succeeds.

    Refuses before the block starts what would fail after it. If the block fails, nothing is left, not even
    the parent folders that were made. A manifest in the folder lists what was written.

    Parameters
    ----------
    folder
        The folder to make.
    force
        Replace the results that are there. Never removes anything that dumbbell has not written.

    Raises
    ------
    FolderError
        If the folder cannot be made, or holds something. What the block has written then stays next to it.
    """
    folder = real(folder)
    with contextlib.suppress(OSError):
        restore(folder)
    _refuse_occupied(folder, force)
    with parts.part_of(folder, folder=True) as part:
        yield part
        manifest.write(part, manifest.of(part))
        try:
            _refuse_occupied(folder, force)
            _swap(part, folder)
        except OSError as error:
            kept = _free(folder)
            part.rename(kept)
            raise FolderError(f"{error} (found after the work, which is kept in {kept})") from None


@contextmanager
def new_files(folder: Path) -> Iterator[Path]:
    """Yield a folder to write files into, which go into `folder` if the block succeeds, under the same names.

    Each appears whole or not at all. They replace only what dumbbell has written there before, and the
    manifest of `folder` lists them. If the block fails, nothing is left.

    Parameters
    ----------
    folder
        Where they go; made if need be.

    Raises
    ------
    FolderError
        If the folder cannot be written, or a file is in the way. Nothing is replaced then.
    """
    folder = real(folder)
    _refuse_file(folder)
    with parts.part_of(folder / "files", folder=True) as part:
        yield part
        with _locked(folder):
            _move(part, folder)


@contextmanager
def new_file(path: Path, ours: Callable[[Path], bool], force: bool) -> Iterator[Path]:
    """Yield a file to write, which takes the place of `path` if the block succeeds.

    A link stays, and the file takes the place of its target. A device or a pipe takes the content
    (:mod:`dumbbell._files.special`).

    Parameters
    ----------
    path
        The file to make.
    ours
        Whether a file is one that dumbbell has written.
    force
        Replace a file of ours that is there.

    Raises
    ------
    FolderError
        If the file cannot be made, or something is in the way.
    """
    refuse_file(path, ours, force)
    if special.is_special(path):
        with special.written(path) as part:
            yield part
        return
    place = real(path)
    with parts.part_of(place, folder=False) as part:
        yield part
        part.replace(place)


def refuse_file(path: Path, ours: Callable[[Path], bool], force: bool) -> None:
    """Raise if a file may not be written: only a file of ours is replaced, and with `force` only.

    What is no file, such as ``/dev/stdout`` or a pipe, holds nothing that could be lost.

    Raises
    ------
    FolderError
        If something is in the way.
    """
    if special.is_special(path):
        return
    if real(path).is_symlink():
        raise FolderError(f"{path}: is a link that leads in a circle; choose another name")
    if path.is_dir():
        raise FolderError(f"{path}: is a folder; choose another name")
    if not path.is_file() or path.stat().st_size == 0:
        return
    if not ours(path):
        raise FolderError(f"{path}: was not written by this command; choose another name")
    if not force:
        raise FolderError(f"{path}: is there already; choose another name, or replace it with --force")


def restore(folder: Path) -> None:
    """Put back what a process moved away that was killed before it could put something else in its place."""
    for old in parts.left(folder):
        if not folder.exists():
            old.rename(folder)
        else:
            manifest.remove(old)


def _refuse_occupied(folder: Path, force: bool) -> None:
    _refuse_file(folder)
    if not folder.exists():
        return
    if os.path.ismount(folder):
        raise FolderError(f"{folder}: is a file system of its own; choose a folder in it")
    if not any(folder.iterdir()):
        return
    if not manifest.is_results(folder):
        raise FolderError(f"{folder}: holds files that are not results; choose another folder")
    if not force:
        raise FolderError(
            f"{folder}: holds results already; choose another folder, or replace them with --force"
        )
    for path in folder.iterdir():
        if parts.is_stale(path):
            parts.remove(path)
    name = manifest.foreign(folder)
    if name is not None:
        raise FolderError(
            f"{folder / name}: is not as dumbbell has written it; move it away, or choose another folder"
        )


def _refuse_file(folder: Path) -> None:
    if folder.is_symlink():
        raise FolderError(f"{folder}: is a link that leads in a circle; choose another name")
    if folder.exists() and not folder.is_dir():
        raise FolderError(f"{folder}: is a file; choose another name")


def _swap(part: Path, folder: Path) -> None:
    """Put `part` in the place of `folder`; at every moment one of them is whole, there or next to it.

    A process killed between the two leaves the old results next to their place: :func:`restore` finds them.
    """
    if not folder.exists() or not any(folder.iterdir()):
        part.rename(folder)
        return
    old = parts.beside(folder, "old")
    folder.rename(old)
    try:
        part.rename(folder)
    except BaseException:
        old.rename(folder)
        raise
    # What came into the folder in the last moment stays, in `old`.
    manifest.remove(old)


def _move(part: Path, folder: Path) -> None:
    """Move the files of `part` into `folder`, and into its manifest."""
    new = manifest.of(part)
    for name in new:
        inside(folder, (folder / name).parent)
        if wrong := manifest.unlisted(name):
            raise FolderError(f"{folder / name}: its name holds {wrong}; choose another name")
        if not manifest.may_replace(folder, name):
            raise FolderError(
                f"{folder / name}: is in the way, and not as dumbbell has written it; "
                "move it away, or choose another folder"
            )
    listed = manifest.adopted(folder)
    # Killed on the way, either the old file or the new one is as the manifest says.
    both = {name: listed.get(name, frozenset()) | digests for name, digests in new.items()}
    manifest.write(folder, {**listed, **both})
    for name in new:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (part / name).replace(folder / name)
    manifest.write(folder, {**listed, **new})


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one process at a time change the manifest of a folder."""
    with _system.opened(folder) as descriptor:
        if descriptor is not None:
            with contextlib.suppress(OSError):
                _system.lock(descriptor, wait=True)
        yield


def _free(folder: Path) -> Path:
    """Return a free name next to a folder."""
    names = (folder.with_name(f"{folder.name}-{number}") for number in range(2, 1 << 20))
    return next(name for name in names if not name.exists())
