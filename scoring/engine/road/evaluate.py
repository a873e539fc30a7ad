"""The main loop of every run: takes records of one or many tasks and gives columns of results, in order, in one process
or many.

The valid records of a batch are scored together, invalid ones are marked, and one bad record never affects the others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from scoring.compiler.programs.columns import TooMuchAtOnce, in_parts
from scoring.compiler.programs.failures import failure
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.nulls import without_nulls
from scoring.data.rows.batch import Batch
from scoring.data.rows.memory import shape_of
from scoring.data.rows.report import InputReport
from scoring.engine.road.census import Census
from scoring.engine.road.summary import columns_read, reads_compared
from scoring.outcomes import Results
from scoring.registry.extension import service
from scoring.result import Outcome, RecordResult

BATCH_SIZE = 512
_TOGETHER = 16 << 20
"""Approximate limit on the characters of the records that are scored together; a single record may be longer."""
_WEIGHED = 16
"""Only one record in this many is measured, since measuring every one would take time."""
DIED = "the process died while it scored this record"

Keep: TypeAlias = Literal["values", "columns", "nothing"]
_Scored: TypeAlias = tuple[int, Batch, Results]
"""The number of a lane, some of its records, and their results."""


class Options(Struct, frozen=True):
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


class Lane(Struct, frozen=True):
    """A task and the records that it scores: a row task is one lane, a suite has one for each of its tasks.

    The batches are read lazily; ``label`` is the task's name in the lines written, None if there is only one task.
    """

    task: CompiledTask
    batches: Iterable[Batch]
    label: str | None = None


class Job(Struct, frozen=True):
    """Records that are scored together by one process: batches of some lanes, each with the number of its lane."""

    parts: Sequence[tuple[int, Batch]]

    def __len__(self) -> int:
        return sum(len(batch) for _, batch in self.parts)

    def halves(self) -> list[Job]:
        """Return the two halves of the job; an empty list if it has only one record."""
        middle = len(self) // 2
        first, rest, start = list[tuple[int, Batch]](), list[tuple[int, Batch]](), 0
        for number, batch in self.parts:
            cut = max(0, min(len(batch), middle - start))
            first += [(number, batch[:cut])] if cut else []
            rest += [(number, batch[cut:])] if cut < len(batch) else []
            start += len(batch)
        return [Job(first), Job(rest)] if middle else []


class Stretch(Struct, frozen=True):
    """The results of consecutive records of one lane, with the lane's number, each record's position in the input, and
    if requested each record's line to write."""

    lane: int
    places: list[str]
    results: Results
    lines: list[str] | None = None
    census: Census = Census({})


def evaluate_lanes(lanes: Sequence[Lane], options: Options) -> Iterator[Stretch]:
    """Score the records of every lane and yield the results in stretches, in the order of lanes and records.

    Raises:
        RuntimeError: when several processes are requested, a task can't be pickled, and the system can't fork.
    """
    work = _Work([replace(lane, batches=()) for lane in lanes], options)
    if options.threads > 1:
        # Several records concurrently, each separately: the threads wait for a judge, they do not compute.
        waiting = service("waiting-threads", "--judge-workers")
        alone: Iterator[list[_Scored]] = waiting.ready_in_threads(
            work.alone, _singles(lanes), options.threads, weight=lambda job: waiting.weight_of(job.parts[0][1].records)
        )
        yield from chain.from_iterable(map(work.together, alone))
        return
    jobs = _light(lanes, max(1, options.batch_size))
    head = list(islice(jobs, 2)) if options.processes > 1 else []
    if len(head) < 2:  # one process, or so few records that starting another process takes longer than scoring them
        for job in chain(head, jobs):
            yield from work(job)
        return

    from scoring.engine.road.pool import in_processes  # imported only here, since it imports everything for processes

    done = in_processes(work, chain(head, jobs), lost=work.lost, apart=Job.halves, processes=options.processes)
    yield from chain.from_iterable(done)


class _Work(Struct, frozen=True):
    """The function that scores jobs in each process; tasks are sent as bundles, and records as plain values."""

    lanes: Sequence[Lane]
    options: Options

    def __call__(self, job: Job) -> list[Stretch]:
        found = []
        for number, batch in job.parts:
            score = partial(self._scored, number)
            found += in_parts(score, batch, score)
        return found

    def alone(self, job: Job) -> _Scored:
        """Return the results of a job of one record, without what takes longer for each record than for many."""
        ((number, batch),) = job.parts
        return number, batch, score_batch(self.lanes[number].task, batch)

    def together(self, scored: Sequence[_Scored]) -> Iterator[Stretch]:
        """Yield the stretches of consecutive records that were scored each by itself."""
        for number, run in groupby(scored, key=itemgetter(0)):
            _, batches, results = zip(*run, strict=True)
            yield self._stretch(number, Batch.join(batches), Results.join(results))

    def lost(self, job: Job) -> list[Stretch]:
        ((number, batch),) = job.parts
        result = unscored(self.lanes[number].task, batch.ids[0], batch.records[0], DIED)
        return [self._stretch(number, batch, Results.of([result]))]

    def _scored(self, number: int, batch: Batch) -> Stretch:
        return self._stretch(number, batch, score_batch(self.lanes[number].task, batch))

    def _stretch(self, number: int, batch: Batch, results: Results) -> Stretch:
        lane = self.lanes[number]
        if self.options.lines or self.options.keep != "nothing":
            results.read = columns_read(lane.task, results, [record or {} for record in batch.records])
        lines = self._lines(batch.places, results, lane) if self.options.lines else None
        census = Census.of(lane.task, results, batch)
        keeps = self.options.keep == "values" or reads_compared(lane.task)
        return Stretch(number, batch.places, results if keeps else results.slim(), lines, census)

    def _lines(self, places: Sequence[str], results: Results, lane: Lane) -> list[str]:
        from scoring.engine.runs.record_line import record_lines

        return record_lines(places, results, lane.label)


