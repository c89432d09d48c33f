"""Results: eight tables, in memory and on disk."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dumbbell import _native
from dumbbell._files.folder import new_folder, restore
from dumbbell._files.foreign import NotDataError, inside, parse_json
from dumbbell._files.text import control_character
from dumbbell._results.summary import summarise
from dumbbell.errors import FolderError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from numpy.typing import ArrayLike, NDArray

TABLES = ("runs", "flows", "links", "samples", "drops", "states", "arrivals", "transfers")
"""The names of the tables, in order."""

_OF_FLOWS = ("cwnd", "rtt", "goodput")
"""Metrics of samples of flows; the others are of links."""


@dataclass(frozen=True)
class Column:
    """The declaration of a column."""

    name: str
    unit: str
    """Empty for counts and labels."""
    doc: str


class Table:
    """A table of results.

    Any library that speaks the Arrow PyCapsule protocol takes it as it is: ``pyarrow.table(table)``,
    ``polars.DataFrame(table)``, ``pandas.DataFrame.from_arrow(table)``, DuckDB.
    """

    def __init__(self, native: _native.Table) -> None:
        self._native = native

    @property
    def name(self) -> str:
        """The name: ``flows``, ``links``."""
        return self._native.name

    @property
    def doc(self) -> str:
        """What a row is."""
        return self._native.doc

    @property
    def columns(self) -> list[Column]:
        """The declarations of the columns: name, unit, meaning."""
        return [Column(*column) for column in self._native.columns]

    @property
    def provenance(self) -> dict[str, str]:
        """Version, plan hash, seed and scenario that the table comes from."""
        return {key.removeprefix("dumbbell."): value for key, value in self._native.metadata}

    def __len__(self) -> int:
        return len(self._native)

    def __iter__(self) -> Iterator[str]:
        return (column.name for column in self.columns)

    def __contains__(self, name: object) -> bool:
        return name in list(self)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a column as a NumPy array. Null becomes not-a-number; labels become text.

        Raises
        ------
        KeyError
            If there is no such column.
        """
        values = self._native.values(name)
        labels = self._native.labels(name)
        return values if labels is None else np.array(labels or [""], dtype=np.str_)[values]

    def codes(self, name: str) -> tuple[NDArray[np.uint32], list[str]]:
        """Return a column of labels as codes, shape (rows,), and the label of each code.

        Raises
        ------
        KeyError
            If there is no such column of labels.
        """
        labels = self._native.labels(name)
        if labels is None:
            raise KeyError(name)
        return self._native.values(name), labels

    def where(self, name: str, label: str) -> NDArray[np.bool_]:
        """Return which rows have a label in a column, shape (rows,): none if the label is not in the table.

        Raises
        ------
        KeyError
            If there is no such column of labels.
        """
        codes, labels = self.codes(name)
        return codes == labels.index(label) if label in labels else np.zeros(len(codes), np.bool_)

    def groups(self, name: str) -> Iterator[tuple[str, NDArray[np.intp]]]:
        """Yield each label of a column and its rows, shape (rows,); labels in order of their first row.

        Takes time in proportion to the rows, whatever the number of labels.

        Raises
        ------
        KeyError
            If there is no such column of labels.
        """
        codes, labels = self.codes(name)
        rows = np.argsort(codes, kind="stable")
        found, starts = np.unique(codes[rows], return_index=True)
        parts = zip(found.tolist(), np.split(rows, starts[1:]), strict=True) if len(codes) else ()
        for code, part in sorted(parts, key=lambda pair: int(pair[1][0])):
            yield labels[code], part

    def row(self, index: int) -> dict[str, Any]:
        """Return one row as Python values; null becomes ``None``."""
        row = {name: self[name][index].item() for name in self}
        return {name: None if value != value else value for name, value in row.items()}

    def to_numpy(self) -> dict[str, NDArray[Any]]:
        """Return all columns as NumPy arrays, by name."""
        return {name: self[name] for name in self}

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas data frame; labels are categorical. Needs pandas."""
        import pandas as pd

        columns: dict[str, Any] = {}
        for name in self:
            labels = self._native.labels(name)
            values = self._native.values(name)
            columns[name] = (
                values
                if labels is None
                else pd.Categorical.from_codes(values.astype(np.intp), pd.Index(labels))
            )
        return pd.DataFrame(columns)

    def to_polars(self) -> pl.DataFrame:
        """Return a Polars data frame. Needs Polars."""
        import polars as pl

        return pl.DataFrame(self)

    def with_columns(self, **columns: ArrayLike) -> Table:
        """Return the table with the values of some columns of numbers replaced.

        Parameters
        ----------
        columns
            Shape (rows,) each; not-a-number becomes null.

        Raises
        ------
        KeyError
            If there is no such column.
        ValueError
            If it does not hold numbers, or has another shape.
        """
        native = self._native
        for name, values in columns.items():
            native = native.with_values(name, np.ascontiguousarray(values, dtype=np.float64))
        return Table(native)

    def write_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write a Parquet file with provenance in its footer: whole or not at all."""
        self._native.write_parquet(path)

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<Table {self.name}: {len(self)} rows of {', '.join(self)}>"


