"""A single run: scores records, summarizes them, and optionally writes them to a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, Unpack

from scoring.compiler.tasks.task import CompiledTask
from scoring.data.rows.batch import Batch, split_at
from scoring.data.rows.report import InputReport
from scoring.engine.road.census import Census
from scoring.engine.road.evaluate import Lane, Options, Stretch, evaluate_lanes
from scoring.engine.road.summary import RunState
from scoring.outcomes import Results
from scoring.registry.effect import accounts

if TYPE_CHECKING:
    from scoring.engine.road.checkpoint import Checkpointer
    from scoring.engine.runs.folder import ScoreWriter

OnProgress: TypeAlias = Callable[[int], None]

TOGETHER = 32_768
"""Number of records that are summarized together: few enough to keep in memory, enough for arrays to be worthwhile."""


@dataclass(frozen=True, slots=True)
class RowRun:
    """A task's results on a data set, the summary of them, and the position of each record."""

    task: CompiledTask
    records: Results
    summary: Mapping[str, Any]
    places: Sequence[str] = field(default=(), repr=False)


@dataclass(slots=True)
class Scored:
    """The scored records of one lane.

    Args:
        task: The task that scores them.
        form: The form of the state: ``sums`` keeps it at constant size.
        keeps_values: Whether results keep parsed and compared values after the state is computed from them.
        state: The state from which the summary is computed.
        done: Number of records that were scored.
        places: Each record's position in the input, if results are kept.
        results: The results, if they are kept.
    """

    task: CompiledTask
    form: Literal["exact", "sums"] = "exact"
    keeps_values: bool = True
    state: RunState | None = None
    done: int = 0
    places: list[str] = field(default_factory=list)
    results: Results = field(default_factory=lambda: Results.of([]))
    _census: Census = Census({})
    _read: list[Mapping[str, Any]] = field(default_factory=list)
    _waiting: list[Results] = field(default_factory=list)
    _settled: int = 0
    _kept: list[Results] = field(default_factory=list)

    def lane(self, lane: Lane) -> Lane:
        """Return a lane (a task with its records) without the records that were scored before; those read of it are
        also kept in self until the state is updated, if metrics read records."""
        if self.done:
            lane = Lane(lane.task, split_at(lane.batches, self.done)[1], lane.label)
        if not reads_records(lane.task):
            return lane

        def kept() -> Iterator[Batch]:
            for batch in lane.batches:
                self._read += [record or {} for record in batch.records]
                yield batch

        return Lane(lane.task, kept(), lane.label)

    def add(self, stretch: Stretch, *, keep: bool) -> None:
        """Add the results of the next records, kept if `keep`; the state is updated after every `TOGETHER` records."""
        self._waiting.append(stretch.results)
        self._census = self._census.merge(stretch.census)
        self.done += len(stretch.places)
        if keep:
            self.places += stretch.places
            self._kept.append(stretch.results)
        if self.done - self._settled >= TOGETHER:
            self.settle()

    def settle(self) -> None:
        """Merge all added results into the state."""
        if not self._waiting and self.state is not None:
            return
        results = Results.join(self._waiting)
        found = RunState.of(self.task, results, self._read[: len(results)], self._census)
        self._census, self._settled = Census({}), self.done
        self.state = found if self.state is None else self.state.merge(found)
        self.state = self.state.reduced() if self.form == "sums" else self.state
        for waiting in self._waiting if not self.keeps_values else ():
            waiting.slim()
        self._waiting.clear()
        del self._read[: len(results)]

    def finished(self) -> Scored:
        """Settle the state, join the results that were kept, and return self."""
        self.settle()
        self.results, self._kept = Results.join(self._kept), []
        return self

    def summary(self, report: InputReport) -> dict[str, Any]:
        """Return the summary of the lane."""
        assert self.state is not None
        return self.state.summary(self.task, report)


class Driven(TypedDict, total=False):
    """The keyword arguments of `score_lanes`.

    Args:
        options: Options such as processes and batches; none of them affects the scores.
        writer: Receives each record as it is scored.
        on_progress: Called now and then with the number of records done.
        keeper: Saves checkpoints of the run and restores previous ones; for runs that keep no results.
    """

    options: Options | None
    writer: ScoreWriter | None
    on_progress: OnProgress | None
    keeper: Checkpointer | None


def score_lanes(lanes: Sequence[Lane], **how: Unpack[Driven]) -> list[Scored]:
    """Score the records of every lane and return the scored lanes.

    Raises:
        InputError: when the input differs from that of the interrupted run that is resumed.
    """
    options = how.get("options") or Options()
    writer, on_progress, keeper = how.get("writer"), how.get("on_progress"), how.get("keeper")
    found = [Scored(lane.task, options.state, options.keep == "values") for lane in lanes]
    if keeper is not None:
        for one, standing in zip(found, keeper.standing([lane.task for lane in lanes]), strict=True):
            one.done, one.state = standing
    done = sum(one.done for one in found)
    for stretch in evaluate_lanes([one.lane(lane) for one, lane in zip(found, lanes, strict=True)], options):
        if writer is not None and stretch.lines is not None:
            writer.write(stretch.lines)
        found[stretch.lane].add(stretch, keep=options.keep != "nothing")
        done += len(stretch.places)
        if on_progress is not None:
            on_progress(done)
        if keeper is not None and keeper.is_due():
            for one in found:
                one.settle()
            keeper.keep([(one.done, one.state) for one in found])
    return [one.finished() for one in found]


def run_batches(
    task: CompiledTask, batches: Iterable[Batch], *, report: InputReport | None = None, **how: Unpack[Driven]
) -> RowRun:
    """Score records and return the run with its summary."""
    used = accounts(task.parts.recipe.uses)
    (scored,) = score_lanes([Lane(task, batches)], **how)
    return RowRun(task, scored.results, {**scored.summary(report or InputReport()), **used()}, scored.places)


def reads_records(task: CompiledTask) -> bool:
    """Return whether a metric may read the records themselves, which must then be kept in memory."""
    return any(metric.reads_records for metric in task.metrics)
