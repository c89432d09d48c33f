"""A table of results, as Arrow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dumbbell import _native
from dumbbell._results import html
from dumbbell.errors import ColumnError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import polars as pl
    from numpy.typing import ArrayLike, NDArray

_MOST_SHOWN = 20
"""Rows of a table in a notebook."""


@dataclass(frozen=True)
class Column:
    """The declaration of a column."""

    name: str
    """As :meth:`Table.__getitem__` takes it."""
    unit: str
    """Empty for counts and labels."""
    doc: str
    """What a value is."""


class Table:
    """A table of results.

    Any library that speaks the Arrow PyCapsule protocol takes it as it is: ``pyarrow.table(table)``,
    ``polars.DataFrame(table)``, ``pandas.DataFrame.from_arrow(table)``, DuckDB.
    """

    def __init__(self, native: _native.Table) -> None:
        self._native = native

    @property
    def native(self) -> _native.Table:
        """The table in the extension."""
        return self._native

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
        ColumnError
            If there is no such column: a `KeyError` that names the near ones.
        """
        import numpy as np

        labels = self._labels(name)
        values = self._native.values(name)
        return values if labels is None else np.array(labels or [""], dtype=np.str_)[values]

    def codes(self, name: str) -> tuple[NDArray[np.uint32], list[str]]:
        """Return a column of labels as codes, shape (rows,), and the label of each code.

        Parameters
        ----------
        name
            Of a column of labels.

        Raises
        ------
        ColumnError
            If there is no such column of labels.
        """
        labels = self._labels(name)
        if labels is None:
            raise ColumnError(
                f"the column {name!r} of {self.name} holds numbers, not labels; use table[{name!r}]"
            )
        return self._native.values(name), labels

    def where(self, name: str, label: str) -> NDArray[np.bool_]:
        """Return which rows have a label in a column, shape (rows,): none if the label is not in the table.

        Parameters
        ----------
        name, label
            Of a column of labels, and one of its labels.

        Raises
        ------
        ColumnError
            If there is no such column of labels.
        """
        import numpy as np

        codes, labels = self.codes(name)
        return codes == labels.index(label) if label in labels else np.zeros(len(codes), np.bool_)

    def groups(self, name: str) -> Iterator[tuple[str, NDArray[np.intp]]]:
        """Yield each label of a column and its rows, shape (rows,); labels in order of their first row.

        Takes time in proportion to the rows, whatever the number of labels.

        Parameters
        ----------
        name
            Of a column of labels.

        Raises
        ------
        ColumnError
            If there is no such column of labels.
        """
        import numpy as np

        codes, labels = self.codes(name)
        rows = np.argsort(codes, kind="stable")
        found, starts = np.unique(codes[rows], return_index=True)
        parts = zip(found.tolist(), np.split(rows, starts[1:]), strict=True) if len(codes) else ()
        for code, part in sorted(parts, key=lambda pair: int(pair[1][0])):
            yield labels[code], part

    def row(self, index: int) -> dict[str, Any]:
        """Return one row as Python values; null becomes ``None``.

        Parameters
        ----------
        index
            From 0; a negative one counts from the end.

        Raises
        ------
        IndexError
            If there is no such row.
        """
        rows = len(self)
        if not -rows <= index < rows:
            there = f"give a number from 0 to {rows - 1}" if rows else "the table is empty"
            raise IndexError(f"the table {self.name} has no row {index}; {there}")
        return dict(zip(self, self._native.row(index % rows), strict=True))

    def to_numpy(self) -> dict[str, NDArray[Any]]:
        """Return all columns as NumPy arrays of shape (rows,), by name."""
        return {name: self[name] for name in self}

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas data frame; labels are categorical. Needs pandas."""
        import numpy as np
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

    def _labels(self, name: str) -> list[str] | None:
        """Return the labels of a column by code; ``None`` if it holds none."""
        try:
            return self._native.labels(name)
        except KeyError:
            remedy = _native.suggest(name, list(self))
            raise ColumnError(f"the table {self.name} has no column {name!r}; {remedy}") from None

    def with_columns(self, **columns: ArrayLike) -> Table:
        """Return the table with the values of some columns of numbers replaced.

        Parameters
        ----------
        columns
            Shape (rows,) each; not-a-number becomes null.

        Raises
        ------
        ColumnError
            If there is no such column.
        ValueError
            If it does not hold numbers, or has another shape.
        """
        import numpy as np

        native = self._native
        for name, values in columns.items():
            self._labels(name)
            native = native.with_values(name, np.ascontiguousarray(values, dtype=np.float64))
        return Table(native)

    def write_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write a Parquet file with provenance in its footer: whole or not at all.

        Parameters
        ----------
        path
            The file, which is replaced if it is there.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        self._native.write_parquet(path)

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_bytes, (self._native.to_bytes(),)

    def __eq__(self, other: object) -> bool:
        """Whether the other table has the same columns, values and provenance."""
        if not isinstance(other, Table):
            return NotImplemented
        return self._native.to_bytes() == other._native.to_bytes()

    def __hash__(self) -> int:
        return hash((self.name, len(self)))

    def _repr_html_(self) -> str:
        heads = [f"{column.name} ({column.unit})" if column.unit else column.name for column in self.columns]
        shown = min(len(self), _MOST_SHOWN)
        rows = (self._native.row(index) for index in range(shown))
        rest = f"and {len(self) - shown:,} rows more" if shown < len(self) else ""
        return html.heading(self.name, self.doc) + html.table(heads, rows, rest)

    def __repr__(self) -> str:
        return f"<Table {self.name}: {len(self)} rows of {', '.join(self)}>"


def _from_bytes(data: bytes) -> Table:
    """Return a pickled table."""
    return Table(_native.Table.from_bytes(data))