@dataclass(frozen=True, repr=False)
class Results:
    """Everything a run leaves behind."""

    runs: Table
    """One row per run."""
    flows: Table
    """One row per flow."""
    links: Table
    """One row per directed link."""
    samples: Table
    """One row per sampled value: a time series in long form."""
    drops: Table
    """One row per dropped packet, if the scenario records them."""
    states: Table
    """One row per state and rate of each port under power control: time and power."""
    arrivals: Table
    """One row per packet that arrived at a link whose arrivals the scenario records."""
    transfers: Table
    """One row per transfer of a session: of a workload that closes the loop, such as ``rounds``."""
    name: str = field(default="scenario", kw_only=True)
    """The name of the scenario."""

    @classmethod
    def of(cls, tables: Iterable[Table], name: str) -> Results:
        """The results that consist of these tables, in the order of their declaration."""
        return cls(*tables, name=name)

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables, in the order of their declaration."""
        return (
            self.runs, self.flows, self.links, self.samples, self.drops, self.states, self.arrivals,
            self.transfers,
        )  # fmt: skip

    @property
    def provenance(self) -> dict[str, str]:
        """Version, plan hash, seed and scenario."""
        return self.runs.provenance

    def summary(self) -> dict[str, Any]:
        """Return the figures of merit: completion times, goodput, utilisation, loss, queues, fairness.

        Only JSON types; ``None`` where there is no value. Units: seconds, bits per second, packets, bytes.
        """
        return summarise(self)

    def series(self, metric: str) -> dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Return the time series of one metric, by number of the flow or row of the link.

        Parameters
        ----------
        metric
            Of flows: ``cwnd`` (bytes), ``rtt`` (s), ``goodput`` (bit/s).
            Of links: ``queue`` (packets), ``throughput`` (bit/s), ``drops`` (in the period); under power
            control ``rate`` and ``predicted`` (bit/s).

        Returns
        -------
        dict
            Times (s) and values, both of shape (samples,).
        """
        codes, labels = self.samples.codes("metric")
        if metric not in labels:
            return {}
        chosen = np.flatnonzero(codes == labels.index(metric))
        # Stable, so that the samples of one subject stay in order of time.
        chosen = chosen[np.argsort(self.samples["id"][chosen], kind="stable")]
        found, starts = np.unique(self.samples["id"][chosen], return_index=True)
        times, values = self.samples["time"][chosen], self.samples["value"][chosen]
        parts = zip(np.split(times, starts[1:]), np.split(values, starts[1:]), strict=True)
        return dict(zip(found.tolist(), parts, strict=True))

    def save(self, folder: str | os.PathLike[str], force: bool = False) -> Path:
        """Write the tables as Parquet, ``scenario.toml`` and ``summary.json`` into a new folder.

        The folder appears whole or not at all. The same results give the same bytes.

        Parameters
        ----------
        folder
            Where to; must not exist, or be empty.
        force
            Replace the results that are there. What dumbbell has not written is never removed: it refuses.

        Raises
        ------
        FolderError
            If the folder holds something, and not results or not `force`; if it holds anything else beside.
        """
        with new_folder(Path(folder), force) as part:
            self.write(part)
        return Path(folder)

    def write(self, folder: Path) -> None:
        """Write the files of :meth:`save` into an existing folder."""
        for table in self.tables:
            table.write_parquet(folder / f"{table.name}.parquet")
        (folder / "scenario.toml").write_text(self.provenance["scenario"], encoding="utf-8")
        text = json.dumps(self.summary(), indent=2, ensure_ascii=False, allow_nan=False)
        (folder / "summary.json").write_text(text + "\n", encoding="utf-8")

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(table)} {table.name}" for table in self.tables)
        return f"<Results of {self.name!r}: {counts}>"


def load(folder: str | os.PathLike[str]) -> Results:
    """Read the results that :meth:`Results.save` wrote. They may be somebody else's.

    Raises
    ------
    FolderError
        If the folder does not hold results.
    """
    folder = Path(folder)
    with contextlib.suppress(OSError):
        restore(folder.resolve())
    try:
        results = _load(folder)
    except FileNotFoundError as error:
        missing = Path(error.filename).name
        raise FolderError(
            f"{folder}: no results here ({missing} is missing); make some with `dumbbell run`"
        ) from None
    except ValueError as error:
        raise FolderError(f"{folder}: damaged results ({error}); run the scenario again") from None
    return results


def _load(folder: Path) -> Results:
    """Read results; raise `ValueError` for what no run leaves behind."""
    tables = [
        Table(_native.read_parquet(inside(folder, folder / f"{name}.parquet"), name)) for name in TABLES
    ]
    try:
        summary = parse_json(inside(folder, folder / "summary.json").read_bytes())
    except NotDataError as error:
        raise ValueError(f"summary.json: {error}") from None
    if not isinstance(summary, dict) or "name" not in summary:
        raise ValueError("summary.json: it has no name")
    name = summary["name"]
    if not isinstance(name, str) or control_character(name):
        raise ValueError("summary.json: the name is not a text of one line")
    results = Results.of(tables, name)
    for table in results.tables:
        about = table.provenance
        if not {"version", "plan_hash", "seed", "scenario"} <= set(about) or not about["seed"].isdecimal():
            raise ValueError(f"{table.name}.parquet: does not say which run it comes from")
        if any(map(control_character, (about["version"], about["plan_hash"]))):
            raise ValueError(f"{table.name}.parquet: its version or plan holds control characters")
    if len(results.runs) != 1:
        raise ValueError(f"runs.parquet: {len(results.runs):,} rows instead of one")
    subjects = results.samples["id"][~np.isin(results.samples["metric"], _OF_FLOWS)]
    if subjects.size and subjects.max() >= len(results.links):
        raise ValueError("samples.parquet: samples of a link that is not there")
    return results
