"""Write and read ZIP files: the same content gives the same bytes, and damage is found before any use."""

from __future__ import annotations

import hashlib
import itertools
import os
import shutil
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from dumbbell._files.folder import new_file
from dumbbell._files.manifest import MANIFEST, parse, text
from dumbbell._files.read import opened
from dumbbell._files.text import control_character
from dumbbell.errors import DumbbellError, FolderError

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every entry: the first that a ZIP file can say."""

MOST_BYTES = 8 << 30
"""Of what an archive unpacks to: twice the largest file that a scenario may name."""

MOST_RATIO = 100
"""Bytes unpacked for each byte of the archive: of text 3 to 20, of traces less than 50, of zeros 1000."""

SMALL = 16 << 20
"""Bytes to which an archive of any size may unpack: the ratio says little of small ones."""

MOST_FILES = 10_000

_MOST_NAME = 240
"""Bytes of a name: file systems allow 255 for each part of it."""

_PART = 1 << 20
"""Bytes that are unpacked at a time."""


class ArchiveError(DumbbellError, ValueError):
    """An archive that cannot be made or used."""


def write_zip(path: Path, files: Mapping[str, Path | bytes], force: bool = False) -> None:
    """Write files by name, in order of their names, and a manifest of them: whole or not at all.

    Parameters
    ----------
    path
        Where to.
    files
        Content, or where it is, by name in the archive.
    force
        Replace an archive that is there.

    Raises
    ------
    FolderError
        If it cannot be written, or something is in the way.
    """
    sums = {}
    with (
        new_file(path, is_archive, force) as part,
        zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name in sorted(files):
            sums[name] = frozenset({_add(archive, name, files[name])})
        _add(archive, MANIFEST, text(sums))


def is_archive(path: Path) -> bool:
    """Whether a file is an archive of dumbbell, damaged or not."""
    try:
        with opened(path) as file, zipfile.ZipFile(file) as archive:
            return MANIFEST in archive.namelist()
    except (zipfile.BadZipFile, OSError):
        return False


def _add(archive: zipfile.ZipFile, name: str, content: Path | bytes) -> str:
    """Write one file and return its SHA-256."""
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    if isinstance(content, bytes):
        archive.writestr(info, content)
        return hashlib.sha256(content).hexdigest()
    info.file_size = content.stat().st_size
    with opened(content) as source, archive.open(info, "w") as target:
        shutil.copyfileobj(source, target, _PART)
        source.seek(0)
        return hashlib.file_digest(source, "sha256").hexdigest()


def read_zip(path: Path, folder: Path) -> None:
    """Unpack an archive into a new folder and check every file against the manifest.

    Raises
    ------
    ArchiveError
        What is wrong with it.
    """
    try:
        with opened(path) as file, zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
            room = min(MOST_BYTES, max(SMALL, MOST_RATIO * os.fstat(file.fileno()).st_size))
            _check_entries(path, entries, room)
            for entry in entries:
                room -= _unpack(path, archive, entry, folder / entry.filename, room)
    except ArchiveError:
        raise
    except FileNotFoundError:
        raise ArchiveError(f"{path}: no such file; give the path of an archive") from None
    except IsADirectoryError:
        raise ArchiveError(f"{path}: is a folder; give the archive that `dumbbell pack` made of it") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise ArchiveError(f"{path}: {reason}; give the path of an archive") from None
    except (
        zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError
    ) as error:  # fmt: skip
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ArchiveError(f"{path}: not a usable ZIP file ({reason}); get the archive again") from None
    _check_manifest(path, folder)


def _check_entries(path: Path, entries: Sequence[zipfile.ZipInfo], room: int) -> None:
    """Refuse, before anything is written, what no archive of ours says of itself."""
    if len(entries) > MOST_FILES:
        raise ArchiveError(f"{path}: {len(entries):,} files are above the limit of {MOST_FILES:,}; refused")
    if sum(entry.file_size for entry in entries) > room:
        raise ArchiveError(_too_large(path, room))
    seen: set[str] = set()
    for entry in entries:
        name, parts = entry.filename, PurePosixPath(entry.filename).parts
        outward = name.startswith("/") or ".." in parts or "\\" in name or name.endswith("/")
        if outward or not parts or "/".join(parts) != name:
            raise ArchiveError(f"{path}: holds {name!r}, a name that leads out of it; refused")
        if control_character(name) or len(name.encode()) > _MOST_NAME:
            raise ArchiveError(f"{path}: holds {name[:80]!r}, a name that is no name of a file; refused")
        # As file systems see it that know neither case nor forms of characters.
        same = unicodedata.normalize("NFC", name).casefold()
        if same in seen:
            raise ArchiveError(f"{path}: holds {name!r} twice; get the archive again")
        seen.add(same)
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            raise ArchiveError(f"{path}: holds {name!r}, which is a link or a device; refused")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or entry.flag_bits & 1:
            raise ArchiveError(
                f"{path}: {name!r} is encrypted or packed otherwise than by `dumbbell pack`; refused"
            )
    if any(str(above) in seen for name in seen for above in PurePosixPath(name).parents):
        raise ArchiveError(f"{path}: a name is that of a file and of a folder; refused")
    placed = sorted(entries, key=lambda entry: entry.header_offset)
    for entry, following in itertools.pairwise(placed):
        if entry.header_offset + entry.compress_size >= following.header_offset:
            raise ArchiveError(f"{path}: {following.filename!r} lies within {entry.filename!r}; refused")
    if MANIFEST not in seen:
        raise ArchiveError(
            f"{path}: not an archive of dumbbell ({MANIFEST} is missing); make one with `dumbbell pack`"
        )


def _unpack(path: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, room: int) -> int:
    """Write one file and return its bytes, of which there may be so many: whatever the archive says."""
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with archive.open(entry) as source, target.open("xb") as file:
        while part := source.read(_PART):
            written += len(part)
            if written > room:
                raise ArchiveError(_too_large(path, room))
            file.write(part)
    if written != entry.file_size:
        raise ArchiveError(f"{path}: {entry.filename} is not as large as it says; get the archive again")
    return written


def _too_large(path: Path, room: int) -> str:
    return f"{path}: unpacks to more than {room:,} bytes, far more than any archive of its size; refused"


def _check_manifest(path: Path, folder: Path) -> None:
    try:
        listed = parse(Path(MANIFEST), (folder / MANIFEST).read_bytes())
    except FolderError:
        raise ArchiveError(f"{path}: {MANIFEST} is damaged; get the archive again") from None
    there = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()} - {MANIFEST}
    for name in sorted(there ^ set(listed)):
        what = "is not in the manifest" if name in there else "is missing"
        raise ArchiveError(f"{path}: {name} {what}; get the archive again")
    for name, digests in listed.items():
        with (folder / name).open("rb") as file:
            if {hashlib.file_digest(file, "sha256").hexdigest()} != digests:
                raise ArchiveError(f"{path}: {name} was changed since it was packed; get the archive again")
