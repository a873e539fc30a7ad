"""A compiled task: records in, results out. It reads no files and knows no processes."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from scoring.compiler.aggregate_record import RecordAggregator, why_unparsed
from scoring.compiler.chat import SIDES, column_said, reads_text, said
from scoring.compiler.column_steps import in_parts
from scoring.compiler.compiled_parts import TaskMetric, TaskParts
from scoring.compiler.expression_values import NO_REFERENCE, NO_RESPONSE, NO_ROW, RowValues
from scoring.compiler.program import uses
from scoring.compiler.record_reader import DEFAULTS
from scoring.compiler.run import share_chains
from scoring.compiler.signature import Signature
from scoring.data.normalize import (
    AS_IT_IS,
    NESTED,
    are_plain,
    as_plain,
    column_without_nulls,
    host_record,
    host_records,
    is_simple,
    look_through,
    without_nulls,
)
from scoring.effects import EFFECTS
from scoring.outcomes import UNDECIDED, FieldColumn, Outcomes, Results
from scoring.ranges import ScoreRange
from scoring.result import MISSING, Outcome, RecordResult
from scoring.values import Record

if TYPE_CHECKING:
    from scoring.compiler.values_run import RowComputer

OneFunction: TypeAlias = Callable[[Any, Any, Any, RowValues, Record], RecordResult]

_PASSED = (False, True, None)  # of 0, 1 and UNDECIDED


class CompiledTask:
    """A task that can score records."""

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
        self._roots = {path.root for path in parts.paths}
        self._reads_text = {side: reads_text(parts, side) for side in SIDES}
        passes_nothing = parts.spec.on_missing == "pass"
        self._computer: RowComputer | None = None
        if not self._roots.isdisjoint(("values", "parsed")):
            from scoring.compiler.values_run import RowComputer

            self._computer = RowComputer(parts.values, nothing_counts=passes_nothing)
        # A field that is compared with a computed value needs the reference where that value does.
        self.needs_reference = any(
            field.scorer.reads_reference and (field.reference is None or field.scorer.program.names_reference)
            for field in parts.fields
        )
        reads_response = not self._roots.isdisjoint(("prediction", "parsed"))
        compares_response = any(field.prediction is None for field in parts.fields)
        self.needs_response = compares_response or parts.parse is not None or reads_response
        self._needs_reference = self.needs_reference and not passes_nothing
        # Columns give every record every key, so null and no key are the same, unless the spec tells them apart.
        self._has_nulls = parts.spec.on_null == "value"
        reader = parts.reader
        self._reads_parts_alone = not (self._roots or reader.has_attributes or reader.has_weights)
        self._reads_keys = self._reads_parts_alone and reader.reads_words
        # Where missing things are compared as nothing, the parse stage decides what a missing response is; elsewhere
        # a record without one fails, if anything looks at it.
        self._parses_nothing = (parts.parse is not None and passes_nothing) or not self.needs_response
        self._joiner = RecordAggregator(parts)
        self._one = self._straight()
        self._shared = share_chains([field.scorer for field in parts.fields]) if len(parts.fields) > 1 else []

    @property
    def range(self) -> ScoreRange:
        """The range of a record's score; an end is infinite if unbounded."""
        return self.ranges[None]

    @property
    def signature(self) -> Signature:
        """One line that says everything that can change the numbers, the configured judge and sandbox included."""
        return self.parts.recipe.signature(self.seed)

    def seeded(self, seed: int) -> Self:
        """Return the same task with another seed for everything that draws random numbers."""
        return type(self)(self.parts, seed)

    def read_by(self, settings: Sequence[str]) -> Self:
        """Return the same task on data that settings of their format say how to read; its signature names them."""
        return type(self)(replace(self.parts, recipe=replace(self.parts.recipe, settings=(*settings,))), self.seed)

    def record_id(self, record: Record) -> Any:
        """Return the id of a record."""
        return self.parts.reader.id(record)

    def attributes(self, record: Record) -> dict[str, Any]:
        """Return the values of a record by which results are broken down."""
        reader = self.parts.reader
        return dict(self.score(record).attributes) if reader.computed else reader.attributes(record)

    def reader_of(self, path: str) -> Callable[[Any], Any]:
        """Return the reader of a declared name or a JMESPath in a record, for metrics."""
        return self.parts.reader.reader_of(path)

    @property
    def columns(self) -> set[str] | None:
        """The keys of records that anything reads, None where a program or a metric may read any."""
        found = [self.parts.reader.columns, *(metric.columns for metric in self.metrics)]
        known = [columns for columns in found if columns is not None]
        return set().union(*known) if len(known) == len(found) and "record" not in self._roots else None

    def row(self, record: Record) -> RowValues:
        """Return the row of a record for expressions: the record with the names of the spec, and its context."""
        return self.parts.reader.row(record)

    def score(self, record: Record) -> RecordResult:
        """Score one record; the result can explain itself."""
        reader = self.parts.reader
        response, reference, key = reader.response(record), reader.reference(record), reader.id(record)
        if self._reads_parts_alone and type(key) in AS_IT_IS:
            are_texts = type(response) is str and type(reference) is str
            if are_texts:
                return self._one(key, response, reference, NO_ROW, record)
            if self._reads_keys and is_simple(response) and is_simple(reference):
                return self._one(key, self._heard(response), self._given_reference(reference), NO_ROW, record)
        plain = host_record(record)
        if plain is not record:
            response, reference, key = reader.response(plain), reader.reference(plain), reader.id(plain)
        if reference is None and self._has_nulls and reader.lacks_reference(plain):
            reference = MISSING
        response, reference = self._heard(response), self._given_reference(reference)
        row = self._heard_row(reader.row(plain, self._roots)) if self._roots else NO_ROW
        return self._one(key, self._without_nulls(response), reference, row, plain)

    def score_parts(
        self, response: Any, reference: Any = MISSING, *, context: Any = None, id: Any = None, record: Any = None
    ) -> RecordResult:
        """Score one answer of which a host holds the parts, such as a trainer; the result can explain itself.

        Args:
            response: The model's raw response; None where there is none.
            reference: What it is compared with. `MISSING`, the default, is none, as is None, which is a reference
                only where the spec says ``on_null: value``.
            context: What expressions read as ``context.…``, by default that of ``record``.
            id: What the result is called, by default the id of ``record``.
            record: A mapping from which paths such as ``record.kind``, breakdowns and weights are read.

        Examples:
            >>> import scoring
            >>> task = scoring.load({"kind": "task", "name": "t", "score": "lower | equal"})
            >>> task.score_parts("Paris", "paris").score, task.score_parts("Paris").reason
            (1.0, 'the record has no reference')
        """
        known = host_record(record) if record is not None else {}
        if not ((type(response) is str or is_simple(response)) and (type(reference) is str or is_simple(reference))):
            response, reference = self._without_nulls(as_plain(response)), as_plain(reference)
        response = self._heard(response)
        row = self._row_of(response, reference, as_plain(context), known) if self._roots else NO_ROW
        key = self.parts.reader.id(known) if id is None else as_plain(id)
        return self._one(key, response, self._given_reference(reference), row, known)

    def _straight(self) -> OneFunction:
        """Return the function for the result of one record, equal to a batch of one without columns; constants are
        precomputed."""
        parts, reader = self.parts, self.parts.reader
        calls = [(field.name, field.one) for field in parts.fields]
        parse = parts.parse.one if parts.parse is not None else None
        parse_reference = parts.parse_reference.one if parts.parse_reference is not None else None
        has_weights, attributes = reader.has_weights, reader.attributes if reader.has_attributes else None
        parses_nothing, story, formulas, names = self._parses_nothing, self._story, parts.formulas, self.field_names
        joined, computer = self._joiner.one, self._computer
        given = None if all(field.is_plain for field in parts.fields) else [field.given for field in parts.fields]

        def one(key: Any, response: Any, reference: Any, row: Any, record: Record) -> RecordResult:
            raw = NO_RESPONSE() if response is None and not parses_nothing else response
            if computer is not None:
                computer.begin(row)
            parsed = parse(raw, row) if parse is not None else raw
            prepared = parse_reference(reference, row) if parse_reference is not None else reference
            if computer is not None:
                computer.finish(row, parsed)
            fields = {}
            if given is None:
                for name, field in calls:
                    fields[name] = field(parsed, raw, prepared, row)
            else:
                for (name, field), give in zip(calls, given, strict=True):
                    ours, theirs = give(parsed, prepared, reference, row)
                    fields[name] = field(ours, raw, theirs, row)
            if formulas:
                for computed in formulas:
                    fields[computed.name] = computed.one(fields, row)
                fields = {name: fields[name] for name in names}
            weight = reader.weight(record) if has_weights else 1.0
            outcome, passed = joined(fields, parsed, weight, row)
            result = RecordResult(
                key,
                outcome,
                fields,
                _PASSED[passed],
                parsed,
                None,
                attributes(record, row) if attributes is not None else {},
                1.0 if weight is None else weight,
                lambda: story(result, raw, reference, row),
                computer.named(row) if computer is not None else {},
            )
            if type(parsed) is Outcome:
                result.parsed, result.unparsed_reason = None, why_unparsed(parsed)
            return result

        return one

    def score_batch(self, records: Sequence[Record]) -> Results:
        """Score many records column by column; the same results as scoring each alone."""
        return _joined(in_parts(self._batch, records, lambda part: Results.of([self.score(part[0])])))

    def _batch(self, records: Sequence[Record]) -> Results:
        if self._reads_keys and set(map(type, records)) == {dict}:
            # What nothing reads of records need not be looked at.
            ids, responses, references = self._parts_of(records, {dict})
            answers = look_through(responses)
            if answers.are_plain and are_plain(ids) and are_plain(references):
                return self._scored(records, ids, responses, references, hold_null=answers.hold_null)
        return self.score_rows(host_records(records))

    def score_rows(self, records: Sequence[Record]) -> Results:
        """Return the same for rows of a table, whose values are plain already, see `scoring.data.normalize`."""
        return self._scored(records, *self._parts_of(records, set(map(type, records))), hold_null=True)

    def _parts_of(self, records: Sequence[Record], kinds: set[type]) -> tuple[list[Any], list[Any], list[Any]]:
        """Return the columns of ids, responses and references of records of some classes."""
        read = self.parts.reader.column
        return read("id", records, kinds), read("response", records, kinds), read("reference", records, kinds)

    def _scored(
        self, records: Sequence[Record], ids: list[Any], responses: list[Any], references: list[Any], *, hold_null: bool
    ) -> Results:
        """Return the results of columns; ``hold_null`` says whether something in a response may be null."""
        return self._columns(ids, *self._taken(records, responses, references, hold_null=hold_null), records)

    def _taken(
        self, records: Sequence[Record], responses: list[Any], references: list[Any], *, hold_null: bool
    ) -> tuple[list[Any], list[Any], list[RowValues] | None]:
        """Return the columns in the form that the task takes, and the rows for expressions."""
        if not self._has_nulls:
            responses = column_without_nulls(responses) if hold_null else responses
            # Where nothing is made of references as a whole, fields look for nulls in what they compare.
            references = references if self.parts.parse_reference is None else column_without_nulls(references)
        responses = column_said(responses) if self._reads_text["prediction"] else responses
        if self._needs_reference and type(None) in set(map(type, references)):
            references = list(map(self._reference, records))
        elif self._reads_text["reference"]:
            references = column_said(references)
        rows: list[RowValues] | None = None
        if self._roots:
            rows = [self._heard_row(self.parts.reader.row(record, self._roots)) for record in records]
        return responses, references, rows

    def score_lists(
        self,
        responses: list[Any],
        references: Sequence[Any],
        contexts: Sequence[Any],
        ids: Sequence[Any],
        records: Sequence[Record | None],
    ) -> Results:
        """Score many answers of which a host holds the parts, see `score_parts`; all lists are of one length."""
        known: list[Record] = [{} if record is None else host_record(record) for record in records]
        responses = responses if self._has_nulls else column_without_nulls(responses)
        responses = column_said(responses) if self._reads_text["prediction"] else responses
        given = list(map(self._given_reference, references))
        rows: list[RowValues] | None = None
        if self._roots:
            rows = list(map(self._row_of, responses, references, contexts, known))
        read = self.parts.reader.id
        keys = [read(record) if key is None else key for key, record in zip(ids, known, strict=True)]

        def some(places: range) -> Results:
            at = slice(places.start, places.stop)
            taken = rows if rows is None else rows[at]
            return self._columns(keys[at], responses[at], given[at], taken, known[at])

        def alone(places: range) -> Results:
            at = places.start
            row = NO_ROW if rows is None else rows[at]
            return Results.of([self._one(keys[at], responses[at], given[at], row, known[at])])

        return _joined(in_parts(some, range(len(keys)), alone))

    def _columns(
        self,
        keys: list[Any],
        raw: list[Any],
        references: list[Any],
        rows: list[RowValues] | None,
        records: Sequence[Record],
    ) -> Results:
        parts, reader = self.parts, self.parts.reader
        kinds = set(map(type, raw))
        if not self._parses_nothing and type(None) in kinds:
            raw = [NO_RESPONSE() if response is None else response for response in raw]
            kinds = {*kinds - {type(None)}, Outcome}
        computer, held = self._computer, dict[str, list[Any]]()
        if computer is not None and rows is not None:
            held = computer.begin_all(rows)
        parsed = parts.parse.column(raw, rows) if parts.parse is not None else raw
        kinds = kinds if parsed is raw else set(map(type, parsed))
        prepared = parts.parse_reference.column(references, rows) if parts.parse_reference is not None else references
        their_kinds = set(map(type, prepared))
        if computer is not None and rows is not None:
            held |= computer.finish_all(rows, parsed)
        columns = {}
        for field in parts.fields:
            if field.is_plain:
                columns[field.name] = field.column(parsed, raw, prepared, rows, kinds, their_kinds)
            else:
                ours, theirs = field.given_columns(parsed, prepared, references, held)
                classes = set(map(type, ours)), set(map(type, theirs))
                columns[field.name] = field.column(ours, raw, theirs, rows, *classes)
        results = Results(
            keys,
            Outcomes.nothing(len(keys)),
            parts.with_formulas(columns, rows, len(keys)),
            bytearray([UNDECIDED]) * len(keys),
            array("d", [1.0]) * len(keys),
            reader.attribute_columns(records, rows),
            {},
            parsed,
            {name: held[name] for name in computer.names} if computer is not None else {},
        )
        for chain in self._shared:
            chain.held = None
        has_unparsed = Outcome in kinds
        self._joiner.all(results, parsed, records, rows, has_unparsed=has_unparsed)
        if has_unparsed:
            results.parsed = [None if type(value) is Outcome else value for value in parsed]
        return results

    def compared(self, records: Sequence[Record]) -> Results | None:
        """Return the compared values of table rows without scores; None if they are computed, or an effect is
        needed."""
        parts, parse = self.parts, self.parts.parse
        if self._computer is not None or (parse is not None and any(uses(one, [parse.program]) for one in EFFECTS)):
            return None
        ids, *columns = self._parts_of(records, set(map(type, records)))
        raw, references, rows = self._taken(records, *columns, hold_null=True)
        raw = [NO_RESPONSE() if one is None and not self._parses_nothing else one for one in raw]
        parsed = parse.column(raw, rows) if parse is not None else raw
        prepared = parts.parse_reference.column(references, rows) if parts.parse_reference is not None else references
        fields = {}
        for field in parts.fields:
            outcomes, theirs = Outcomes.nothing(len(ids)), references if field.reads_raw_reference else prepared
            pairs = list(map(field.values, parsed, raw, theirs))
            for place, pair in enumerate(pairs):
                for failed in (one for one in pair if type(one) is Outcome):
                    outcomes.put(place, failed)
            ours, wanted = [one for one, _ in pairs], [other for _, other in pairs]
            fields[field.name] = FieldColumn(field.name, field.weight, outcomes, ours, wanted)
        passed, weights = bytearray([UNDECIDED]) * len(ids), array("d", [1.0]) * len(ids)
        plain = [None if type(value) is Outcome else value for value in parsed]
        return Results(ids, Outcomes.nothing(len(ids)), fields, passed, weights, {}, {}, plain, {})

    def _reference(self, record: Record) -> Any:
        value = self.parts.reader.reference(record)
        if value is None and self._has_nulls and self.parts.reader.lacks_reference(record):
            value = MISSING
        return self._given_reference(value)

    def _given_reference(self, reference: Any) -> Any:
        """Return a reference as a host gives it."""
        if reference is MISSING or (reference is None and not self._has_nulls):
            return NO_REFERENCE() if self._needs_reference else None
        heard = said(reference) if self._reads_text["reference"] else reference
        return heard if self.parts.parse_reference is None else self._without_nulls(heard)

    def _heard(self, response: Any) -> Any:
        """Return a response as the text that was said, where it is chat messages and the task reads text."""
        return said(response) if self._reads_text["prediction"] else response

    def _heard_row(self, row: dict[str, Any]) -> RowValues:
        """Return the row of a record with its response and reference as the fields get them."""
        for side, reads in self._reads_text.items():
            if reads and side in row:
                row[side] = said(row[side])
        return row

    def _without_nulls(self, value: Any) -> Any:
        return value if self._has_nulls or type(value) not in NESTED else without_nulls(value)

    def _row_of(self, response: Any, reference: Any, context: Any, record: Record) -> RowValues:
        """Return the row for expressions, from parts that a host passes."""
        row = self.parts.reader.row(record, self._roots)
        own = {"prediction": response, "reference": None if reference is MISSING else reference}
        own |= {"context": self._without_nulls(context)} if context is not None else {}
        return self._heard_row({**row, **{root: value for root, value in own.items() if root in self._roots}})

    def explain(self, record: Record) -> dict[str, Any]:
        """Return the trace of one record, stage by stage, as plain data."""
        found: dict[str, Any] = self.score(record).explain()
        return found

    def _story(self, result: RecordResult, raw: Any, reference: Any, row: RowValues) -> dict[str, Any]:
        from scoring.compiler.trace import explain_record

        story = explain_record(self.parts, result, raw, reference, row)
        return {"id": story.pop("id"), "task": self.name, **story, "signature": self.signature}

    @property
    def reads(self) -> dict[str, Any]:
        """Where a record keeps what is read of it, which is not part of the meaning, and the groups that it counts
        in."""
        paths = {**DEFAULTS, **self.spec.record}
        return {"breakdowns": list(self.by), **{f"record.{name}": path for name, path in sorted(paths.items())}}

    def resolved(self) -> dict[str, Any]:
        """Return the whole spec as plain data, with its resolved imports."""
        return {"spec": dict(self.spec.data), "digest": self.parts.digest, **self.parts.recipe.resolved()}


def _joined(parts: list[Results]) -> Results:
    return parts[0] if len(parts) == 1 else Results.join(parts)
