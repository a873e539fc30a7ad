"""The scores of many answers as typed columns, for programs that work with columns themselves, such as trainers and
evaluation harnesses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from scoring.api.result import Shown, TableRow
from scoring.data.json_write import dumps, plain
from scoring.data.plain_columns import are_plain
from scoring.data.plain_values import as_plain
from scoring.diagnostics.words import counted
from scoring.outcomes import STATUSES, UNDECIDED, Outcomes, Results
from scoring.report.document import Document, DocumentTable, TableColumn, Title
from scoring.report.visible import shorten
from scoring.result import MISSING, Outcome, Status

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scoring.compiler.tasks.task import CompiledTask
    from scoring.extensions.hosts.totals import Totals


_SHOWN = 20
"""The number of answers that a notebook or terminal shows."""


@dataclass(frozen=True, repr=False)
class Columns(Shown):
    """The results of scoring many answers, one column per property; each column has one value per answer, in input
    order.

    Args:
        results: The same results as records, including the parsed and compared values: ``columns.results[3].fields``.
        task: The task that scored them.
        records: The record of each answer, from which metrics and breakdowns read; None where there is none.

    Examples:
        >>> from scoring import MISSING, load
        >>> task = load({"kind": "task", "name": "t", "score": "lower | equal"})
        >>> found = task.score_columns(["Paris", "Rome"], ["paris", MISSING])
        >>> found
        <Columns: 2 answers, 1 scored>
        >>> found.scores.tolist(), found.statuses, found.reasons
        ([1.0, nan], ['scored', 'unscored'], {1: 'the record has no reference'})
    """

    results: Results
    task: CompiledTask
    records: Sequence[Any] = field(repr=False)

    def __repr__(self) -> str:
        scored = bytes(self.results.outcomes.statuses).count(0)
        return f"<Columns: {counted(len(self), 'answer')}, {scored} scored>"

    def __len__(self) -> int:
        return len(self.results)

    @property
    def ids(self) -> Sequence[Any]:
        """The id of each answer."""
        return self.results.ids

    @property
    def scores(self) -> NDArray[np.float64]:
        """The score of each answer as floats, NaN where there is none."""
        return _scores(self.results.outcomes)

    @property
    def statuses(self) -> list[Status]:
        """The status of each answer: ``scored``, ``not_applicable``, ``unparsed`` or ``unscored``."""
        return [STATUSES[code] for code in self.results.outcomes.statuses]

    @property
    def passed(self) -> list[bool | None]:
        """Whether each answer passed; None where the task has no pass condition, or it could not be decided."""
        return [None if code == UNDECIDED else bool(code) for code in self.results.passed]

    @property
    def fields(self) -> dict[str, NDArray[np.float64]]:
        """The scores of each field by the field's name, as floats with NaN where there is none."""
        return {name: _scores(column.outcomes) for name, column in self.results.fields.items()}

    @property
    def reasons(self) -> dict[int, str]:
        """The reasons why scores are missing, and remarks on other scores, by the index of the answer."""
        return {place: one.reason for place, one in sorted(self.results.outcomes.odd.items()) if one.reason}

    def table(self) -> list[TableRow]:
        """Return a row for each answer: its id, score, status, reason, whether it passed, and the score of each
        field under ``fields``."""
        return self._rows(len(self))

    def document(self) -> Document:
        """Return the first answers as a document, as a notebook shows them."""
        title = Title(counted(len(self), "answer"), f"{bytes(self.results.outcomes.statuses).count(0)} scored")
        fields = [*self.results.fields] if len(self.results.fields) > 1 else []
        of_fields = [
            (TableColumn(shorten(name, 40), "number"), partial(_field_score, name=name)) for name in fields[:_SHOWN]
        ]
        table = DocumentTable.of(
            self._rows(_SHOWN),
            (TableColumn("id"), _shown_id),
            (TableColumn("score", "number"), "score"),
            (TableColumn("status"), "status"),
            (TableColumn("passed"), lambda row: {True: "yes", False: "no", None: ""}[row["passed"]]),
            *of_fields,
            (TableColumn("reason"), lambda row: shorten(row["reason"] or "", 200)),
            brief=_SHOWN,
            total=len(self),
        )
        return Document((title, table.without_empty()), "Scores")

    def _rows(self, most: int) -> list[TableRow]:
        rows: list[TableRow] = []
        for place in range(min(most, len(self))):
            one = self.results[place]
            row = {"id": one.id, "score": one.score, "status": one.status, "reason": one.reason, "passed": one.passed}
            rows.append({**row, "fields": {name: field.score for name, field in one.fields.items()}})
        return rows

    def summary(self) -> Totals:
        """Return the figures over these answers: the task's metrics with their intervals, breakdowns and pass rate.

        They are those of `evaluate` over the same records, and can be merged with the figures of other answers.

        Raises:
            InputError: when weights, clusters or strata are to be read from records, and no record has them.
        """
        from scoring.extensions.hosts.totals import Totals

        return Totals.of(self.task, self.results, self.records)

    def to_arrow(self) -> Any:
        """Return the columns as an Arrow table: ``id``, ``score``, ``status``, ``reason``, ``passed``, then one for
        each field.

        The column of a field has the field's name, or ``field.NAME`` if one of the other columns has that name. Scores
        are float64, with null where there is none.

        Raises:
            InputError: when pyarrow is not installed.
        """
        from scoring.registry.extension import service

        return service("result-tables", "an Arrow table").table_of_columns(self)

    def to_pandas(self) -> Any:
        """Return the table of `to_arrow` as a pandas DataFrame.

        Raises:
            InputError: when pandas or pyarrow is not installed.
        """
        from scoring.registry.extension import service

        return service("result-tables", "a data frame").frame_of_columns(self)


