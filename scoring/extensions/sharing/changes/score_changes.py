"""Attribution of score movements between two versions of a spec to the changes that cause them.

The effect of each change is measured twice: made alone, on top of the old version, and made last, on top of all others.
If the two differ, or the separate effects don't add up to the total, the changes interact, and this is reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct, field

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


class ScoredData(Struct, frozen=True):
    """The scores of some records, and the figures over them, by one version of a spec.

    Args:
        records: The score of each record by a unique key: its id, in a suite prefixed by its task.
        figures: The value of each metric by its name, the headline first.
        better: The direction in which a metric gets better, by name, unless higher values are better.
    """

    records: Mapping[str, RecordScore]
    figures: Mapping[str, MovedFigure]
    better: Mapping[str, Better] = field(default_factory=dict)


ScoreVersion: TypeAlias = Callable[[frozenset[int]], ScoredData]
"""Scores the version in which these edits are made."""


class MovedRecord(Struct, frozen=True):
    """A record that two versions of a spec score differently, with both results."""

    key: str
    old: RecordScore
    new: RecordScore

    @property
    def difference(self) -> float | None:
        """The new score minus the old one; None if either version gives the record no score."""
        return subtract_scores(_value(self.old[:2]), _value(self.new[:2]))

    @property
    def is_status(self) -> bool:
        """True if the record's status changed, or the number that counts in place of a missing score; False if only the
        score did."""
        return outcome_words(*self.old[:2]) != outcome_words(*self.new[:2])

    @property
    def size(self) -> tuple[float, float]:
        """The sort key of records with changed scores: the absolute difference of the record's score, then the largest
        one among the scores of its fields."""
        return abs(self.difference or 0.0), max((abs(moved or 0.0) for *_, moved in self.fields()), default=0.0)

    def fields(self) -> Iterator[tuple[str, PartScore | None, PartScore | None, float | None]]:
        """Yield each field whose result changed and that both versions have, as its name, old result, new result and
        difference of scores.

        The difference is None if either side has no score.
        """
        one, other = (dict(zip(side[3], side[4], strict=True)) for side in (self.old, self.new))
        for name in one:
            if name in other and one[name] != other[name]:
                yield name, one[name], other[name], subtract_scores(_value(one[name]), _value(other[name]))


def moved_records(old: ScoredData, new: ScoredData) -> list[MovedRecord]:
    """Return the records that two scorings of the same data score differently, largest differences first; equal ones in
    the order of the data.

    A record that only one of the scorings contains is left out.
    """
    return sorted(_moved(old, new), key=lambda one: one.size, reverse=True)


def count_moved(old: ScoredData, new: ScoredData) -> int:
    """Return the number of records that two scorings of the same data score differently, of those that both contain."""
    return sum(1 for _ in _moved(old, new))


def _moved(old: ScoredData, new: ScoredData) -> Iterator[MovedRecord]:
    for key, one in old.records.items():
        other = new.records.get(key)
        if other is None or one == other:
            continue
        found = MovedRecord(key, one, other)
        # A field that only one side has does not count as a movement.
        if one[:3] != other[:3] or any(True for _ in found.fields()):
            yield found


def outcome_words(status: str, score: Any) -> str:
    """Return a record's status as text; for an unscored record with the number that counts in place of its score, if
    there is one.

    Examples:
        >>> outcome_words("scored", 0.5), outcome_words("unparsed", None), outcome_words("unparsed", 0.0)
        ('scored', 'unparsed', 'unparsed, counts 0')
    """
    return status if status == "scored" or score is None else f"{status}, counts {score:g}"


def statuses(moved: Sequence[MovedRecord]) -> dict[str, int]:
    """Return how many of the given records have each change of status, such as ``scored → unparsed``, most frequent
    first; records with an unchanged status are left out."""
    pairs = ([outcome_words(*side[:2]) for side in (one.old, one.new)] for one in moved if one.is_status)
    counts = Counter(" → ".join(pair) for pair in pairs)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


class ChangeEffect(Struct, frozen=True):
    """The effect of one group of edits on some data, by two scorings: with only these edits made (`alone`), and with
    all edits but these (`last`)."""

    edits: frozenset[int]
    alone: ScoredData
    last: ScoredData


class Attribution(Struct, frozen=True):
    """The effect that each change between two versions of a spec has on the scores of some data.

    Args:
        effects: The effects; empty if the changes could not be separated.
        is_grouped: Whether changes were joined into groups because there are too many to measure separately.
        scorings: The number of times the data were scored, both sides included.
    """

    effects: tuple[ChangeEffect, ...]
    is_grouped: bool
    scorings: int


def attributed(
    between: AnyBetween, judged: MovesJudged, old: ScoredData, new: ScoredData, score: ScoreVersion, most: int
) -> Attribution:
    """Return the effect of each change on the scores: when it is made alone on the old spec, and when it is made last.

    Args:
        between: The edits between the two specs.
        judged: The edits that can be made alone, and the parts whose meaning they change.
        old: The data scored by the old spec.
        new: The data scored by the new spec.
        score: Scores the data by a version of the spec, given the numbers of the edits made in it.
        most: The largest number of scorings, both sides included.
    """
    # The layout of the data is not part of a spec's meaning, and yet it changes how the same file is read.
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
            known[key] = score(quiet.union(*(groups[index] for index in key)))
        return known[key]

    indexes = range(len(groups))
    effects = [
        ChangeEffect(groups[index], made([index]), made([other for other in indexes if other != index]))
        for index in indexes
    ]
    return Attribution(tuple(effects), len(groups) < len(moving), len(known))


def _within(between: AnyBetween, groups: Sequence[frozenset[int]], most: int) -> list[frozenset[int]]:
    """Return the groups of edits joined to at most `most` groups: those near one another first, finally all that exceed
    the limit."""
    found = list(groups)
    for way in NEAR:
        if len(found) > most:
            found = joined_groups(between, found, found, way)
    if len(found) <= most:
        return found
    return [*found[: most - 1], frozenset().union(*found[most - 1 :])] if most else []


def _value(found: PartScore | None) -> Any:
    return found[1] if found is not None and found[0] == "scored" else None


def subtract_scores(old: Any, new: Any) -> float | None:
    """Return the number `new` minus the number `old`; None if either is None."""
    return None if old is None or new is None else new - old
