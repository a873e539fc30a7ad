"""The scores of held records by one spec, as columns that can be sorted, filtered, counted and compared."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from msgspec import Struct

from scoring.compiler.tasks.task import CompiledTask
from scoring.data.rows.batch import Batch, id_text
from scoring.data.rows.report import InputReport
from scoring.engine.road.evaluate import Lane, Options, Stretch, evaluate_lanes
from scoring.engine.road.run import Scored
from scoring.outcomes import CODES, Outcomes, Results

NO_STATUS = 255


class HeldRecords(Struct, frozen=True, dict=True):
    """The records of a file, in memory, as a task reads them.

    Args:
        batch: All of them.
        report: What was odd about them when they were read.
    """

    batch: Batch
    report: InputReport

    def __len__(self) -> int:
        return len(self.batch)

    @cached_property
    def ids(self) -> list[str]:
        """The id of each as text; its place in the file where it has none."""
        batch = self.batch
        return [id_text(key) or place for key, place in zip(batch.ids, batch.places, strict=True)]

    @cached_property
    def place_of(self) -> Mapping[str, int]:
        """The position of each by its id, of which the first counts."""
        return {key: at for at, key in reversed(list(enumerate(self.ids)))}

    def pieces(self, size: int) -> Iterator[Batch]:
        """Yield the records in batches of a size."""
        for start in range(0, len(self.batch), size):
            yield self.batch[start : start + size]


@dataclass
class ScoreBoard:
    """The results of one spec for the held records.

    Args:
        name: What it is called on the page.
        held: The records.
        scores: The score of each, NaN where there is none.
        statuses: The code of the outcome of each, `NO_STATUS` where it is not known.
        passed: 1 where a record passed, 0 where it failed, any other number where neither can be said.
        fields: The scores of each field.
        reasons: Why a record has no score, or a remark, by its position.
        summary: The figures, empty while not all are scored.
        task: The task that scored them; None where it can't be had any more.
        version: The number of the text.
    """

    name: str
    held: HeldRecords
    scores: Any
    statuses: Any
    passed: Any
    fields: Mapping[str, Any]
    reasons: Mapping[int, str]
    summary: Mapping[str, Any] = field(default_factory=dict)
    task: CompiledTask | None = None
    version: int = 0

    def __len__(self) -> int:
        return len(self.scores)

    @cached_property
    def texts(self) -> list[str]:
        """The id and the response of each record in lower case, in which the page searches."""
        task = self.task
        assert task is not None
        found = []
        for key, record in zip(self.held.ids, self.held.batch.records, strict=True):
            response = task.parts.reader.response(record) if record is not None else ""
            text = response if isinstance(response, str) else repr(response)
            found.append(f"{key}\n{text}".lower())
        return found

    def places_in(self, other: ScoreBoard) -> Any:
        """Return the position of each record among those of another board, -1 where it is not there."""
        if other.held is self.held or other.held.ids == self.held.ids:
            places = np.arange(len(self))
            return np.where(places < len(other), places, -1)
        place_of, most = other.held.place_of, len(other)
        found = np.array([place_of.get(key, -1) for key in self.held.ids[: len(self)]], dtype=np.int64)
        return np.where(found < most, found, -1)


class Movement(Struct, frozen=True):
    """The changes of the records of a board since another one.

    Args:
        places: The position of each record in the other board, -1 where it is not there.
        before: The score that each had there.
        change: The change of each score, NaN where one of the two is missing.
        moved: Whether the score or the outcome differs.
    """

    places: Any
    before: Any
    change: Any
    moved: Any

    @classmethod
    def between(cls, old: ScoreBoard, new: ScoreBoard) -> Movement:
        """Return how the records moved."""
        places = new.places_in(old)
        is_there = places >= 0
        before = np.where(is_there, old.scores[places] if len(old) else np.nan, np.nan)
        status = np.where(is_there, old.statuses[places] if len(old) else NO_STATUS, NO_STATUS)
        same = (before == new.scores) | (np.isnan(before) & np.isnan(new.scores))
        is_known = is_there & (status != NO_STATUS)
        return cls(places, before, new.scores - before, is_known & (~same | (status != new.statuses)))

    def counts(self) -> dict[str, int]:
        """Return how many records moved, of which up, down, and from or to no score."""
        up, down = int((self.moved & (self.change > 0)).sum()), int((self.moved & (self.change < 0)).sum())
        moved = int(self.moved.sum())
        return {"moved": moved, "up": up, "down": down, "other": moved - up - down}


class BoardInProgress:
    """Records that are being scored by a task, a stretch at a time, as a run does it.

    Args:
        name: What the board is called.
        task: The task.
        held: The records.
        version: The number of the text.
    """

    SIZE = 256
    """The records that are scored together: so few that a step is short, so many that it costs little more."""
    SOON = 0.6
    """The seconds of scoring after which what is done so far is shown, and again after as many."""
    SHARE = 10
    """The seconds of scoring, for each second that showing takes, before what is done is shown again."""

    def __init__(self, name: str, task: CompiledTask, held: HeldRecords, version: int) -> None:
        self.name, self.task, self.held, self.version = name, task, held, version
        lane = Lane(task, held.pieces(self.SIZE))
        self._scored = Scored(task, keeps_values=False)
        options = Options(keep="columns", batch_size=self.SIZE)
        self._stretches: Iterator[Stretch] = evaluate_lanes([self._scored.lane(lane)], options)
        self._parts: list[Results] = []
        self.is_complete = False
        self.seconds = 0.0
        self._due = self.SOON

    @property
    def done(self) -> int:
        """The number of records that are scored."""
        return self._scored.done

    def step(self, seconds: float) -> None:
        """Score records for some time, at least one stretch."""
        began = time.monotonic()
        while not self.is_complete:
            stretch = next(self._stretches, None)
            if stretch is None:
                self.is_complete = True
            else:
                self._parts.append(stretch.results)
                self._scored.add(stretch, keep=False)
            if time.monotonic() - began > seconds:
                break
        self.seconds += time.monotonic() - began

    def is_due(self) -> bool:
        """Return whether what is done so far should be shown."""
        return self.done > 0 and self.seconds >= self._due

    def board(self) -> ScoreBoard:
        """Return what is scored so far; with its figures if that is all."""
        began = time.monotonic()
        found = self._board()
        self._due = self.seconds + max(self.SOON, self.SHARE * (time.monotonic() - began))
        return found

    def _board(self) -> ScoreBoard:
        results = Results.join(self._parts)
        self._parts = [results]
        outcomes, size = results.outcomes, len(results)
        summary: Mapping[str, Any] = {}
        if self.is_complete:
            self._scored.settle()
            summary = self._scored.summary(copy.deepcopy(self.held.report))
        fields = {name: _filled(column.outcomes, size) for name, column in results.fields.items()}
        reasons = {place: one.reason for place, one in outcomes.odd.items() if one.reason}
        reasons |= {place: why for place, why in results.unparsed.items() if place not in reasons}
        statuses = np.frombuffer(bytes(outcomes.statuses), dtype=np.uint8)
        return ScoreBoard(
            self.name,
            self.held,
            np.array(outcomes.values, dtype=np.float64),
            statuses,
            np.frombuffer(bytes(results.passed), dtype=np.uint8),
            fields,
            reasons,
            summary,
            self.task,
            self.version,
        )


def _filled(outcomes: Outcomes, size: int) -> Any:
    found = np.full(size, np.nan)
    found[: len(outcomes)] = np.array(outcomes.values, dtype=np.float64)
    return found


def board_of_lines(
    name: str, held: HeldRecords, lines: Mapping[str, Mapping[str, Any]], task: CompiledTask | None
) -> ScoreBoard:
    """Return the board of a finished run, from the lines of its scores by their ids."""
    size = len(held)
    scores, statuses = np.full(size, np.nan), np.full(size, NO_STATUS, dtype=np.uint8)
    passed = np.full(size, 2, dtype=np.uint8)
    reasons: dict[int, str] = {}
    for at, key in enumerate(held.ids):
        line = lines.get(key)
        if line is None:
            continue
        status, score = line.get("status"), line.get("score")
        statuses[at] = next((code for name, code in CODES.items() if name == status), NO_STATUS)
        if isinstance(score, int | float) and status != "not_applicable":
            scores[at] = score
        if isinstance(line.get("passed"), bool):
            passed[at] = line["passed"]
        if isinstance(line.get("reason"), str):
            reasons[at] = line["reason"]
    return ScoreBoard(name, held, scores, statuses, passed, {}, reasons, {}, task)


def truths(records: Sequence[Mapping[str, Any] | None], path: Sequence[str]) -> Any:
    """Return the labels at a path of records: 1 and 0, and -1 where there is none."""
    found = np.full(len(records), -1, dtype=np.int8)
    for at, record in enumerate(records):
        value: Any = record
        for part in path:
            value = value.get(part) if isinstance(value, Mapping) else None
        if isinstance(value, bool | int | float) and value in (0, 1):
            found[at] = int(value)
    return found


def label_paths(records: Sequence[Mapping[str, Any] | None], most: int = 40) -> list[tuple[str, ...]]:
    """Return the paths, at most two keys long, at which records have labels: true and false, or 1 and 0, both there."""
    seen: dict[tuple[str, ...], set[Any] | None] = {}
    for record in records:
        for path, value in leaves_of_record(record or {}):
            known = seen.setdefault(path, set())
            if value is None or known is None:
                continue
            if isinstance(value, bool | int | float) and value in (0, 1):
                known.add(int(value))
            else:
                seen[path] = None
    return [path for path, values in seen.items() if values == {0, 1}][:most]


def leaves_of_record(record: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the values of a record that are no objects with their paths, which are at most two keys long."""
    for key, value in record.items():
        if isinstance(value, Mapping):
            yield from (((key, inner), one) for inner, one in value.items() if not isinstance(one, Mapping))
        else:
            yield (key,), value
