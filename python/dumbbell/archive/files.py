"""ZIP files in and out: same content, same bytes; damage is found before anything is used."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from dumbbell.errors import DumbbellError

MANIFEST = "manifest-sha256.txt"
"""Lists every other file with its SHA-256, as ``sha256sum`` does."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every entry: the first that a ZIP file can say."""

_MOST_BYTES = 1 << 36
"""An archive that unpacks to more is refused."""

_MOST_FILES = 100_000


class ArchiveError(DumbbellError, ValueError):
    """An archive that cannot be made or used."""


def write_zip(path: Path, files: Mapping[str, Path | bytes]) -> None:
    """Write files by name, in order of their names, and a manifest of them: whole or not at all.

    Parameters
    ----------
    path
        Where to.
    files
        Content, or where it is, by name in the archive.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    lines = []
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(files):
                lines.append(f"{_add(archive, name, files[name])}  {name}\n")
            _add(archive, MANIFEST, "".join(lines).encode())
        part.replace(path)
    except OSError as error:
        raise ArchiveError(f"{path}: cannot be written ({error.strerror}); choose another place") from None
    finally:
        part.unlink(missing_ok=True)


def _add(archive: zipfile.ZipFile, name: str, content: Path | bytes) -> str:
    """Write one file and return its SHA-256."""
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    if isinstance(content, bytes):
        archive.writestr(info, content)
        return hashlib.sha256(content).hexdigest()
    info.file_size = content.stat().st_size
    with content.open("rb") as source, archive.open(info, "w") as target:
        shutil.copyfileobj(source, target, 1 << 20)
        source.seek(0)
        return hashlib.file_digest(source, "sha256").hexdigest()


def read_zip(path: Path, folder: Path) -> None:
    """Unpack an archive into a folder and check every file against the manifest.

    Raises
    ------
    ArchiveError
        What is wrong with it.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _check_names(path, archive)
            archive.extractall(folder)
    except FileNotFoundError:
        raise ArchiveError(f"{path}: no such file; give the path of an archive") from None
    except IsADirectoryError:
        raise ArchiveError(f"{path}: is a folder; give the archive that `dumbbell pack` made of it") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ArchiveError(f"{path}: not a usable ZIP file ({reason}); get the archive again") from None
    _check_manifest(path, folder)


def _check_names(path: Path, archive: zipfile.ZipFile) -> None:
    entries = archive.infolist()
    if len(entries) > _MOST_FILES or sum(entry.file_size for entry in entries) > _MOST_BYTES:
        raise ArchiveError(f"{path}: unpacks to more than any archive of dumbbell; refused")
    names = [entry.filename for entry in entries]
    for name in names:
        parts = PurePosixPath(name).parts
        if name.startswith("/") or ".." in parts or "\\" in name or name.endswith("/") or not parts:
            raise ArchiveError(f"{path}: holds {name!r}, a name that leads out of it; refused")
    if len(set(names)) != len(names):
        raise ArchiveError(f"{path}: holds a file twice; get the archive again")
    if MANIFEST not in names:
        raise ArchiveError(
            f"{path}: not an archive of dumbbell ({MANIFEST} is missing); make one with `dumbbell pack`"
        )


def _check_manifest(path: Path, folder: Path) -> None:
    listed = {}
    for line in (folder / MANIFEST).read_text(encoding="utf-8", errors="replace").splitlines():
        digest, _, name = line.partition("  ")
        listed[name] = digest
    there = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()} - {MANIFEST}
    for name in sorted(there ^ set(listed)):
        what = "is not in the manifest" if name in there else "is missing"
        raise ArchiveError(f"{path}: {name} {what}; get the archive again")
    for name, digest in listed.items():
        with (folder / name).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != digest:
                raise ArchiveError(f"{path}: {name} was changed since it was packed; get the archive again")
