"""SQL over the results of a study or of a run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import pyarrow as pa

from dumbbell._files.manifest import is_results
from dumbbell._results import load
from dumbbell.study import sql as process_file
from dumbbell.study.errors import StudyError
from dumbbell.study.result import StudyResult
from dumbbell.study.sql import TOO_MUCH, Question
from dumbbell.study.store import read_catalogue

MEMORY = 2 << 30
"""Bytes that a question may take, the tables apart.

Choice: 100,000 runs of 400 numbers are 0.3 GB, which leaves room to join and sort them, and a machine of 4 GB
stays usable.
"""

_COPIES = 3
"""Of the tables in the process that answers: as they arrive, in DuckDB, and in the work of a sort."""

MOST_BYTES = 1 << 30
"""An answer of more is not returned as one table (choice: it would be a hundred times the study)."""


class Answer:
    """The rows of an answer, piece by piece."""

    def __init__(self, pieces: pa.RecordBatchReader, process: subprocess.Popen[bytes]) -> None:
        self.schema: pa.Schema = pieces.schema
        """Names and types of the columns."""
        self._pieces = pieces
        self._process = process

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Yield the pieces.

        Raises
        ------
        StudyError
            What DuckDB says on the way.
        """
        with suppress(pa.ArrowInvalid):
            # A stream that breaks off: the process says why.
            yield from self._pieces
        _check(self._process)


@contextmanager
def ask(folder: Path, sql: str, version: str | None = None) -> Iterator[Answer]:
    """Ask a study or a run a question in SQL; the answer comes piece by piece, however long it is.

    The question runs in a process of its own, which holds copies of the tables and reaches nothing else: no
    files, no network, no extensions. It ends with the block, at once.

    See :func:`query` for the tables and for what is raised.
    """
    if any("\ud800" <= character <= "\udfff" for character in sql):
        raise StudyError("query: the question is not UTF-8 text; write it in UTF-8")
    tables = _tables(folder, version)
    size = sum(table.nbytes for table in tables.values())
    question = Question(sql=sql, tables=list(tables), parent=os.getpid(), memory=MEMORY + _COPIES * size)
    # Not below the folder of this module, where `queue.py` would hide the one of the library.
    program = [sys.executable, "-P", process_file.__file__]
    pipe = subprocess.PIPE
    with subprocess.Popen(program, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            assert process.stdin is not None, "it is a pipe"
            _send(process.stdin, question, tables)
            try:
                pieces = pa.ipc.open_stream(process.stdout)
            except pa.ArrowInvalid:
                _check(process)
                raise
            yield Answer(pieces, process)
        finally:
            process.kill()


def _tables(folder: Path, version: str | None) -> dict[str, pa.Table]:
    """Return what a question can be about: the tables of a study, or of a run."""
    if is_results(folder):
        return {table.name: pa.table(table) for table in load(folder).tables}
    catalogue = read_catalogue(folder, version)
    return {
        "runs": StudyResult.load(folder, version).table,
        "catalogue": catalogue.table,
        "shards": catalogue.store.scan().table,
    }


def query(folder: Path, sql: str, version: str | None = None) -> pa.Table:
    """Answer a question about a study in SQL, with DuckDB; or about a run, whose tables those of results are.

    ============= ========================================================================================
    table         one row for
    ============= ========================================================================================
    ``runs``      each finished run that counts: ``run_id, arm, seed``, axes, metrics
    ``catalogue`` each run that the study may need: ``run_id, arm, seed``, axes
    ``shards``    each run in the Parquet files, earlier forms of the study included: ``run_id``, metrics
    ============= ========================================================================================

    The question reads these tables and nothing else, and changes nothing. Of two columns with the name ``a``,
    the second becomes ``a_1``, as in tables that DuckDB makes. :func:`ask` gives answers that are larger than
    memory.

    Raises
    ------
    StudyError
        What DuckDB says about the SQL; more memory than :data:`MEMORY`, an answer of more than
        :data:`MOST_BYTES`.
    FolderError
        If the folder does not hold a study.
    """
    with ask(folder, sql, version) as answer:
        pieces, size = [], 0
        for piece in answer:
            pieces.append(piece)
            size += piece.nbytes
            if size > MOST_BYTES:
                raise StudyError(f"query: the answer is larger than {MOST_BYTES:,} bytes; ask for fewer rows")
        return pa.Table.from_batches(pieces, answer.schema)


def _send(target: IO[bytes], question: Question, tables: dict[str, pa.Table]) -> None:
    # A process that could not start says so itself.
    with suppress(BrokenPipeError), target:
        target.write(json.dumps(question).encode() + b"\n")
        for table in tables.values():
            with pa.ipc.new_stream(target, table.schema) as writer:
                writer.write_table(table)


def _check(process: subprocess.Popen[bytes]) -> None:
    """Raise what the process says; nothing if it has answered."""
    assert process.stderr is not None, "it is a pipe"
    message = " ".join(process.stderr.read().decode("utf-8", "replace").split())
    status = process.wait()
    if status == 0:
        return
    if status == TOO_MUCH or status < 0:
        # A library that cannot go on without memory aborts.
        raise StudyError(
            f"query: needs more than {MEMORY >> 30} GiB of memory beside the tables; "
            "ask for fewer rows or columns"
        )
    raise StudyError(f"query: {message}")
