"""A part of a run: consecutive rows of the input, scored by any process, with its records as lines and one state.

A `PartScorer` is called by every engine, local processes and clusters alike: a bundle and parts are sent out, plain
data comes back. Merged states are bit for bit the same as those of one process, in any order of scoring and on any
machine; parts are merged in the order of their positions, and ids that occur in several of them are found.
"""

from __future__ import annotations

import dataclasses
import hashlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from scoring.compiler.tasks.serialize import task_from_bytes
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.file import InputFile
from scoring.data.rows.batch import Batch, id_text, single, split_at, stood_before
from scoring.data.rows.read import read_blocks
from scoring.data.rows.report import MAX_EXAMPLES, InputReport
from scoring.data.slice import Slice
from scoring.engine.road.drive import Driver, Workers
from scoring.engine.road.evaluate import DIED, Lane, Options, counted_nulls
from scoring.engine.road.pool import LocalWorkers
from scoring.engine.road.run import score_lanes
from scoring.engine.road.summary import RunState, state_of_none
from scoring.engine.runs.folder import LineWriter
from scoring.engine.runs.manifest import SealedFile
from scoring.errors import InputError
from scoring.extensions.wide.remote.engines import workers_of
from scoring.registry.extension import service
from scoring.statistics.statistic import NotPortable

REPEATED = "repeated_ids"
UNCOMPARED = ("uncompared_ids", "--state sums")
"""The entry in the input report of a run in constant memory, which can't compare ids."""


class PartDone(Struct, frozen=True):
    """The results of a scored part (slice of the data), as plain data.

    Args:
        records: The number of its records.
        state: The state from which the summary is made, see `RunState.pack`.
        report: The oddities of its input, see `InputReport.to_json`; repeated ids are found when parts are merged.
        ids: A digest of 8 bytes for each record's id, 0 for one without; empty if the state is of constant size.
        lines: The records as lines of JSON, each with its line feed, or as a Parquet file; empty if none were
            requested.
    """

    records: int
    state: Mapping[str, Any]
    report: Mapping[str, Any] = {}
    ids: bytes = b""
    lines: bytes = b""


class PartScorer(Struct, frozen=True):
    """A function object that scores a part (slice of the data), as plain data that can be sent to any machine: the
    serialized task (`bundle`), the options for scoring, and the layout of the records (``jsonl`` or ``parquet``)."""

    bundle: bytes
    options: Options
    layout: str = "jsonl"

    def lost(self, part: Slice) -> PartDone:
        """Return the result for a part of one record whose scoring crashes the process: the record is unscored for that
        reason."""
        return self(part, DIED)

    def merge(self, one: PartDone, other: PartDone) -> PartDone:
        """Return the results of two neighbouring parts as those of one part, when a part was split into halves."""
        task, report = self.task, InputReport()
        report.take(one.report)
        report.take(other.report)
        state = RunState.unpack(task, one.state).merge(RunState.unpack(task, other.state))
        return PartDone(
            one.records + other.records,
            (state.reduced() if self.options.state == "sums" else state).pack(),
            report.to_json(),
            one.ids + other.ids,
            parquet_scores().concatenate_files([one.lines, other.lines])
            if self._is_columns
            else one.lines + other.lines,
        )

    @property
    def task(self) -> CompiledTask:
        """The task that is scored, compiled once in each process."""
        return _task(self.bundle)

    @property
    def _is_columns(self) -> bool:
        return self.options.lines and self.layout == "parquet"

    def __call__(self, part: Slice, problem: str | None = None) -> PartDone:
        """Score the rows of a part, and return the results; if `problem` is given, mark all records as unscored for
        this reason instead.

        Raises:
            InputError: when the rows can't be read, or this installation compiles the task to other scoring rules.
        """
        task, report, ids = self.task, InputReport(), array("Q")
        file = InputFile.of(part)
        file.columns = task.columns
        blocks = read_blocks(file, may_be_empty=True)
        batches: Iterable[Batch] = single(blocks, task.record_ids, report, compare_ids=False)
        batches = counted_nulls(task, [file], batches, report)
        if problem is not None:
            batches = (
                replace(batch, problems={**dict.fromkeys(range(len(batch)), problem), **batch.problems})
                for batch in batches
            )
        if self.options.state == "exact":
            batches = _noted(batches, ids)
        buffer = BytesIO()
        writer = parquet_scores().ParquetWriter(buffer) if self._is_columns else LineWriter(SealedFile(buffer, ""))
        options = replace(self.options, keep="nothing", processes=1)
        (scored,) = score_lanes([Lane(task, batches)], options=options, writer=writer)
        if self._is_columns:  # a Parquet file is complete only when closed
            writer.close()
        assert scored.state is not None
        records = scored.state.whole.counts["records"]
        return PartDone(records, scored.state.pack(), report.to_json(), ids.tobytes(), buffer.getvalue())


