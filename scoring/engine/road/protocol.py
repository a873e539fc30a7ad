"""What the engine needs of a compiled task; the compiler's `Task` has it, and so has any small fake."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from scoring.engine.runs.manifest import Made
from scoring.format.intervals import Intervals
from scoring.outcomes import Results
from scoring.ranges import ScoreRange
from scoring.result import RecordResult
from scoring.statistics.statistic import Statistic


class CompiledMetric(Protocol):
    """A data-set metric with its arguments bound."""

    @property
    def text(self) -> str:
        """Its canonical text."""

    def __call__(self, table: Any, /) -> Statistic:
        """The statistic of a table of the kind that the metric takes."""


class RecordScorer(Made, Protocol):
    """A program that scores records."""

    @property
    def metrics(self) -> Sequence[CompiledMetric]:
        """The data-set metrics, the headline first."""

    @property
    def by(self) -> Sequence[str]:
        """The attributes by which results are broken down."""

    @property
    def intervals(self) -> Intervals:
        """How confidence intervals are made."""

    @property
    def field_names(self) -> Sequence[str]:
        """The fields in the order of the spec."""

    @property
    def ranges(self) -> Mapping[str | None, ScoreRange]:
        """The range of every field's scores, and for None that of the records' own."""

    def reader_of(self, path: str) -> Callable[[Any], Any]:
        """What reads a declared name or a JMESPath out of a record, for metrics."""

    def record_id(self, record: Mapping[str, Any]) -> Any:
        """The id of a record."""

    def attributes(self, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """The values of a record by which results are broken down."""

    def score(self, record: Mapping[str, Any]) -> RecordResult:
        """Score one record."""

    def score_rows(self, records: Sequence[Mapping[str, Any]]) -> Results:
        """Score many records of plain values, column by column; equal to scoring each alone."""
