"""Records in memory, and specs that score them one by one: a task, or the tasks of a suite."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from msgspec import Struct

from scoring.compiler.tasks.task import CompiledTask
from scoring.data.rows.batch import Batch, id_text
from scoring.data.rows.report import InputReport
from scoring.engine.road.evaluate import Lane, Options, evaluate_lanes
from scoring.engine.road.run import Scored
from scoring.errors import InputError
from scoring.extensions.studio.boards import BoardSet, ScoreBoard, first_places
from scoring.extensions.studio.pictures import pictures_of
from scoring.extensions.studio.stories import compared_trees, story_tree
from scoring.extensions.tracing.limits import within_limits
from scoring.outcomes import Outcomes, Results
from scoring.report.document import Tree


class HeldRecords(Struct, frozen=True, dict=True):
    """The records of a file, in memory, as a task reads them.

    Args:
        batch: All of them.
        report: What was odd about them when they were read.
        folder: The folder of the file, below which the pictures are that a record names.
    """

    batch: Batch
    report: InputReport
    folder: Path = Path()

    noun: ClassVar[str] = "record"
    is_whole: ClassVar[bool] = False

    def __len__(self) -> int:
        return len(self.batch)

    @property
    def records(self) -> Sequence[Mapping[str, Any] | None]:
        """The records as they were read, None in place of one that could not be."""
        return self.batch.records

    @cached_property
    def ids(self) -> list[str]:
        """The id of each as text; its place in the file where it has none."""
        batch = self.batch
        return [id_text(key) or place for key, place in zip(batch.ids, batch.places, strict=True)]

    @cached_property
    def place_of(self) -> Mapping[str, int]:
        """The position of each by its id, of which the first counts."""
        return first_places(self.ids)

    def pieces(self, size: int) -> Iterator[Batch]:
        """Yield the records in batches of a size."""
        for start in range(0, len(self.batch), size):
            yield self.batch[start : start + size]

    def about(self, task: CompiledTask, at: int) -> Any:
        """Return the response of a record, "" if that could not be read."""
        record = self.batch.records[at]
        return task.parts.reader.response(record) if record is not None else ""

    def abouts(self, task: CompiledTask) -> Iterator[Any]:
        """Yield the response of each record."""
        read = task.parts.reader.response
        return (read(record) if record is not None else "" for record in self.batch.records)

    def story(self, task: CompiledTask, at: int, full: bool) -> Tree:
        """Return the tree of a record's way through the stages.

        Raises:
            InputError: when it can't be scored.
        """
        record = self.batch.records[at]
        if record is None or at in self.batch.problems:
            raise InputError(f"this record can't be scored: {self.batch.problems.get(at)}")
        with within_limits(full):
            return story_tree(task.explain(record), full=full)

    def told(self, now: Tree, before: Tree | None) -> dict[str, Any]:
        """Return a story as plain data, with what differs from the one before."""
        return compared_trees(now, before)

    def pictures(self, at: int) -> list[dict[str, str]]:
        """Return the pictures that a record names."""
        return pictures_of(self.batch.records[at] or {}, self.folder)


class LanesInProgress:
    """Tasks whose records are being scored, a stretch at a time, as a run does it.

    Args:
        name: What the board set is called.
        kind: ``rows`` or ``suite``.
        lanes: Each task with its records, by its name; one task alone is called "".
        version: The number of the text.
        meaning: What was compiled.
        joined: Returns the figures over the tasks from the summary of each, by its name; None for one task alone.
        known: The boards of tasks that were scored before, by their names, as they would be scored now.
    """

    SIZE = 256
    """The records that are scored together: so few that a step is short, so many that it costs little more."""
    SOON = 0.6
    """The seconds of scoring after which what is done so far is shown, and again after as many."""
    SHARE = 10
    """The seconds of scoring, for each second that showing takes, before what is done is shown again."""

    def __init__(
        self,
        name: str,
        kind: str,
        lanes: Mapping[str, tuple[CompiledTask, HeldRecords]],
        version: int,
        meaning: Any,
        joined: Callable[[Mapping[str, Mapping[str, Any]]], Mapping[str, Any]] | None = None,
        known: Mapping[str, ScoreBoard] | None = None,
    ) -> None:
        self.name, self.kind, self.lanes, self.version, self.meaning = name, kind, lanes, version, meaning
        self._joined, self._known = joined, known or {}
        self._names = [one for one in lanes if one not in self._known]
        self._scored = [Scored(lanes[one][0], keeps_values=False) for one in self._names]
        pieces = [Lane(lanes[one][0], lanes[one][1].pieces(self.SIZE)) for one in self._names]
        opened = [one.lane(lane) for one, lane in zip(self._scored, pieces, strict=True)]
        self._stretches = evaluate_lanes(opened, Options(keep="columns", batch_size=self.SIZE))
        self._parts: list[list[Results]] = [[] for _ in self._names]
        self._summaries: dict[str, Mapping[str, Any]] = {}
        self._summary: Mapping[str, Any] = {}
        self._all = sum(len(held) for _, held in lanes.values())
        self.is_complete = False
        self.seconds = 0.0
        self._due = self.SOON

    standing_still: ClassVar[float] = 0.0

    @property
    def done(self) -> int:
        """The number of records that are scored."""
        return sum(map(len, self._known.values())) + sum(one.done for one in self._scored)

    def progress(self) -> dict[str, Any]:
        """Return how many records are done, of how many."""
        return {"done": self.done, "of": self._all}

    def give_up(self) -> None:
        """Do nothing: what is not asked to go on has stopped."""

    def step(self, seconds: float) -> None:
        """Score records for some time, at least one stretch; then make the figures, task by task."""
        began = time.monotonic()
        while not self.is_complete:
            stretch = next(self._stretches, None)
            if stretch is not None:
                self._parts[stretch.lane].append(stretch.results)
                self._scored[stretch.lane].add(stretch, keep=False)
            else:
                self._finish_one()
            if time.monotonic() - began > seconds:
                break
        self.seconds += time.monotonic() - began

    def _finish_one(self) -> None:
        """Make the figures of the next task, or those over all."""
        place = len(self._summaries)
        if place < len(self._scored):
            name = self._names[place]
            _, held = self.lanes[name]
            self._scored[place].settle()
            self._summaries[name] = self._scored[place].summary(copy.deepcopy(held.report))
        if len(self._summaries) == len(self._scored):
            of_tasks = {**{name: one.summary for name, one in self._known.items()}, **self._summaries}
            self._summary = {} if self._joined is None else self._joined({name: of_tasks[name] for name in self.lanes})
            self.is_complete = True

    def is_due(self) -> bool:
        """Return whether what is done so far should be shown."""
        return self.done > 0 and self.seconds >= self._due

    def boards(self) -> BoardSet:
        """Return what is scored so far; with its figures if that is all."""
        began = time.monotonic()
        made = {name: self._board(place, name, *self.lanes[name]) for place, name in enumerate(self._names)}
        found = {name: made[name] if name in made else self._known[name] for name in self.lanes}
        self._due = self.seconds + max(self.SOON, self.SHARE * (time.monotonic() - began))
        return BoardSet(self.name, found, self.version, self.kind, self.is_complete, self.meaning, self._summary)

    def _board(self, place: int, name: str, task: CompiledTask, held: HeldRecords) -> ScoreBoard:
        results = Results.join(self._parts[place])
        self._parts[place] = [results]
        outcomes, size = results.outcomes, len(results)
        fields = {key: _filled(column.outcomes, size) for key, column in results.fields.items()}
        reasons = {at: one.reason for at, one in outcomes.odd.items() if one.reason}
        reasons |= {at: why for at, why in results.unparsed.items() if at not in reasons}
        return ScoreBoard(
            name,
            held,
            np.array(outcomes.values, dtype=np.float64),
            np.frombuffer(bytes(outcomes.statuses), dtype=np.uint8),
            np.frombuffer(bytes(results.passed), dtype=np.uint8),
            fields,
            reasons,
            self._summaries[name] if self.is_complete else {},
            task,
        )


def _filled(outcomes: Outcomes, size: int) -> Any:
    found = np.full(size, np.nan)
    found[: len(outcomes)] = np.array(outcomes.values, dtype=np.float64)
    return found
