"""Items in, results out, in order, the same in one process and in many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from scoring.data.rows.join import Item
from scoring.engine.road.batch import batches, score_items, unscored
from scoring.engine.road.packing import Packed, pack_item, pack_results, unpack_item, unpack_results
from scoring.engine.road.pool import Pool
from scoring.engine.road.protocol import CompiledTask
from scoring.engine.runs.record_line import Slimmer, record_line
from scoring.result import RecordResult

BATCH_SIZE = 512
DIED = "the process died while it scored this record"


@dataclass(frozen=True, slots=True)
class Options:
    """How to run; nothing here can change a number.

    Args:
        processes: How many processes score.
        batch_size: How many records are scored together.
        lines: Whether each record is also written out as a line of JSON, in the process that scored it.
        keep_values: Whether results keep what was parsed and compared; figures do not need it, people do.
        keep_records: Whether the records stay in memory, for metrics that read them.
        threads: How many records are under way at once; for tasks that wait for a judge, which then run in this one
            process, record by record.
    """

    processes: int = 1
    batch_size: int = BATCH_SIZE
    lines: bool = False
    keep_values: bool = True
    keep_records: bool = True
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One scored item."""

    where: str
    result: RecordResult
    line: str | None = None


def evaluate(task: CompiledTask, items: Iterable[Item], options: Options) -> Iterator[Evaluated]:
    """Score the items; results come in the order of the items.

    Raises:
        PoolError: when several processes are asked for where the system can't fork.
    """
    if options.threads > 1:
        yield from _in_threads(task, items, options)
        return
    parts = batches(items, max(1, options.batch_size))
    if options.processes <= 1:
        for part in parts:
            yield from _evaluated(part, score_items(task, part), options)
        return

    def work(packed: Sequence[Packed]) -> Packed:
        part = [unpack_item(one) for one in packed]
        return _packed(_evaluated(part, score_items(task, part), options))

    def lost(packed: Packed) -> Packed:
        item = unpack_item(packed)
        return _packed(_evaluated([item], [unscored(task, item, DIED)], options))

    sent = ([pack_item(item) for item in part] for part in parts)
    for places, results, lines in Pool(work, lost, options.processes).map(sent):
        for where, result, line in zip(places, unpack_results(results), lines, strict=True):
            yield Evaluated(where, result, line)


def _in_threads(task: CompiledTask, items: Iterable[Item], options: Options) -> Iterator[Evaluated]:
    """Several records at once, each on its own: the threads wait for a judge, they do not compute."""
    from scoring.judge.asking.concurrent import in_threads

    def work(item: Item) -> Evaluated:
        return _evaluated([item], score_items(task, [item]), options)[0]

    yield from in_threads(work, items, options.threads)


def _evaluated(part: Sequence[Item], results: Sequence[RecordResult], options: Options) -> list[Evaluated]:
    slimmer = None if options.keep_values else Slimmer()
    return [
        Evaluated(
            item.where,
            result if slimmer is None else slimmer.slim(result),
            record_line(item.where, result) if options.lines else None,
        )
        for item, result in zip(part, results, strict=True)
    ]


def _packed(part: Sequence[Evaluated]) -> Packed:
    return [one.where for one in part], pack_results([one.result for one in part]), [one.line for one in part]
