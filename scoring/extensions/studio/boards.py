"""The scores of held records by one spec, as columns that can be sorted, filtered, counted and compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from msgspec import Struct

from scoring.compiler.tasks.task import CompiledTask
from scoring.outcomes import CODES

NO_STATUS = 255


class HeldData(Protocol):
    """The data that are scored, held in memory: records, or images."""

    def __len__(self) -> int: ...

    @property
    def noun(self) -> str:
        """The noun for one of them, such as `record` or `image`."""

    @property
    def is_whole(self) -> bool:
        """Tell whether figures are computed from the whole data set at once, not from the score of each record."""

    @property
    def ids(self) -> Sequence[str]:
        """The id of each as text."""

    @property
    def place_of(self) -> Mapping[str, int]:
        """The position of each by its id, of which the first counts."""

    @property
    def records(self) -> Sequence[Mapping[str, Any] | None]:
        """The records as they were read, None in place of one that could not be; nothing for images."""

    def about(self, task: CompiledTask, at: int) -> Any:
        """Return what the table shows of one beside its scores: the response of a record, what is on an image."""

    def abouts(self, task: CompiledTask) -> Iterable[Any]:
        """Return the same for all of them."""

    def story(self, task: CompiledTask, at: int, full: bool) -> Any:
        """Return how one is scored, in the form that `told` takes."""

    def told(self, now: Any, before: Any) -> dict[str, Any]:
        """Return a story as plain data, with what differs from the one before, None if there is none."""

    def pictures(self, at: int) -> list[dict[str, str]]:
        """Return the pictures that a record names."""


def first_places(ids: Sequence[str]) -> dict[str, int]:
    """Return the first position of each id."""
    return {key: at for at, key in reversed(list(enumerate(ids)))}


@dataclass
class ScoreBoard:
    """The results of one spec for the held records.

    Args:
        name: What it is called on the page.
        held: The records or images.
        scores: The score of each, NaN where there is none.
        statuses: The code of the outcome of each, `NO_STATUS` where it is not known.
        passed: 1 where a record passed, 0 where it failed, any other number where neither can be said.
        fields: The scores of each field; of images also how much of each kind there is on one.
        reasons: Why a record has no score, or a remark, by its position.
        summary: The figures, empty while not all are scored.
        task: The task that scored them; None where it can't be had any more.
        counts: The fields that are counts.
    """

    name: str
    held: HeldData
    scores: Any
    statuses: Any
    passed: Any
    fields: Mapping[str, Any]
    reasons: Mapping[int, str]
    summary: Mapping[str, Any] = field(default_factory=dict)
    task: CompiledTask | None = None
    counts: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.scores)

    def about(self, at: int) -> Any:
        """Return what the table shows of a record beside its scores, None where it can't be had any more."""
        return None if self.task is None else self.held.about(self.task, at)

    @cached_property
    def texts(self) -> list[str]:
        """The id of each record, and what the table shows of it, in lower case, in which the page searches."""
        assert self.task is not None
        abouts = self.held.abouts(self.task)
        return [
            f"{key}\n{about if isinstance(about, str) else repr(about)}".lower()
            for key, about in zip(self.held.ids, abouts, strict=True)
        ]

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


@dataclass
class BoardSet:
    """The boards that one text makes of the data, one for each of its tasks.

    Args:
        name: What it is called on the page.
        boards: The board of each task by its name; of a spec that is one task under "".
        version: The number of the text.
        kind: ``rows``, ``table`` or ``suite``, as runs have it.
        is_complete: Whether all is scored.
        meaning: What was compiled: two sets of one meaning are alike.
        summary: The figures over the tasks of a suite; empty for one task, whose board has them.
    """

    name: str
    boards: Mapping[str, ScoreBoard]
    version: int
    kind: str
    is_complete: bool = True
    meaning: Any = None
    summary: Mapping[str, Any] = field(default_factory=dict)

    def board(self, task: Any) -> ScoreBoard | None:
        """Return the board of a task; of the first that has records where there is none of this name."""
        first = next((one for one in self.boards.values() if len(one)), next(iter(self.boards.values()), None))
        return self.boards.get(str(task), first)


class SetInProgress(Protocol):
    """A spec whose board set is being made, a step at a time."""

    name: str
    version: int
    meaning: Any

    @property
    def is_complete(self) -> bool:
        """Tell whether the scoring has ended."""

    @property
    def standing_still(self) -> float:
        """The seconds for which it has been going on with one thing that can't be done in steps."""

    def step(self, seconds: float) -> None:
        """Go on for some time."""

    def is_due(self) -> bool:
        """Return whether what is done so far should be shown."""

    def boards(self) -> BoardSet:
        """Return what is done so far; with its figures if that is all."""

    def progress(self) -> dict[str, Any]:
        """Return how far it is: ``done`` of ``of`` records, or ``what`` is done where that is not known."""

    def give_up(self) -> None:
        """Stop, as soon as may be."""


def board_of_lines(
    name: str, held: HeldData, lines: Mapping[str, Mapping[str, Any]], task: CompiledTask | None, before: str = ""
) -> ScoreBoard:
    """Return the board of a finished run, from the lines of its scores by their ids, which begin with ``before``."""
    size = len(held)
    scores, statuses = np.full(size, np.nan), np.full(size, NO_STATUS, dtype=np.uint8)
    passed = np.full(size, 2, dtype=np.uint8)
    reasons: dict[int, str] = {}
    for at, key in enumerate(held.ids):
        line = lines.get(f"{before}{key}")
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
