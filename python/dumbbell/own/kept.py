"""What was compiled to machine code, kept in the user's cache: hostile until it is known to be ours.

An entry runs with all rights of the user. So it is read only from a folder and a file that belong to the
user and that nobody else may change, and only if it carries the digest that the key of this cache gives. The
key is a file of the same folder: an entry that came from elsewhere, in an archive or from another machine,
does not carry it. Whatever is wrong with an entry, the law is compiled again.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
import stat
import struct
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

_NONE = 0xFFFFFFFF
_KEY_BYTES, _DIGEST_BYTES = 32, 32
_MOST_BYTES = 4 << 20
_KEY = "key"

Code = tuple[bytes, tuple[int | None, ...]]
"""Machine code, and where each answer begins, in the order of the events; ``None`` without one."""


def folder() -> Path:
    """Return the folder of the cache."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(given) if given.startswith("/") else Path.home() / ".cache"
    return base / "dumbbell" / "laws"


def read(name: str, count: int) -> Code | None:
    """Return an entry; ``None`` if there is none, or it is not surely ours.

    Parameters
    ----------
    name
        What it is called: a digest of what was compiled.
    count
        How many answers a law may have.
    """
    try:
        place = folder()
        if not _is_ours(os.lstat(place), stat.S_ISDIR):
            return None
        key = _file(place / _KEY)
        content = _file(place / name)
    except (OSError, RuntimeError):
        return None
    digest, body = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
    if len(key) != _KEY_BYTES or not hmac.compare_digest(digest, _digest(key, name, body)):
        return None
    entries = struct.unpack_from(f"<{count}I", body)
    return body[4 * count :], tuple(None if entry == _NONE else entry for entry in entries)


def write(name: str, code: bytes, entries: tuple[int | None, ...]) -> None:
    """Keep an entry; where that cannot be, nothing is kept."""
    body = struct.pack(f"<{len(entries)}I", *(_NONE if entry is None else entry for entry in entries)) + code
    with contextlib.suppress(OSError, RuntimeError):
        place = folder()
        place.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            place.mkdir(mode=0o700)
        if not _is_ours(os.lstat(place), stat.S_ISDIR):
            return
        key = _key(place)
        if key is not None:
            _replace(place / name, _digest(key, name, body) + body)


def _digest(key: bytes, name: str, body: bytes) -> bytes:
    return hmac.digest(key, name.encode() + b"\0" + body, hashlib.sha256)


def _key(place: Path) -> bytes | None:
    """Return the key of the cache, made if there is none."""
    try:
        key = _file(place / _KEY)
    except FileNotFoundError:
        key = secrets.token_bytes(_KEY_BYTES)
        _replace(place / _KEY, key)
    return key if len(key) == _KEY_BYTES else None


def _is_ours(found: os.stat_result, is_kind: Callable[[int], bool]) -> bool:
    """Whether a file or folder is of the kind, the user's, and nobody else may change it."""
    if sys.platform == "win32":
        return False  # Machine code of laws is for Linux.
    return is_kind(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


def _file(path: Path) -> bytes:
    """Return the content of a file that is ours.

    Raises
    ------
    OSError
        If it is not, or cannot be read.
    """
    if sys.platform == "win32":
        raise PermissionError(path)
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        if not _is_ours(os.fstat(descriptor), stat.S_ISREG):
            raise PermissionError(path)
        content = file.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise OSError(path)
    return content


def _replace(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, for the user alone."""
    descriptor, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink()
        raise
