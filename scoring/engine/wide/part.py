"""A part of a run: some neighbouring rows of the input, scored by whoever reads them, as lines and one state.

A `PartScorer` is what every engine calls, local processes and clusters alike: a bundle and parts go out, plain data
comes back. States add up to the same bits as one process, in whatever order and wherever they were made.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from io import BytesIO
from typing import Any

from scoring.compiler.task import CompiledTask
from scoring.compiler.travel import task_from_bytes
from scoring.data.file import InputFile
from scoring.data.rows.join import Item, id_text, single
from scoring.data.rows.read import blocks_or_none
from scoring.data.rows.report import InputReport
from scoring.data.rows.row import InputError
from scoring.data.slice import Slice
from scoring.engine.road.evaluate import DIED, Lane, Options
from scoring.engine.road.nulls import counted_nulls
from scoring.engine.road.run import score_lanes
from scoring.engine.road.summary import RunState
from scoring.engine.runs.parquet_writer import ParquetWriter, joined
from scoring.outcomes import Results
from scoring.statistics.statistic import NotPortable

REPEATED = "repeated_ids"
UNCOMPARED = ("uncompared_ids", "--state sums")
"""What a run of constant memory tells of its ids."""


@dataclass(frozen=True, slots=True)
class PartDone:
    """A part that was scored, as plain data.

    Args:
        records: How many records it has.
        state: What the summary is made of, see `RunState.pack`.
        report: What was odd about its input, see `InputReport.to_json`; ids that repeat show when parts are joined.
        ids: A digest of 8 bytes for each record's id, 0 for one without; empty where the state is of constant size.
        lines: The records as lines of JSON, each with its line feed, or as a file of Parquet; empty where none were
            wanted.
    """

    records: int
    state: Mapping[str, Any]
    report: Mapping[str, Any] = field(default_factory=dict)
    ids: bytes = b""
    lines: bytes = b""


class _Lines:
    """Takes the lines of a part."""

    def __init__(self) -> None:
        self.held: list[bytes] = []

    def write(self, lines: Sequence[str]) -> None:
        """Some more lines."""
        self.held.append(("\n".join(lines) + "\n").encode() if lines else b"")

    def close(self) -> None:
        """Nothing is left to be written."""

    def content(self) -> bytes:
        """All of them."""
        return b"".join(self.held)


class _Columns:
    """Takes the lines of a part, as a file of Parquet."""

    def __init__(self) -> None:
        self._file = BytesIO()
        self._writer = ParquetWriter(self._file)
        self.write, self.close = self._writer.write, self._writer.close

    def content(self) -> bytes:
        """The whole file."""
        self.close()
        return self._file.getvalue()


@dataclass(frozen=True, slots=True)
class PartScorer:
    """Scores parts; all of it plain, so that it goes to any machine.

    Args:
        bundle: The task, see `scoring.compiler.travel`.
        options: Batches, the form of the state, whether lines are wanted.
        layout: What the records are written as, ``jsonl`` or ``parquet``.
    """

    bundle: bytes
    options: Options
    layout: str = "jsonl"

    def __call__(self, part: Slice) -> PartDone:
        """Score the rows of a part.

        Raises:
            InputError: when they can't be read, or the bundle means something else here.
        """
        return self._scored(part)

    def lost(self, part: Slice) -> PartDone:
        """The part of one record that kills whoever scores it: it has no score, and says why."""
        return self._scored(part, DIED)

    def merge(self, one: PartDone, other: PartDone) -> PartDone:
        """Two neighbouring parts as one; for the halves of a part that was taken apart."""
        task, report = self.task, InputReport()
        report.take(one.report)
        report.take(other.report)
        state = RunState.unpack(task, one.state).merge(RunState.unpack(task, other.state))
        return PartDone(
            one.records + other.records,
            (state.reduced() if self.options.state == "sums" else state).pack(),
            report.to_json(),
            one.ids + other.ids,
            joined([one.lines, other.lines]) if self._is_columns else one.lines + other.lines,
        )

    @property
    def task(self) -> CompiledTask:
        """The task, compiled once in each process."""
        return _task(self.bundle)

    @property
    def _is_columns(self) -> bool:
        return self.options.lines and self.layout == "parquet"

    def _scored(self, part: Slice, problem: str | None = None) -> PartDone:
        task, report, ids = self.task, InputReport(), array("Q")
        file = InputFile.of(part)
        file.columns = task.columns
        items: Iterable[Item] = single(blocks_or_none(file), task.record_id, report, compare_ids=False)
        items = counted_nulls(task, [file], items, report)
        if problem is not None:
            items = (item._replace(problem=item.problem or problem) for item in items)
        if self.options.state == "exact":
            items = _noted(items, ids)
        lines = _Columns() if self._is_columns else _Lines()
        options = replace(self.options, keep="nothing", processes=1)
        (scored,) = score_lanes([Lane(task, items)], options=options, writer=lines)
        assert scored.state is not None
        records = scored.state.whole.counts["records"]
        return PartDone(records, scored.state.pack(), report.to_json(), ids.tobytes(), lines.content())


def check_portable(task: CompiledTask, form: str) -> None:
    """Refuse parts of a task whose figures have no state of that form.

    Args:
        task: The task.
        form: ``exact`` or ``sums``.

    Raises:
        InputError: with the metric, and what to do instead.
    """
    empty = RunState.of(task, Results.of([]), []).whole
    for metric, figure in zip(task.metrics, empty.held, strict=True):
        try:
            figure.pack()
        except NotPortable as error:
            raise InputError(f"`{metric.text}` can't be scored in parts: {error}; score the data as a whole") from error
        if form == "sums" and figure.statistic.state != "sums":
            raise InputError(
                f"`{metric.text}` needs all its values, so its state does not stay small: use `--state exact`"
            )
    if form == "sums" and task.intervals.cluster is not None:
        name = task.intervals.cluster
        raise InputError(f"intervals by `{name}` draw whole clusters, of which sums know nothing: use `--state exact`")


@lru_cache(maxsize=4)
def _task(bundle: bytes) -> CompiledTask:
    return task_from_bytes(bundle)


def _noted(items: Iterable[Item], ids: array[int]) -> Iterator[Item]:
    """The items, with a digest of each id set aside."""
    for item in items:
        text = id_text(item.id)
        ids.append(0 if text is None else id_digest(text))
        yield item


def id_digest(text: str) -> int:
    """A number of 64 bits that stands for an id on every machine; never 0.

    Examples:
        >>> id_digest("q1") == id_digest("q1"), id_digest("q1") == id_digest("q2")
        (True, False)
    """
    held = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(held, "little") or 1
