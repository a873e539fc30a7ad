"""The main loop of every run: takes items of one or many tasks and gives columns of results, in order, in one process
or many.

The valid records of a batch are scored together, invalid ones are marked, and one bad record never affects the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Any, Literal, TypeAlias, TypeVar

from scoring.compiler.programs.columns import TooMuchAtOnce, in_parts
from scoring.compiler.programs.failures import failure
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.normalize import without_nulls
from scoring.data.rows.join import Item
from scoring.data.rows.memory import shape_of
from scoring.data.rows.report import InputReport
from scoring.engine.road.census import Census
from scoring.engine.road.summary import columns_read, reads_compared
from scoring.outcomes import Results
from scoring.result import Outcome, RecordResult

T = TypeVar("T")

BATCH_SIZE = 512
_TOGETHER = 16 << 20
"""Approximate limit on the characters of the records that are scored together; a single record may be longer."""
_WEIGHED = 16
"""Only one record in this many is measured, since measuring every one would take time."""
DIED = "the process died while it scored this record"

Keep: TypeAlias = Literal["values", "columns", "nothing"]

LaneItem: TypeAlias = tuple[int, Item]
"""An item with the number of its lane."""

Packed: TypeAlias = tuple[int, Any, str, Any, str | None]
"""A `LaneItem` as plain values, to send between processes: a class with slots is slow to pickle."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options for how a run is carried out; none of them affects the scores.

    Args:
        processes: Number of processes that score.
        batch_size: Number of records that are scored together.
        lines: Whether to also write each record as a line of JSON, in the process that scored it.
        keep: The parts of the results to keep: ``values`` (including parsed and compared values), ``columns`` (ids,
            outcomes and attributes only), or ``nothing``, which suffices for figures and keeps memory constant.
        state: The state that figures keep: ``exact`` counts all distinct units; ``sums`` has constant size and, where
            more units differ than fit into it, computes intervals from sums of squares.
        threads: Number of records that are scored concurrently; for tasks that wait for a judge, which then run record
            by record in this one process.
    """

    processes: int = 1
    batch_size: int = BATCH_SIZE
    lines: bool = False
    keep: Keep = "values"
    state: Literal["exact", "sums"] = "exact"
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Lane:
    """A task and the items that it scores: a row task is one lane, a suite has one for each of its tasks.

    The items are read lazily; ``label`` is the task's name in the lines written, None if there is only one task.
    """

    task: CompiledTask
    items: Iterable[Item]
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """The results of some consecutive records of one lane, with the lane's number and each record's position."""

    lane: int
    places: list[str]
    results: Results
    lines: list[str] | None = None
    census: Census = Census({})


def evaluate_lanes(lanes: Sequence[Lane], options: Options) -> Iterator[Stretch]:
    """Score the items of every lane and yield the results in stretches, in the order of lanes and items.

    Raises:
        RuntimeError: when several processes are requested, a task can't be pickled, and the system can't fork.
    """
    placed = ((number, item) for number, lane in enumerate(lanes) for item in lane.items)
    work = _Work([replace(lane, items=()) for lane in lanes], options)
    if options.threads > 1:
        from scoring.engine.road.threads import in_threads, weight_of

        # Several records concurrently, each separately: the threads wait for a judge, they do not compute.
        alone = in_threads(
            lambda one: work.scored([one]), placed, options.threads, weight=lambda one: weight_of(one[1].record)
        )
        yield from chain.from_iterable(alone)
        return
    parts = _light(placed, max(1, options.batch_size))
    head = list(islice(parts, 2)) if options.processes > 1 else []
    if len(head) < 2:  # one process, or so few records that starting another process takes longer than scoring them
        for part in chain(head, parts):
            yield from work.scored(part)
        return
    sent = ([(n, item.id, item.where, item.record, item.problem) for n, item in part] for part in chain(head, parts))

    from scoring.engine.road.pool import in_processes  # imported only here, since it imports everything for processes

    yield from chain.from_iterable(in_processes(work, sent, lost=work.lost, processes=options.processes))


@dataclass(frozen=True, slots=True)
class _Work:
    """The function that scores batches in each process; tasks are sent as bundles, and records as plain values."""

    lanes: Sequence[Lane]
    options: Options

    def __call__(self, packed: Sequence[Packed]) -> list[Stretch]:
        return self.scored([(number, Item(*rest)) for number, *rest in packed])

    def lost(self, packed: Sequence[Packed]) -> list[Stretch]:
        ((number, *rest),) = packed
        item = Item(*rest)
        return [self._stretch(number, [item], Results.of([unscored(self.lanes[number].task, item, DIED)]))]

    def scored(self, part: Sequence[LaneItem]) -> list[Stretch]:
        found = []
        for number, members in groupby(part, key=itemgetter(0)):
            score = partial(self._scored, number)
            found += in_parts(score, [item for _, item in members], score)
        return found

    def _scored(self, number: int, items: Sequence[Item]) -> Stretch:
        return self._stretch(number, items, score_items(self.lanes[number].task, items))

    def _stretch(self, number: int, items: Sequence[Item], results: Results) -> Stretch:
        places, lane = [item.where for item in items], self.lanes[number]
        if self.options.lines or self.options.keep != "nothing":
            results.read = columns_read(lane.task, results, [item.record or {} for item in items])
        lines = self._lines(places, results, lane) if self.options.lines else None
        census = Census.of(lane.task, results, items)
        keeps = self.options.keep == "values" or reads_compared(lane.task)
        return Stretch(number, places, results if keeps else results.slim(), lines, census)

    def _lines(self, places: Sequence[str], results: Results, lane: Lane) -> list[str]:
        from scoring.engine.runs.record_line import record_lines

        return record_lines(places, results, lane.label)


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of at most ``size`` items.

    Examples:
        >>> list(batches("abcde", 2))
        [['a', 'b'], ['c', 'd'], ['e']]
    """
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch


