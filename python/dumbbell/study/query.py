"""SQL over the results of a study."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa

from dumbbell.study.errors import StudyError
from dumbbell.study.store import load_result, read_catalogue


def query(folder: Path, sql: str, version: str | None = None) -> pa.Table:
    """Answer a question about a study in SQL, with DuckDB over the Parquet files.

    ============= ========================================================================================
    table         one row for
    ============= ========================================================================================
    ``runs``      each finished run that counts: ``run_id, arm, seed``, axes, metrics
    ``catalogue`` each run that the study may need: ``run_id, arm, seed``, axes
    ``shards``    each run in the Parquet files, earlier forms of the study included: ``run_id``, metrics
    ============= ========================================================================================

    Raises
    ------
    StudyError
        What DuckDB says about the SQL.
    FolderError
        If the folder does not hold a study.
    """
    store = read_catalogue(folder, version).store
    connection = duckdb.connect()
    connection.register("runs", load_result(folder, version).table)
    catalogue = _text(store.home / "catalogue.parquet")
    connection.execute(f"create view catalogue as from read_parquet({catalogue})")
    damaged = store.scan().damaged
    shards = [path for path in sorted(store.shards.glob("*.parquet")) if path not in damaged]
    if shards:
        files = ", ".join(map(_text, shards))
        connection.execute(
            f"create view shards as select distinct * from read_parquet([{files}], union_by_name=true)"
        )
    try:
        answer = connection.sql(sql)
        return pa.table({}) if answer is None else answer.to_arrow_table()
    except duckdb.Error as error:
        raise StudyError(f"query: {str(error).strip()}") from None


def _text(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"
