"""The table of a run's records on a page: lowest scores first, with the compared values and unparsed responses."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from typing import Any, TypeAlias

from scoring.engine.road.figures import group_value
from scoring.report import numbers
from scoring.report.document import DocumentTable, Line, Piece, TableColumn
from scoring.report.visible import clipped
from scoring.result import FieldResult, RecordResult
from scoring.statistics.breakdown import attributes_of, parts_of

MAX_RECORDS = 500
MAX_RESPONSE = 2_000
MAX_PARSED = 300
MAX_COMPARED = 80

Responses: TypeAlias = Mapping[int, Any]
"""Raw responses by the index of their record."""


def tag(name: str, label: str) -> str:
    """Return the tag that selects the records in the group `label` of the breakdown `name`, as on a page."""
    return f"{name} = {label}"


def lowest(records: Sequence[RecordResult]) -> list[int]:
    """Return the indices of the records that a page shows: those without a score, then those with the lowest scores."""
    ranked = ((_rank(result), _id(result.id), place) for place, result in enumerate(records))
    return [place for _, _, place in nsmallest(MAX_RECORDS, ranked)]


def unread(result: RecordResult) -> bool:
    """Return whether parsing a record's response failed, for the record or for a field, so that it should be shown."""
    return (
        not result.parsed_ok
        or result.status == "unparsed"
        or any(part.status == "unparsed" for part in result.fields.values())
    )


def records_table(
    records: Sequence[RecordResult],
    responses: Responses,
    by: Sequence[str],
    tasks: Sequence[str],
    ranges: Mapping[str, Any],
) -> Iterator[DocumentTable]:
    """Yield the table of the records with the lowest scores, tagged by their groups in breakdowns; none if no records.

    Args:
        records: All results.
        responses: Raw responses by index, for the records that should show one.
        by: The names of the breakdowns.
        tasks: The task of each record in a run of several, for selection by task; otherwise empty.
        ranges: The ranges of scores, as in a summary.
    """
    indices = lowest(records)
    if not indices:
        return
    from scoring.data.json_write import dumps
    from scoring.data.json_write import plain as plain_data

    shown: list[dict[str, Any]] = [
        {"task": tasks[index] if tasks else "", "place": index, "result": records[index]} for index in indices
    ]

    def column(path: str) -> list[Any]:  # a record with an empty list is in the group of those without a value
        values = (one["result"].attributes.get(path) for one in shown)
        return [None if isinstance(value, (list, tuple)) and not value else value for value in values]

    def parsed(one: Mapping[str, Any]) -> Line:
        value = one["result"].parsed
        return "" if value is None else Piece(clipped(dumps(value), MAX_PARSED), "code")

    scale, tops = tuple(ranges.get("score", (0.0, 1.0))), ranges.get("fields", {})
    yield DocumentTable.of(
        shown,
        (TableColumn("task", width=40, choices=True), "task"),
        (TableColumn("id", width=40), lambda one: clipped(_id(one["result"].id), MAX_COMPARED)),
        (TableColumn("score", "number", bar=True, scale=scale), lambda one: plain_data(one["result"].score)),
        (TableColumn("outcome", choices=True), lambda one: _outcome(one["result"])),
        (
            TableColumn("why", width=90),
            lambda one: clipped(one["result"].reason or one["result"].unparsed_reason or "", MAX_PARSED),
        ),
        (TableColumn("fields", width=90), lambda one: [*_compared(one["result"].fields.values(), tops)]),
        (TableColumn("parsed", width=90), parsed),
        (
            TableColumn("raw response", width=90),
            lambda one: Piece(response_text(responses[one["place"]]), "code") if one["place"] in responses else "",
        ),
        title="Records, lowest scores first",
        brief=0,
        total=len(records),
        tags=tuple(
            [frozenset((tag("task", one["task"]),)) for one in shown] if tasks else tags_of(by, column, len(shown))
        ),
        search=True,
    ).without_empty()


def _id(value: Any) -> str:
    """Return an id as text; in hexadecimal for a number with more digits than Python converts to decimal."""
    from scoring.data.json_write import MAX_INT_BITS

    return hex(value) if isinstance(value, int) and value.bit_length() > MAX_INT_BITS else str(value)


def _rank(result: RecordResult) -> float:
    """Return the sort key of a result: its score, or -inf if it has none, to sort it first."""
    value = result.score
    return value if isinstance(value, (int, float)) and math.isfinite(value) else -math.inf


def _outcome(result: RecordResult) -> Line:
    outcome = result.status.replace("_", " ")
    return outcome if result.status == "scored" else Piece(outcome, "bad")


def response_text(response: Any) -> str:
    """Return a raw response as text, cut off at `MAX_RESPONSE` characters.

    Examples:
        >>> response_text("x" * 3000)[-23:], response_text({"a": 1})
        ('xxx… (3,000 characters)', '{"a":1}')
    """
    from scoring.data.json_write import dumps

    return clipped(response if isinstance(response, str) else dumps(response), MAX_RESPONSE)


def _compared(fields: Iterable[FieldResult], ranges: Mapping[str, Any]) -> Iterator[Line]:
    """Yield a line with each field's score, then one with its two compared values if the score is not the highest in
    the field's range of scores (`ranges`)."""
    from scoring.data.json_write import dumps
    from scoring.data.json_write import plain as plain_data

    for part in fields:
        yield (f"{part.name} ", Piece(numbers.format_score(plain_data(part.score)), "bold"))
        _, top = ranges.get(part.name, (0.0, 1.0))
        if part.score != top and (part.prediction is not None or part.reference is not None):
            pair = (clipped(dumps(value), MAX_COMPARED) for value in (part.prediction, part.reference))
            yield Piece(" ≠ ".join(pair), "code")


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
