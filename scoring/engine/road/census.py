"""The census of a run's values: counts by which likely mistakes in the data are reported, instead of passing for zeros.

Everything here is a count with its smallest example, so the census does not depend on the order of the records or how
they were split into parts, and its size is bounded by the number of names in the spec.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from scoring.compiler.checks.apart import BY_VALUE, can_never_match, differ, of_class, type_within
from scoring.compiler.tasks.fields import FieldRunner
from scoring.compiler.tasks.task import CompiledTask
from scoring.data.rows.batch import Batch, one_by_one
from scoring.data.rows.report import InputReport
from scoring.engine.road.text_forms import form_that_differs, nearly_equal_pairs
from scoring.lazy_pattern import lazy_pattern
from scoring.outcomes import ABSENT, FieldColumn, Results
from scoring.ranges import EVERYTHING
from scoring.result import Outcome
from scoring.statistics.rows import Rows
from scoring.values import Type, are_lists_of_texts, is_number, show_value

ObservationKey: TypeAlias = tuple[str, str, str]
"""An observation: its kind, the field or path that it concerns, and any further detail that distinguishes it."""

_LONG = 1_000  # characters; longer texts are neither labels nor short answers
_SHOWN = 40
_MANY = 10  # with this many answers, all of them being the same is not a coincidence
_PERCENT = 100
_FEW = 3  # pairs that differ in case, which is easy to see, are reported only if they are this many and a tenth of all

_ADVICE: Mapping[frozenset[str], str] = {
    frozenset(("Number", "Text")): "`number` reads a number out of a text, as in `number | equal`",
    frozenset(("Bool", "Text")): "`to_text` makes both texts, as in `to_text | equal`",
    frozenset(("Bool", "Number")): "`booleans_as_numbers` makes both numbers, as in `booleans_as_numbers | equal`",
}
_ERROR = lazy_pattern(
    r"\W{0,3}(?:[\w.]{0,60}(?:Error|Exception)\b\s*[:(]|(?i:error\s*[:\d]|error code)|Traceback \(most"
    r"|HTTP\S{0,5} [45]\d\d\b|[45]\d\d (?:Too Many|Internal|Bad|Service|Gateway|Unauthorized|Forbidden))"
)
_ERRORS = ("rate limit exceeded", "rate limit reached", "too many requests", "quota exceeded", "request timed out")
_OF_ERRORS = ("error", "exception", "traceback", "http", "rate limit", "too many", "quota exceeded", "timed out")
_OF_CODES = (" Internal", " Bad", " Service", " Gateway", " Unauthorized", " Forbidden")
"""Words of error messages: one of the first in any case, or a number and one of the second."""
_HEAD = 100  # an error is recognizable within this many characters


class Census(Struct, frozen=True):
    """Counts of oddities in the values of some records, such as empty answers, or types that can never be equal.

    Args:
        seen: The count and the smallest example of each observation, by kind, subject (such as a field) and detail.
        answers: One entry if all answers are the same, two if they differ.
    """

    seen: Mapping[ObservationKey, tuple[int, str]]
    answers: tuple[str, ...] = ()

    def merge(self, other: Census) -> Census:
        """Return the census of the records of both censuses."""
        seen = dict(self.seen)
        for key, (count, example) in other.seen.items():
            known = seen.get(key)
            seen[key] = (count, example) if known is None else (known[0] + count, min(known[1], example))
        return Census(seen, tuple(sorted({*self.answers, *other.answers})[:2]))

    def count(self, kind: str, about: str, detail: str = "") -> int:
        """Return how often an observation was made, given its kind, subject (such as a field) and detail."""
        return self.seen.get((kind, about, detail), (0, ""))[0]

    def pack(self) -> dict[str, Any]:
        """Return the census as plain data."""
        return {"seen": [[*key, *counts] for key, counts in sorted(self.seen.items())], "answers": list(self.answers)}

    @classmethod
    def unpack(cls, data: Mapping[str, Any]) -> Census:
        """Return the census from the plain data that `pack` returns."""
        seen = {
            (str(kind), str(about), str(detail)): (int(count), str(example))
            for kind, about, detail, count, example in data["seen"]
        }
        return cls(seen, tuple(map(str, data["answers"])))

    @classmethod
    def of(cls, task: CompiledTask, results: Results, batch: Batch) -> Census:
        """Return the census of some scored records, whose results must still contain the compared values."""
        notes = _Notes()
        for field in task.parts.fields:
            column = results.fields.get(field.name)
            if column is None or column.predictions is None or column.references is None:
                continue
            if field.scorer.reads_reference:
                _types(field, column.predictions, column.references, notes)
                _forms(field.name, column, task.ranges.get(field.name, EVERYTHING).high, notes)
            _lacking(task, field, column, results, batch, notes)
            if task.spec.score is None:
                _named_keys(field, column.predictions, column.references, notes)
        return cls(notes.seen, _answers(task, results, _answer_texts(task, results, batch), notes))

    @classmethod
    def of_table(cls, task: CompiledTask, rows: Rows, expected: Iterable[tuple[str, str]]) -> Census:
        """Return the census of a table's columns.

        It counts, for each of the `expected` columns (pairs of a kind of observation and a name), the missing values;
        for metrics that compare two columns, pairs of lists with items of types that are never equal; and for metrics
        that expect numbers from 0 to 1, percentages.
        """
        notes = _Notes()
        for kind, name in expected if len(rows) else ():
            classes = list(map(type, rows.column(name)))
            if type(None) in set(classes):
                notes.add(kind, name, "", classes.count(type(None)))
        shares: dict[str, None] = {}
        kinds_of = cache(lambda path: [type_within([*v] if isinstance(v, dict) else v) for v in rows.column(path)])
        for metric in task.metrics if len(rows) else ():
            join = getattr(metric, "join", None)
            traits = () if join is None else join.primitive.traits
            shares.update(dict.fromkeys(metric.paths if "shares" in traits else ()))
            if BY_VALUE in traits and len(metric.paths) == 2:
                values = zip(*map(rows.column, metric.paths), strict=True)
                for found, kinds in zip(values, zip(*map(kinds_of, metric.paths), strict=True), strict=True):
                    if "List" == kinds[0].name == kinds[1].name:
                        notes.add("pairs", metric.text)
                        if differ(*kinds):
                            notes.pair("unequal_types", metric.text, found, kinds, metric.paths)
        for path in shares:
            for value in rows.column(path):
                if is_number(value) and 1 < value <= _PERCENT:
                    notes.add("percents", path, _shown(value))
        return cls(notes.seen)

    def report_to(self, task: CompiledTask, report: InputReport, records: int) -> None:
        """Add findings to a report, given the number of records; called on the census of all records of a run."""
        for (kind, about, detail), (count, example) in sorted(self.seen.items()):
            if kind in ("empty_attributes", "empty_paths", "empty_fields") and count == records:
                report.add(kind, about)
            elif kind == "cases" and (count < _FEW or count * 10 < self.count("pairs", about)):
                continue
            elif kind in ("other_forms", "invisible", "blanks", "cases", "error_answers", "empty_answers"):
                report.add(kind, f"`{about}`: {example}" if about else example, count)
            elif kind == "empty_attributes" and (about in task.intervals.attributes or _is_half(count, records)):
                report.add("partial_attributes", f"`{about}` ({count} of {records} records)", count)
            elif kind == "empty_fields" and _is_half(count, records) and not _is_optional(task, about):
                report.add("partial_fields", f"`{about}` ({count} of {records} responses)", count)
            elif kind.startswith("other_key"):
                from scoring.diagnostics.suggest import nearest

                key = example
                if nearest(about, [key]) or _is_half(count, records):
                    side = "references" if kind.endswith("reference") else "responses"
                    report.add("other_keys", f"`{about}`: {count} of {records} {side} have `{key}` instead", count)
            elif kind == "named_keys" and _is_half(count, records):
                report.add(kind, f"`{about}` ({count} of {records} {detail})", count)
            elif kind == "percents":
                report.add(kind, f"`{about}` ({count} of {records} records), as {example}", count)
        self._report_types(report)
        if len(self.answers) == 1 and self.count("answers", "") >= _MANY and self.count("missed", ""):
            report.add("same_answer", self.answers[0].rpartition(" ")[0], self.count("answers", ""))

    def _report_types(self, report: InputReport) -> None:
        found = [(key, seen) for key, seen in sorted(self.seen.items()) if key[0] == "unequal_types"]
        for about in dict.fromkeys(key[1] for key, _ in found):
            of_field = [(detail, *seen) for (_, name, detail), seen in found if name == about]
            total, pairs = sum(count for _, count, _ in of_field), self.count("pairs", about)
            detail, _, example = max(of_field, key=lambda one: one[1])
            line = f"`{about}`: {example} ({total} of {pairs} pairs); {_advice(detail)}"
            report.add(*(("never_equal", line) if total == pairs else ("unequal_types", line, total)))


def _is_half(count: int, records: int) -> bool:
    """Return whether a count is at least half of the records."""
    return 2 * count >= records


def foreseen(task: CompiledTask, batch: Batch) -> InputReport:
    """Return a report on the types, keys and answers of some records, before they are scored."""
    report = InputReport()
    whole = Batch.of(item for item in one_by_one([batch]) if item.problem is None)
    results = task.compared(whole.whole()) if whole else None
    if results is not None:
        Census.of(task, results, whole).report_to(task, report, len(whole))
    return report


class _Notes:
    """A collector of observations: ``seen`` has the count and the smallest example of each."""

    def __init__(self) -> None:
        self.seen: dict[ObservationKey, tuple[int, str]] = {}

    def add(self, kind: str, about: str, example: str = "", count: int = 1, detail: str = "") -> None:
        """Count an observation of a kind about a subject, such as a field, and keep the smallest example."""
        known = self.seen.get((kind, about, detail))
        self.seen[kind, about, detail] = (
            (count, example) if known is None else (known[0] + count, min(known[1], example))
        )

    def pair(
        self,
        kind: str,
        about: str,
        values: Iterable[Any],
        types: Iterable[Type] = (),
        words: Iterable[str] = ("answer", "reference"),
        count: int = 1,
    ) -> None:
        """Count an observation about two values, separately for each pair of types; `words` name them in texts."""
        from scoring.compiler.records.replies import way_to_text

        shown = ", ".join(f"{word} {_shown(value)}" for word, value in zip(words, values, strict=True))
        kinds, way = [*map(str, types)], ""
        for one, part in zip(values, ("response", "reference"), strict=True) if "Text" in kinds else ():
            way = way or (way_to_text(one, part) if isinstance(one, dict) else "")
        self.add(kind, about, shown, count, "|".join([*kinds, *([way] if way else [])]))


def _shown(value: Any) -> str:
    """Return a short form of a value for messages, without invisible characters."""
    if isinstance(value, list | tuple):
        first = "" if not value else "…" if isinstance(value[0], list | tuple) else _shown_one(value[0])
        return f"[{first}{', …' if len(value) > 1 else ''}]"
    return _shown_one(value)


def _shown_one(value: Any) -> str:
    if isinstance(value, str):
        text = value[:_SHOWN]
        is_plain = text.isprintable() and unicodedata.is_normalized("NFC", text)
        return (repr(text) if is_plain else ascii(text)) + ("…" if len(value) > _SHOWN else "")
    return str(value).lower() if isinstance(value, bool) else show_value(value, _SHOWN)


def _advice(detail: str) -> str:
    """Return advice on how to make two types comparable, from a detail that joins their names by `|`."""
    answer, reference, *way = [*detail.split("|", 2), ""][:3]
    if any(way):
        return way[0]
    inner = frozenset(name.removeprefix("List[").removesuffix("]") for name in (answer, reference))
    if answer.startswith("List[") and reference.startswith("List["):
        return (
            f"`map_items` with {_ADVICE[inner].partition(', as')[0]}" if inner in _ADVICE else "make their items alike"
        )
    if reference.startswith("List["):
        return "`any_reference` takes the best of a list of references, as in `any_reference(equal)`"
    if answer.startswith("List["):
        return "`any_prediction` takes the best of a list of answers, as in `any_prediction(equal)`"
    return _ADVICE.get(inner, "make both sides the same type")


def _types(field: FieldRunner, ours: Sequence[Any], theirs: Sequence[Any], notes: _Notes) -> None:
    """Count in ``notes`` a field's pairs of prediction and reference, and the pairs of types that are never equal."""
    kinds = set(map(type, ours)), set(map(type, theirs))
    if max(map(len, kinds)) == 1:
        classes = {(next(iter(kinds[0])), next(iter(kinds[1]))): len(ours)} if len(ours) else {}
    else:
        classes = Counter(zip(map(type, ours), map(type, theirs), strict=True))
    for (one, other), count in classes.items():
        if one in _NOTHING or other in _NOTHING:
            continue
        notes.add("pairs", field.name, "", count)
        program, types = field.scorer.program, (of_class(one), of_class(other))
        are_lists = types[0].name == types[1].name == "List"
        if not can_never_match(program, *(_LISTS if are_lists else types)):
            continue
        pairs = (pair for pair in zip(ours, theirs, strict=True) if type(pair[0]) is one and type(pair[1]) is other)
        if are_lists:
            lists = [value for value in chain(ours, theirs) if type(value) is list]
            for pair in () if are_lists_of_texts(lists) else pairs:  # most are
                within = type_within(pair[0]), type_within(pair[1])
                if can_never_match(program, *within):
                    notes.pair("unequal_types", field.name, pair, within)
            continue
        for pair, times in Counter(pairs).items() if {one, other} <= _SCALARS else ((pair, 1) for pair in pairs):
            notes.pair("unequal_types", field.name, pair, types, count=times)


