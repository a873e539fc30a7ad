"""Results as columns: a number and a status byte for each record and field, and the few odd outcomes by position.

A run contains millions of results. As objects they would take half a kilobyte each and five passes; as columns they
take 8 bytes a score, and means, counts and breakdowns are array operations. The results of single records
(:class:`~scoring.result.RecordResult`) are created on demand.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any, Final, TypeVar, get_args, overload

import numpy as np
from msgspec import Struct

from scoring.ranges import GREATEST
from scoring.result import FieldResult, Outcome, RecordResult, Status

STATUSES: Final[tuple[Status, ...]] = get_args(Status)
SCORED, NOT_APPLICABLE, UNPARSED, UNSCORED, ABSENT = range(5)
"""The status bytes; ``ABSENT`` means that there is no outcome, since scoring of the record did not get that far."""

CODES: Final[Mapping[str, int]] = {status: code for code, status in enumerate(STATUSES)}
UNDECIDED = 2
"""The byte for "neither passed nor failed"; 0 is failed and 1 is passed."""

_NONE = math.nan

T = TypeVar("T", bound=Sized)
V = TypeVar("V")


@dataclass(slots=True, eq=False)
class Outcomes(Sequence[Outcome]):
    """A column of outcomes, stored as arrays to save memory.

    Args:
        values: The score at each position, NaN where there is none.
        statuses: The status at each position, as a byte.
        odd: By position, the outcomes that a score and a status do not describe in full: those with a reason or notes,
            and those whose value is not a number that counts in figures.
    """

    values: array[float]
    statuses: bytearray
    odd: dict[int, Outcome]
    __repr__ = object.__repr__  # nobody wants to see each of a million outcomes

    @classmethod
    def scored(cls, values: Iterable[float]) -> Outcomes:
        """Return a column of scored outcomes, given their scores, which must be finite numbers."""
        scores = array("d", values)
        return cls(scores, bytearray(len(scores)), {})

    @classmethod
    def of_arrays(cls, values: Any, failed: Mapping[int, Outcome]) -> Outcomes:
        """Return the column of an array of scores, except at the positions in `failed`, which maps them to outcomes."""
        # -0.0 is shown as 0.0.
        found = cls(array("d", (values + 0.0).tobytes()), bytearray(len(values)), {})
        for place in np.flatnonzero(~(np.abs(values) <= GREATEST)).tolist():
            found.put(place, Outcome(found.values[place]))
        for place, outcome in failed.items():
            found.put(place, outcome)
        return found

    @classmethod
    def of(cls, outcomes: Iterable[Outcome | None]) -> Outcomes:
        """Return a column of outcomes given one by one; None stands for a position without an outcome.

        Examples:
            >>> held = Outcomes.of([Outcome(0.5), Outcome.unscored("no judge")])
            >>> held.values[0], list(held.statuses), held[1].reason
            (0.5, [0, 3], 'no judge')
        """
        found = cls(array("d"), bytearray(), {})
        for outcome in outcomes:
            found.append(outcome)
        return found

    def append(self, outcome: Outcome | None) -> None:
        """Append an outcome; None appends a position without one."""
        self.values.append(_NONE)
        self.statuses.append(ABSENT)
        if outcome is not None:
            self.put(len(self.values) - 1, outcome)

    def put(self, place: int, outcome: Outcome) -> None:
        """Replace the outcome at the position `place`."""
        value, status = outcome.value, CODES[outcome.status]
        self.values[place] = value if status != NOT_APPLICABLE and _is_number(value) else _NONE
        self.statuses[place] = status
        if is_plain(outcome):
            self.odd.pop(place, None)
        else:
            self.odd[place] = outcome

    def get(self, place: int) -> Outcome | None:
        """Return the outcome at the position `place`, None if there is none."""
        odd = self.odd.get(place)
        if odd is not None:
            return odd
        return None if self.statuses[place] == ABSENT else Outcome(self.values[place])

    @overload
    def __getitem__(self, place: int) -> Outcome: ...
    @overload
    def __getitem__(self, place: slice) -> list[Outcome]: ...
    def __getitem__(self, place: int | slice) -> Outcome | list[Outcome]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        found = self.get(range(len(self.values))[place])
        if found is None:
            raise LookupError(f"there is no outcome at {place}")
        return found

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Outcome]:
        if not self.odd and ABSENT not in self.statuses:
            return map(Outcome, self.values)
        return (self[place] for place in range(len(self.values)))

    @classmethod
    def nothing(cls, size: int) -> Outcomes:
        """Return a column of `size` positions without outcomes."""
        return cls(array("d", [_NONE]) * size, bytearray([ABSENT]) * size, {})

    @classmethod
    def join(cls, parts: Sequence[Outcomes]) -> Outcomes:
        """Return the concatenation of some columns."""
        return cls(
            _end_to_end(part.values for part in parts),
            bytearray().join(part.statuses for part in parts),
            {place: outcome for before, part in _placed(parts) for place, outcome in _moved(part.odd, before)},
        )

    def spread(self, indices: Sequence[int], others: Mapping[int, Outcome]) -> Outcomes:
        """Return a longer column: this column's outcomes are moved, in order, to the positions `indices`; the remaining
        positions are the keys of `others`, with their outcomes as its values."""
        if not others:
            return self
        found = Outcomes.nothing(len(indices) + len(others))
        for index, value, status in zip(indices, self.values, self.statuses, strict=True):
            found.values[index], found.statuses[index] = value, status
        found.odd.update((indices[index], outcome) for index, outcome in self.odd.items())
        for index, outcome in others.items():
            found.put(index, outcome)
        return found

    def counted(self) -> Outcomes:
        """Return the column for computing figures, in which scores that are not finite numbers, or are beyond 1e70, are
        unscored.

        Examples:
            >>> Outcomes.of([Outcome(float("nan"))]).counted()[0].reason
            'the score is nan, not a finite number'
            >>> Outcomes.of([Outcome(1e100)]).counted()[0].reason
            'the score is 1e+100, too large to count'
        """
        bad = [place for place, one in self.odd.items() if _is_no_number(one)]
        if not bad:
            return self
        found = Outcomes(array("d", self.values), bytearray(self.statuses), dict(self.odd))
        for place in bad:
            value = self.odd[place].value
            is_finite = isinstance(value, (int, float)) and abs(value) < math.inf
            why = "too large to count" if is_finite else "not a finite number"
            found.put(place, Outcome.unscored(f"the score is {value}, {why}"))
        return found


def is_plain(outcome: Outcome) -> bool:
    """Return whether an outcome is only a score: a finite number that counts in figures, without a reason or notes."""
    if outcome.status != "scored" or outcome.reason or outcome.notes:
        return False
    return _is_number(outcome.value)


def _is_no_number(outcome: Outcome) -> bool:
    value = outcome.value
    if outcome.status == "not_applicable" or (value is None and outcome.status != "scored"):
        return False
    return not _is_number(value)


def _is_number(value: Any) -> bool:
    """Return whether a score is a finite number that is small enough to be multiplied, so that it counts in figures."""
    return isinstance(value, (int, float)) and abs(value) <= GREATEST


class FieldColumn(Struct):
    """The results of one field for many records: its outcomes, its weight, and the compared values, None if they are
    not kept."""

    name: str
    weight: float
    outcomes: Outcomes
    predictions: Sequence[Any] | None = None
    references: Sequence[Any] | None = None

    def result(self, place: int) -> FieldResult | None:
        """Return the field's result for the record at the position `place`, None if the field was not scored there."""
        outcome = self.outcomes.get(place)
        if outcome is None:
            return None
        one, other = _at(self.predictions, place), _at(self.references, place)
        return FieldResult(self.name, outcome, self.weight, one, other)


