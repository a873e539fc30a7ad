"""One field of a task at run time: which two values it compares, and what happens where one is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from scoring.compiler.computed import CompiledField, ValueSource
from scoring.compiler.record import PLAIN, WHOLE, Reader, is_mapping, reader
from scoring.compiler.row import RowValues
from scoring.compiler.run import ScorerRunner
from scoring.data.plain import NESTED, column_without_nulls, without_nulls
from scoring.format.model import FieldSpec, TaskSpec
from scoring.late import dataclass
from scoring.outcomes import FieldColumn, Outcomes
from scoring.ranges import ScoreRange
from scoring.result import FieldResult, Outcome
from scoring.values import show_type

FieldFunction: TypeAlias = Callable[[Any, Any, Any, RowValues], FieldResult]

_ABSENT = object()
_MAPPING = {dict}
_NOT_ALL = {type(None)}


@dataclass(frozen=True, slots=True)
class Policies:
    """What the spec says about failures."""

    on_unparsed: str
    on_error: str
    on_missing: str
    on_null: str

    @classmethod
    def of(cls, spec: TaskSpec) -> Policies:
        """The policies that a spec states."""
        return cls(spec.on_unparsed, spec.on_error, spec.on_missing, spec.on_null)

    def range_of(self, field: FieldSpec, scorer: ScoreRange) -> ScoreRange:
        """What a field may score, from what its scorer may: where a policy counts failures, they count 0."""
        may_lack = may_be_missing(field) and self.on_missing == "zero"
        counts = self.on_unparsed != "unscored" or self.on_error == "zero" or may_lack
        return scorer.hull(0.0) if counts else scorer

    def range_of_formula(self, formula: ScoreRange) -> ScoreRange:
        """What a field that is a formula may score, from what the formula may yield."""
        counts = self.on_unparsed != "unscored" or self.on_error == "zero"
        return formula.hull(0.0) if counts else formula

    def settle(self, outcome: Outcome) -> Outcome:
        """An outcome after the policies: a failure may count 0, and still says what it is."""
        if outcome.value is not None or outcome.status in ("scored", "not_applicable"):
            return outcome
        counts_zero = self.on_unparsed != "unscored" if outcome.status == "unparsed" else self.on_error == "zero"
        return replace(outcome, value=0.0) if counts_zero else outcome


def may_be_missing(field: FieldSpec) -> bool:
    """Whether a response may lack what the field is about, and that is not always so meant."""
    is_whole = field.prediction == WHOLE or (field.parse is not None and field.prediction is None)
    return not is_whole and not field.optional


class FieldRunner:
    """Scores one field over columns of parsed responses and references; ``alone``, where the others are formulas."""

    def __init__(self, field: CompiledField, policies: Policies, *, alone: bool) -> None:
        spec, prediction, reference = field.spec, field.prediction, field.reference
        scorer = ScorerRunner(field.program)
        self.name = spec.name
        self.weight = spec.weight
        self.scorer = scorer
        self._policies = policies
        self._has_nulls = policies.on_null == "value"
        self._alone = alone
        self._optional = spec.optional
        self.prediction, self.reference = prediction, reference
        # A field's own parse stage stands in the place of the task's for its reference, too.
        self.reads_raw_reference = spec.parse is not None
        self._prediction = _place(spec.prediction, prediction)
        self._reference = _place(spec.reference, reference)
        self._whole_prediction = prediction.is_whole if prediction is not None else spec.prediction == WHOLE
        self._whole_reference = reference.is_whole if reference is not None else spec.reference == WHOLE
        # Whether it is found by its name, which is the usual case, and whether a plain value is compared as it is.
        self._finds_prediction = prediction is None and spec.prediction is None
        self._finds_reference = reference is None and spec.reference is None
        self._takes_prediction = self._whole_prediction or (alone and self._prediction is None)
        self._takes_reference = self._whole_reference or (alone and self._reference is None)
        self._plain, self._their_plain = PLAIN, PLAIN
        if prediction is not None and prediction.path == "value" and not self._whole_prediction:
            self._takes_prediction, self._plain = True, PLAIN - _NOT_ALL
        if reference is not None and reference.path == "value" and not self._whole_reference:
            self._takes_reference, self._their_plain = True, PLAIN - _NOT_ALL
        # A scorer that never looks at the reference is given it where there is one, so that it can be shown.
        self._refer = self._referred if scorer.reads_reference else self._referred_if_there
        self.one = self._straight()

    def column(
        self,
        parsed: list[Any],
        raw: list[Any],
        references: list[Any],
        rows: Sequence[RowValues] | None,
        kinds: set[type],
        their_kinds: set[type],
    ) -> FieldColumn:
        """The field's outcomes for every record, beside the values that were compared.

        The raw responses are the parsed ones where nothing parses them; ``kinds`` are the classes of the latter,
        ``their_kinds`` those of the references.
        """
        predictions, wanted = parsed, references
        if not (self._takes_prediction and kinds <= self._plain):
            named = self._finds_prediction and kinds == _MAPPING
            predictions, kinds = self._named(parsed) if named else (parsed, _NOT_ALL)
            if kinds & _NOT_ALL:
                predictions = list(map(self._predicted, parsed, raw))
                kinds = set(map(type, predictions))
        if not (self._takes_reference and their_kinds <= self._their_plain):
            named = self._finds_reference and their_kinds == _MAPPING
            wanted, their_kinds = self._named(references) if named else (references, _NOT_ALL)
            if their_kinds & _NOT_ALL:
                wanted = list(map(self._refer, references))
                their_kinds = set(map(type, wanted))
        if not self._has_nulls:
            if not (NESTED.isdisjoint(kinds) or (parsed is raw and self._prediction is None)):
                predictions = column_without_nulls(predictions)
            if not NESTED.isdisjoint(their_kinds):
                wanted = column_without_nulls(wanted)
        if Outcome in kinds or Outcome in their_kinds:
            outcomes = self._where_both_are(predictions, wanted, rows)
        else:
            outcomes = self.scorer.column(predictions, wanted, rows)
        for place, outcome in list(outcomes.odd.items()):
            outcomes.put(place, self._policies.settle(outcome))
        return FieldColumn(self.name, self.weight, outcomes, predictions, wanted)

    def _named(self, mappings: list[dict[str, Any]]) -> tuple[list[Any], set[type]]:
        """What plain mappings hold by the field's name, with its classes; None where one holds nothing."""
        name = self.name
        found = [one.get(name) for one in mappings]
        return found, set(map(type, found))

    def _where_both_are(self, predictions: list[Any], wanted: list[Any], rows: Sequence[RowValues] | None) -> Outcomes:
        """The outcomes where either value may be missing, and an outcome that says why stands in its place."""
        settled = {
            place: one if type(one) is Outcome else other
            for place, (one, other) in enumerate(zip(wanted, predictions, strict=True))
            if type(one) is Outcome or type(other) is Outcome
        }
        todo = [place for place in range(len(wanted)) if place not in settled]
        scored = self.scorer.column(
            [predictions[place] for place in todo],
            [wanted[place] for place in todo],
            [rows[place] for place in todo] if rows is not None else None,
        )
        return scored.spread(todo, settled)

    def _straight(self) -> FieldFunction:
        """The field's result for one record, as a column of one would have it: what can be known before is known."""
        name, weight, outcome_of_pair = self.name, self.weight, self.scorer.outcome
        predicted, referred, settle = self._predicted, self._refer, self._policies.settle
        takes_prediction, takes_reference = self._takes_prediction, self._takes_reference
        plain, their_plain = self._plain, self._their_plain
        finds_prediction, finds_reference = self._finds_prediction, self._finds_reference
        # The raw response holds no null where nulls are nothing; what a path makes of it, or the parse stage, may.
        nested, reads_path = frozenset[type]() if self._has_nulls else NESTED, self._prediction is not None

        def one(parsed: Any, raw: Any, reference: Any, row: RowValues) -> FieldResult:
            # Most are found by their names; what is not, or holds nothing, is looked at by itself.
            if takes_prediction and type(parsed) in plain:
                prediction = parsed
            else:
                prediction = parsed.get(name) if finds_prediction and type(parsed) is dict else None
                prediction = predicted(parsed, raw) if prediction is None else prediction
            if takes_reference and type(reference) in their_plain:
                wanted = reference
            else:
                wanted = reference.get(name) if finds_reference and type(reference) is dict else None
                wanted = referred(reference) if wanted is None else wanted
            if type(prediction) in nested and (parsed is not raw or reads_path):
                prediction = without_nulls(prediction)
            if type(wanted) in nested:
                wanted = without_nulls(wanted)
            if type(wanted) is Outcome:
                outcome, wanted = wanted, None
                prediction = None if type(prediction) is Outcome else prediction
            elif type(prediction) is Outcome:
                outcome, prediction = prediction, None
            else:
                outcome = outcome_of_pair(prediction, wanted, row)
            if outcome.value is None:
                outcome = settle(outcome)
            return FieldResult(name, outcome, weight, prediction, wanted)

        return one

    def given(self, parsed: Any, reference: Any, raw_reference: Any, row: RowValues) -> tuple[Any, Any]:
        """What the field looks for its two values in, for one record: the computed ones where it names them."""
        ours, theirs = self.prediction, self.reference
        return (
            parsed if ours is None else row["values"][ours.name],
            (raw_reference if self.reads_raw_reference else reference)
            if theirs is None
            else row["values"][theirs.name],
        )

    def given_columns(
        self, parsed: list[Any], references: list[Any], raw_references: list[Any], held: Mapping[str, list[Any]]
    ) -> tuple[list[Any], list[Any]]:
        """The same for many records, from the columns of the computed values."""
        ours, theirs = self.prediction, self.reference
        found = raw_references if self.reads_raw_reference else references
        return parsed if ours is None else held[ours.name], found if theirs is None else held[theirs.name]

    def values(self, parsed: Any, raw: Any, reference: Any) -> tuple[Any, Any]:
        """The two values that are compared; an outcome stands where there is none."""
        found = self._predicted(parsed, raw), self._refer(reference)
        return found if self._has_nulls else (without_nulls(found[0]), without_nulls(found[1]))

    def _predicted(self, parsed: Any, raw: Any) -> Any:
        if type(parsed) is dict and self._finds_prediction:
            return parsed[self.name] if self.name in parsed else self._missing()
        if isinstance(parsed, Outcome):
            # The official flow of some benchmarks gives every field the raw text when the parser finds nothing.
            wants_raw = parsed.status == "unparsed" and self._policies.on_unparsed == "raw"
            return parsed if not wants_raw else Outcome.unscored("the record has no response") if raw is None else raw
        if self._whole_prediction:
            return parsed
        if self._prediction is not None:
            found = self._prediction(parsed)
            return self._missing() if found is None else found
        if is_mapping(parsed):
            found = parsed.get(self.name, _ABSENT)
            return self._missing() if found is _ABSENT else found
        if self._alone:
            return parsed
        reason = f"the parsed answer is {show_type(parsed)}, not a mapping of fields"
        return Outcome(None, "unparsed", f"{reason}; {_hint('prediction')}")

    def _missing(self) -> Any:
        if self._optional:
            return Outcome(None, "not_applicable", f"the response has no field `{self.name}`")
        if self._policies.on_missing == "pass":
            return None
        reason = f"the response has no field `{self.name}`"
        return Outcome(0.0, "scored", reason) if self._policies.on_missing == "zero" else Outcome.unscored(reason)

    def _referred(self, reference: Any) -> Any:
        if type(reference) is dict and self._finds_reference:
            found = reference.get(self.name)
            return found if found is not None else self._present(reference.get(self.name, _ABSENT))
        if isinstance(reference, Outcome) or self._whole_reference:
            return reference
        if self._reference is not None:
            found = self._reference(reference)
            return self._no_reference() if found is None else found
        if is_mapping(reference):
            return self._present(reference.get(self.name, _ABSENT))
        if self._alone or reference is None:
            return reference
        reason = f"the reference is {show_type(reference)}, not a mapping of fields"
        return Outcome.unscored(f"{reason}; {_hint('reference')}")

    def _present(self, found: Any) -> Any:
        is_absent = found is _ABSENT or (found is None and not self._has_nulls)
        return self._no_reference() if is_absent else found

    def _referred_if_there(self, reference: Any) -> Any:
        found = self._referred(reference)
        return None if type(found) is Outcome else found

    @property
    def is_plain(self) -> bool:
        """Whether it compares parts of what was parsed, and of the references that all fields have."""
        return self.prediction is None and self.reference is None and not self.reads_raw_reference

    def _no_reference(self) -> Outcome:
        return Outcome(None, "not_applicable", f"the reference has no field `{self.name}`")


def _place(path: Any, source: ValueSource | None) -> Reader | None:
    """What reads a place, None where a value is found by the field's name or taken as a whole."""
    if source is not None:
        return None if source.is_whole else source.reader() or _itself
    return reader(path) if path not in (None, WHOLE) else None


def _hint(side: str) -> str:
    """What an author may write who means all of the answer, or of the reference."""
    return f'`{side}: "@"` takes all of it'


def _itself(value: Any) -> Any:
    return value