_NOTHING = frozenset((type(None), Outcome))
_SCALARS = frozenset((str, int, float, bool))
_LISTS = (type_within(["a"]), type_within([1]))


def _forms(name: str, column: FieldColumn, high: float, notes: _Notes) -> None:
    """Count in ``notes`` the pairs of texts that score below ``high`` and differ only in form, such as white space."""
    ours, theirs = column.predictions or (), column.references or ()
    missed = np.flatnonzero(np.frombuffer(column.outcomes.values) < high).tolist()  # NaN compares as false
    pairs = ((ours[place], theirs[place]) for place in missed)
    texts = [(a, b) for a, b in pairs if type(a) is str is type(b) and len(a) <= _LONG >= len(b)]
    for (one, other), count in Counter(nearly_equal_pairs(texts)).items():
        if found := form_that_differs(one, other):
            notes.pair(found, name, (one, other), count=count)


def _named_keys(field: FieldRunner, ours: Sequence[Any], theirs: Sequence[Any], notes: _Notes) -> None:
    """Count in ``notes`` the values that a field compares as a whole, though they are mappings with a key of its
    name, unless the spec says that it compares the whole."""
    for side, values in (("responses", ours), ("references", theirs)):
        if side in field.unsaid and dict in set(map(type, values)):
            count = sum(type(value) is dict and field.name in value for value in values)
            notes.add("named_keys", field.name, "", count, side) if count else None


