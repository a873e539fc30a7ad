"""Results as Arrow tables, using pyarrow (the extra `parquet`), and as data frames of pandas (the extra `pandas`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scoring.data.file_format import require
from scoring.data.json_write import dumps
from scoring.extensions.columns.stated import column_metadata, frame_attributes, statement_of

if TYPE_CHECKING:
    from scoring.api.result import TableRow


def arrow_table(rows: Sequence[TableRow]) -> Any:
    """Return rows as an Arrow table; a column of mixed types becomes text, with JSON for values that are not text.

    Raises:
        InputError: when pyarrow is not installed.
    """
    arrow = require("an Arrow table", "pyarrow", "scoring-dsl[parquet]")
    return arrow.table({name: _array(arrow, [row.get(name) for row in rows]) for name in _column_names(rows)})


def data_frame(rows: Sequence[TableRow]) -> Any:
    """Return rows as a pandas DataFrame.

    Raises:
        InputError: when pandas is not installed.
    """
    frame = require("a data frame", "pandas", "scoring-dsl[pandas]").DataFrame
    columns = {name: [row.get(name) for row in rows] for name in _column_names(rows)}
    try:
        return frame(columns)
    except UnicodeEncodeError:  # pandas may hold texts as Arrow does
        return frame({name: [_in_utf8(value) for value in values] for name, values in columns.items()})


def table_of_columns(columns: Any) -> Any:
    """Return the scores of records, given as `Columns`, as an Arrow table with a row for each record: id, score,
    status, reason, passed, and each field's score.

    Raises:
        InputError: when pyarrow is not installed.
    """
    arrow = require("an Arrow table", "pyarrow", "scoring-dsl[parquet]")
    reasons, metadata = columns.reasons, column_metadata(statement_of(columns.task))
    table: dict[str, Any] = {
        "id": _array(arrow, list(columns.ids)),
        "score": arrow.array(columns.scores, from_pandas=True),
        "status": arrow.array(columns.statuses, arrow.string()),
        "reason": arrow.array([reasons.get(place) for place in range(len(columns))], arrow.string()),
        "passed": arrow.array(columns.passed, arrow.bool_()),
    }
    for name, scores in columns.fields.items():
        table[f"field.{name}" if name in table else name] = arrow.array(scores, from_pandas=True)
    plain = arrow.table(table)
    others = ("id", "status", "reason", "passed")
    fields = [one if one.name in others else one.with_metadata(metadata) for one in plain.schema]
    return plain.cast(arrow.schema(fields))


def frame_of_columns(columns: Any) -> Any:
    """Return the scores of records, given as `Columns`, as a pandas DataFrame with the columns of `table_of_columns`.

    Raises:
        InputError: when pandas or pyarrow is not installed.
    """
    require("a data frame", "pandas", "scoring-dsl[pandas]")
    frame = table_of_columns(columns).to_pandas()
    frame.attrs = frame_attributes(frame.attrs, "score", statement_of(columns.task))
    return frame


def _column_names(rows: Sequence[TableRow]) -> list[str]:
    """Return the names that occur in any of the rows, in order of first appearance.

    Examples:
        >>> _column_names([{"id": 1}, {"id": 2, "score": 0.5}])
        ['id', 'score']
    """
    return list(dict.fromkeys(name for row in rows for name in row))


def _array(arrow: Any, values: Sequence[Any]) -> Any:
    """Return values as an Arrow array; values of mixed types are converted to text, since an Arrow array has one
    type.

    Args:
        arrow: The module pyarrow.
        values: The values.
    """
    try:
        return arrow.array(values)
    except (
        arrow.ArrowInvalid,
        arrow.ArrowTypeError,
        arrow.ArrowNotImplementedError,
        OverflowError,
        UnicodeEncodeError,
    ):
        texts = (value if value is None or isinstance(value, str) else dumps(value) for value in values)
        return arrow.array(list(map(_in_utf8, texts)))


def _in_utf8(value: Any) -> Any:
    """Return a text with lone surrogates, which UTF-8 can't encode, replaced by escapes; other values unchanged."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
