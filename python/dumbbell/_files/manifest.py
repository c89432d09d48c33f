"""The manifest of a folder: names and checksums of what dumbbell has written, in the format of ``sha256sum``.

dumbbell replaces or removes only files that the manifest lists and that have not changed.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping
from pathlib import Path

from dumbbell._files.foreign import inside
from dumbbell._files.read import opened, read_bytes
from dumbbell._files.special import refuse_special
from dumbbell._files.text import control_character
from dumbbell.errors import FolderError

MANIFEST = "manifest-sha256.txt"
"""Of a folder and of an archive."""

PART = f".{MANIFEST}.part"
"""The manifest while it is written; the next one takes its place."""

Digests = Mapping[str, frozenset[str]]
"""By name, relative to the folder: the SHA-256 that a file may have; two while a new one takes its place."""

_LINE = re.compile(r"([0-9a-f]{64})  (.+)")

_BYTES = re.compile("[\udc80-\udcff]")

_MOST_LINES = 100_000

_OLDER_NAMES = frozenset(
    {"scenario.toml", "summary.json", "fidelity.json", "endpoint.json"}
    | {f"{table}.parquet" for table in ("runs", "flows", "links", "samples", "drops", "states", "arrivals")}
    | {
        f"figures/{kind}.{suffix}"
        for kind in ("cwnd", "rate", "rtt", "queue", "drops", "fct_cdf", "fct_size")
        for suffix in ("png", "svg", "pdf")
    }
)
"""What was written into a folder of results before there were manifests; it never grows."""

_OLDER_MARKS = ("runs.parquet", "scenario.toml", "summary.json")
"""Files by which such a folder is known."""

_OLDER_SIGNS = {
    ".html": b"dumbbell",
    ".json": b'"verdicts"',
    ".md": b"# Claims of ",
    ".parquet": b"run_id",
    ".pdf": b"Matplotlib",
    ".png": b"Matplotlib",
    ".svg": b"Matplotlib",
}
"""What the reports and figures of a study from then say of themselves, by suffix."""


def parse(place: Path, data: bytes) -> dict[str, frozenset[str]]:
    """Return the checksums that each file may have, by name.

    Raises
    ------
    FolderError
        If it is not a manifest.
    """
    found: dict[str, frozenset[str]] = {}
    lines = data.decode("utf-8", errors="surrogateescape").split("\n")
    whole = lines.pop() == "" and len(lines) <= _MOST_LINES
    for line in lines:
        match = _LINE.fullmatch(line)
        if not whole or match is None or unlisted(line):
            raise FolderError(f"{place}: damaged; remove it, and give the command that made the folder again")
        found[match[2]] = found.get(match[2], frozenset()) | {match[1]}
    return found


def text(listed: Digests) -> bytes:
    """Return the text of a manifest."""
    lines = (f"{one}  {name}\n" for name in sorted(listed) for one in sorted(listed[name]))
    return "".join(lines).encode("utf-8", errors="surrogateescape")


def unlisted(name: str) -> str | None:
    """Return the first character for which a manifest cannot list a name; ``None`` if it can.

    Bytes that are not UTF-8 (PEP 383) are no such character.
    """
    return control_character(_BYTES.sub("", name))


def read(folder: Path) -> dict[str, frozenset[str]] | None:
    """Return what the manifest of a folder lists; ``None`` if there is none.

    Raises
    ------
    FolderError
        If the manifest is damaged.
    """
    try:
        data = read_bytes(inside(folder, folder / MANIFEST))
    except (FileNotFoundError, NotADirectoryError):
        return None
    return parse(folder / MANIFEST, data)


def write(folder: Path, listed: Digests) -> None:
    """Write the manifest of a folder, whole or not at all."""
    part = folder / PART
    refuse_special(folder / MANIFEST)
    try:
        # Whatever has this name is ours, of a killed process, or a trap.
        part.unlink(missing_ok=True)
        with part.open("xb") as file:
            file.write(text(listed))
        part.replace(folder / MANIFEST)
    finally:
        part.unlink(missing_ok=True)


def of(folder: Path) -> Digests:
    """Return the files below a folder and their checksums."""
    return {name: frozenset({digest(folder / name)}) for name in _names(folder)}


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    import hashlib

    with opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_results(folder: Path) -> bool:
    """Whether a folder holds results that dumbbell has written."""
    listed = read(folder)
    if listed is not None:
        return "summary.json" in listed
    return all((folder / mark).is_file() for mark in _OLDER_MARKS)


def own(folder: Path) -> set[str]:
    """Return the names of the files in a folder of results that are as dumbbell has written them.

    Names come from the folder, so that none in a manifest leads out of it.
    """
    listed = read(folder)
    if listed is None:
        return {name for name in _names(folder) if name in _OLDER_NAMES and _as_written(folder / name, None)}
    return {name for name in _names(folder) if name in listed and _as_written(folder / name, listed[name])}


def foreign(folder: Path) -> str | None:
    """Return a name in a folder of results that is not dumbbell's own, ``None`` for none.

    Folders that hold nothing of dumbbell's count too.
    """
    names = own(folder) | {MANIFEST, PART}
    homes = {parent.as_posix() for name in names for parent in Path(name).parents}
    for place, folders, _ in os.walk(folder):
        for name in folders:
            path = (Path(place) / name).relative_to(folder).as_posix()
            if path not in homes:
                return path
    return next((name for name in _names(folder) if name not in names), None)


def adopted(folder: Path) -> Digests:
    """Return what the manifest of a folder lists, or would list of what an older version has written."""
    listed = read(folder)
    if listed is not None:
        return listed
    names = own(folder) if is_results(folder) else set()
    if (folder / "study.json").is_file():
        catalogues = folder.glob("results/*/catalogue.parquet")
        names |= {"study.json", *(path.relative_to(folder).as_posix() for path in catalogues)}
    return {name: frozenset({digest(folder / name)}) for name in names}


def may_replace(folder: Path, name: str) -> bool:
    """Whether a file may be written into a folder: it is not there, or dumbbell has written it."""
    path = folder / name
    if not path.is_symlink() and not path.exists():
        return True
    listed = read(folder)
    if listed is not None:
        return name in listed and _as_written(path, listed[name])
    sign = _OLDER_SIGNS.get(path.suffix)
    older = (folder / "study.json").is_file() or is_results(folder)
    return older and sign is not None and _as_written(path, None) and sign in read_bytes(path)


def remove(folder: Path) -> None:
    """Remove what is dumbbell's own from a folder of results, and all folders that are empty without it."""
    # The manifest last: with it, what is left by a killed process is known.
    for name in (*own(folder), PART, MANIFEST):
        (folder / name).unlink(missing_ok=True)
    for place, _, _ in os.walk(folder, topdown=False):
        with contextlib.suppress(OSError):
            Path(place).rmdir()


def _names(folder: Path) -> list[str]:
    """Return everything below a folder that is not a folder; links are not followed."""
    found = []
    for place, folders, names in os.walk(folder):
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        found += [(Path(place) / name).relative_to(folder).as_posix() for name in [*names, *links]]
    return sorted(found)


def _as_written(path: Path, digests: frozenset[str] | None) -> bool:
    """Whether a file has one of these checksums; any, if none are known."""
    return path.is_file() and not path.is_symlink() and (digests is None or digest(path) in digests)