def _lacking(
    task: CompiledTask, field: FieldRunner, column: FieldColumn, results: Results, batch: Batch, notes: _Notes
) -> None:
    """Count in ``notes`` responses without a field, and responses and references with one unknown key in its place."""
    why = {f"the {side} has no field `{field.name}`": side for side in ("response", "reference")}
    lacking = [(place, why[odd.reason]) for place, odd in column.outcomes.odd.items() if odd.reason in why]
    if not lacking:
        return
    read = task.reader_of("reference")
    for place, side in lacking:
        record = batch.records[place]
        if side == "response":
            notes.add("empty_fields", field.name)
            answer = results.parsed[place] if results.parsed is not None else None
        else:
            answer = read(record) if record is not None else None
        strange = [key for key in answer if key not in task.field_names] if isinstance(answer, dict) else []
        if len(strange) == 1 and field.finds_by_name(side):
            notes.add(f"other_key_{side}", field.name, _name(strange[0]))


def _name(key: Any) -> str:
    return str(key)[:_SHOWN]


def _answer_texts(task: CompiledTask, results: Results, batch: Batch) -> list[Any]:
    """Return each record's answer: the parsed response if it is a text, else the raw response."""
    answers = results.parsed or [None] * len(batch)
    if {*map(type, answers)} == {str}:
        return answers
    read = task.reader_of("response")
    return [
        answer if type(answer) is str or record is None else read(record)
        for answer, record in zip(answers, batch.records, strict=True)
    ]


