"""The fields of a task at run time: each compares two values of a record, or has an outcome if one is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from msgspec.structs import replace

from scoring.compiler.checks.compared import CompiledField, FieldSource
from scoring.compiler.programs.stages import RESPONSE, ROW_VALUES, ColumnClasses, RowValues, Stage, field_key, value_key
from scoring.compiler.records.record_reader import PLAIN, Reader, is_mapping, itself, part_reader
from scoring.compiler.running.run import ScorerRunner
from scoring.data.nulls import NESTED, column_without_nulls, without_nulls
from scoring.format.model import TaskSpec
from scoring.outcomes import FieldColumn, Outcomes
from scoring.ranges import ScoreRange
from scoring.result import FieldResult, Outcome
from scoring.values import show_type

_ABSENT = object()
_LACKING = "on_missing"  # what notes a failure that this policy counts, though no score is low enough for it
_MAPPING = {dict}
_NOT_ALL = {type(None)}


def is_counted(task: TaskSpec, outcome: Outcome) -> bool:
    """Tell whether an outcome is a failure that the policies of a task count as the worst score; a missing field that
    they count already has the status `scored`."""
    if outcome.status == "unscored":
        return task.on_error == "zero" or bool(outcome.notes and _LACKING in outcome.notes)
    if outcome.status == "unparsed":
        return task.on_unparsed == "zero"
    return outcome.status == "scored" and outcome.reason is not None


def settle(task: TaskSpec, outcome: Outcome, worst: float | None) -> Outcome:
    """Return an outcome by the policies of a task: a failure that they count gets the score ``worst``."""
    if outcome.value is None and outcome.status == "unparsed" and task.on_unparsed == "raw":
        return replace(outcome, value=0.0)  # as the released code does that gives fields the raw text
    if outcome.value is not None or worst is None or not is_counted(task, outcome):
        return outcome
    return replace(outcome, value=worst, reason=_counting(outcome.reason or outcome.status, worst))


def _counting(reason: str, worst: float) -> str:
    """Return the reason for a failure, followed by the score ``worst`` with which the failure counts, unless this is
    0."""
    return f"{reason}; it counts {worst:g}" if worst else reason


def settled_range(task: TaskSpec, scores: ScoreRange, *, may_lack: bool = False) -> ScoreRange:
    """Return the range of a field's score, given that of its scorer (``scores``), with 0 if failures may count;
    ``may_lack`` if a response may lack the field."""
    counts = task.on_unparsed != "unscored" or task.on_error == "zero" or (may_lack and task.on_missing == "zero")
    return scores.hull(0.0) if counts else scores


class _Place(NamedTuple):
    """Where one of the two values that a field compares is read from.

    ``read`` reads it from the response or reference; it is None if the value has the field's name there (``is_named``)
    or is the whole response or reference (``is_whole``). If ``takes`` is true, a response or reference of one of the
    classes ``plain`` is itself the value.
    """

    read: Reader | None
    is_whole: bool
    is_named: bool
    takes: bool
    plain: frozenset[type] = PLAIN

    @classmethod
    def of(cls, side: FieldSource) -> _Place:
        """Return the place for one side of a field."""
        source, place = side.source, side.place
        if side.is_whole:
            return cls(None, True, False, True)
        if source is None:
            return cls(None if place is None else part_reader(place), False, place is None, False)
        is_value = not (source.segments or source.each)
        return cls(source.reader() or itself, False, False, is_value, PLAIN - _NOT_ALL if is_value else PLAIN)


_Find: TypeAlias = Callable[[Any, Any], Any]


class _Side:
    """One of the two values that a field compares, and how it is found in the response or reference.

    A response or reference of the classes ``as_is`` is itself the value, and a mapping has it under the key ``name``,
    if that is not "". Otherwise ``find`` returns it, given the response or reference and the response before it was
    parsed. Values of the classes ``nested`` are compared without their nulls.
    """

    __slots__ = ("as_is", "find", "name", "nested", "one")

    def __init__(self, find: _Find, name: str, as_is: frozenset[type], nested: frozenset[type]) -> None:
        self.find, self.name, self.as_is, self.nested = find, name, as_is, nested
        self.one = self._one()

    def _one(self) -> _Find:
        """Return the function that finds the value of one record; a closure takes two thirds of a method's time."""
        find, name, as_is, nested = self.find, self.name, self.as_is, self.nested

        def one(value: Any, raw: Any) -> Any:
            if type(value) in as_is:
                found = value
            else:
                found = value.get(name) if name and type(value) is dict else None
                found = find(value, raw) if found is None else found
            return without_nulls(found) if type(found) in nested else found

        return one

    def column(self, values: list[Any], raw: list[Any], kinds: set[type]) -> tuple[list[Any], set[type]]:
        """Return the values to compare and their classes, for many records: for parsed responses or references, whose
        classes are ``kinds``, and for the responses before parsing, ``raw``."""
        found = values
        if not kinds <= self.as_is:
            name = self.name
            if name and kinds == _MAPPING:
                found = [one.get(name) for one in values]
                kinds = set(map(type, found))
            if found is values or type(None) in kinds:
                found = list(map(self.find, values, raw))
                kinds = set(map(type, found))
        return (found if self.nested.isdisjoint(kinds) else column_without_nulls(found)), kinds


