"""Files that are there whole or not at all, and shards that know their own checksum."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from dumbbell.errors import FolderError

PART = ".part"
"""The end of the names of files that are being written."""


class DamagedError(Exception):
    """A shard whose bytes are not those that were written."""


def write_durably(path: Path, data: bytes) -> None:
    """Write a file that after this call survives a crash of the process or of the machine.

    Before the call ends, the file is there whole or not at all.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}{PART}")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException as error:
        part.unlink(missing_ok=True)
        # Writing and synchronising do not say where, as opening does.
        if isinstance(error, OSError) and error.filename is None:
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise
    sync_folder(path.parent)


def refusal(error: OSError, consequence: str) -> FolderError:
    """Return what to tell a user when writing fails.

    Parameters
    ----------
    error
        What the system said.
    consequence
        What it means for the results.
    """
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    wrong = "the disk is full" if full else f"cannot be written ({error.strerror})"
    remedy = "free some space" if full else "mend that, or choose another folder"
    place = f"{Path(error.filename).parent}: " if error.filename else ""
    return FolderError(f"{place}{wrong}; {remedy} and give the same command again: {consequence}")


def make_durably(folder: Path) -> None:
    """Make a folder, and those above it, if need be; they survive a crash of the machine."""
    for path in (*reversed(folder.parents), folder):
        if not path.exists():
            path.mkdir(exist_ok=True)
            sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def encode(table: pa.Table) -> bytes:
    """Return a table as the bytes of a Parquet file; equal tables give equal bytes."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


def write_shard(folder: Path, table: pa.Table) -> Path:
    """Write a shard, named by its checksum, durably.

    The same table always goes to the same name: to write it twice, or to copy it here, changes nothing.
    """
    data = encode(table)
    path = folder / f"{hashlib.sha256(data).hexdigest()[:32]}.parquet"
    # Also where there is one of that name: it may be damaged, or copied and not durable yet.
    write_durably(path, data)
    return path


def read_shard(path: Path) -> pa.Table:
    """Read a shard.

    Raises
    ------
    DamagedError
        If its bytes do not have the checksum in its name, or are not Parquet.
    FileNotFoundError
        If it is gone, because another process has merged it into a larger one.
    """
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest()[:32] != path.stem:
        raise DamagedError(path)
    try:
        # Small enough that threads cost more than they bring.
        return pq.read_table(pa.BufferReader(data), use_threads=False)
    except pa.ArrowException as error:
        raise DamagedError(path) from error