def _answers(task: CompiledTask, results: Results, answers: Sequence[Any], notes: _Notes) -> tuple[str, ...]:
    """Return the value of `Census.answers` for these answers, and count those that are empty or read like errors."""
    high = task.range.high
    first = next((answer for answer in answers if type(answer) is str), None)
    if first is None:
        return ()
    notes.add("answers", "", "", list(map(type, answers)).count(str))
    positions = np.flatnonzero(~(np.frombuffer(results.outcomes.values) >= high))  # NaN is missed, too
    known = np.count_nonzero(np.frombuffer(results.outcomes.statuses, np.uint8)[positions] != ABSENT)
    if known:
        notes.add("missed", "", "", int(known))
    missed = positions.tolist()
    found = Counter([answer for answer in map(answers.__getitem__, missed) if type(answer) is str])
    heads = "\n".join([answer[:_HEAD] for answer in found])
    low = heads.lower()
    has_errors = any(words in low for words in _OF_ERRORS) or any(words in heads for words in _OF_CODES)
    for answer in [answer for answer in found if not answer or answer.isspace()]:
        wanted = sum(answers[position] == answer and not _is_blank(results, position) for position in missed)
        if wanted:
            notes.add("empty_answers", "", _shown(answer), wanted)
    for answer in filter(_is_error, found) if has_errors else ():
        notes.add("error_answers", "", _shown(answer), found[answer])
    if any(answer != first and type(answer) is str for answer in answers):
        return "", " "  # which sort before all others, so that they survive merging
    return (f"{_shown(first)} {hashlib.blake2b(first.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}",)


def _is_error(answer: str) -> bool:
    """Return whether an answer begins like an error message.

    Examples:
        >>> (
        ...     _is_error("openai.RateLimitError: 429"),
        ...     _is_error("Rate limit exceeded"),
        ...     _is_error("an error is a mistake"),
        ... )
        (True, True, False)
    """
    head = answer[:_HEAD]
    low = head.lower()
    return len(answer) <= _LONG and (any(words in low for words in _ERRORS) or bool(_ERROR.match(head)))


def _is_blank(results: Results, place: int) -> bool:
    """Return whether any reference of the record at a position is empty, so that an empty answer may be right."""
    for column in results.fields.values():
        value = column.references[place] if column.references is not None else None
        if (isinstance(value, str) and not value.strip()) or value == []:
            return True
    return False


def _is_optional(task: CompiledTask, name: str) -> bool:
    return any(field.name == name and field.optional for field in task.parts.fields)
