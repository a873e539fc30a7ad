"""Results as columns: a number and a status byte for each record and field, and the few odd outcomes by position.

A run holds millions of results. As objects they cost half a kilobyte each and five passes; as columns 8 bytes a score,
and means, counts and breakdowns are operations on arrays. What people and programs ask for one by one
(:class:`~scoring.result.RecordResult`) is made when it is asked for.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, Final, TypeVar, get_args, overload

import numpy as np

from scoring.ranges import GREATEST
from scoring.result import FieldResult, Outcome, RecordResult, Status

STATUSES: Final[tuple[Status, ...]] = get_args(Status)
SCORED, NOT_APPLICABLE, UNPARSED, UNSCORED, ABSENT = range(5)
"""The status bytes; ``ABSENT`` marks a field of a record that was not reached."""

CODES: Final[Mapping[str, int]] = {status: code for code, status in enumerate(STATUSES)}
UNDECIDED = 2
"""The third value next to the bytes 0 and 1: neither passed nor failed."""

_NONE = math.nan

T = TypeVar("T", bound=Sized)
V = TypeVar("V")


@dataclass(slots=True, eq=False)
class Outcomes(Sequence[Outcome]):
    """A column of outcomes."""

    values: array[float]  # the number that counts for each, NaN where there is none
    statuses: bytearray  # a status byte each
    # The outcomes that number and status do not tell in full, by position: whatever has a reason or a note, and
    # whatever is not simply scored with a number that counts.
    odd: dict[int, Outcome]
    __repr__ = object.__repr__  # of a million outcomes nobody wants to see each

    @classmethod
    def scored(cls, values: Iterable[float]) -> Outcomes:
        """Return outcomes with these finite scores."""
        held = array("d", values)
        return cls(held, bytearray(len(held)), {})

    @classmethod
    def of_arrays(cls, values: Any, failed: Mapping[int, Outcome]) -> Outcomes:
        """Return outcomes from an array of floats; `failed` has the outcomes without a score by position."""
        # -0.0 is shown as 0.0.
        found = cls(array("d", (values + 0.0).tobytes()), bytearray(len(values)), {})
        for place in np.flatnonzero(~(np.abs(values) <= GREATEST)).tolist():
            found.put(place, Outcome(found.values[place]))
        for place, outcome in failed.items():
            found.put(place, outcome)
        return found

    @classmethod
    def of(cls, outcomes: Iterable[Outcome | None]) -> Outcomes:
        """Return outcomes as columns; None marks a missing outcome.

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
        """One more outcome."""
        self.values.append(_NONE)
        self.statuses.append(ABSENT)
        if outcome is not None:
            self.put(len(self.values) - 1, outcome)

    def put(self, place: int, outcome: Outcome) -> None:
        """Replace one outcome."""
        value, status = outcome.value, CODES[outcome.status]
        self.values[place] = value if status != NOT_APPLICABLE and _is_number(value) else _NONE
        self.statuses[place] = status
        if is_plain(outcome):
            self.odd.pop(place, None)
        else:
            self.odd[place] = outcome

    def get(self, place: int) -> Outcome | None:
        """Return the outcome at a place, None where there is none."""
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
        """Return `size` positions without an outcome."""
        return cls(array("d", [_NONE]) * size, bytearray([ABSENT]) * size, {})

    @classmethod
    def join(cls, parts: Sequence[Outcomes]) -> Outcomes:
        """Some columns, one behind the other."""
        return cls(
            _end_to_end(part.values for part in parts),
            bytearray().join(part.statuses for part in parts),
            {place: outcome for before, part in _placed(parts) for place, outcome in _moved(part.odd, before)},
        )

    def spread(self, places: Sequence[int], others: Mapping[int, Outcome]) -> Outcomes:
        """Return the column with its outcomes at some places, in order, and others at the places between."""
        if not others:
            return self
        found = Outcomes.nothing(len(places) + len(others))
        for place, value, status in zip(places, self.values, self.statuses, strict=True):
            found.values[place], found.statuses[place] = value, status
        found.odd.update((places[place], outcome) for place, outcome in self.odd.items())
        for place, outcome in others.items():
            found.put(place, outcome)
        return found

    def counted(self) -> Outcomes:
        """Return the column as figures can use it: a score that is no finite number, or beyond 1e70, does not count
        as one.

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
    """Tell whether an outcome is fully described by its score."""
    if outcome.status != "scored" or outcome.reason or outcome.notes:
        return False
    return _is_number(outcome.value)


def _is_no_number(outcome: Outcome) -> bool:
    value = outcome.value
    if outcome.status == "not_applicable" or (value is None and outcome.status != "scored"):
        return False
    return not _is_number(value)


def _is_number(value: Any) -> bool:
    """Tell whether figures can include a score: it must be finite and not too large to be multiplied."""
    return isinstance(value, (int, float)) and abs(value) <= GREATEST


@dataclass(slots=True)
class FieldColumn:
    """One field of many records: outcomes, weight, and the compared values if they are kept."""

    name: str
    weight: float
    outcomes: Outcomes
    predictions: Sequence[Any] | None = None
    references: Sequence[Any] | None = None

    def result(self, place: int) -> FieldResult | None:
        """Return the field's result for one record, None where the record did not get as far."""
        outcome = self.outcomes.get(place)
        if outcome is None:
            return None
        one, other = _at(self.predictions, place), _at(self.references, place)
        return FieldResult(self.name, outcome, self.weight, one, other)