def _light(items: Iterable[LaneItem], size: int) -> Iterator[list[LaneItem]]:
    """Yield batches of at most ``size`` items, smaller if records are long, since each step creates new texts."""
    source, batch, weight = iter(items), list[LaneItem](), 0
    while some := list(islice(source, min(_WEIGHED, size - len(batch)))):
        batch += some
        weight += len(some) * _weight(some[0][1].record or {})
        if len(batch) == size or weight > _TOGETHER:
            yield batch
            batch, weight = [], 0
    if batch:
        yield batch


def _weight(record: Mapping[str, Any]) -> int:
    """Return the approximate number of characters of a record; a nested list or mapping counts by its length."""
    return sum(len(value) for value in record.values() if isinstance(value, str | list | dict))


def score_items(task: CompiledTask, items: Sequence[Item]) -> Results:
    """Return the result of each item, in order.

    Raises:
        TooMuchAtOnce: when fewer items must be scored together.
    """
    good = [item.record for item in items if item.problem is None and item.record is not None]
    try:
        scored = task.score_rows(good) if good else Results.of([])
    except Exception as error:
        if isinstance(error, TooMuchAtOnce) and len(items) > 1:
            raise
        # An error in a batch form must not affect the other records of the batch.
        scored = Results.of([_score_alone(task, record) for record in good])
    if len(good) == len(items):
        return scored
    each = iter(scored)
    return Results.of([next(each) if item.problem is None else unscored(task, item, item.problem) for item in items])


def _score_alone(task: CompiledTask, record: Mapping[str, Any]) -> RecordResult:
    try:
        # The explainer of a single result is a closure, which can't be pickled.
        return replace(task.score(record), explainer=None)
    except Exception as error:
        return unscored(task, Item(task.record_id(record), "", dict(record)), failure(error).reason or "")


def unscored(task: CompiledTask, item: Item, reason: str) -> RecordResult:
    """Return the unscored result of an item; if it has a record, the result keeps its attributes, and so its groups."""
    attributes = task.attributes(item.record) if item.record is not None else {}
    # The spec's policy for failures also applies to records that never reach a scorer.
    outcome = Outcome(task.parts.least.value if task.spec.on_error == "zero" else None, "unscored", reason)
    return RecordResult(item.id, outcome, attributes=attributes)


def counted_nulls(
    task: CompiledTask, sources: Iterable[Any], items: Iterable[Item], report: InputReport
) -> Iterable[Item]:
    """Return the items, and report those whose response or reference contains a null that may come from columnar data.

    This applies only if the spec states that null is a value: columns in ``sources`` also have nulls for missing
    values.
    """
    is_filled = any(shape_of(source) != "records" for source in sources)
    return _counted(task, items, report) if is_filled and task.spec.on_null == "value" else items


def _counted(task: CompiledTask, items: Iterable[Item], report: InputReport) -> Iterator[Item]:
    read = [(part, task.reader_of(part)) for part in ("response", "reference")]
    for item in items:
        for part, value in ((part, reader(item.record)) for part, reader in read if item.record is not None):
            if value is None or without_nulls(value) != value:
                report.add("column_nulls", f"{part} ({item.where})")
        yield item