def _singles(lanes: Sequence[Lane]) -> Iterator[Job]:
    """Yield a job for each record."""
    for number, lane in enumerate(lanes):
        for batch in lane.batches:
            yield from (Job([(number, batch[at : at + 1])]) for at in range(len(batch)))


def _light(lanes: Sequence[Lane], size: int) -> Iterator[Job]:
    """Yield jobs of at most ``size`` records, fewer if records are long, which limits the memory for scoring a job."""
    parts, room, weight = list[tuple[int, Batch]](), size, 0
    for number, lane in enumerate(lanes):
        for given in lane.batches:
            batch = given
            while batch:
                end, weight = _lightest(batch.records[:room], weight)
                parts.append((number, batch[:end]))
                batch, room = batch[end:], room - end
                if not room or weight > _TOGETHER:
                    yield _job(parts)
                    parts, room, weight = [], size, 0
    if parts:
        yield _job(parts)


def _job(parts: Sequence[tuple[int, Batch]]) -> Job:
    """Return a job of batches, given with the number of their lane; consecutive batches of one lane are joined."""
    runs = groupby(parts, key=itemgetter(0))
    return Job([(number, Batch.join([batch for _, batch in run])) for number, run in runs])


def _lightest(records: Sequence[Mapping[str, Any] | None], weight: int) -> tuple[int, int]:
    """Return how many of the records, in order, can be added to a job whose records have a total weight (characters) so
    far, at least one, and the job's new weight."""
    for start in range(0, len(records), _WEIGHED):
        some = min(_WEIGHED, len(records) - start)
        weight += some * _weight(records[start] or {})
        if weight > _TOGETHER:
            return start + some, weight
    return len(records), weight


def _weight(record: Mapping[str, Any]) -> int:
    """Return the approximate number of characters of a record; a nested list or mapping counts by its length."""
    return sum([len(value) for value in record.values() if isinstance(value, (str, list, dict))])


def score_batch(task: CompiledTask, batch: Batch) -> Results:
    """Return the result of each record, in order.

    Raises:
        TooMuchAtOnce: when fewer records must be scored together.
    """
    good = batch.whole()
    try:
        scored = task.score_rows(good) if good else Results.of([])
    except Exception as error:
        if isinstance(error, TooMuchAtOnce) and len(batch) > 1:
            raise
        # An error in a batch form must not affect the other records of the batch.
        scored = Results.of([_score_alone(task, record) for record in good])
    if not batch.problems:
        return scored
    each, problems = iter(scored), batch.problems
    return Results.of(
        [
            unscored(task, key, record, problems[at]) if at in problems else next(each)
            for at, (key, record) in enumerate(zip(batch.ids, batch.records, strict=True))
        ]
    )


def _score_alone(task: CompiledTask, record: Mapping[str, Any]) -> RecordResult:
    try:
        # The explainer of a single result is a closure, which can't be pickled.
        return dataclasses.replace(task.score(record), explainer=None)
    except Exception as error:
        return unscored(task, task.record_id(record), record, failure(error).reason or "")


def unscored(task: CompiledTask, key: Any, record: Mapping[str, Any] | None, reason: str) -> RecordResult:
    """Return the unscored result of a record with the id ``key``, with the record's attributes unless it is None."""
    attributes = task.attributes(record) if record is not None else {}
    # The spec's policy for failures also applies to records that never reach a scorer.
    outcome = Outcome(task.parts.least.value if task.spec.on_error == "zero" else None, "unscored", reason)
    return RecordResult(key, outcome, attributes=attributes)


def counted_nulls(
    task: CompiledTask, sources: Iterable[Any], batches: Iterable[Batch], report: InputReport
) -> Iterable[Batch]:
    """Return the batches unchanged, but report records whose response or reference contains a null as they are read.

    This is done only if the spec states that null is a value, and one of ``sources`` is a table with columns, in which
    null may also mean that a value is missing.
    """
    is_filled = any(shape_of(source) != "records" for source in sources)
    return _counted(task, batches, report) if is_filled and task.spec.on_null == "value" else batches


def _counted(task: CompiledTask, batches: Iterable[Batch], report: InputReport) -> Iterator[Batch]:
    read = [(part, task.reader_of(part)) for part in ("response", "reference")]
    for batch in batches:
        for where, record in zip(batch.places, batch.records, strict=True):
            for part, value in ((part, reader(record)) for part, reader in read if record is not None):
                if value is None or without_nulls(value) != value:
                    report.add("column_nulls", f"{part} ({where})")
        yield batch
