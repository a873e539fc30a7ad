"""Results of verbs: plain data that can be shown as text, as a page or in a notebook, or converted to a table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from scoring.errors import InputError

if TYPE_CHECKING:
    from scoring.diagnostics.diagnostic import Diagnostic
    from scoring.report.document import Document
    from scoring.report.render import Form

TableRow: TypeAlias = Mapping[str, Any]


class Shown(ABC):
    """The base class of results that can be shown in several formats and converted to a table."""

    @abstractmethod
    def document(self) -> Document:
        """Return the result as a document, which is rendered in any output format."""

    @abstractmethod
    def table(self) -> list[TableRow]:
        """Return the rows of the result."""

    def text(self, form: Form = "text") -> str:
        """Return the result rendered in an output format.

        Args:
            form: ``text``, ``html`` for a whole page, ``markdown``, or ``notebook`` for a fragment of HTML.

        Raises:
            ValueError: for any other format.
        """
        from scoring.report.render import render

        return render(self.document(), form)

    def _repr_html_(self) -> str | None:
        try:
            return self.text("notebook")
        except InputError:  # without the extension, a notebook shows the text
            return None

    def to_pandas(self) -> Any:
        """Return the rows of `table` as a pandas DataFrame.

        Raises:
            InputError: when pandas is not installed.
        """
        from scoring.registry.extension import service

        return service("result-tables", "a data frame").data_frame(self.table())

    def to_arrow(self) -> Any:
        """Return the rows of `table` as an Arrow table; a column of mixed types becomes text: other values as JSON.

        Raises:
            InputError: when pyarrow is not installed.
        """
        from scoring.registry.extension import service

        return service("result-tables", "an Arrow table").arrow_table(self.table())


@dataclass(frozen=True, repr=False)
class Result(Shown):
    """The result of a verb as plain data, with the function that makes a document of it.

    Args:
        data: The whole result as plain data, ready for JSON.
        about: A short description, for `repr`.
        draw: Makes the document from the data.
        rows: The key in ``data`` of the rows of the table; "" if ``data`` itself is the list of rows, or the only row.
        warnings: Findings about the spec that are not errors.
    """

    data: Any
    about: str
    draw: Callable[[Any], Document] = field(compare=False)
    rows: str = ""
    warnings: tuple[Diagnostic, ...] = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.about}>"

    def document(self) -> Document:
        """Return the result as a document, which is rendered in any output format."""
        return self.draw(self.data)

    def to_json(self) -> Any:
        """Return the whole result as plain data."""
        return self.data

    def table(self) -> list[TableRow]:
        """Return the rows of the result; a single value is one row."""
        found = self.data[self.rows] if self.rows else self.data
        rows = found if isinstance(found, list) else [found]
        return [row if isinstance(row, Mapping) else {"value": row} for row in rows]