def parquet_scores() -> Any:
    """Return the service, provided by an extension, that writes and reads scores as Parquet.

    Raises:
        InputError: when there is none.
    """
    return service("parquet-scores", "--scores parquet")


def check_portable(task: CompiledTask, form: str) -> None:
    """Check that a task can be scored in parts: each of its metrics must have a state (what is kept of a part's data)
    of the given form.

    Args:
        task: The task.
        form: ``exact``, or ``sums`` for states of constant size.

    Raises:
        InputError: when the task can't be scored in parts; the message names the metric, and what to do.
    """
    empty = state_of_none(task)
    for metric, figure in zip(task.metrics, empty.figures, strict=True):
        try:
            figure.pack()
        except NotPortable as error:
            raise InputError(f"`{metric.text}` can't be scored in parts: {error}; score the data as a whole") from error
        if form == "sums" and figure.statistic.state != "sums":
            raise InputError(
                f"`{metric.text}` needs all its values, so its state does not stay small: use `--state exact`"
            )
    how = task.intervals
    for name, how_drawn in ((how.cluster, "draw whole clusters"), (how.strata, "draw within strata")):
        if form == "sums" and name is not None:
            raise InputError(f"intervals by `{name}` {how_drawn}, which sums do not support: use `--state exact`")


_task = lru_cache(maxsize=4)(task_from_bytes)


def _noted(batches: Iterable[Batch], ids: array[int]) -> Iterator[Batch]:
    """Yield batches unchanged, and append a digest of the id of each record to `ids`, 0 for one without id."""
    for batch in batches:
        ids.extend(0 if text is None else id_digest(text) for text in map(id_text, batch.ids))
        yield batch


def id_digest(text: str) -> int:
    """Return a 64-bit number that identifies an id on every machine; never 0.

    Examples:
        >>> id_digest("q1") == id_digest("q1"), id_digest("q1") == id_digest("q2")
        (True, False)
    """
    hashed = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(hashed, "little") or 1


# ---- merged parts

NameOf = Callable[[int, int], tuple[Any, str]]
"""Returns the id and the location in the input of a record, from its part's position and its index in the part."""


