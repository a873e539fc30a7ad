"""A run: records are scored, summed up, and written to a folder if requested."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, Unpack

from scoring.compiler.task import CompiledTask
from scoring.data.rows.join import Item
from scoring.data.rows.report import InputReport
from scoring.engine.road.census import Census
from scoring.engine.road.evaluate import Lane, Options, Stretch, evaluate
from scoring.engine.road.summary import RunState
from scoring.engine.runs.folder import ScoreWriter
from scoring.outcomes import Results
from scoring.registry.effect import accounts

if TYPE_CHECKING:
    from scoring.engine.road.checkpoint import Checkpointer

OnProgress: TypeAlias = Callable[[int], None]

TOGETHER = 32_768
"""The number of records that are summed up together: few enough for memory, enough for arrays to be faster."""


@dataclass(frozen=True, slots=True)
class RowRun:
    """The results of a task on a data set."""

    task: CompiledTask
    records: Results
    summary: Mapping[str, Any]
    places: Sequence[str] = field(default=(), repr=False)


@dataclass(slots=True)
class Scored:
    """The records of one lane, scored.

    Args:
        task: What scores them.
        form: Whether the state stays of constant size.
        keeps_values: Whether results keep what was parsed and compared, once the state is made of them.
        state: What the summary is made of.
        done: How many records were scored.
        places: Where each record stands in the input, where results are kept.
        results: The results, where they are kept.
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
    _kept: list[Results] = field(default_factory=list)

    def lane(self, lane: Lane) -> Lane:
        """Return the lane after its finished records, with its records kept if metrics read them."""
        if self.done:
            lane = Lane(lane.task, islice(lane.items, self.done, None), lane.label)
        if not reads_records(lane.task):
            return lane

        def kept() -> Iterator[Item]:
            for item in lane.items:
                self._read.append(item.record or {})
                yield item

        return Lane(lane.task, kept(), lane.label)

    def add(self, stretch: Stretch, *, keep: bool) -> None:
        """The next records; a state is made of some thousands at a time."""
        self._waiting.append(stretch.results)
        self._census = self._census.merge(stretch.census)
        self.done += len(stretch.places)
        if keep:
            self.places += stretch.places
            self._kept.append(stretch.results)
        if sum(map(len, self._waiting)) >= TOGETHER:
            self.settle()

    def settle(self) -> None:
        """Add the pending results to the state."""
        if not self._waiting and self.state is not None:
            return
        results = Results.join(self._waiting)
        found = RunState.of(self.task, results, self._read[: len(results)], self._census)
        self._census = Census({})
        self.state = found if self.state is None else self.state.merge(found)
        self.state = self.state.reduced() if self.form == "sums" else self.state
        for held in self._waiting if not self.keeps_values else ():
            held.slim()
        self._waiting.clear()
        del self._read[: len(results)]

    def finished(self) -> Scored:
        """Return the same with all of its records."""
        self.settle()
        self.results = Results.join(self._kept)
        self._kept.clear()
        return self

    def summary(self, report: InputReport) -> dict[str, Any]:
        """Return the summary of the lane."""
        assert self.state is not None
        return self.state.summary(self.task, report)


class Driven(TypedDict, total=False):
    """How lanes are scored; the argument of `score_lanes`.

    Args:
        options: Processes and batches; nothing that can change a number.
        writer: Gets each record as it is scored.
        on_progress: Told how many records are done, now and then.
        keeper: Keeps what stands of the run, and tells what stood before; for runs that keep no results.
    """

    options: Options | None
    writer: ScoreWriter | None
    on_progress: OnProgress | None
    keeper: Checkpointer | None


def score_lanes(lanes: Sequence[Lane], **how: Unpack[Driven]) -> list[Scored]:
    """Score the items of every lane.

    Raises:
        InputError: when the input is not that of the run that was stopped.
    """
    options = how.get("options") or Options()
    writer, on_progress, keeper = how.get("writer"), how.get("on_progress"), how.get("keeper")
    found = [Scored(lane.task, options.state, options.keep == "values") for lane in lanes]
    if keeper is not None:
        for one, standing in zip(found, keeper.standing([lane.task for lane in lanes]), strict=True):
            one.done, one.state = standing
    done = sum(one.done for one in found)
    for stretch in evaluate([one.lane(lane) for one, lane in zip(found, lanes, strict=True)], options):
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


def run_items(
    task: CompiledTask, items: Iterable[Item], *, report: InputReport | None = None, **how: Unpack[Driven]
) -> RowRun:
    """Score items and sum up."""
    used = accounts(task.parts.recipe.uses)
    (scored,) = score_lanes([Lane(task, items)], **how)
    return RowRun(task, scored.results, {**scored.summary(report or InputReport()), **used()}, scored.places)


def reads_records(task: CompiledTask) -> bool:
    """Tell whether a metric or a breakdown may read the records themselves, which must then be kept in memory."""
    return any(metric.reads_records for metric in task.metrics)
