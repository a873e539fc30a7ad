"""The records of a data set as columns, as metrics see them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from scoring.result import RecordResult, Status


@dataclass(frozen=True, slots=True)
class Rows:
    """Columns of equal length: one place per record.

    ``scores`` holds None where a record has no score. ``columns`` are values of the records by JMESPath; a metric
    asks for them with ``column``. ``reader_of`` makes the function that reads a path where a spec declares names.
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
        return cls(
            list(range(len(held))) if ids is None else ids,
            held,
            ["unscored" if score is None else "scored" for score in held],
            [1.0] * len(held) if weights is None else weights,
            [None] * len(held) if passed is None else passed,
            columns=columns,
        )

    @property
    def is_incomplete(self) -> bool:
        """Whether any record that should have a score has none."""
        return any(status in ("unscored", "unparsed") for status in self.statuses)

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
        """The rows at some places, in that order."""
        return Rows(
            _pick(self.ids, places),
            _pick(self.scores, places),
            _pick(self.statuses, places),
            _pick(self.weights, places),
            _pick(self.passed, places),
            {name: _pick(scores, places) for name, scores in self.fields.items()},
            _pick(self.records, places) if self.records else (),
            {name: _pick(values, places) for name, values in self.columns.items()},
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
        missing = [status in ("unscored", "unparsed") for status in self.statuses]
        filled = {
            name: [value if absent and score is None else score for absent, score in zip(missing, scores, strict=True)]
            for name, scores in self.fields.items()
        }
        return replace(
            self,
            scores=[value if absent else score for absent, score in zip(missing, self.scores, strict=True)],
            passed=[value >= 1.0 if absent else was for absent, was in zip(missing, self.passed, strict=True)],
            fields=filled,
        )


def _score(result: Any) -> float | None:
    """A score as a metric may use it: numbers of scored results only."""
    return float(result.score) if result is not None and result.status == "scored" else None


def _pick(values: Sequence[Any], places: Sequence[int]) -> list[Any]:
    return [values[place] for place in places]
