"""The checksums of a study's folder.

``manifest-sha256.txt`` lists the files that are not shards, as ``sha256sum`` does: the study, its catalogues,
and the files of reports and claims. The name of a shard is its checksum. So folders of shares merge
by copying: the manifest that is copied last belongs to the files that are copied last.

The manifest lists a file that is about to change twice, with its old and its new checksum. So a process that
is killed in between leaves a folder that opens.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dumbbell import _system
from dumbbell._files.manifest import MANIFEST, Digests, read, text
from dumbbell._files.read import read_bytes
from dumbbell.errors import FolderError
from dumbbell.study.files import write_durably


class Manifest:
    """The checksums of a folder, as they are now.

    Raises
    ------
    FolderError
        If the manifest is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sums = read(folder)

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
    known = _known(folder)
    _merge(folder, {name: known.get(name, frozenset()) | {digest} for name, digest in new.items()})
    yield
    _merge(folder, {name: frozenset({digest}) for name, digest in new.items()})


def _known(folder: Path) -> dict[str, frozenset[str]]:
    """Return what is listed; nothing where the list is damaged, for its writers make it anew."""
    try:
        return Manifest(folder).sums or {}
    except FolderError:
        return {}


def _merge(folder: Path, sums: Digests) -> None:
    """Put checksums in the place of those of the same files; forget files that are gone."""
    # A report may be written while the study runs: one after the other.
    with _system.opened(folder) as descriptor:
        if descriptor is not None:
            _system.lock(descriptor, wait=True)
        kept = {name: known for name, known in _known(folder).items() if (folder / name).exists()}
        data = text({**kept, **sums})
        path = folder / MANIFEST
        if not path.is_file() or read_bytes(path) != data:
            write_durably(path, data)
