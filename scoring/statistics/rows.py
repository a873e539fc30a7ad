"""The records of a data set as columns, the input of metrics: arrays that also behave like lists of plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, TypeAlias

import numpy as np
from msgspec import Struct, field
from msgspec.structs import force_setattr, replace

from scoring.lang.places import part_of, segments_of
from scoring.outcomes import SCORED, STATUSES, UNPARSED, UNSCORED
from scoring.ranges import UNIT, ScoreRange

PASSES: Final[tuple[bool | None, ...]] = (False, True, None)
"""The meanings of the codes of passes: 0 fails, 1 passes, and -1, the last index, is undecided."""


class Column(Sequence[Any]):
    """An array that behaves like a list of plain values: numbers, with None for NaN, or words, stored as codes.

    Examples:
        >>> list(scores_of([1.0, None])), list(codes_of([True, None], PASSES, "int8"))
        ([1.0, None], [True, None])
    """

    __slots__ = ("array", "words")

    def __init__(self, array: Any, words: Sequence[Any] | None = None) -> None:
        self.array = array
        self.words = words

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[Any]:
        if self.words is None:
            return (None if value != value else value for value in self.array.tolist())
        return map(self.words.__getitem__, self.array.tolist())

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return list(Column(self.array[place], self.words))
        value = self.array[place].item()
        if self.words is None:
            return None if value != value else value
        return self.words[value]

    def at(self, indices: Any) -> Column:
        """Return the column at some positions (an int array), in that order."""
        return Column(self.array[indices], self.words)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # unhashable, like a list

    def __repr__(self) -> str:
        return repr(list(self))


def scores_of(values: Any) -> Column:
    """Return numbers as a column; None, for a missing score, becomes NaN in its array."""
    return values if isinstance(values, Column) else Column(np.asarray(values, dtype=np.float64))


def codes_of(values: Any, words: Sequence[Any], dtype: str) -> Column:
    """Return values as a column of codes: each one's index in ``words``; an array is taken to contain the codes.

    Raises:
        KeyError: when a value is not one of the words.
    """
    if isinstance(values, Column):
        return values
    if isinstance(values, np.ndarray):
        return Column(values.astype(dtype, copy=False), words)
    codes = {word: place for place, word in enumerate(words)}
    if None in codes:
        codes[None] = -1
    return Column(np.fromiter(map(codes.__getitem__, values), dtype, len(values)), words)


def taken(values: Sequence[Any], indices: Any) -> Any:
    """Return the values at some positions (an int array), as an array if they are one, else as a list."""
    return values[indices] if isinstance(values, np.ndarray) else [values[index] for index in indices.tolist()]


class Kept(Sequence[Any]):
    """A view of the elements of a sequence that a mask selects, without copying them.

    Examples:
        >>> import numpy as np
        >>> list(Kept(["a", "b", "c"], np.array([True, False, True])))
        ['a', 'c']
    """

    __slots__ = ("indices", "values")

    def __init__(self, values: Sequence[Any], mask: Any) -> None:
        self.values = values
        self.indices = np.flatnonzero(mask)

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, place: Any) -> Any:
        at = self.indices[place]
        return taken(self.values, at) if isinstance(place, slice) else self.values[at]


ComparedSide: TypeAlias = Literal["answer", "reference"]


def compared_column(side: ComparedSide, field: str | None = None) -> str:
    """Return the name of the column of a field's compared values (None: the only field's); it is never a valid path.

    Examples:
        >>> compared_column("answer"), compared_column("reference", "city")
        ('the answer', 'the reference of city')
    """
    return f"the {side}" if field is None else f"the {side} of {field}"


def score_column(field: str | None = None) -> str:
    """Return the name of the column of a field's scores, or of the records' own; it is never a valid path.

    Examples:
        >>> score_column(), score_column("city")
        ('the score', 'the score of city')
    """
    return "the score" if field is None else f"the score of {field}"


PASSES_COLUMN = "whether it passes"


def is_record_path(name: str) -> bool:
    """Return whether a column's name is a path in the records, rather than a column of scores, answers or passes.

    Examples:
        >>> is_record_path("output.text"), is_record_path(score_column()), is_record_path(PASSES_COLUMN)
        (True, False, False)
    """
    return not name.startswith(("the ", PASSES_COLUMN))


class Rows(Struct, frozen=True):
    """A table of records: columns of equal length, with one value for each record.

    The columns may be given as lists or as arrays, and are stored as arrays: floats with NaN for missing scores, codes
    for outcomes and passes. The attributes behave like lists (None, ``"unscored"``, True); metrics compute with
    ``values``, ``codes`` and ``decided``, which are the arrays themselves.

    Args:
        ids: The id of each record.
        scores: The score of each record, None or NaN if it has none.
        statuses: The outcome of each record, as a word or as a code (its index in ``STATUSES``); by default a record
            with a score is scored, one without is unscored.
        weights: The weight of each record; 1 by default.
        passed: Whether each record passes: True, False or None, or the codes 1, 0 or -1. Undecided by default.
        fields: The scores of each field.
        records: The input rows, if metrics read them.
        columns: Values of the records by path, which metrics get by ``column``.
        column_of: Reads a path from many records, if a spec declares names.
        ends: The least and the greatest possible score of each field, and for None of the records themselves: numbers,
            or arrays with a value for each record, as for the tasks of a suite; 0 and 1 by default.

    Examples:
        >>> import numpy as np
        >>> rows = Rows(["a", "b"], np.array([0.5, np.nan]))
        >>> rows.scores, rows.statuses
        ([0.5, None], ['scored', 'unscored'])
    """

    __scoring_type__: ClassVar[str] = "Rows"

    ids: Sequence[Any]
    scores: Any
    statuses: Any = None
    weights: Any = None
    passed: Any = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    records: Sequence[Mapping[str, Any]] = ()
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    column_of: Callable[[str, Sequence[Mapping[str, Any]]], Sequence[Any]] | None = None
    ends: Mapping[str | None, tuple[Any, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        scores, size = scores_of(self.scores), len(self.ids)
        statuses = np.where(np.isnan(scores.array), UNSCORED, SCORED) if self.statuses is None else self.statuses
        columns = {
            "scores": scores,
            "statuses": codes_of(statuses, STATUSES, "uint8"),
            "weights": np.asarray(np.ones(size) if self.weights is None else self.weights, dtype=np.float64),
            "passed": codes_of(np.full(size, -1) if self.passed is None else self.passed, PASSES, "int8"),
            "fields": {name: scores_of(scores) for name, scores in self.fields.items()},
        }
        for name, column in columns.items():
            force_setattr(self, name, column)

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of_scores(
        cls,
        scores: Iterable[float | None],
        *,
        ids: Sequence[Any] | None = None,
        weights: Sequence[float] | None = None,
        passed: Sequence[bool | None] | None = None,
        **columns: Sequence[Any],
    ) -> Rows:
        """Return rows of plain scores, for tests and examples; None is the score of an unscored record."""
        values = list(scores)
        indices = list(range(len(values)))
        return cls(indices if ids is None else ids, values, None, weights, passed, columns=columns)

    @property
    def codes(self) -> Any:
        """The outcome of each record as a code, its index in ``STATUSES``: an array of uint8."""
        return self.statuses.array

    @property
    def decided(self) -> Any:
        """Whether each record passes, as a code: 1 for yes, 0 for no, -1 for undecided; an array of int8."""
        return self.passed.array

    def values(self, field: str | None = None) -> Any:
        """Return the scores of one field, or for None those of the records: an array of floats, NaN if missing.

        Raises:
            KeyError: when there is no field of that name.

        Examples:
            >>> Rows.of_scores([1.0, None]).values().tolist()
            [1.0, nan]
        """
        return (self.scores if field is None else self.fields[field]).array

    @property
    def is_incomplete(self) -> bool:
        """Whether any record that should have a score has none."""
        return bool((self.codes >= UNPARSED).any())

    def column(self, path: str) -> Sequence[Any]:
        """Return the values at a path, one per record; None if a record has none.

        Raises:
            KeyError: when the rows have neither this column nor records from which to read it.

        Examples:
            >>> rows = Rows.of_scores([1.0, 0.0], language=["de", "en"])
            >>> rows.column("language")
            ['de', 'en']
        """
        if path in self.columns:
            return self.columns[path]
        if not is_record_path(path):
            scores = {score_column(name): column for name, column in self.fields.items()}
            own: dict[str, Sequence[Any]] = {score_column(): self.scores, PASSES_COLUMN: self.passed, **scores}
            return own[path]
        if not self.records and len(self):
            raise KeyError(path)
        if self.column_of is not None:
            return self.column_of(path, self.records)
        segments = segments_of(path)
        if segments is None:
            raise KeyError(path)
        return [part_of(record, segments) for record in self.records]

    def predictions(self, path: str | None = None, field: str | None = None) -> Sequence[Any]:
        """Return the values at a path; without a path, the parsed answers that the task compares, None if missing.

        Args:
            path: A path, as for `column`.
            field: The field whose answers are returned; by default a task's only field.

        Examples:
            >>> rows = Rows([1], [1.0], records=[{"response": "It is B."}], columns={compared_column("answer"): ["B"]})
            >>> rows.predictions(), rows.predictions("response")
            (['B'], ['It is B.'])
        """
        return self._compared(path, field, "answer", "response")

    def references(self, path: str | None = None, field: str | None = None) -> Sequence[Any]:
        """Return the values at a path; without a path, the references with which the task compares answers."""
        return self._compared(path, field, "reference", "reference")

    def _compared(self, path: str | None, field: str | None, side: ComparedSide, usual: str) -> Sequence[Any]:
        name = compared_column(side, field)
        if path is None and name in self.columns:
            return self.columns[name]
        return self.column(usual if path is None else path)  # rows that were not made by a task have plain columns

    def select(self, indices: Sequence[int] | np.ndarray[Any, Any]) -> Rows:
        """Return the rows at some positions (an int array, or any sequence of whole numbers), in that order."""
        at = np.asarray(indices, dtype=np.intp)
        return Rows(
            taken(self.ids, at),
            self.scores.at(at),
            self.statuses.at(at),
            taken(self.weights, at),
            self.passed.at(at),
            {name: scores.at(at) for name, scores in self.fields.items()},
            taken(self.records, at) if self.records else (),
            {name: taken(values, at) for name, values in self.columns.items()},
            self.column_of,
            {name: (_at(low, at), _at(high, at)) for name, (low, high) in self.ends.items()},
        )

    @property
    def ranges(self) -> dict[str | None, ScoreRange]:
        """The range of every field's scores by the field's name, and by None the range of the records' own scores."""
        found: dict[str | None, ScoreRange] = dict.fromkeys([None, *self.fields], UNIT)
        for name, (low, high) in self.ends.items():
            found[name] = ScoreRange(float(np.min(low)), float(np.max(high))) if np.size(low) else UNIT
        return found

    def keyed(self, keys: Sequence[Any], column: str | None = None) -> Rows:
        """Return the rows with other ids, or, given a column's name, with other values of that column."""
        return replace(self, ids=keys) if column is None else replace(self, columns={**self.columns, column: keys})

    def with_unscored_at(self, end: Literal["low", "high"]) -> Rows:
        """Return the rows with the least or the greatest possible score for every record that lacks a score.

        Such a record passes with the greatest and fails with the least score; statuses are unchanged.
        """
        missing: Any = np.isin(self.codes, (UNPARSED, UNSCORED))

        def filled(name: str | None, where: Any) -> Any:
            value = self.ends.get(name, (0.0, 1.0))[end == "high"]
            return np.where(where, value, self.values(name))

        fields: Any = {name: filled(name, missing & np.isnan(self.values(name))) for name in self.fields}
        passed: Any = np.where(missing, end == "high", self.decided)
        return replace(self, scores=filled(None, missing), passed=passed, fields=fields)


def _at(end: Any, indices: Any) -> Any:
    return end if isinstance(end, (int, float)) else end[indices]