@dataclass
class Joined:
    """The merged results of the parts of a run that were added so far, in the order of their positions; `is_small`
    means that their states have constant size, `name_of` returns the id and location of a record for messages."""

    task: CompiledTask
    is_small: bool
    name_of: NameOf
    report: InputReport = field(default_factory=InputReport)
    _state: RunState | None = None
    _runs: list[Any] = field(default_factory=list)

    def add(self, place: int, done: PartDone) -> None:
        """Add the results `done` of the next part, which has the position `place`.

        Raises:
            InputError: when its state is not one of this task.
        """
        try:
            state = RunState.unpack(self.task, done.state)
            state = state if self._state is None else self._state.merge(state)
            self._state = state.reduced() if self.is_small else state
            self.report.take(done.report)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InputError(f"part {place + 1} has no state of this task; score it again") from error
        for number, position in enumerate(self._repeated(done.ids)):
            if number >= MAX_EXAMPLES:
                self.report.add(REPEATED, "")  # only counted; there are enough examples
                continue
            name, where = self.name_of(place, position)
            self.report.add(REPEATED, f"{id_text(name)} ({where})")

    def summary(self) -> dict[str, Any]:
        """Return the summary of the run over all parts that were added."""
        assert self._state is not None, "a run has a part"
        if self.is_small:
            self.report.add(*UNCOMPARED)
        return self._state.summary(self.task, self.report)

    def _repeated(self, ids: bytes) -> list[int]:
        """Return the indices of the records of a part whose id occurred before, in this part or in an earlier one;
        remember the ids for the next call.

        Args:
            ids: The digests of the ids, 8 bytes each.
        """
        own = np.frombuffer(ids, dtype="<u8")
        if not len(own):
            return []
        order = np.argsort(own, kind="stable")
        ordered = own[order]
        again = np.concatenate([[False], ordered[1:] == ordered[:-1]]) | stood_before(self._runs, ordered)
        again &= ordered != 0
        self._runs.append(ordered)
        while len(self._runs) > 1 and len(self._runs[-2]) <= 2 * len(self._runs[-1]):
            self._runs[-2:] = [np.sort(np.concatenate(self._runs[-2:]))]
        return sorted(order[again].tolist())


def workers_for(scorer: PartScorer, engine: str, processes: int) -> AbstractContextManager[Workers | None]:
    """Return a context manager of the workers that score the parts of a run; it yields None if this process scores
    them.

    With one process, an engine other than local uses as many workers as it has room for.

    Args:
        scorer: The scorer of the parts.
        engine: ``local``, ``ray`` or ``spark``.
        processes: The number of workers.

    Raises:
        InputError: when there is no such engine, or its library is missing.
    """
    if engine != "local":
        return workers_of(engine, processes if processes > 1 else None)
    return closing(LocalWorkers(scorer, processes)) if processes > 1 else nullcontext()


def scored_parts(
    scorer: PartScorer, parts: Iterable[tuple[int, Slice]], workers: Workers | None = None
) -> Iterator[tuple[int, PartDone]]:
    """Score parts, in this process or by workers, and yield their results.

    Args:
        scorer: The scorer of the parts.
        parts: The rows of each part with its position.
        workers: The workers, this process by default; if one dies, its parts are scored again.

    Yields:
        The positions in the order of completion, and the scored parts.
    """
    if workers is None:
        for position, part in parts:
            yield position, scorer(part)
        return
    positions: list[int] = []

    def slices() -> Iterator[Slice]:
        for position, part in parts:
            positions.append(position)
            yield part

    for number, done in Driver(workers, scorer, _split_part, scorer.lost, scorer.merge).results(slices()):
        yield positions[number], done


def _split_part(part: Slice) -> list[Slice]:
    """Return the two halves of a part whose scoring ended the process, to be scored separately; [] if it has only one
    row."""
    rows = sum(map(len, read_blocks(InputFile.of(part), may_be_empty=True)))
    return list(halves_of_part(part, rows)) if rows > 1 else []


def halves_of_part(part: Slice, rows: int) -> tuple[Slice, Slice]:
    """Return the two halves of a part that has the given number of rows.

    Examples:
        >>> [(half.skip, half.take) for half in halves_of_part(Slice("a.jsonl", "jsonl", skip=4), 5)]
        [(4, 2), (6, 3)]
    """
    middle = rows // 2
    return dataclasses.replace(part, take=middle), dataclasses.replace(
        part, skip=part.skip + middle, take=rows - middle
    )


def name_in(task: CompiledTask, part: Slice, position: int) -> tuple[Any, str]:
    """Return the id of the record with the index `position` in a part, and its location in the input in words, after
    reading the part again."""
    batches = single(read_blocks(InputFile.of(part), may_be_empty=True), task.record_ids, InputReport())
    found, _ = split_at(split_at(batches, position)[1], 1)
    return found.ids[0], found.places[0]
