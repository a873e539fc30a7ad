"""Score a batch of items: good records together, bad ones marked, one bad record never spoiling the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

from scoring.compiler.failures import failure
from scoring.data.rows.join import Item
from scoring.engine.road.protocol import RecordScorer
from scoring.outcomes import Results
from scoring.result import Outcome, RecordResult

T = TypeVar("T")


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of at most ``size``.

    Examples:
        >>> list(batches("abcde", 2))
        [['a', 'b'], ['c', 'd'], ['e']]
    """
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch


def score_items(task: RecordScorer, items: Sequence[Item]) -> Results:
    """The result of each item, in order."""
    good = [item.record for item in items if item.problem is None and item.record is not None]
    scored = _score_records(task, good)
    if len(good) == len(items):
        return scored
    each = iter(scored)
    return Results.of([next(each) if item.problem is None else unscored(task, item, item.problem) for item in items])


def _score_records(task: RecordScorer, records: list[dict[str, Any]]) -> Results:
    if not records:
        return Results.of([])
    try:
        return task.score_rows(records)
    except Exception:
        # Whatever a batch form stumbles over, the other records of the batch must not pay for it.
        return Results.of([_score_alone(task, record) for record in records])


def _score_alone(task: RecordScorer, record: Mapping[str, Any]) -> RecordResult:
    try:
        # The explainer of a single result is a closure, which can't travel between processes.
        return replace(task.score(record), explainer=None)
    except Exception as error:
        return unscored(task, Item(task.record_id(record), "", dict(record)), failure(error).reason or "")


def unscored(task: RecordScorer, item: Item, reason: str) -> RecordResult:
    """The result of an item that must not be scored; it stays in its groups where its record tells them."""
    attributes = task.attributes(item.record) if item.record is not None else {}
    # The spec's policy for failures holds for records that never reach a scorer, too.
    counts_zero = getattr(getattr(task, "spec", None), "on_error", "unscored") == "zero"
    outcome = Outcome(0.0 if counts_zero else None, "unscored", reason)
    return RecordResult(item.id, outcome, attributes=attributes)
