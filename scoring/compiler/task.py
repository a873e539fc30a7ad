"""A compiled task: records in, results out. It reads no files and knows no processes."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Self

from scoring.compiler.failures import failure, outcome_of
from scoring.compiler.parts import Metric, TaskParts
from scoring.compiler.record import Record
from scoring.compiler.row import RowValues
from scoring.compiler.signature import Signature
from scoring.lang.evaluate import SCORE
from scoring.outcomes import UNDECIDED, Outcomes, Results
from scoring.result import FieldResult, Outcome, RecordResult

NO_REFERENCE = Outcome.unscored("the record has no reference")
NO_RESPONSE = Outcome.unscored("the record has no response")


class CompiledTask:
    """A task that can score records."""

    def __init__(self, parts: TaskParts, seed: int = 0) -> None:
        self.parts = parts
        self.spec = parts.spec
        self.name = parts.spec.name
        self.version = parts.spec.version
        self.seed = seed
        self.metrics: Sequence[Metric] = parts.metrics
        self.by: Sequence[str] = parts.spec.by
        self.intervals = parts.spec.intervals
        self.field_names: Sequence[str] = tuple(field.name for field in parts.fields)
        programs = [field.scorer.program for field in parts.fields]
        programs += [chain.program for chain in (parts.parse, parts.parse_reference) if chain is not None]
        self.asks_judge = parts.recipe.uses("judge")
        self._roots = {path.root for program in programs for path in program.paths()}

    @property
    def signature(self) -> Signature:
        """One line that says everything that can change the numbers, the configured judge and sandbox included."""
        return self.parts.recipe.signature(self.seed)

    def seeded(self, seed: int) -> Self:
        """The same task with another seed for everything that draws random numbers."""
        return type(self)(self.parts, seed)

    def record_id(self, record: Record) -> Any:
        """The id of a record."""
        return self.parts.reader.id(record)

    def attributes(self, record: Record) -> dict[str, Any]:
        """The values of a record by which results are broken down."""
        return self.parts.reader.attributes(record)

    def reader_of(self, path: str) -> Callable[[Any], Any]:
        """What reads a declared name or a JMESPath out of a record, for metrics."""
        return self.parts.reader.reader_of(path)

    def row(self, record: Record) -> RowValues:
        """What expressions read of a record: itself with the names that the spec declares, and its context."""
        return self.parts.reader.row(record)

    def score(self, record: Record) -> RecordResult:
        """Score one record; the result can explain itself."""
        result = self.score_batch([record])[0]
        return replace(result, explainer=lambda: self.explain(record))

    def score_batch(self, records: Sequence[Record]) -> Results:
        """Score many records column by column; the same results as scoring each alone."""
        parts = self.parts
        raw = [self._response(parts.reader.response(record)) for record in records]
        references = [self._reference(record) for record in records]
        rows: list[RowValues] | None = self._rows(records)
        parsed = parts.parse.column(raw, rows) if parts.parse is not None else raw
        prepared = parts.parse_reference.column(references, rows) if parts.parse_reference is not None else references
        results = Results(
            list(map(parts.reader.id, records)),
            Outcomes.nothing(len(records)),
            {field.name: field.column(parsed, raw, prepared, rows) for field in parts.fields},
            bytearray([UNDECIDED]) * len(records),
            array("d", [1.0]) * len(records),
            parts.reader.attribute_columns(records, rows),
            {},
            [None if type(value) is Outcome else value for value in parsed],
        )
        self._join(results, self._odd(results, records, parsed), parsed)
        return results

    def _odd(self, results: Results, records: Sequence[Record], parsed: Sequence[Any]) -> set[int]:
        """The places of records that need a look of their own: something failed, or a weight is wrong."""
        odd = {place for column in results.fields.values() for place in column.outcomes.odd}
        odd.update(place for place, value in enumerate(parsed) if type(value) is Outcome)
        if not self.parts.reader.has_weights:
            return odd
        for place, record in enumerate(records):
            weight = self.parts.reader.weight(record)
            results.weights[place] = math.nan if weight is None else weight
            if weight is None:
                odd.add(place)
        return odd

    def _join(self, results: Results, odd: set[int], parsed: Sequence[Any]) -> None:
        """The records' own outcomes: equal field scores are joined once, and whatever is odd by itself."""
        known: dict[tuple[float, ...], tuple[Outcome, int]] = {}
        columns = [column.outcomes.values for column in results.fields.values()]
        for place, scores in enumerate(zip(*columns, strict=True)):
            if place in odd:
                outcome, passed = self._odd_outcome(results, place, parsed[place])
            else:
                found = known.get(scores)
                if found is None:
                    fields = _fields_at(results, place)
                    found = known[scores] = self._passed(self._joined(fields), fields)
                outcome, passed = found
            results.outcomes.put(place, outcome)
            results.passed[place] = passed

    def _odd_outcome(self, results: Results, place: int, parsed: Any) -> tuple[Outcome, int]:
        fields = _fields_at(results, place)
        outcome = self._joined(fields)
        if type(parsed) is Outcome and parsed.status == "unparsed":
            why = results.unparsed[place] = parsed.reason or "unparsed"
            if outcome.status == "scored" and self.spec.on_unparsed != "raw":
                outcome = Outcome(outcome.value, "unparsed", why)
        if math.isnan(results.weights[place]):
            outcome, results.weights[place] = self._no_weight(), 1.0
        return self._passed(outcome, fields)

    def _rows(self, records: Sequence[Record]) -> list[RowValues] | None:
        """What paths are read from, where any step names one."""
        return [self.parts.reader.row(record, self._roots) for record in records] if self._roots else None

    def _reference(self, record: Record) -> Any:
        value = self.parts.reader.reference(record)
        # Scorers that read other values of the row, such as test cases, may do without a reference.
        needs_one = not self._roots & {"context", "record"} and self.spec.on_missing != "pass"
        return NO_REFERENCE if value is None and needs_one and self.parts.reader.lacks_reference(record) else value

    def _response(self, value: Any) -> Any:
        # Where missing things are compared as nothing, the parse stage decides what a missing response is.
        is_passed = value is not None or (self.parts.parse is not None and self.spec.on_missing == "pass")
        return value if is_passed else NO_RESPONSE

    def _no_weight(self) -> Outcome:
        value = 0.0 if self.spec.on_error == "zero" else None
        return Outcome(value, "unscored", "the record's weight is no finite number of at least 0")

    def _joined(self, fields: dict[str, FieldResult]) -> Outcome:
        aggregate = self.parts.aggregate
        for name, field in fields.items():
            matters = aggregate.uses is None or name in aggregate.uses
            if matters and field.outcome.value is None and field.status in ("unparsed", "unscored"):
                reason = field.reason or field.status
                return Outcome(None, field.status, reason if len(fields) == 1 else f"{name}: {reason}")
        try:
            return outcome_of(aggregate.run(fields))
        except Exception as error:
            return failure(error)

    def _passed(self, outcome: Outcome, fields: dict[str, FieldResult]) -> tuple[Outcome, int]:
        """Whether the record passes, `UNDECIDED` where that can't be told; the outcome then notes why."""
        passes = self.parts.passes
        if passes is None or outcome.value is None or outcome.status == "not_applicable":
            return outcome, UNDECIDED
        scores = {name: field.score for name, field in fields.items() if field.status != "not_applicable"}
        try:
            return outcome, int(bool(passes.evaluate({**scores, SCORE: outcome.value})))
        except Exception as error:
            why = failure(error).reason or "no reason was given"
            return replace(outcome, notes={**(outcome.notes or {}), "pass": f"undecided: {why}"}), UNDECIDED

    def explain(self, record: Record) -> dict[str, Any]:
        """What happened to one record, stage by stage, as plain data."""
        from scoring.compiler.trace import explain

        story = explain(self.parts, self.score_batch([record])[0], record)
        return {"id": story.pop("id"), "task": self.name, **story, "signature": self.signature}

    def resolved(self) -> dict[str, Any]:
        """The whole spec as plain data, with what its imports resolved to."""
        return {"spec": dict(self.spec.data), "digest": self.parts.digest, **self.parts.recipe.resolved()}


def _fields_at(results: Results, place: int) -> dict[str, FieldResult]:
    return {name: part for name, column in results.fields.items() if (part := column.result(place)) is not None}
