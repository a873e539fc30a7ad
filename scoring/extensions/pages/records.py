"""The table of a run's records on a page: the worst first, with the compared values and raw responses."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from typing import Any, TypeAlias

from msgspec import Struct

from scoring.engine.road.figures import group_value
from scoring.extensions.pages.marked import TextRoom, compared, foldable_text
from scoring.ranges import Better
from scoring.report import numbers
from scoring.report.document import DocumentTable, Line, Piece, TableColumn
from scoring.report.of.summary import tag
from scoring.report.visible import clipped
from scoring.result import FieldResult, RecordResult
from scoring.statistics.breakdown import attributes_of, parts_of

MAX_RECORDS = 500
MAX_PARSED = 300
MAX_COMPARED = 80

Responses: TypeAlias = Mapping[int, Any]
"""Raw responses by the index of their record."""


def lowest(records: Sequence[RecordResult], better: Better = "higher") -> list[int]:
    """Return the indices of the records that a page shows: those without a score, then those with the worst scores,
    which are the lowest unless `better` says otherwise."""
    ranked = ((_rank(result, better), _id(result.id), place) for place, result in enumerate(records))
    return [place for _, _, place in nsmallest(MAX_RECORDS, ranked)]


class ShownRecords(Struct, frozen=True):
    """The records of a run that a page shows, and what their table says of them.

    Args:
        records: All results.
        indices: The indices of the results to show, see `lowest`.
        responses: Their raw responses by index.
        by: The names of the breakdowns.
        tasks: The task of each record in a run of several, for selection by task; otherwise empty.
        ranges: The ranges of scores, as in a summary.
        better: Which scores are better.
        where: Where all records are found.
    """

    records: Sequence[RecordResult]
    indices: Sequence[int]
    responses: Responses
    by: Sequence[str] = ()
    tasks: Sequence[str] = ()
    ranges: Mapping[str, Any] | None = None
    better: Better = "higher"
    where: str = "in the scores file"

    def table(self) -> Iterator[DocumentTable]:
        """Yield the table of the records, tagged by their groups in breakdowns; none if no records."""
        if not self.indices:
            return
        from scoring.data.json_write import dumps
        from scoring.data.json_write import plain as plain_data

        room, tasks, ranges = TextRoom(), self.tasks, self.ranges or {}
        shown: list[dict[str, Any]] = [
            {"task": tasks[index] if tasks else "", "place": index, "result": self.records[index]}
            for index in self.indices
        ]

        def column(path: str) -> list[Any]:  # a record with an empty list is in the group of those without a value
            values = (one["result"].attributes.get(path) for one in shown)
            return [None if isinstance(value, (list, tuple)) and not value else value for value in values]

        def parsed(one: Mapping[str, Any]) -> Line:
            value = one["result"].parsed
            return "" if value is None else foldable_text(room.take(dumps(value)))

        def response(one: Mapping[str, Any]) -> Line:
            found = self.responses.get(one["place"])
            return "" if found is None else foldable_text(room.take(found if isinstance(found, str) else dumps(found)))

        scale, tops = tuple(ranges.get("score", (0.0, 1.0))), ranges.get("fields", {})
        first = {"higher": "lowest", "lower": "highest"}.get(str(self.better), "worst")
        yield DocumentTable.of(
            shown,
            (TableColumn("task", width=40, choices=True), "task"),
            (TableColumn("id", width=40), lambda one: clipped(_id(one["result"].id), MAX_COMPARED)),
            (
                TableColumn("score", "number", bar=True, scale=scale, better=self.better),
                lambda one: plain_data(one["result"].score),
            ),
            (TableColumn("passed", choices=True), lambda one: _PASSED[one["result"].passed]),
            (TableColumn("outcome", choices=True), lambda one: _outcome(one["result"])),
            (
                TableColumn("why", width=90),
                lambda one: clipped(one["result"].reason or one["result"].unparsed_reason or "", MAX_PARSED),
            ),
            (TableColumn("fields", width=90), lambda one: [*_compared(one["result"].fields.values(), tops, room)]),
            (TableColumn("parsed", width=90), parsed),
            (TableColumn("raw response", width=90), response),
            title=f"Records, {first} scores first",
            brief=0,
            rest=self.where,
            total=len(self.records),
            tags=tuple(
                [frozenset((tag("task", one["task"]),)) for one in shown]
                if tasks
                else tags_of(self.by, column, len(shown))
            ),
            search=True,
        ).without_empty()


_PASSED: Mapping[bool | None, Line] = {True: Piece("passed", "good"), False: Piece("failed", "bad"), None: ""}


def _id(value: Any) -> str:
    """Return an id as text; in hexadecimal for a number with more digits than Python converts to decimal."""
    from scoring.data.json_write import MAX_INT_BITS

    return hex(value) if isinstance(value, int) and value.bit_length() > MAX_INT_BITS else str(value)


def _rank(result: RecordResult, better: Better = "higher") -> float:
    """Return the sort key of a result, which is less the worse its score is; -inf without one, to sort it first."""
    value = result.score
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        return -math.inf
    if isinstance(better, (int, float)):
        return -abs(value - better)
    return -value if better == "lower" else value


def _outcome(result: RecordResult) -> Line:
    outcome = result.status.replace("_", " ")
    return outcome if result.status == "scored" else Piece(outcome, "bad")


def _compared(fields: Iterable[FieldResult], ranges: Mapping[str, Any], room: TextRoom) -> Iterator[Line]:
    """Yield a line with each field's score, then its two compared values if the score is not the highest in the field's
    range of scores (`ranges`)."""
    from scoring.data.json_write import dumps
    from scoring.data.json_write import plain as plain_data

    for part in fields:
        yield (f"{part.name} ", Piece(numbers.format_score(plain_data(part.score)), "bold"))
        _, top = ranges.get(part.name, (0.0, 1.0))
        pair = (part.prediction, part.reference)
        if part.score != top and pair != (None, None):
            are_texts = all(isinstance(value, str) for value in pair)
            yield from compared(*(room.take(str(value) if are_texts else dumps(value)) for value in pair))


def tags_of(by: Iterable[str], column: Callable[[str], Iterable[Any]], count: int) -> list[frozenset[str]]:
    """Return, for each row of a table, the tags of the groups that it belongs to.

    Args:
        by: The names of the breakdowns.
        column: Returns the values of an attribute, one for each row; an empty list is in no group.
        count: Number of rows.

    Examples:
        >>> tags_of(["kind"], {"kind": ["a", ["a", "b"]]}.__getitem__, 2)[0]
        frozenset({'kind = a'})
    """
    found: list[set[str]] = [set() for _ in range(count)]
    for name in by:
        for part in parts_of([list(map(group_value, column(path))) for path in attributes_of(name)]):
            for index in part.indices:
                found[index].add(tag(name, part.label))
    return list(map(frozenset, found))
