"""Results of verbs: plain data, shown as text, page, notebook output, or as a pandas or Arrow table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from scoring.diagnostics.diagnostic import Diagnostic
    from scoring.report.document import Document
    from scoring.report.render import Form

TableRow: TypeAlias = Mapping[str, Any]


class Shown(ABC):
    """A result that can be shown in several forms, and converted to a table."""

    @abstractmethod
    def document(self) -> Document:
        """Return the content for people, independent of a format."""

    @abstractmethod
    def table(self) -> list[TableRow]:
        """Its rows."""

    def text(self, form: Form = "text") -> str:
        """Return the result in a form for people.

        Args:
            form: ``text``, ``html`` for a page, ``markdown``, or ``notebook`` for a part of a page.

        Raises:
            ValueError: for another form.
        """
        from scoring.report.render import render

        return render(self.document(), form)

    def _repr_html_(self) -> str:
        return self.text("notebook")

    def to_pandas(self) -> Any:
        """Its `table` as a pandas DataFrame.

        Raises:
            InputError: when pandas is not installed.
        """
        from scoring.data.file_format import require

        rows = self.table()
        frame = require("a data frame", "pandas", "scoring-dsl[pandas]").DataFrame
        columns = {name: [row.get(name) for row in rows] for name in _column_names(rows)}
        try:
            return frame(columns)
        except UnicodeEncodeError:  # pandas may hold texts as Arrow does
            return frame({name: [_in_utf8(value) for value in values] for name, values in columns.items()})

    def to_arrow(self) -> Any:
        """Return its `table` as an Arrow table; a column of mixed types has strings, with JSON for other values.

        Raises:
            InputError: when pyarrow is not installed.
        """
        from scoring.data.file_format import require

        rows = self.table()
        arrow = require("an Arrow table", "pyarrow", "scoring-dsl[parquet]")
        return arrow.table({name: arrow_column(arrow, [row.get(name) for row in rows]) for name in _column_names(rows)})


@dataclass(frozen=True, repr=False)
class Result(Shown):
    """Something that was found out, as data that can be shown.

    Args:
        data: All of it as plain data, ready for JSON.
        about: What it is, in a few words.
        draw: Makes the document that people read.
        rows: Its rows as a table, by the key of ``data`` that holds them; "" where ``data`` is the list of rows.
        warnings: Findings about the spec that are no errors.
    """

    data: Any
    about: str
    draw: Callable[[Any], Document] = field(compare=False)
    rows: str = ""
    warnings: tuple[Diagnostic, ...] = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.about}>"

    def document(self) -> Document:
        """Return the content for people, independent of a format."""
        return self.draw(self.data)

    def to_json(self) -> Any:
        """Return the whole result as plain data."""
        return self.data

    def table(self) -> list[TableRow]:
        """Return its rows; a single result is one row."""
        found = self.data[self.rows] if self.rows else self.data
        rows = found if isinstance(found, list) else [found]
        return [row if isinstance(row, Mapping) else {"value": row} for row in rows]


def _column_names(rows: Sequence[TableRow]) -> list[str]:
    """Return the names in any row, in order of appearance.

    Examples:
        >>> _column_names([{"id": 1}, {"id": 2, "score": 0.5}])
        ['id', 'score']
    """
    return list(dict.fromkeys(name for row in rows for name in row))


def arrow_column(arrow: Any, values: Sequence[Any]) -> Any:
    """Return an Arrow array; a column of mixed types is converted to strings, since Arrow columns have one type."""
    from scoring.data.json_write import dumps

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
    """Return a string that Parquet can store: UTF-8, without lone surrogates."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
