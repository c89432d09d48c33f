"""The checksums of a study's folder.

``manifest-sha256.txt`` lists the files that are not shards, as ``sha256sum`` does: the study, its catalogues,
and what reports and claims write beside them. Shards carry their checksum in their name. So folders of shares
still merge by copying: the manifest that comes last is that of the files that come last.

A file that is about to change stands in it twice, with the checksum that it has and the one that it will
have: whoever is killed between leaves a folder that is as good as before.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dumbbell._foreign import inside
from dumbbell._text import control_character
from dumbbell.errors import FolderError
from dumbbell.study.files import write_durably

MANIFEST = "manifest-sha256.txt"
"""Of a folder and of an archive."""

_LINE = re.compile(r"([0-9a-f]{64})  (.+)")

_MOST_LINES = 100_000


def parse_manifest(place: Path, data: bytes) -> dict[str, set[str]]:
    """Return the checksums that each file may have, by name.

    Raises
    ------
    FolderError
        If it is not a manifest.
    """
    found: dict[str, set[str]] = {}
    lines = data.decode("utf-8", errors="replace").split("\n")
    whole = lines.pop() == "" and len(lines) <= _MOST_LINES
    for line in lines:
        match = _LINE.fullmatch(line)
        if not whole or match is None or control_character(line) or "\ufffd" in line:
            raise FolderError(f"{place}: damaged; remove it, and run the study again")
        found.setdefault(match[2], set()).add(match[1])
    return found


def write_manifest(sums: Mapping[str, Iterable[str]]) -> bytes:
    """Return the text of a manifest."""
    return "".join(f"{digest}  {name}\n" for name in sorted(sums) for digest in sorted(sums[name])).encode()


class Manifest:
    """The checksums of a folder, as they are now.

    Raises
    ------
    FolderError
        If the manifest is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            data = inside(folder, folder / MANIFEST).read_bytes()
        except FileNotFoundError:
            self.sums: dict[str, set[str]] | None = None
        else:
            self.sums = parse_manifest(folder / MANIFEST, data)

    def knows(self, path: Path) -> bool:
        """Whether a file of the folder is listed."""
        return self.sums is not None and path.relative_to(self.folder).as_posix() in self.sums

    def check(self, path: Path, data: bytes, remedy: str) -> None:
        """Raise `FolderError` if a file of the folder is listed and its bytes are others."""
        if self.knows(path):
            assert self.sums is not None, "it knows a file"
            digest = hashlib.sha256(data).hexdigest()
            if digest not in self.sums[path.relative_to(self.folder).as_posix()]:
                raise FolderError(f"{path}: changed since it was written, or damaged; {remedy}")

    @property
    def missing(self) -> list[str]:
        """Files that are listed and not there."""
        return sorted(name for name in self.sums or () if not (self.folder / name).exists())


@contextmanager
def changing(folder: Path, files: Mapping[str, bytes]) -> Iterator[None]:
    """List what files of a folder are about to become, and once the block is over what they are.

    Parameters
    ----------
    folder
        Of a study.
    files
        The new content, by name.
    """
    new = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    _merge(folder, {name: {*_known(folder).get(name, ()), digest} for name, digest in new.items()})
    yield
    _merge(folder, {name: {digest} for name, digest in new.items()})


def record(folder: Path, paths: Iterable[Path]) -> None:
    """List files as they are now; nothing if the folder is not that of a study."""
    if (folder / "study.json").is_file():
        sums = {}
        for path in paths:
            with path.open("rb") as file:
                sums[path.relative_to(folder).as_posix()] = {hashlib.file_digest(file, "sha256").hexdigest()}
        _merge(folder, sums)


def _known(folder: Path) -> dict[str, set[str]]:
    """Return what is listed; nothing where the list is damaged, for its writers make it anew."""
    try:
        return Manifest(folder).sums or {}
    except FolderError:
        return {}


def _merge(folder: Path, sums: Mapping[str, set[str]]) -> None:
    """Put checksums in the place of those of the same files; forget files that are gone."""
    # A report may be written while the study runs: one after the other.
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        kept = {name: known for name, known in _known(folder).items() if (folder / name).exists()}
        data = write_manifest({**kept, **sums})
        path = folder / MANIFEST
        if not path.is_file() or path.read_bytes() != data:
            write_durably(path, data)
    finally:
        os.close(descriptor)
