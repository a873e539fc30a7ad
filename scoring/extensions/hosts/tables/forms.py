"""Tables of each library: the names of their columns, the values of one, and the table with more columns."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

import numpy as np

from scoring.data.file_format import require
from scoring.data.rows.decoded import repeated
from scoring.data.rows.memory import is_of_library
from scoring.errors import InputError
from scoring.extensions.columns.memory import turned_columns
from scoring.extensions.columns.stated import column_metadata, frame_attributes
from scoring.extensions.hosts.columns import column_values
from scoring.extensions.hosts.tables.added import AddedKind

Added: TypeAlias = Mapping[str, tuple[AddedKind, Any]]
"""New columns by their names: the kind, and the values of each."""


class HostTable(Protocol):
    """A table of some library."""

    names: list[str]

    def values(self, name: str) -> list[Any]:
        """Return the values of a column as plain values."""

    def extended(self, added: Added, statement: Mapping[str, str]) -> Any:
        """Return the library's table with more columns, and beside them what they mean, if it has a place for it.

        Args:
            added: The new columns, the first of which is the score.
            statement: The task and the meaning.
        """


class PandasTable:
    """A data frame of pandas."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.names = [name for name in frame.columns if isinstance(name, str)]

    def values(self, name: str) -> list[Any]:
        """Return the values of a column as plain values, with a warning where whole numbers became floats."""
        if turned_columns(self._frame[[name]]):
            warnings.warn(
                f"the whole numbers of `{name}` became floats, since some are missing; read them as `Int64`",
                stacklevel=5,
            )
        return column_values(self._frame[name])

    def extended(self, added: Added, statement: Mapping[str, str]) -> Any:
        """Return a frame with more columns; texts and truth values are of pandas's types that have NA."""
        pandas = require("a data frame", "pandas", "scoring-dsl[pandas]")

        kinds = {"number": "float64", "text": "string", "truth": "boolean"}
        columns = {name: pandas.array(values, dtype=kinds[kind]) for name, (kind, values) in added.items()}
        more = pandas.DataFrame(columns, index=self._frame.index)
        found = pandas.concat([self._frame, more], axis=1)
        found.attrs = frame_attributes(self._frame.attrs, next(iter(added)), statement)
        return found


class PolarsTable:
    """A data frame of polars."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        self.names: list[str] = list(frame.columns)

    def values(self, name: str) -> list[Any]:
        """Return the values of a column as plain values; times in nanoseconds are read by Arrow, as polars cuts them
        short."""
        column = self._frame[name]
        kind = str(column.dtype)
        return column_values(column.to_arrow() if "'ns'" in kind or "Time" in kind else column)

    def extended(self, added: Added, statement: Mapping[str, str]) -> Any:
        """Return a frame with more columns; polars has no place for what they mean."""
        return self._frame.with_columns(_polars_series(name, kind, values) for name, (kind, values) in added.items())


def _polars_series(name: str, kind: AddedKind, values: Any) -> Any:
    import polars

    if kind == "number":
        return polars.Series(name, np.asarray(values, dtype=np.float64), nan_to_null=True)
    return polars.Series(name, values, dtype=polars.String if kind == "text" else polars.Boolean)


class ArrowTable:
    """An Arrow table."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.names: list[str] = table.column_names

    def values(self, name: str) -> list[Any]:
        """Return the values of a column as plain values."""
        return column_values(self._table.column(name))

    def extended(self, added: Added, statement: Mapping[str, str]) -> Any:
        """Return a table with more columns; what they mean is in the metadata of those of numbers."""
        import pyarrow as arrow

        table, metadata = self._table, column_metadata(statement)
        for name, (kind, values) in added.items():
            column = arrow_array(kind, values)
            field = arrow.field(name, column.type, metadata=metadata if kind == "number" else None)
            table = table.append_column(field, column)
        return table


def arrow_array(kind: AddedKind, values: Any) -> Any:
    """Return new values as an Arrow array."""
    import pyarrow as arrow

    types = {"number": arrow.float64(), "text": arrow.string(), "truth": arrow.bool_()}
    return arrow.array(values, types[kind], from_pandas=True)


class BatchTable:
    """A batch of columns by their names, as `Dataset.map` gives it; its table with more columns is the new ones."""

    def __init__(self, batch: Mapping[str, Any]) -> None:
        self._batch = batch
        self.names = list(batch.keys())

    def values(self, name: str) -> list[Any]:
        """Return the values of a column as plain values."""
        return column_values(self._batch[name])

    def extended(self, added: Added, statement: Mapping[str, str]) -> dict[str, list[Any]]:
        """Return the new columns as lists, with None where there is no value."""
        return {
            name: [None if one != one else one for one in values.tolist()] if kind == "number" else list(values)
            for name, (kind, values) in added.items()
        }


def table_of(table: Any) -> HostTable:
    """Return a table of any library as a `HostTable`.

    Raises:
        InputError: when it is not a table of columns, or two columns have the same name.
    """
    if is_of_library(table, "duckdb", "DuckDBPyRelation"):
        raise InputError(
            "a relation of DuckDB is scored in SQL: `scoring.tables.register(connection, spec)` adds `score(…)`"
        )
    found = _form(table)
    twice = repeated(found.names)
    if twice is not None:
        raise InputError(f"the table has two columns `{twice}`")
    return found


def _form(table: Any) -> HostTable:
    if is_of_library(table, "pandas", "DataFrame"):
        return PandasTable(table)
    if is_of_library(table, "polars", "DataFrame"):
        return PolarsTable(table)
    if isinstance(table, Mapping):
        return BatchTable(table)
    if hasattr(table, "__arrow_c_stream__") or hasattr(table, "__arrow_c_array__"):
        arrow = require("a table of Arrow", "pyarrow", "scoring-dsl[parquet]")
        return ArrowTable(table if isinstance(table, arrow.Table) else arrow.table(table))
    raise InputError(
        f"a `{type(table).__name__}` is no table of columns; give a data frame of pandas or polars, an Arrow table, a "
        "data set of Hugging Face, or a mapping of columns"
    )
