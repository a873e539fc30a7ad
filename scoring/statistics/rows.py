"""The records of a data set as columns, as metrics see them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from scoring.outcomes import SCORED, STATUSES, UNPARSED, UNSCORED
from scoring.result import RecordResult, Status
from scoring.statistics.columns import PASSES, Column, codes_of, scores_of, taken


@dataclass(frozen=True, slots=True)
class Rows:
    """Columns of equal length: one place per record.

    The columns may be given as lists or as arrays, and are kept as arrays: floats with NaN where a record has no
    score, codes for outcomes and passes. The attributes read as lists (None, ``"unscored"``, True); metrics compute
    with ``values``, ``codes`` and ``decided``, which are the arrays themselves.

    Args:
        ids: The id of each record.
        scores: Its score, None or NaN where it has none.
        statuses: Its outcome, as a word or as a code (its place in ``STATUSES``).
        weights: Its weight.
        passed: Whether it passes: True, False or None; as a code 1, 0 or -1.
        fields: The scores of each field.
        records: The input rows, where metrics read them.
        columns: Values of the records by JMESPath; a metric asks for them with ``column``.
        reader_of: Makes the function that reads a path, where a spec declares names.
    """

    __scoring_type__: ClassVar[str] = "Rows"

    ids: Sequence[Any]
    scores: Sequence[float | None]
    statuses: Sequence[Status]
    weights: Sequence[float]
    passed: Sequence[bool | None]
    fields: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    records: Sequence[Mapping[str, Any]] = ()
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    reader_of: Callable[[str], Callable[[Any], Any]] | None = None

    def __post_init__(self) -> None:
        import numpy as np

        held = {
            "scores": scores_of(self.scores),
            "statuses": codes_of(self.statuses, STATUSES, "uint8"),
            "weights": np.asarray(self.weights, dtype=np.float64),
            "passed": codes_of(self.passed, PASSES, "int8"),
            "fields": {name: scores_of(scores) for name, scores in self.fields.items()},
        }
        for name, column in held.items():
            object.__setattr__(self, name, column)

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of(
        cls,
        results: Sequence[RecordResult],
        records: Sequence[Mapping[str, Any]] = (),
        reader_of: Callable[[str], Callable[[Any], Any]] | None = None,
    ) -> Rows:
        """Rows of record results; ``records`` are the input rows in the same order, where metrics read them."""
        names: dict[str, None] = {}
        attributes: dict[str, None] = {}
        for result in results:
            names.update(dict.fromkeys(result.fields))
            attributes.update(dict.fromkeys(result.attributes))
        return cls(
            [result.id for result in results],
            [_score(result) for result in results],
            [result.status for result in results],
            [result.weight for result in results],
            [result.passed for result in results],
            {name: [_score(result.fields.get(name)) for result in results] for name in names},
            records,
            {name: [result.attributes.get(name) for result in results] for name in attributes},
            reader_of,
        )

    @classmethod
    def of_columns(
        cls,
        ids: Sequence[Any],
        scores: Any,
        *,
        statuses: Any = None,
        weights: Any = None,
        passed: Any = None,
        fields: Mapping[str, Any] | None = None,
        records: Sequence[Mapping[str, Any]] = (),
        columns: Mapping[str, Sequence[Any]] | None = None,
        reader_of: Callable[[str], Callable[[Any], Any]] | None = None,
    ) -> Rows:
        """Rows of arrays, which are kept as they are; nothing is made for each record.

        Args:
            ids: The id of each record, in any sequence.
            scores: Floats, NaN where a record has no score.
            statuses: Codes of outcomes; by default a record with a score is scored, one without unscored.
            weights: Floats; 1 by default.
            passed: Codes of passes; undecided by default.
            fields: Floats of each field.
            records: The input rows, where metrics read them.
            columns: Values of the records by JMESPath.
            reader_of: Makes the function that reads a path, where a spec declares names.

        Examples:
            >>> import numpy as np
            >>> rows = Rows.of_columns(["a", "b"], np.array([0.5, np.nan]))
            >>> rows.scores, rows.statuses
            ([0.5, None], ['scored', 'unscored'])
        """
        import numpy as np

        held = scores_of(scores)
        if statuses is None:
            statuses = np.where(np.isnan(held.array), UNSCORED, SCORED)
        if weights is None:
            weights = np.ones(len(held))
        if passed is None:
            passed = np.full(len(held), -1, dtype=np.int8)
        return cls(ids, held, statuses, weights, passed, fields or {}, records, columns or {}, reader_of)

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
        """Rows of plain scores, for tests and examples; None stands for an unscored record."""
        held = list(scores)
        places = list(range(len(held)))
        return cls.of_columns(places if ids is None else ids, held, weights=weights, passed=passed, columns=columns)

    @property
    def codes(self) -> Any:
        """The outcome of each record as a code: its place in ``STATUSES``, an array of uint8."""
        return _array(self.statuses)

    @property
    def decided(self) -> Any:
        """Whether each record passes, as a code: 1 it does, 0 it does not, -1 undecided; an array of int8."""
        return _array(self.passed)

    def values(self, field: str | None = None) -> Any:
        """The scores of one field, or of the whole record for None: an array of floats, NaN where there is none.

        Raises:
            KeyError: when there is no field of that name.

        Examples:
            >>> Rows.of_scores([1.0, None]).values().tolist()
            [1.0, nan]
        """
        return _array(self.field_scores(field))

    @property
    def is_incomplete(self) -> bool:
        """Whether any record that should have a score has none."""
        return bool((self.codes >= UNPARSED).any())

    def column(self, path: str) -> Sequence[Any]:
        """The values at a JMESPath, one per record; None where a record has none.

        Raises:
            KeyError: when the rows know neither this column nor the records it could be read from.

        Examples:
            >>> rows = Rows.of_scores([1.0, 0.0], language=["de", "en"])
            >>> rows.column("language")
            ['de', 'en']
        """
        if path in self.columns:
            return self.columns[path]
        if not self.records and len(self):
            raise KeyError(path)
        if self.reader_of is not None:
            return list(map(self.reader_of(path), self.records))
        if path.isascii() and path.isidentifier():  # a plain key, which most paths are
            return [record.get(path) for record in self.records]
        import jmespath

        search = jmespath.compile(path).search
        return [search(record) for record in self.records]

    def field_scores(self, name: str | None) -> Sequence[float | None]:
        """The scores of one field, or of the whole record for None.

        Raises:
            KeyError: when there is no field of that name.
        """
        return self.scores if name is None else self.fields[name]

    def select(self, places: Sequence[int]) -> Rows:
        """The rows at some places (an int array, or any sequence of whole numbers), in that order."""
        import numpy as np

        at = np.asarray(places, dtype=np.intp)
        return Rows(
            taken(self.ids, at),
            _some(self.scores, at),
            _some(self.statuses, at),
            taken(self.weights, at),
            _some(self.passed, at),
            {name: _some(scores, at) for name, scores in self.fields.items()},
            taken(self.records, at) if self.records else (),
            {name: taken(values, at) for name, values in self.columns.items()},
            self.reader_of,
        )

    def keyed(self, keys: Sequence[Any], column: str | None = None) -> Rows:
        """The rows under other ids, or with another column of the name that groups them."""
        return replace(self, ids=keys) if column is None else replace(self, columns={**self.columns, column: keys})

    def where(self, keep: Callable[[int], bool]) -> Rows:
        """The rows at the places for which ``keep`` says yes."""
        return self.select([place for place in range(len(self)) if keep(place)])

    def with_unscored_as(self, value: float) -> Rows:
        """The rows as if every record that should have a score, and has none, had this one; statuses stay."""
        import numpy as np

        missing: Any = np.isin(self.codes, (UNPARSED, UNSCORED))
        scores: Any = np.where(missing, value, self.values())
        passed: Any = np.where(missing, value >= 1.0, self.decided)
        fields = {name: self.values(name) for name in self.fields}
        filled: Any = {name: np.where(missing & np.isnan(one), value, one) for name, one in fields.items()}
        return replace(self, scores=scores, passed=passed, fields=filled)


def _array(column: Sequence[Any]) -> Any:
    """The array of a column that ``__post_init__`` made."""
    assert isinstance(column, Column)
    return column.array


def _some(column: Sequence[Any], places: Any) -> Any:
    assert isinstance(column, Column)
    return Column(column.array[places], column.words)


def _score(result: Any) -> float | None:
    """A score as a metric may use it: numbers of scored results only."""
    return float(result.score) if result is not None and result.status == "scored" else None
