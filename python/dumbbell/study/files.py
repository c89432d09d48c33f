"""Write files completely or not at all; shards named by their checksums; tables from others."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dumbbell import _system
from dumbbell._files.read import read_bytes
from dumbbell._files.special import refuse_special
from dumbbell.errors import FolderError

PART = ".part"
"""The end of the names of files that are being written."""


MOST_ROWS = 1 << 24
"""Of a table: sixteen times the largest study."""

_MOST_DECODED = 1 << 33
"""Bytes that a table of numbers may become in memory."""

MOST_ENCODED = _MOST_DECODED
"""Bytes of the file of a table, which packs it or is no larger."""

_MOST_TEXT = 4096
"""Bytes of a text in a table: that of an id, an arm, or a value of an axis."""


class DamagedError(Exception):
    """A table that is not one that a study writes. ``str()`` of it says why."""


def write_durably(path: Path, data: bytes) -> None:
    """Write a file that after this call survives a crash of the process or of the machine.

    Before the call ends, the file is there whole or not at all.

    Raises
    ------
    FolderError
        If something else than a regular file stands there.
    """
    refuse_special(path)
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
    with _system.opened(folder) as descriptor:
        if descriptor is not None:
            os.fsync(descriptor)


def encode(table: pa.Table) -> bytes:
    """Return a table as the bytes of a Parquet file; equal tables give equal bytes."""
    sink = pa.BufferOutputStream()
    # As the tables of runs, which the core writes.
    pq.write_table(table, sink, compression="snappy")
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
    """Read a shard: ``run_id``, and columns of numbers.

    Raises
    ------
    DamagedError
        If its bytes do not have the checksum in its name, or are not a table of runs.
    FileNotFoundError
        If it is gone, because another process has merged it into a larger one.
    """
    data = read_bytes(path, MOST_ENCODED)
    if hashlib.sha256(data).hexdigest()[:32] != path.stem:
        raise DamagedError("its bytes do not have the checksum that is its name")
    table = decode(data)
    for name, kind in zip(table.column_names, table.schema.types, strict=True):
        if kind != (pa.string() if name == "run_id" else pa.float64()):
            raise DamagedError(f"its column {name} holds {kind}")
    if "run_id" not in table.column_names or table["run_id"].null_count:
        raise DamagedError("it does not say which runs it holds")
    return table


def decode(data: bytes) -> pa.Table:
    """Return the table of numbers and short texts that the bytes of a Parquet file hold.

    Raises
    ------
    DamagedError
        If they hold something else, or far more than their number allows.
    """
    try:
        reader = pa.BufferReader(data)
        about = pq.read_metadata(reader)
        schema = about.schema.to_arrow_schema()
        names = schema.names
        texts = [name for name, kind in zip(names, schema.types, strict=True) if kind == pa.string()]
        for name, kind in zip(names, schema.types, strict=True):
            if name not in texts and kind not in (pa.int64(), pa.float64()):
                raise DamagedError(f"its column {name} holds {kind}")
        if len(set(names)) < len(names):
            raise DamagedError("two of its columns have one name")
        groups = range(about.num_row_groups)
        rows = sum(about.row_group(group).num_rows for group in groups)
        size = sum(about.row_group(group).total_byte_size for group in groups)
        if rows != about.num_rows or rows > MOST_ROWS or max(rows * len(names) * 8, size) > _MOST_DECODED:
            raise DamagedError(f"it claims {about.num_rows:,} rows")
        # Small enough that threads cost more than they bring. Texts first as numbers of a dictionary: a long
        # one that stands in every row is long once.
        # Not `read_table`: a dataset of one small table takes longer than the table.
        table = pq.ParquetFile(reader, metadata=about, read_dictionary=texts).read(use_threads=False)
        for name in texts:
            longest = [pc.max(pc.binary_length(part.dictionary)).as_py() for part in table[name].chunks]
            if any(length is not None and length > _MOST_TEXT for length in longest):
                raise DamagedError(f"a text in its column {name} is too long")
        # As it was written, without the dictionaries.
        return table.cast(schema)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DamagedError(f"not a usable Parquet file ({' '.join(str(error).split())[:200]})") from None