def _at(values: Sequence[Any] | None, place: int) -> Any:
    """Return a compared value; an outcome if there was none to compare."""
    value = None if values is None else values[place]
    return None if isinstance(value, Outcome) else value


@dataclass(slots=True, eq=False)
class Results(Sequence[RecordResult]):
    """The results of many records as columns; the result object of one record is created on demand."""

    ids: list[Any]
    outcomes: Outcomes  # the records' own
    fields: dict[str, FieldColumn]
    passed: bytearray  # a byte each: 1 passed, 0 failed, `UNDECIDED` where nothing decides it
    weights: array[float]
    attributes: dict[str, list[Any]]  # what records are broken down by; an ellipsis where one could not be read
    unparsed: dict[int, str]  # why responses did not parse, by position
    parsed: list[Any] | None  # what was parsed, where it is kept
    # The columns of the computed values that have names, where they are kept; an outcome where one failed.
    values: dict[str, list[Any]]
    # What figures read beside all this, where it is kept: keys of the records, and what fields compared.
    read: dict[str, list[Any]] = field(default_factory=dict)
    __repr__ = object.__repr__

    @classmethod
    def join(cls, parts: Sequence[Results]) -> Results:
        """Return the results of some stretches of records, one behind the other; what one has not kept, the whole
        has not."""
        sizes = [len(part) for part in parts]
        names = dict.fromkeys(name for part in parts for name in part.fields)
        attributes = dict.fromkeys(name for part in parts for name in part.attributes)
        kept = all(part.parsed is not None for part in parts)
        values = dict.fromkeys(name for part in parts for name in part.values) if kept else {}
        read = dict.fromkeys(name for part in parts for name in part.read)
        return cls(
            [key for part in parts for key in part.ids],
            Outcomes.join([part.outcomes for part in parts]),
            {name: _joined([part.fields.get(name) for part in parts], sizes) for name in names},
            bytearray().join(part.passed for part in parts),
            _end_to_end(part.weights for part in parts),
            {name: _listed([part.attributes.get(name) for part in parts], sizes, ...) for name in attributes},
            {place: why for before, part in _placed(parts) for place, why in _moved(part.unparsed, before)},
            [value for part in parts for value in part.parsed or ()] if kept else None,
            {name: _listed([part.values.get(name) for part in parts], sizes, None) for name in values},
            {name: _listed([part.read.get(name) for part in parts], sizes, None) for name in read},
        )

    @classmethod
    def of(cls, results: Sequence[RecordResult]) -> Results:
        """Return the columns of results that were made one by one."""
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
        """Return the results without what was parsed and compared; figures need no more."""
        self.parsed = None
        self.values = {}
        for column in self.fields.values():
            column.predictions = column.references = None
        return self

    def attribute(self, name: str) -> list[Any]:
        """Return what each record has as an attribute, None where it has nothing or could not be read."""
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
    """One field over some stretches of records, of which some may lack it."""
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
    return [
        value
        for part, size in zip(parts, sizes, strict=True)
        for value in (part if part is not None else repeat(missing, size))
    ]


def _end_to_end(parts: Iterable[array[float]]) -> array[float]:
    found = array("d")
    for part in parts:
        found.extend(part)
    return found


def _placed(parts: Sequence[T]) -> Iterator[tuple[int, T]]:
    """Yield the parts, each with the number of places before it."""
    before = 0
    for part in parts:
        yield before, part
        before += len(part)


def _moved(held: Mapping[int, V], before: int) -> Iterator[tuple[int, V]]:
    return ((before + place, value) for place, value in held.items())