def _shown_id(row: TableRow) -> str:
    return shorten(row["id"] if isinstance(row["id"], str) else dumps(plain(row["id"])), 60)


def _field_score(row: TableRow, name: str) -> Any:
    return row["fields"].get(name)


def _scores(outcomes: Outcomes) -> NDArray[np.float64]:
    return np.array(outcomes.values, dtype=np.float64)


def column_lists(
    responses: Any, references: Any, contexts: Any, ids: Any, records: Any
) -> tuple[list[Any], list[Any], list[Any], list[Any], list[Any]]:
    """Return responses, references, contexts, ids and records as lists of equal length, converted to plain values.

    The list of a column that is None has None at each position, but `MISSING` for references, and the positions as ids
    if there are no records either.

    Raises:
        ValueError: when a column differs in length from the responses, or a value is not a column.
    """
    answers = column_values(responses)
    size = len(answers)
    records = _as_records(records, size)
    optional = {"references": references, "contexts": contexts, "ids": ids, "records": records}
    columns = {name: None if column is None else column_values(column) for name, column in optional.items()}
    for name, column in columns.items():
        if column is not None and len(column) != size:
            raise ValueError(f"{size} responses do not go with {len(column)} {name}: give one for each")
    nothing: list[Any] = [None] * size
    keys = list(range(size)) if ids is None and records is None else columns["ids"] or nothing
    found = columns["references"] if references is not None else [MISSING] * size
    return answers, found or [], columns["contexts"] or nothing, keys, columns["records"] or nothing


def _as_records(records: Any, size: int) -> Any:
    """Return records that are given as columns by name, or as a table, as a list of mappings; other values unchanged.

    Raises:
        ValueError: when a column differs in length from the responses.
    """
    if isinstance(records, Mapping):
        columns = {str(name): column_values(column) for name, column in records.items()}
        for name, column in columns.items():
            if len(column) != size:
                raise ValueError(
                    f"{size} responses do not go with {len(column)} of `{name}` in records: give one for each"
                )
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)] or None
    if hasattr(records, "columns") and not hasattr(records, "to_pylist"):
        from scoring.data.rows.memory import rows_of

        return [row.record for row in rows_of(records)]
    return records


def column_values(values: Any) -> list[Any]:
    """Return a column of NumPy, pandas, polars, Arrow or Python as a list of plain values.

    A value of Arrow that can't be read becomes an unscored outcome.

    Raises:
        ValueError: when it is not a column.
    """
    if hasattr(values, "to_pylist") and hasattr(values, "type"):
        return [value for chunk in getattr(values, "chunks", [values]) for value in _arrow_list(chunk)]
    read = next((getattr(values, name) for name in ("to_pylist", "tolist", "to_list") if hasattr(values, name)), None)
    # A set has no order, a table has several columns, and an array of no dimension holds one value.
    is_table = read is None and hasattr(values, "columns")
    if not (isinstance(values, str | bytes | Mapping | Set) or is_table):
        found = read() if read is not None else values
        if isinstance(found, Iterable) and not isinstance(found, str | bytes):
            found = list(found)
            return found if are_plain(found) else list(map(as_plain, found))
    raise ValueError(f"a {type(values).__name__} is no column; give a list, or `score_parts` for a single answer")


def _arrow_list(array: Any) -> list[Any]:
    from scoring.extensions.columns.arrow_values import arrow_values, why_unreadable

    try:
        return arrow_values(array)
    except (ValueError, OverflowError, KeyError) as error:
        if len(array) == 1:
            return [Outcome.unscored(why_unreadable(error))]
        middle = len(array) // 2
        return [*_arrow_list(array[:middle]), *_arrow_list(array[middle:])]