def _at(values: Sequence[Any] | None, place: int) -> Any:
    """Return a field's compared value at a position; None if values are not kept, or an error prevented its reading."""
    value = None if values is None else values[place]
    return None if isinstance(value, Outcome) else value


@dataclass(slots=True, eq=False)
class Results(Sequence[RecordResult]):
    """The results of many records as columns, from which the result of a single record is created on demand.

    Args:
        ids: The id of each record.
        outcomes: The outcome of each record as a whole.
        fields: The results of each field, by its name.
        passed: A byte for each record: 1 if it passed, 0 if it failed, `UNDECIDED` if neither can be said.
        weights: The weight of each record.
        attributes: The attributes for breakdowns, by name; an ellipsis where one could not be read.
        unparsed: The reasons why responses did not parse, by position.
        parsed: The parsed responses, None if they are not kept.
        values: The spec's computed values by name, if they are kept; an `Outcome` where one failed.
        read: Further columns that metrics read, if they are kept: record keys and compared values, by name.
    """

    ids: list[Any]
    outcomes: Outcomes
    fields: dict[str, FieldColumn]
    passed: bytearray
    weights: array[float]
    attributes: dict[str, list[Any]]
    unparsed: dict[int, str]
    parsed: list[Any] | None
    values: dict[str, list[Any]]
    read: dict[str, list[Any]] = field(default_factory=dict)
    __repr__ = object.__repr__

    @classmethod
    def join(cls, parts: Sequence[Results]) -> Results:
        """Return the concatenated results of some batches; values that one of the batches did not keep are dropped."""
        sizes = [len(part) for part in parts]
        names = dict.fromkeys(name for part in parts for name in part.fields)
        attributes = dict.fromkeys(name for part in parts for name in part.attributes)
        kept = all(part.parsed is not None for part in parts)
        values = dict.fromkeys(name for part in parts for name in part.values) if kept else {}
        read = dict.fromkeys(name for part in parts for name in part.read)
        return cls(
            list(chain.from_iterable(part.ids for part in parts)),
            Outcomes.join([part.outcomes for part in parts]),
            {name: _joined([part.fields.get(name) for part in parts], sizes) for name in names},
            bytearray().join(part.passed for part in parts),
            _end_to_end(part.weights for part in parts),
            {name: _listed([part.attributes.get(name) for part in parts], sizes, ...) for name in attributes},
            {place: why for before, part in _placed(parts) for place, why in _moved(part.unparsed, before)},
            list(chain.from_iterable(part.parsed or () for part in parts)) if kept else None,
            {name: _listed([part.values.get(name) for part in parts], sizes, None) for name in values},
            {name: _listed([part.read.get(name) for part in parts], sizes, None) for name in read},
        )

    @classmethod
    def of(cls, results: Sequence[RecordResult]) -> Results:
        """Return the results of many records as columns, given those of single records."""
        fields = {name: part for result in results for name, part in result.fields.items()}
        names = dict.fromkeys(name for result in results for name in result.attributes)
        values = dict.fromkeys(name for result in results for name in result.values)
        return cls(
            [result.id for result in results],
            Outcomes.of(result.outcome for result in results),
            {name: _column(part, results) for name, part in fields.items()},
            bytearray(UNDECIDED if result.passed is None else result.passed for result in results),
            array("d", (result.weight for result in results)),
            {name: [result.attributes.get(name, ...) for result in results] for name in names},
            {place: one.unparsed_reason for place, one in enumerate(results) if one.unparsed_reason is not None},
            [result.parsed for result in results],
            {name: [result.values.get(name) for result in results] for name in values},
        )

    def slim(self) -> Results:
        """Drop the parsed and compared values, which figures do not need, and return these results."""
        self.parsed = None
        self.values = {}
        for column in self.fields.values():
            column.predictions = column.references = None
        return self

    def attribute(self, name: str) -> list[Any]:
        """Return the values of an attribute for breakdowns, one for each record; None where it is missing or could not
        be read."""
        return [None if value is ... else value for value in self.attributes[name]]

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, place: int) -> RecordResult: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[RecordResult, ...]: ...
    def __getitem__(self, place: int | slice) -> RecordResult | tuple[RecordResult, ...]:
        if isinstance(place, slice):
            return tuple(self[one] for one in range(*place.indices(len(self))))
        place = range(len(self))[place]
        parts = {name: column.result(place) for name, column in self.fields.items()}
        attributes = {name: column[place] for name, column in self.attributes.items()}
        passed = self.passed[place]
        return RecordResult(
            self.ids[place],
            self.outcomes[place],
            {name: part for name, part in parts.items() if part is not None},
            None if passed == UNDECIDED else bool(passed),
            None if self.parsed is None else self.parsed[place],
            self.unparsed.get(place),
            {name: value for name, value in attributes.items() if value is not ...},
            self.weights[place],
            None,
            {name: _at(column, place) for name, column in self.values.items()},
        )

    def __iter__(self) -> Iterator[RecordResult]:
        return (self[place] for place in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # columns grow


def _column(part: FieldResult, results: Sequence[RecordResult]) -> FieldColumn:
    found = [result.fields.get(part.name) for result in results]
    return FieldColumn(
        part.name,
        part.weight,
        Outcomes.of(None if one is None else one.outcome for one in found),
        [None if one is None else one.prediction for one in found],
        [None if one is None else one.reference for one in found],
    )


def _joined(parts: Sequence[FieldColumn | None], sizes: Sequence[int]) -> FieldColumn:
    """Return the concatenation of one field's columns in several batches of the lengths `sizes`; a part is None if the
    field does not occur in its batch."""
    there = [part for part in parts if part is not None]
    kept = all(part.predictions is not None for part in there)
    return FieldColumn(
        there[0].name,
        there[0].weight,
        Outcomes.join(
            [Outcomes.nothing(size) if part is None else part.outcomes for part, size in zip(parts, sizes, strict=True)]
        ),
        _listed([None if part is None else part.predictions for part in parts], sizes, None) if kept else None,
        _listed([None if part is None else part.references for part in parts], sizes, None) if kept else None,
    )


def _listed(parts: Sequence[Sequence[Any] | None], sizes: Sequence[int], missing: Any) -> list[Any]:
    return list(
        chain.from_iterable(
            part if part is not None else repeat(missing, size) for part, size in zip(parts, sizes, strict=True)
        )
    )


def _end_to_end(parts: Iterable[array[float]]) -> array[float]:
    found = array("d")
    for part in parts:
        found.extend(part)
    return found


def _placed(parts: Sequence[T]) -> Iterator[tuple[int, T]]:
    """Yield each of several columns with its offset: the total length of the columns before it."""
    before = 0
    for part in parts:
        yield before, part
        before += len(part)


def _moved(by_position: Mapping[int, V], before: int) -> Iterator[tuple[int, V]]:
    return ((before + position, value) for position, value in by_position.items())
