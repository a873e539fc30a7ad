"""The aggregation of a record's fields: its own score, and whether it passes; for one record, and for columns."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Sequence
from math import isfinite, nan
from typing import Any, TypeAlias

import numpy as np
from msgspec.structs import replace

from scoring.compiler.formulas.formula_parts import ROW
from scoring.compiler.programs.failures import failure, outcome_of
from scoring.compiler.programs.stages import NO_ROW, RowValues
from scoring.compiler.tasks.compiled_parts import TaskParts
from scoring.compiler.tasks.fields import is_counted
from scoring.lang.evaluation import SCORE
from scoring.outcomes import UNDECIDED, Outcomes, Results, is_plain
from scoring.ranges import GREATEST
from scoring.result import FieldResult, Outcome
from scoring.values import Record

JoinFunction: TypeAlias = Callable[[dict[str, FieldResult], Any, float | None, RowValues], tuple[Outcome, int]]

_MOST_KNOWN = 4096


class RecordAggregator:
    """The aggregation of a record: the results of its fields give its own outcome, and whether it passes."""

    def __init__(self, parts: TaskParts) -> None:
        self.parts = parts
        self.spec = parts.spec
        self._weights = parts.weights
        # Where formulas read the record, equal scores may come to different things.
        self._reads_row = bool(parts.joining_paths)
        self._rises = parts.least.rises
        self._lacking = parts.least.lacking
        self._unsure = {name for name in parts.field_names if not parts.least.is_sure(name)} | self._lacking

    @property
    def one(self) -> JoinFunction:
        """The function for one record: `outcome`, with a cache by the scores of the fields unless the row is read."""
        return self.outcome if self._reads_row else self._remembered()

    def _remembered(self) -> JoinFunction:
        """Return `outcome` with a cache of its results by the scores of the fields."""
        whole, known = self.outcome, dict[tuple[Any, ...], tuple[Any, int]]()
        column = self.parts.aggregate.column if self.parts.passes is None else None
        weights = self._weights

        def joined_column(scores: list[Any]) -> tuple[Outcome, int] | None:
            if column is None:
                return None
            try:
                # A score is a real number, as in a batch, whose array takes no other.
                value = float(column([(score,) for score in scores], weights)[0])
            except Exception:  # the other form says what is wrong
                return None
            return (Outcome(value), UNDECIDED) if abs(value) <= GREATEST else None

        def joined(
            fields: dict[str, FieldResult], parsed: Any, weight: float | None, row: RowValues
        ) -> tuple[Outcome, int]:
            scores = []
            if type(parsed) is Outcome:
                return whole(fields, parsed, weight, row)
            for field in fields.values():
                outcome = field.outcome
                # A complex score is equal to a plain one, and no key tells the two apart.
                value = outcome.value
                if type(value) is not float or outcome.status != "scored" or outcome.reason or outcome.notes:
                    return whole(fields, parsed, weight, row)
                scores.append(value)
            if weight is None:
                return whole(fields, parsed, weight, row)
            key = tuple(scores)
            found = known.get(key)
            if found is not None:
                return Outcome(found[0]), found[1]
            outcome, passed = joined_column(scores) or whole(fields, parsed, weight, row)
            if is_plain(outcome) and len(known) < _MOST_KNOWN:
                known[key] = outcome.value, passed
            return outcome, passed

        return joined

    def outcome(
        self, fields: dict[str, FieldResult], parsed: Any, weight: float | None, row: RowValues
    ) -> tuple[Outcome, int]:
        """Return a record's own outcome from those of its fields, and whether it passes: 1, 0, or `UNDECIDED`.

        ``parsed`` is the parsed response, or an outcome if it did not parse; with ``weight`` None, there is no score.
        """
        outcome = self._joined(fields, row)
        why = why_unparsed(parsed)
        if why is not None and outcome.status == "scored" and self.spec.on_unparsed != "raw":
            value = outcome.value if self.spec.on_unparsed == "zero" else None
            outcome = replace(outcome, value=value, status="unparsed", reason=why)
        if weight is None:
            value = self.parts.least.value if self.spec.on_error == "zero" else None
            outcome = Outcome(value, "unscored", "the record's weight is not a finite number from 0 to 1e70")
        return self._passed(outcome, fields, row)

    def _joined(self, fields: dict[str, FieldResult], row: RowValues) -> Outcome:
        aggregate, least = self.parts.aggregate, self.parts.least
        used = {name: one for name, one in fields.items() if aggregate.uses is None or name in aggregate.uses}
        counted = [name for name, field in used.items() if is_counted(self.spec, field.outcome)]
        lost = [
            (name, field)
            for name, field in used.items()
            if field.outcome.value is None and field.status in ("unparsed", "unscored") and name not in counted
        ]
        if lost:  # what failed goes before what the response got wrong, so that no status goes by the order of fields
            name, field = next((one for one in lost if one[1].status == "unscored"), lost[0])
            reason = field.reason or field.status
            return Outcome(None, field.status, reason if len(fields) == 1 else f"{name}: {reason}")
        unsure = [name for name in counted if name in self._unsure]
        # What has no worst value may be any: the formula is tried with one to see whether anything else is wrong.
        valued = {name: replace(fields[name], outcome=Outcome(0.0)) for name in unsure if fields[name].score is None}
        try:
            outcome = outcome_of(aggregate.run({**fields, **valued}, row))
        except Exception as error:
            outcome = failure(error)
        if outcome.status == "not_applicable" or not (unsure or is_counted(self.spec, outcome)):
            return outcome
        # A value that was counted is one of many, and the worst of what they come to counts.
        whole = is_counted(self.spec, outcome) or not self._lacking.isdisjoint(counted)
        worst = least.worst(least.could_be(fields, row, whole=whole))
        if not unsure:
            return replace(outcome, value=worst if isfinite(worst) else None)
        why = f"{unsure[0]}: {fields[unsure[0]].reason or fields[unsure[0]].status}"
        word = "least" if least.better == "higher" else "worst"
        if not isfinite(worst):
            near = "low" if least.better == "higher" else "bad"
            return Outcome(None, "unscored", f"{why}; no score is {near} enough to count")
        return Outcome(worst, notes={"counted": f"the {word} that any answer would come to ({why})"})

    def _passed(self, outcome: Outcome, fields: dict[str, FieldResult], row: RowValues) -> tuple[Outcome, int]:
        """Return a record's outcome, and whether it passes: 1, 0, or `UNDECIDED`; if the condition can't be evaluated,
        the outcome has a note with the reason."""
        passes, least = self.parts.passes, self.parts.least
        if passes is None or outcome.value is None or outcome.status == "not_applicable":
            return outcome, UNDECIDED
        failed = {name for name, field in fields.items() if is_counted(self.spec, field.outcome)}
        is_failure = bool(failed) or outcome.status in ("unparsed", "unscored")
        if is_failure and not (self._rises and failed.isdisjoint(passes.fields)):
            could_be = least.up_to(outcome.value)
            return outcome, int(least.passes_anyway(fields, could_be, row))
        scores = {name: field.score for name, field in fields.items() if field.status != "not_applicable"}
        try:
            return outcome, int(bool(passes.evaluate({**scores, SCORE: outcome.value, ROW: row})))
        except Exception as error:
            why = failure(error).reason or "no reason was given"
            return replace(outcome, notes={**(outcome.notes or {}), "pass": f"undecided: {why}"}), UNDECIDED

    def all(
        self,
        results: Results,
        parsed: Sequence[Any],
        records: Sequence[Record],
        rows: Sequence[RowValues],
        *,
        has_unparsed: bool,
    ) -> None:
        """Set the outcomes of many records, and whether they pass, in ``results``; records of which all fields have
        plain scores are aggregated together. ``parsed`` are the parsed responses."""
        reader, wrong = self.parts.reader, set()
        if reader.has_weights:
            weights = list(map(reader.weight, records))
            wrong = {place for place, weight in enumerate(weights) if weight is None}
            results.weights = array("d", [1.0 if weight is None else weight for weight in weights])
        odd = wrong.union(*(column.outcomes.odd for column in results.fields.values()))
        if has_unparsed:
            odd.update(place for place, value in enumerate(parsed) if type(value) is Outcome)
        odd |= self._plain(results, odd)
        for place in odd:
            outcome, passed = self.outcome(
                _fields_at(results, place),
                parsed[place],
                None if place in wrong else results.weights[place],
                rows[place],
            )
            results.outcomes.put(place, outcome)
            results.passed[place] = passed
            why = why_unparsed(parsed[place])
            if why is not None:
                results.unparsed[place] = why

    def _plain(self, results: Results, odd: Collection[int]) -> set[int]:
        """Aggregate the scores of all records at once, except those at the positions ``odd``; return the positions of
        further records that must be aggregated one by one."""
        parts, size = self.parts, len(results)
        if self._reads_row:
            return set(range(size))
        columns = [column.outcomes.values for column in results.fields.values()]
        if parts.passes is None and parts.aggregate.column is not None:
            try:
                joined: Any = parts.aggregate.column(columns, self._weights)
                values = array("d", joined.tobytes() if getattr(joined, "dtype", None) == np.float64 else joined)
            except Exception:  # each by itself then says what is wrong with it
                return set(range(size))
            if len(values) != size:
                return set(range(size))
            results.outcomes = Outcomes.scored(values)
            return set(np.flatnonzero(~(np.abs(np.asarray(values)) <= GREATEST)).tolist())
        # Equal scores are joined once.
        keys = list(zip(*columns, strict=True))
        indices = {key: index for index, key in enumerate(keys) if index not in odd}
        found = {key: self.outcome(_fields_at(results, index), None, 1.0, NO_ROW) for key, index in indices.items()}
        plain = {key: outcome.value for key, (outcome, _) in found.items() if is_plain(outcome)}
        passed = {key: passed for key, (_, passed) in found.items()}
        results.outcomes = Outcomes.scored([plain.get(key, nan) for key in keys])
        results.passed = bytearray([passed.get(key, UNDECIDED) for key in keys])
        return {index for index, key in enumerate(keys) if key not in plain} if len(plain) < len(found) else set()


def why_unparsed(parsed: Any) -> str | None:
    """Return why a response did not parse, given its parsed value; None if it did, or if there is no response."""
    return (parsed.reason or "unparsed") if type(parsed) is Outcome and parsed.status == "unparsed" else None


def _fields_at(results: Results, place: int) -> dict[str, FieldResult]:
    return {name: part for name, column in results.fields.items() if (part := column.result(place)) is not None}
