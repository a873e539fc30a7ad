"""The loop of every run: items of one task or of many in, columns of results out, in order, in one process or many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby, islice
from operator import add
from typing import Any, Literal, TypeAlias

from scoring.data.rows.join import Item
from scoring.engine.road.batch import batches, score_items, unscored
from scoring.engine.road.protocol import RecordScorer
from scoring.engine.road.summary import reads_compared
from scoring.engine.runs.record_line import record_lines
from scoring.late import dataclass
from scoring.outcomes import Results

BATCH_SIZE = 512
DIED = "the process died while it scored this record"

Keep: TypeAlias = Literal["values", "columns", "nothing"]

LaneItem: TypeAlias = tuple[int, Item]
"""An item with the number of its lane."""

Packed: TypeAlias = tuple[int, Any, str, Any, str | None]
"""The same as plain values for the way between processes: a class with slots is pickled attribute by attribute."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to run; nothing here can change a number.

    Args:
        processes: How many processes score.
        batch_size: How many records are scored together.
        lines: Whether each record is also written out as a line of JSON, in the process that scored it.
        keep: What is kept of results: their ``values`` (what was parsed and compared), their ``columns`` alone (ids,
            outcomes, attributes), or ``nothing``, which figures do not need, and then memory does not grow.
        state: What the figures keep: ``exact`` counts all different units, ``sums`` stays of constant size, and where
            more units differ than that allows, intervals come from sums of squares.
        threads: How many records are under way at once; for tasks that wait for a judge, which then run in this one
            process, record by record.
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

    Args:
        task: What scores.
        items: The records, read as they are needed.
        label: What lines call the task, None where there is no other.
    """

    task: RecordScorer
    items: Iterable[Item]
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some neighbouring records of one lane, scored."""

    lane: int
    places: list[str]
    results: Results
    lines: list[str] | None = None


def evaluate(lanes: Sequence[Lane], options: Options) -> Iterator[Stretch]:
    """Score the items of every lane; stretches come in the order of lanes and items.

    Raises:
        RuntimeError: when several processes are asked for, a task can't be pickled, and the system can't fork.
    """
    placed = ((number, item) for number, lane in enumerate(lanes) for item in lane.items)
    if options.threads > 1:
        from scoring.judge.asking.concurrent import in_threads, weight_of

        def alone(one: LaneItem) -> list[Stretch]:
            return _scored(lanes, [one], options)

        def weight(one: LaneItem) -> int:
            return weight_of(one[1].record)

        # Several records at once, each on its own: the threads wait for a judge, they do not compute.
        for stretches in in_threads(alone, placed, options.threads, weight=weight):
            yield from stretches
        return
    parts = batches(placed, max(1, options.batch_size))
    head = list(islice(parts, 2)) if options.processes > 1 else []
    if len(head) < 2:  # one process, or so few records that starting another takes longer than scoring them
        for part in chain(head, parts):
            yield from _scored(lanes, part, options)
        return
    sent = ([(n, item.id, item.where, item.record, item.problem) for n, item in part] for part in chain(head, parts))

    from scoring.engine.road.pool import halves, in_processes  # and with it all that talks to processes

    work = _Work([replace(lane, items=()) for lane in lanes], options)
    how: dict[str, Any] = {"apart": halves, "lost": work.lost, "merge": add, "processes": options.processes}
    yield from chain.from_iterable(in_processes(work, sent, **how))


@dataclass(frozen=True, slots=True)
class _Work:
    """What the processes of a pool do: a task goes to them as its bundle, records as plain values."""

    lanes: Sequence[Lane]
    options: Options

    def __call__(self, packed: Sequence[Packed]) -> list[Stretch]:
        return _scored(self.lanes, [(number, Item(*rest)) for number, *rest in packed], self.options)

    def lost(self, packed: Sequence[Packed]) -> list[Stretch]:
        ((number, *rest),) = packed
        item = Item(*rest)
        results = Results.of([unscored(self.lanes[number].task, item, DIED)])
        return [_stretch(self.lanes, number, [item], results, self.options)]


def _scored(lanes: Sequence[Lane], part: Sequence[LaneItem], options: Options) -> list[Stretch]:
    found = []
    for number, members in groupby(part, key=_lane):
        items = [item for _, item in members]
        found.append(_stretch(lanes, number, items, score_items(lanes[number].task, items), options))
    return found


def _lane(placed: LaneItem) -> int:
    return placed[0]


def _stretch(lanes: Sequence[Lane], number: int, items: Sequence[Item], results: Results, options: Options) -> Stretch:
    places = [item.where for item in items]
    lines = record_lines(places, results, lanes[number].label) if options.lines else None
    keeps = options.keep == "values" or reads_compared(lanes[number].task)
    return Stretch(number, places, results if keeps else results.slim(), lines)
