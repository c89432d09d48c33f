"""The process that answers a question in SQL: ``python sql.py``, started by :mod:`dumbbell.study.query`.

SQL can read and write files, load code from the network, fill the memory, and go on for hours in compiled
code that no signal reaches. So it runs alone, in a process that can be killed and that has only the tables it
is given. Its standard input brings a line of JSON (:class:`Question`) and the tables as Arrow streams. Its
standard output takes the answer as one Arrow stream, piece by piece. Its standard error says what is wrong.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import os
import signal
import sys
from typing import BinaryIO, TypedDict

if sys.platform != "win32":
    import resource

import duckdb
import pyarrow as pa

REFUSED = 2
"""The status when the question is wrong; the message says why."""

TOO_MUCH = 3
"""The status when the answer needs more memory than there is."""

_PIECE_ROWS = 2048
"""Rows of a piece of the answer: those of a vector of DuckDB."""

_PIECE_BYTES = 1 << 28
"""A piece of more is refused: the reader holds a piece at a time (choice: 100 kB a row)."""

_QUESTIONS = ("SELECT", "EXPLAIN", "MULTI")
"""Kinds of statements that ask and change nothing; MULTI is what PIVOT comes to."""

_NO_TABLE = "Catalog Error: Table with name"

_PR_SET_PDEATHSIG = 1
"""From ``linux/prctl.h``."""


class Question(TypedDict):
    """A question and its limits."""

    sql: str
    tables: list[str]
    """The names of the tables, in the order in which they come."""
    parent: int
    """The process that asks."""
    memory: int
    """Bytes that the process may take beyond what it has when it has just started."""


def main() -> int:
    """Answer; return the status of the process."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    question: Question = json.loads(source.readline())
    _end_with(question["parent"])
    _limit_memory(question["memory"])
    try:
        _answer(question, source, target)
    except (duckdb.OutOfMemoryException, MemoryError, pa.ArrowMemoryError):
        return TOO_MUCH
    except (duckdb.Error, ValueError) as error:
        text = str(error)
        if text.startswith(_NO_TABLE):
            # DuckDB would name its own.
            text = f"{text.partition('!')[0]}; use one of {', '.join(question['tables'])}"
        sys.stderr.write(text)
        return TOO_MUCH if "bad_alloc" in text else REFUSED
    return 0


def _answer(question: Question, source: BinaryIO, target: BinaryIO) -> None:
    connection = _connect(question, source)
    asked = duckdb.extract_statements(question["sql"])
    if len(asked) != 1:
        raise ValueError(f"{len(asked)} statements; ask one question at a time")
    kind = asked[0].type.name
    if kind not in _QUESTIONS:
        raise ValueError(f"{kind} is not a question; a study can be asked, with SELECT, and not changed")
    pieces = connection.sql(question["sql"]).to_arrow_reader(_PIECE_ROWS)
    schema = pa.schema(
        [
            field.with_name(name)
            for field, name in zip(pieces.schema, _each_once(pieces.schema.names), strict=True)
        ]
    )
    with pa.ipc.new_stream(target, schema) as writer:
        for piece in pieces:
            if piece.nbytes > _PIECE_BYTES:
                raise MemoryError
            writer.write_batch(pa.record_batch(piece.columns, schema=schema))


def _each_once(names: list[str]) -> list[str]:
    """Return names of columns, the second ``a`` as ``a_1``: as DuckDB names the columns of a new table."""
    taken: dict[str, None] = {}
    for name in names:
        numbered = (f"{name}_{number}" for number in itertools.count(1))
        free = name if name not in taken else next(new for new in numbered if new not in {*taken, *names})
        taken[free] = None
    return list(taken)


def _connect(question: Question, source: BinaryIO) -> duckdb.DuckDBPyConnection:
    """Return a database that holds the tables and can reach nothing else."""
    connection = duckdb.connect(
        config={
            # Half, so that DuckDB says itself what is too much; strings and answers are not in its account.
            "memory_limit": f"{question['memory'] // 2}B",
            # Nothing is spilled to the disk.
            "temp_directory": "",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
    )
    for name in question["tables"]:
        connection.register("arriving", pa.ipc.open_stream(source).read_all())
        connection.execute(f"create table {name} as from arriving")
        connection.unregister("arriving")
    for setting in ("enable_external_access", "python_enable_replacements"):
        connection.execute(f"set {setting} = false")
    connection.execute("set lock_configuration = true")
    if sys.platform != "win32":
        # Should DuckDB have a way around its own settings, the system lets it write nothing but the answer.
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    return connection


def _end_with(parent: int) -> None:
    """Be killed when the process that asks dies, and leave Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        # It died before the kernel was told.
        os._exit(REFUSED)


def _limit_memory(room: int) -> None:
    # Other systems do not tell what is there already; DuckDB keeps to its own limit.
    if sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
            there = int(file.read().split()[5]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_DATA, (there + room, there + room))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    sys.exit(main())
