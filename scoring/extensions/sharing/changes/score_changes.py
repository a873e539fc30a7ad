"""Records that move from one scoring to another: by how much, and because of which change.

Each change is made alone, on the old side, and last, on the new one. Where the two differ, or what the changes do alone
does not add up to what all do together, changes act on one another, and that is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from scoring.extensions.sharing.changes.found import NEAR, MovesJudged, joined_groups
from scoring.extensions.sharing.changes.partial_edits import AnyBetween
from scoring.ranges import Better

MovedFigure: TypeAlias = float | None
PartScore: TypeAlias = tuple[str, Any]
"""The status of a record or field, and its score."""
RecordScore: TypeAlias = tuple[str, Any, Any, tuple[str, ...], tuple[PartScore | None, ...]]
"""The status, score and pass of a record; the names of its fields, and their statuses and scores."""

LAYOUT = ("record", "groundtruth", "predictions", "data", "attributes")
"""Keys that say where data are."""


@dataclass(frozen=True, slots=True)
class ScoredData:
    """The results of a spec on some data.

    Args:
        records: What each record came to, by a key that is unique: its id, in a suite behind its task.
        figures: The value of each metric by its name, the headline first.
        better: Which values are better, of those metrics of which it is not the higher ones.
    """

    records: Mapping[str, RecordScore]
    figures: Mapping[str, MovedFigure]
    better: Mapping[str, Better] = field(default_factory=dict)


ScoreVersion: TypeAlias = Callable[[frozenset[int]], ScoredData]
"""Scores the version in which these edits are made."""


@dataclass(frozen=True, slots=True)
class MovedRecord:
    """A record that came to something else."""

    key: str
    old: RecordScore
    new: RecordScore

    @property
    def difference(self) -> float | None:
        """The increase of its score; None if one side has none."""
        return difference(_value(self.old[:2]), _value(self.new[:2]))

    @property
    def is_status(self) -> bool:
        """Whether it has a score on one side alone, none for another reason, or counts otherwise without one."""
        return outcome_words(*self.old[:2]) != outcome_words(*self.new[:2])

    @property
    def size(self) -> tuple[float, float]:
        """The size of the change of its score, then of the field that changed most."""
        return abs(self.difference or 0.0), max((abs(moved or 0.0) for *_, moved in self.fields()), default=0.0)

    def fields(self) -> Iterator[tuple[str, PartScore | None, PartScore | None, float | None]]:
        """Yield the fields of both that moved: the name, what they were and are, the difference where both have a
        score."""
        one, other = (dict(zip(side[3], side[4], strict=True)) for side in (self.old, self.new))
        for name in one:
            if name in other and one[name] != other[name]:
                yield name, one[name], other[name], difference(_value(one[name]), _value(other[name]))


def moved_records(old: ScoredData, new: ScoredData) -> list[MovedRecord]:
    """Return the records of both that came to something else, what moved furthest first; ties in the order of the
    data."""
    return sorted(_moved(old, new), key=lambda one: one.size, reverse=True)


def count_moved(old: ScoredData, new: ScoredData) -> int:
    """Return how many records of both came to something else."""
    return sum(1 for _ in _moved(old, new))


def _moved(old: ScoredData, new: ScoredData) -> Iterator[MovedRecord]:
    for key, one in old.records.items():
        other = new.records.get(key)
        if other is None or one == other:
            continue
        found = MovedRecord(key, one, other)
        # A field that only one side has moves nothing by itself.
        if one[:3] != other[:3] or any(True for _ in found.fields()):
            yield found


def outcome_words(status: str, score: Any) -> str:
    """Return how a record came out, but for its score: what has none may still count as a number.

    Examples:
        >>> outcome_words("scored", 0.5), outcome_words("unparsed", None), outcome_words("unparsed", 0.0)
        ('scored', 'unparsed', 'unparsed, counts 0')
    """
    return status if status == "scored" or score is None else f"{status}, counts {score:g}"


def statuses(moved: Sequence[MovedRecord]) -> dict[str, int]:
    """Return how many records are scored otherwise, as ``scored → unparsed``."""
    pairs = ([outcome_words(*side[:2]) for side in (one.old, one.new)] for one in moved if one.is_status)
    counts = Counter(" → ".join(pair) for pair in pairs)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


@dataclass(frozen=True, slots=True)
class ChangeEffect:
    """The effect of one change, or of several that are applied together, on some data."""

    edits: frozenset[int]
    alone: ScoredData
    last: ScoredData


@dataclass(frozen=True, slots=True)
class Attribution:
    """The effect of each change on some data.

    Args:
        effects: One after the other; empty where there was nothing to take apart.
        is_grouped: Whether changes were taken together, since there are so many.
        scorings: How often data were scored for it, both sides included.
    """

    effects: tuple[ChangeEffect, ...]
    is_grouped: bool
    scorings: int


def attributed(
    between: AnyBetween, judged: MovesJudged, old: ScoredData, new: ScoredData, score: ScoreVersion, most: int
) -> Attribution:
    """Exchange the changes one at a time, from the old side on and back from the new one.

    Args:
        between: What lies between the two specs.
        judged: Which edits can be made alone, and what they move.
        old: What the old spec makes of the data.
        new: What the new one does.
        score: Scores a version between them.
        most: How many scorings there may be, both sides included.
    """
    # Where data are is no part of what a spec means, and yet the same file is read otherwise.
    reading = {at for at, edit in enumerate(between.edits) if not edit.file and edit.place[0] in LAYOUT}
    moving = [group for group, parts in judged.moves if parts or group & reading]
    room = max((most - 2) // 2, 0)
    groups = _within(between, moving, 2 if most == 4 else room)
    if not groups or not judged.is_exact:
        return Attribution((), False, 2)
    quiet = between.every.difference(*groups)
    known: dict[frozenset[int], ScoredData] = {frozenset(): old, frozenset(range(len(groups))): new}

    def made(chosen: Collection[int]) -> ScoredData:
        key = frozenset(chosen)
        if key not in known:
            known[key] = score(quiet.union(*(groups[place] for place in key)))
        return known[key]

    places = range(len(groups))
    effects = [
        ChangeEffect(groups[place], made([place]), made([other for other in places if other != place]))
        for place in places
    ]
    return Attribution(tuple(effects), len(groups) < len(moving), len(known))


def _within(between: AnyBetween, groups: Sequence[frozenset[int]], most: int) -> list[frozenset[int]]:
    """Return at most `most` groups: nearby ones are merged, then all that are left over."""
    found = list(groups)
    for way in NEAR:
        if len(found) > most:
            found = joined_groups(between, found, found, way)
    if len(found) <= most:
        return found
    return [*found[: most - 1], frozenset().union(*found[most - 1 :])] if most else []


def _value(found: PartScore | None) -> Any:
    return found[1] if found is not None and found[0] == "scored" else None


def difference(old: Any, new: Any) -> float | None:
    """Return what was added from one number to another; None where one of them is missing."""
    return None if old is None or new is None else new - old
