"""Score the rows of a table whose columns are the parts of records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from scoring.api.tasks import ReferencesAs, Task
from scoring.compiler.records.record_reader import DEFAULTS
from scoring.diagnostics.suggest import nearest
from scoring.errors import InputError
from scoring.extensions.columns.turned import ReferenceTexts, ResponseTexts
from scoring.extensions.hosts.columns import Columns
from scoring.outcomes import Results
from scoring.result import MISSING

_ROWS = 8192
"""The rows that are scored at a time: enough for steps that take a column, few enough for memory."""


class RowParts(Struct, frozen=True):
    """The columns of a table that hold the parts of records.

    Args:
        response: The name of the column of responses; by default the task says where a row has its response.
        reference: The same for references.
        context: The same for contexts.
        id: The same for ids.
        references_as: ``json`` if the references are JSON texts.
    """

    response: str | None = None
    reference: str | None = None
    context: str | None = None
    id: str | None = None
    references_as: ReferencesAs = "values"

    @property
    def named(self) -> dict[str, str]:
        """The name of the column of each part that has one."""
        parts = {"response": self.response, "reference": self.reference, "context": self.context, "id": self.id}
        return {part: column for part, column in parts.items() if column is not None}


class RowScorer:
    """A scorer of the rows of tables with the same columns.

    Args:
        task: The task that scores.
        parts: The columns of the parts of records.
        names: The names of all columns.

    Raises:
        InputError: when a column is not there that is named, or that the task needs.
    """

    def __init__(self, task: Task, parts: RowParts, names: Sequence[str]) -> None:
        if task.spec.records is not None:
            raise InputError(f"{task.name} scores {task.spec.records} as a whole, and no row of a table has a score")
        stated = {**DEFAULTS, **task.spec.record}
        named = parts.named
        # A path that is a column's name needs no record; any other one is read by the task.
        self._direct = {part: stated[part] for part in DEFAULTS if stated[part] in names and part not in named} | named
        self._task, self._parts = task, parts
        for part, column in named.items():
            if column not in names:
                raise InputError(f"there is no column `{column}`{_meant(column, names)}; name that of the {part}")
        for part, is_needed in (("response", task.needs_response), ("reference", task.needs_reference)):
            first = stated[part].partition(".")[0].partition("[")[0]
            if is_needed and part not in self._direct and first.isidentifier() and first not in names:
                example = names[0] if names else "answer"
                raise InputError(
                    f"there is no column `{first}`{_meant(first, names)}, where {task.name} has its {part}; name it, "
                    f'as in {part}="{example}"'
                )
        read = task.columns
        replaced = {stated[part] for part in named} - set(named.values())
        free = [name for name in names if read is None or (name in read and name not in replaced)]
        inside = any(part not in self._direct and stated[part] != part for part in DEFAULTS)
        self._whole = free if inside or set(free) - set(self._direct.values()) else []
        self._references = ReferenceTexts(task, self._direct.get("reference", ""))
        self._responses = ResponseTexts(task, self._direct.get("response", ""))

    @property
    def columns(self) -> list[str]:
        """The names of the columns that are read."""
        return list(dict.fromkeys([*self._direct.values(), *self._whole]))

    def score(self, table: Mapping[str, Sequence[Any]]) -> Columns:
        """Return the scores of the rows of a table, given the columns that are read as lists of plain values.

        Raises:
            InputError: when references have several types that were converted to text.
        """
        size = max(map(len, table.values()), default=0)
        found = [
            self._block({name: column[start : start + _ROWS] for name, column in table.items()})
            for start in range(0, size, _ROWS) or (0,)
        ]
        records = [record for one in found for record in one.records]
        return (
            found[0] if len(found) == 1 else Columns(Results.join([one.results for one in found]), self._task, records)
        )

    def _block(self, table: Mapping[str, Sequence[Any]]) -> Columns:
        size = max(map(len, table.values()), default=0)
        records: list[dict[str, Any]] | None = None
        if self._whole:
            rows = zip(*(table[name] for name in self._whole), strict=True)
            records = [dict(zip(self._whole, row, strict=True)) for row in rows]

        def column(part: str, otherwise: Any) -> Sequence[Any]:
            if part in self._direct:
                return table[self._direct[part]]
            return [otherwise] * size if records is None else self._task.parts.reader.column(part, records)

        responses, references = column("response", None), column("reference", MISSING)
        self._responses.check(responses)
        if self._parts.references_as == "values":
            self._references.check(references)
        found: Columns = self._task.score_columns(
            list(responses),
            list(references),
            contexts=column("context", None),
            ids=column("id", None) if "id" in self._direct or records is not None else None,
            records=records,
            references_as=self._parts.references_as,
        )
        return found


def _meant(name: str, names: Sequence[str]) -> str:
    similar = nearest(name, names)
    return f", but `{similar}`" if similar else f" among {', '.join(f'`{one}`' for one in names[:8])}" if names else ""
