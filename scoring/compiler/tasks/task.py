"""A compiled task, which turns records into results; it reads no files and starts no processes."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any, Self

from msgspec.structs import replace

from scoring.compiler.identity.signature import Signature
from scoring.compiler.programs.columns import in_parts
from scoring.compiler.programs.program import uses
from scoring.compiler.programs.stages import (
    NO_ROW,
    REFERENCE,
    RESPONSE,
    ROW_VALUES,
    RowValues,
    StageValues,
    ValueChanges,
    field_key,
    value_key,
)
from scoring.compiler.records.record_reader import DEFAULTS, read_column
from scoring.compiler.tasks.aggregate_record import RecordAggregator, why_unparsed
from scoring.compiler.tasks.chat import message_text
from scoring.compiler.tasks.compiled_parts import TaskMetric, TaskParts
from scoring.compiler.tasks.task_stages import TaskNeeds, TaskStages, pruning, share_chains
from scoring.data.plain_values import as_plain, host_record, is_simple
from scoring.diagnostics.words import EFFECTS
from scoring.outcomes import UNDECIDED, FieldColumn, Outcomes, Results
from scoring.ranges import ScoreRange
from scoring.registry.extension import service
from scoring.result import MISSING, Outcome, RecordResult
from scoring.values import AS_IT_IS, Record

_PASSED = (False, True, None)  # of 0, 1 and UNDECIDED


class CompiledTask:
    """A task, compiled from its spec, that can score records."""

    def __init__(self, parts: TaskParts, seed: int = 0) -> None:
        self.parts = parts
        self.spec = parts.spec
        self.name = parts.spec.name
        self.version = parts.spec.version
        self.seed = seed
        self.metrics: Sequence[TaskMetric] = parts.metrics
        self.by: Sequence[str] = parts.spec.by
        self.intervals = parts.spec.intervals
        self.ranges = parts.ranges
        self.better = parts.better[None]
        self.field_names: Sequence[str] = parts.field_names
        self.asks_judge = parts.recipe.uses("judge")
        self.needs_response, self.needs_reference = parts.needs_response, parts.needs_reference
        needs = TaskNeeds.of(parts)
        self._roots, self._texts = needs.roots, needs.texts
        reader = parts.reader
        self._reads_parts_alone = not (self._roots or reader.has_attributes or reader.has_weights)
        self._reads_keys = self._reads_parts_alone and reader.reads_words
        self._stages = TaskStages(parts, needs)
        self._pruned = ValueChanges(pruning(parts))
        self._names = [(name, field_key(name)) for name in self.field_names]
        computes = not self._roots.isdisjoint(("values", "parsed"))
        self._values = [(one.name, value_key(one.name)) for one in parts.values if one.is_declared and computes]
        self._joiner = RecordAggregator(parts)
        self._join_one = self._joiner.one
        self._shared = share_chains([field.scorer for field in parts.fields]) if len(parts.fields) > 1 else []

    @property
    def range(self) -> ScoreRange:
        """The range of a record's score; an end is infinite if the score has no bound there."""
        return self.ranges[None]

    @property
    def signature(self) -> Signature:
        """The line with everything that can change the numbers, such as the configured judge and sandbox."""
        return self.parts.recipe.signature(self.seed)

    def seeded(self, seed: int) -> Self:
        """Return a copy of the task with another seed for random numbers."""
        return type(self)(self.parts, seed)

    def read_by(self, settings: Sequence[str]) -> Self:
        """Return a copy of the task whose signature lists ``settings``, the settings of the format of the data."""
        return type(self)(replace(self.parts, recipe=replace(self.parts.recipe, settings=(*settings,))), self.seed)

    def record_id(self, record: Record) -> Any:
        """Return the id of a record, read at the path that the spec states."""
        return self.parts.reader.id(record)

    def record_ids(self, records: Sequence[Record]) -> list[Any]:
        """Return the id of each of many records."""
        return read_column(self.parts.reader.id, records)

    def attributes(self, record: Record) -> dict[str, Any]:
        """Return the attributes of a record, by which results are broken down, by name."""
        reader = self.parts.reader
        return dict(self.score(record).attributes) if reader.computed else reader.attributes(record)

    def reader_of(self, path: str) -> Callable[[Any], Any]:
        """Return a function that reads a part of a record, given its declared name or a path, for metrics."""
        return self.parts.reader.reader_of(path)

    def column_of(self, path: str, records: Sequence[Record]) -> list[Any]:
        """Return a part of many records, given its declared name or a path."""
        return read_column(self.reader_of(path), records)

    @property
    def columns(self) -> set[str] | None:
        """The keys of records that the task reads; None if a program or a metric may read any."""
        found = [self.parts.reader.columns, *(metric.columns for metric in self.metrics)]
        known = [columns for columns in found if columns is not None]
        return set().union(*known) if len(known) == len(found) and "record" not in self._roots else None

    def row(self, record: Record) -> RowValues:
        """Return the row of a record: the values that expressions can name, such as `record.town` and `context`."""
        return self.parts.reader.row(record)

    def score(self, record: Record) -> RecordResult:
        """Score one record; the `explain` of its result shows how it was scored."""
        reader = self.parts.reader
        response, reference, key = reader.response(record), reader.reference(record), reader.id(record)
        if self._reads_parts_alone and type(key) in AS_IT_IS:
            if type(response) is str and type(reference) is str:
                return self._one(key, response, reference, NO_ROW, record)
            if self._reads_keys and is_simple(response) and is_simple(reference):
                return self._one(key, response, reference, NO_ROW, record)
        plain = host_record(record)
        response, reference = self._pruned.one(reader.response(plain)), reader.given_reference(plain)
        return self._one(reader.id(plain), response, reference, self._row(plain), plain)

    def score_parts(
        self, response: Any, reference: Any = MISSING, *, context: Any = None, id: Any = None, record: Any = None
    ) -> RecordResult:
        """Score one answer whose parts are passed by the caller, such as a trainer; `explain` of the result shows how.

        Args:
            response: The model's raw response; None if there is none.
            reference: The value that it is compared with; `MISSING` if there is none. None is a reference only if the
                spec says ``on_null: value``.
            context: The value of ``context`` in expressions, by default that of ``record``.
            id: The id of the result, by default that of ``record``.
            record: A mapping from which paths such as ``record.kind``, breakdowns and weights are read.

        Examples:
            >>> import scoring
            >>> task = scoring.load({"kind": "task", "name": "t", "score": "lower | equal"})
            >>> task.score_parts("Paris", "paris").score, task.score_parts("Paris").reason
            (1.0, 'the record has no reference')
        """
        known = host_record(record) if record is not None else {}
        if not ((type(response) is str or is_simple(response)) and (type(reference) is str or is_simple(reference))):
            response, reference = self._pruned.one(as_plain(response)), as_plain(reference)
        key = self.parts.reader.id(known) if id is None else as_plain(id)
        return self._one(key, response, reference, self._row_of(response, reference, as_plain(context), known), known)

    def _one(self, key: Any, response: Any, reference: Any, row: RowValues, record: Record) -> RecordResult:
        """Return the result of one record, equal to that in a batch, given its id (``key``), its parts, and its row."""
        reader, stages = self.parts.reader, self._stages
        state = stages.all.one({RESPONSE: response, REFERENCE: reference, ROW_VALUES: row})
        parsed, fields = state[stages.answer], {}
        for name, made in self._names:
            fields[name] = state[made]
        weight = reader.weight(record) if reader.has_weights else 1.0
        outcome, passed = self._join_one(fields, parsed, weight, row)
        result = RecordResult(
            key,
            outcome,
            fields,
            _PASSED[passed],
            parsed,
            None,
            reader.attributes(record, row) if reader.has_attributes else {},
            1.0 if weight is None else weight,
            lambda: self._story(result, state),
            {name: _unless_failed(state[made]) for name, made in self._values} if self._values else {},
        )
        if type(parsed) is Outcome:
            result.parsed, result.unparsed_reason = None, why_unparsed(parsed)
        return result

    def score_batch(self, records: Sequence[Record]) -> Results:
        """Score many records, column by column; the results are equal to those of scoring each record alone."""
        return _joined(in_parts(self._batch, records, lambda part: Results.of([self.score(part[0])])))

    def _batch(self, records: Sequence[Record]) -> Results:
        from scoring.data.plain_columns import are_plain, host_records, look_through

        if self._reads_keys and set(map(type, records)) == {dict}:
            # What nothing reads of records need not be looked at.
            ids, responses, references = self._parts_of(records)
            answers = look_through(responses)
            if answers.are_plain and are_plain(ids) and are_plain(references):
                responses = self._pruned.column(responses) if answers.hold_null else responses
                return self._columns(ids, responses, references, [NO_ROW] * len(records), records)
        return self.score_rows(host_records(records))

    def score_rows(self, records: Sequence[Record]) -> Results:
        """Score many records of plain values, such as rows of a table; see `scoring.data.normalize`."""
        ids, responses, references = self._parts_of(records)
        return self._columns(ids, self._pruned.column(responses), references, self._rows(records), records)

    def _parts_of(self, records: Sequence[Record]) -> tuple[list[Any], list[Any], list[Any]]:
        """Return the ids, the responses and the references of records as three columns."""
        read = self.parts.reader.column
        return read("id", records), read("response", records), read("reference", records)

    def score_lists(
        self,
        responses: list[Any],
        references: Sequence[Any],
        contexts: Sequence[Any],
        ids: Sequence[Any],
        records: Sequence[Record | None],
    ) -> Results:
        """Score many answers, given as lists of their parts; see `score_parts`, with None for no id or record."""
        known: list[Record] = [{} if record is None else host_record(record) for record in records]
        responses = self._pruned.column(responses)
        rows = list(map(self._row_of, responses, references, contexts, known))
        read = self.parts.reader.id
        keys = [read(record) if key is None else key for key, record in zip(ids, known, strict=True)]

        def some(positions: range) -> Results:
            at = slice(positions.start, positions.stop)
            return self._columns(keys[at], responses[at], references[at], rows[at], known[at])

        def alone(positions: range) -> Results:
            at = positions.start
            return Results.of([self._one(keys[at], responses[at], references[at], rows[at], known[at])])

        return _joined(in_parts(some, range(len(keys)), alone))

    def _columns(
        self,
        keys: list[Any],
        responses: Sequence[Any],
        references: Sequence[Any],
        rows: Sequence[RowValues],
        records: Sequence[Record],
    ) -> Results:
        """Return the results of many records from columns of their ids (``keys``), other parts, and rows."""
        stages, size = self._stages, len(keys)
        state = stages.all.columns({RESPONSE: responses, REFERENCE: references, ROW_VALUES: rows})
        parsed = state[stages.answer]
        has_unparsed = Outcome in stages.classes.of(parsed)
        stages.classes.forget()
        for chain in self._shared:
            chain.cached = None
        results = Results(
            keys,
            Outcomes.nothing(size),
            {name: state[made] for name, made in self._names},
            bytearray([UNDECIDED]) * size,
            array("d", [1.0]) * size,
            self.parts.reader.attribute_columns(records, rows),
            {},
            parsed,
            {name: state[made] for name, made in self._values},
        )
        self._joiner.all(results, parsed, records, rows, has_unparsed=has_unparsed)
        if has_unparsed:
            results.parsed = list(map(_unless_failed, parsed))
        return results

    def compared(self, records: Sequence[Record]) -> Results | None:
        """Return the values of records that fields compare, without scores; None if this needs computed values, or an
        effect such as a judge."""
        parts, stages = self.parts, self._stages
        needs_effect = parts.parse is not None and uses(EFFECTS.keys(), [parts.parse.program])
        if needs_effect or not self._roots.isdisjoint(("values", "parsed")):
            return None
        ids, responses, references = self._parts_of(records)
        rows, responses = self._rows(records), self._pruned.column(responses)
        state = stages.prepare.columns({RESPONSE: responses, REFERENCE: references, ROW_VALUES: rows})
        fields = {}
        for field in parts.fields:
            ours, theirs = field.reads(stages.answer, stages.wanted)
            outcomes = Outcomes.nothing(len(ids))
            pairs = list(map(field.values, state[ours], state[RESPONSE], state[theirs]))
            for place, pair in enumerate(pairs):
                for failed in (one for one in pair if type(one) is Outcome):
                    outcomes.put(place, failed)
            compared, wanted = [one for one, _ in pairs], [other for _, other in pairs]
            fields[field.name] = FieldColumn(field.name, field.weight, outcomes, compared, wanted)
        passed, weights = bytearray([UNDECIDED]) * len(ids), array("d", [1.0]) * len(ids)
        plain = list(map(_unless_failed, state[stages.answer]))
        return Results(ids, Outcomes.nothing(len(ids)), fields, passed, weights, {}, {}, plain, {})

    def _row(self, record: Record, **own: Any) -> RowValues:
        """Return the row of a record for expressions, in which the values of ``own`` replace those of the record, and
        chat messages are replaced by their text if the task uses only that."""
        if not self._roots:
            return NO_ROW
        row = self.parts.reader.row(record, self._roots, own)
        for side in self._texts & row.keys():
            row[side] = message_text(row[side])
        return row

    def _rows(self, records: Sequence[Record]) -> list[RowValues]:
        """Return the row of each of many records, see `_row`."""
        if not self._roots:
            return [NO_ROW] * len(records)
        rows = self.parts.reader.rows(records, self._roots)
        for side in self._texts & rows[0].keys() if rows else ():
            for row in rows:
                row[side] = message_text(row[side])
        return [*rows]

    def _row_of(self, response: Any, reference: Any, context: Any, record: Record) -> RowValues:
        """Return the row for expressions from the parts of an answer that a caller passes in addition to the record."""
        if not self._roots:
            return NO_ROW
        own = {"context": context} if context is not None else {}
        return self._row(record, prediction=response, reference=None if reference is MISSING else reference, **own)

    def explain(self, record: Record) -> dict[str, Any]:
        """Return how one record was scored, stage by stage, as plain data."""
        story: dict[str, Any] = self.score(record).explain()
        return story

    def _story(self, result: RecordResult, state: StageValues) -> dict[str, Any]:
        story = service("explain-record", "`explain`")(self.parts, result, state, self._stages)
        told = {"id": story.pop("id"), "task": self.name, **story, "signature": self.signature}
        traced: dict[str, Any] = type(story)(told)  # a notebook shows it as a tree
        return traced

    @property
    def reads(self) -> dict[str, Any]:
        """The paths at which a record has the parts that the task reads, and the names of the breakdowns, which are not
        part of its meaning."""
        paths = {**DEFAULTS, **self.spec.record}
        return {"breakdowns": list(self.by), **{f"record.{name}": path for name, path in sorted(paths.items())}}

    def resolved(self) -> dict[str, Any]:
        """Return the whole spec as plain data, with its meaning and its imports resolved, as it is in manifests."""
        return {"spec": dict(self.spec.data), "digest": self.parts.digest, **self.parts.recipe.resolved()}


def _joined(parts: list[Results]) -> Results:
    return parts[0] if len(parts) == 1 else Results.join(parts)


def _unless_failed(value: Any) -> Any:
    """Return a value; None for an outcome, which takes the place of a value that could not be computed."""
    return None if type(value) is Outcome else value