class FieldRunner:
    """The scorer of one field, which finds both values to compare in parsed responses and references.

    ``worst`` is the score of a failure that a policy counts, None if no score is low enough.
    """

    def __init__(self, field: CompiledField, task: TaskSpec, worst: float | None) -> None:
        spec = field.spec
        self.name = spec.name
        self.weight = spec.weight
        self.scorer = ScorerRunner(field.program)
        self._task = task
        self._worst = worst
        self._has_nulls = task.on_null == "value"
        self.optional = spec.optional
        self.prediction, self.reference = field.prediction.source, field.reference.source
        self.places = {"prediction": field.prediction.place, "reference": field.reference.place}
        # The sides that it compares as a whole because the spec says nothing else.
        self.unsaid = {
            name
            for name, side, said in (
                ("responses", field.prediction, spec.prediction),
                ("references", field.reference, spec.reference),
            )
            if said is None and side == FieldSource()
        }
        self._our_place, self._their_place = _Place.of(field.prediction), _Place.of(field.reference)
        # A scorer that never looks at the reference is given it where there is one, so that it can be shown.
        refer = self._referred if self.scorer.reads_reference else self._referred_if_there
        # A response that nothing parses holds no null any more; what a path makes of it may.
        is_response = task.parse is None and self.prediction is None and self._our_place.read is None
        self._ours = self._side(self._predicted, self._our_place, nested=not is_response)
        self._theirs = self._side(refer, self._their_place)

    def _side(self, find: _Find, place: _Place, *, nested: bool = True) -> _Side:
        as_is = place.plain if place.takes else frozenset[type]()
        pruned = NESTED if nested and not self._has_nulls else frozenset[type]()
        return _Side(find, self.name if place.is_named else "", as_is, pruned)

    def stage(self, answer: str, wanted: str, classes: ColumnClasses) -> Stage:
        """Return the stage that scores the field.

        ``answer`` and ``wanted`` are the names of the stage inputs with the response and the reference that fields
        read; ``classes`` caches the classes of values in columns.
        """
        ours, theirs = self.reads(answer, wanted)
        return Stage(
            field_key(self.name), (ours, RESPONSE, theirs, ROW_VALUES), self._one(), partial(self.column, classes)
        )

    def reads(self, answer: str, wanted: str) -> tuple[str, str]:
        """Return the names of the stage inputs in which the field finds its two values: computed values, or else
        ``answer`` (the response) and ``wanted`` (the reference)."""
        ours, theirs = self.prediction, self.reference
        return (
            answer if ours is None else value_key(ours.value.name),
            wanted if theirs is None else value_key(theirs.value.name),
        )

    def _one(self) -> Callable[[Any, Any, Any, RowValues], FieldResult]:
        """Return a function from a record's parsed response, response before parsing, reference and row to the field's
        result; a closure, since trainers make such calls by the million."""
        name, weight, task, worst = self.name, self.weight, self._task, self._worst
        find, find_wanted, outcome_of_pair = self._ours.one, self._theirs.one, self.scorer.outcome

        def one(parsed: Any, raw: Any, reference: Any, row: RowValues) -> FieldResult:
            prediction, wanted = find(parsed, raw), find_wanted(reference, raw)
            if type(wanted) is Outcome:
                outcome, wanted = wanted, None
                prediction = None if type(prediction) is Outcome else prediction
            elif type(prediction) is Outcome:
                outcome, prediction = prediction, None
            else:
                outcome = outcome_of_pair(prediction, wanted, row)
            if outcome.value is None:
                outcome = settle(task, outcome, worst)
            return FieldResult(name, outcome, weight, prediction, wanted)

        return one

    def column(
        self,
        classes: ColumnClasses,
        parsed: list[Any],
        raw: list[Any],
        references: list[Any],
        rows: Sequence[RowValues],
    ) -> FieldColumn:
        """Return the field's outcomes for many records, with the compared values; ``raw`` are unparsed responses."""
        predictions, kinds = self._ours.column(parsed, raw, classes.of(parsed))
        wanted, their_kinds = self._theirs.column(references, raw, classes.of(references))
        if Outcome in kinds or Outcome in their_kinds:
            outcomes = self._where_both_are(predictions, wanted, rows)
        else:
            outcomes = self.scorer.column(predictions, wanted, rows)
        for place, outcome in list(outcomes.odd.items()):
            outcomes.put(place, settle(self._task, outcome, self._worst))
        return FieldColumn(self.name, self.weight, outcomes, predictions, wanted)

    def _where_both_are(self, predictions: list[Any], wanted: list[Any], rows: Sequence[RowValues]) -> Outcomes:
        """Return the outcomes of pairs of values; an outcome in place of a missing value becomes the outcome of its
        pair."""
        settled = {
            place: one if type(one) is Outcome else other
            for place, (one, other) in enumerate(zip(wanted, predictions, strict=True))
            if type(one) is Outcome or type(other) is Outcome
        }
        todo = [place for place in range(len(wanted)) if place not in settled]
        scored = self.scorer.column(
            [predictions[place] for place in todo], [wanted[place] for place in todo], [rows[place] for place in todo]
        )
        return scored.spread(todo, settled)

    def finds_by_name(self, side: str) -> bool:
        """Tell whether the field's value on a side, ``response`` or ``reference``, is found by the field's name."""
        return (self._our_place if side == "response" else self._their_place).is_named

    def values(self, parsed: Any, raw: Any, reference: Any) -> tuple[Any, Any]:
        """Return the two values to compare, or outcomes in their place; ``raw`` is the response before parsing."""
        return self._ours.one(parsed, raw), self._theirs.one(reference, raw)

    def _predicted(self, parsed: Any, raw: Any) -> Any:
        if type(parsed) is dict and self._our_place.is_named:
            return parsed[self.name] if self.name in parsed else self._missing()
        if isinstance(parsed, Outcome):
            # The official flow of some benchmarks gives every field the raw text when the parser finds nothing.
            wants_raw = parsed.status == "unparsed" and self._task.on_unparsed == "raw"
            return parsed if not wants_raw else Outcome.unscored("the record has no response") if raw is None else raw
        if self._our_place.is_whole:
            return parsed
        if self._our_place.read is not None:
            found = self._our_place.read(parsed)
            return self._missing() if found is None else found
        if is_mapping(parsed):
            found = parsed.get(self.name, _ABSENT)
            return self._missing() if found is _ABSENT else found
        reason = f"the parsed answer is {show_type(parsed)}, not a mapping of fields"
        return Outcome.unparsed(f"{reason}; {_hint('prediction')}")

    def _missing(self) -> Any:
        if self.optional:
            return Outcome(None, "not_applicable", f"the response has no field `{self.name}`")
        if self._task.on_missing == "pass":
            return None
        reason = f"the response has no field `{self.name}`"
        if self._task.on_missing != "zero":
            return Outcome.unscored(reason)
        if self._worst is None:
            return Outcome(None, "unscored", reason, {_LACKING: "zero"})
        return Outcome(self._worst, "scored", _counting(reason, self._worst))

    def _referred(self, reference: Any, raw: Any) -> Any:
        if type(reference) is dict and self._their_place.is_named:
            found = reference.get(self.name)
            return found if found is not None else self._present(reference.get(self.name, _ABSENT))
        if isinstance(reference, Outcome) or self._their_place.is_whole:
            return reference
        if self._their_place.read is not None:
            found = self._their_place.read(reference)
            return self._no_reference() if found is None else found
        if is_mapping(reference):
            return self._present(reference.get(self.name, _ABSENT))
        if reference is None:
            return None
        reason = f"the reference is {show_type(reference)}, not a mapping of fields"
        return Outcome.unscored(f"{reason}; {_hint('reference')}")

    def _present(self, found: Any) -> Any:
        is_absent = found is _ABSENT or (found is None and not self._has_nulls)
        return self._no_reference() if is_absent else found

    def _referred_if_there(self, reference: Any, raw: Any) -> Any:
        found = self._referred(reference, raw)
        return None if type(found) is Outcome else found

    def _no_reference(self) -> Outcome:
        return Outcome(None, "not_applicable", f"the reference has no field `{self.name}`")


def _hint(side: str) -> str:
    """Return advice for authors of a field that should compare the whole answer, or the whole reference (``side``)."""
    return f"`{side}: {'parsed' if side == 'prediction' else side}` takes all of it"
