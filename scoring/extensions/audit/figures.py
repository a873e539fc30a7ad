"""Audit of a task's data-set metrics: their figures for right answers, wrong answers and other orders of records.

The records get right answers, and then wrong ones: the same for all, each the answer to another record, or none. A
metric of rankings gets rankings with all relevant items at the beginning, and at the end; repeating relevant items must
not raise its figure. The order of the records, the names of labels and duplicate records must not change a figure.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec.structs import replace

from scoring.compiler.formulas.formula_metric import FormulaMetric
from scoring.compiler.tasks.compiled_parts import TaskMetric
from scoring.compiler.tasks.task import CompiledTask
from scoring.engine.road.summary import metric_table
from scoring.extensions.audit.changes import typed_over
from scoring.extensions.audit.verdict import TOLERANCE, Audit, Broken, Declared, is_error, on_scale, same_figure
from scoring.extensions.audit.wrong import JUNK, differs
from scoring.lang.evaluation import SCORE
from scoring.lang.formula import Binary, Formula, Number, walk_formula
from scoring.lazy_pattern import lazy_pattern
from scoring.ranges import UNIT
from scoring.statistics.grouped import GroupStatistic
from scoring.statistics.rows import Rows
from scoring.values import Record

OF_METRICS = (
    *("reference", "empty", "constant", "shuffled", "single", "share", "ranking", "stuffing", "labels"),
    *("boundary", "threshold", "order", "twice"),
)
MOST = 40
"""The most records on which a figure is tried."""
_FEWER = (2, 3, 4, 6, 8, 12, 20)
"""The numbers of records that are tried to make a counterexample small."""
_SHOWN = 3
_KNOWN = ("higher", "lower")
_BEHIND = 40
_DOTTED = lazy_pattern(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\Z", re.ASCII)


class _RecordedColumns(dict[str, Sequence[Any]]):
    """Columns of a table by name, which record in `names` each name that a metric looks up."""

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        super().__init__(columns)
        self.names: dict[str, None] = {}

    def __contains__(self, name: object) -> bool:
        self.names[str(name)] = None
        return super().__contains__(name)


Answered: TypeAlias = tuple[Record, Any]
"""A record, and a response to it that is right."""


class _Answering:
    """Records of a task with a right answer for each; it scores any responses to them, and returns the scored table."""

    def __init__(self, task: CompiledTask, answered: Sequence[Answered]) -> None:
        self.task = task
        self.records, self.rights = [record for record, _ in answered], [right for _, right in answered]
        self.steps = 0
        self._path = task.spec.record.get("response", "response")
        self._known: dict[str, Rows] = {}

    def as_answered(self) -> Rows:
        """Return the table (`Rows`) of the records scored with their own, original responses."""
        return self.rows([self.task.parts.reader.response(record) for record in self.records])

    def rows(self, responses: Sequence[Any]) -> Rows:
        """Return the table (`Rows`) of the records scored with the given responses, one for each record."""
        key = repr(responses)
        if key not in self._known:
            pairs = zip(self.records, responses, strict=True)
            records = [_replace_value(record, self._path, response) for record, response in pairs]
            self.steps += len(records)
            self._known[key] = metric_table(self.task, self.task.score_batch(records), records)
        return self._known[key]


def audit_metrics(
    task: CompiledTask, answered: Sequence[Answered], declared: Callable[[TaskMetric], Declared]
) -> list[Audit]:
    """Return audits of the metrics of a task; [] if fewer than two records have a right answer.

    Args:
        task: The task.
        answered: Pairs of a record and a right response to it.
        declared: Returns the rules that are declared for a metric.
    """
    few = {size: _Answering(task, answered[:size]) for size in (*_FEWER, MOST) if size < len(answered) or size == MOST}
    return [_audit(metric, few, declared(metric)) for metric in task.metrics]


def _audit(metric: TaskMetric, few: Mapping[int, _Answering], declared: Declared) -> Audit:
    verdicts = {law: declared.verdict(law) for law in OF_METRICS}
    whole, before = few[MOST], sum(one.steps for one in few.values())
    if len(whole.records) >= 2:
        for law, fault in _faults(metric, whole):
            verdicts[law].note(fault)
    for law in [law for law, verdict in verdicts.items() if verdict.broken]:
        faults = (fault for answering in few.values() for name, fault in _faults(metric, answering) if name == law)
        verdicts[law].smallest = next((fault for fault in faults if fault is not None), verdicts[law].broken[0])
    steps = sum(one.steps for one in few.values()) - before
    # In conditions on figures, and in formulas over groups, the author has chosen the boundary, so this need not hold.
    exempt = (
        {"boundary", "single", "share"} if isinstance(metric, FormulaMetric) and any(metric.groupings) else {"boundary"}
    )
    must = tuple(law for law in OF_METRICS if law not in exempt or law in declared.must)
    return Audit(f"metric {metric.text}", verdicts, must, steps)


def _faults(metric: TaskMetric, answering: _Answering) -> Iterator[tuple[str, Broken | None]]:
    """Yield the name of each law that can be tried on a metric, with its violation, or None if the law holds."""
    rights = answering.rights
    right = answering.rows(rights)
    if metric.join is None:
        yield from _of_formula(metric, answering, right)
        return
    looked_up = _RecordedColumns(right.columns)
    statistic = metric(replace(right, columns=looked_up))
    value = _better_high(metric, right, statistic.value())
    if value is None:
        return
    columns = {name: right.column(name) for name in looked_up.names}
    is_about_answers = not _rankings(columns) and metric.join.static.get("field") is None
    yield from _of_answers(metric, answering, value, is_about_answers=is_about_answers)
    yield from _of_rankings(metric, right, columns)
    yield from _of_labels(metric, right, columns)
    if metric.join is not None and metric.join.primitive.reads == "scores":
        yield from _of_passes(answering.task) if "passes" in metric.join.primitive.traits else _of_scores(metric, right)
    mixed = _mixed(answering)
    yield from _of_order(metric, mixed)
    if not isinstance(
        statistic, GroupStatistic
    ):  # duplicates are further samples of a question, which may raise the figure
        value, twice = _of_all_and_twice(metric, mixed)
        yield "twice", _unless(same_figure(twice, value), "every record twice", twice, value)


def _of_all_and_twice(metric: TaskMetric, rows: Rows) -> tuple[float | None, float | None]:
    return _figure(metric, rows), _figure(metric, rows.select([*range(len(rows))] * 2))


def _mixed(answering: _Answering) -> Rows:
    """Return the scored table of the records with empty answers in the first third and right answers in the rest."""
    rights = answering.rights
    return answering.rows(["" if index * 3 < len(rights) else one for index, one in enumerate(rights)])


def _of_order(metric: TaskMetric, mixed: Rows) -> Iterator[tuple[str, Broken | None]]:
    value, backwards = _figure(metric, mixed), _figure(metric, mixed.select(range(len(mixed) - 1, -1, -1)))
    yield "order", _unless(same_figure(backwards, value), "the records in the opposite order", backwards, value)


def _of_formula(metric: TaskMetric, answering: _Answering, right: Rows) -> Iterator[tuple[str, Broken | None]]:
    """Yield the name of each law for a formula over scores, with its violation, or None if it holds: "order" and, if it
    is monotonic, those of wrong answers and duplicates; `right` is the scored table of right answers."""
    value = _figure(metric, right)
    if value is not None and metric.better in _KNOWN and metric.scale(right.ranges).way in ("up", "down"):
        yield from _of_answers(metric, answering, value, is_about_answers=True)
        if isinstance(metric, FormulaMetric) and _is_divided(
            metric.figure.compiled.node
        ):  # an undivided sum may grow with duplicates
            value, twice = _of_all_and_twice(metric, _mixed(answering))
            yield "twice", _unless(same_figure(twice, value), "every record twice", twice, value)
    yield from _of_order(metric, _mixed(answering))


def _of_answers(
    metric: TaskMetric, answering: _Answering, value: float, *, is_about_answers: bool
) -> Iterator[tuple[str, Broken | None]]:
    """Yield the name of each law of wrong answers, with its violation, or None if it holds: with wrong answers the
    metric must be below `value`, that of right ones; `is_about_answers` is False for metrics that read rankings."""
    rights = answering.rights
    tried = {"empty": [""] * len(rights)}
    often = Counter(map(_key, rights)).most_common(1)[0][0]
    one_for_all = next(one for one in rights if _key(one) == often)
    if sum(differs(one, one_for_all) for one in rights) * 3 >= len(rights):
        tried["constant"] = [one_for_all] * len(rights)
    moved = max((rights[step:] + rights[:step] for step in range(1, len(rights))), key=lambda one: _moved(rights, one))
    if _moved(rights, moved) * 2 >= len(rights):
        tried["shuffled"] = moved
    right = list(answering.rows(rights).scores)
    scored = {law: answering.rows(responses) for law, responses in tried.items()}
    # If wrong answers get the same scores as right ones, it is the scorer's fault and not the metric's.
    found = {law: _figure(metric, rows) for law, rows in scored.items() if list(rows.scores) != right}
    if not is_about_answers and all(same_figure(one, value) for one in found.values()):
        return  # the figure does not depend on the answers
    best = _best(metric, answering.rows(rights))
    if best is not None and (metric.join is None or metric.join.static.get("field") is None):
        yield "reference", _unless(abs(value - best) <= TOLERANCE, _excerpt(rights, rights), value, best)
    for law, figure in found.items():
        yield law, _unless(figure is None or figure < value - TOLERANCE, _excerpt(tried[law], rights), figure, value)
    wrong = found.get("shuffled")
    if wrong is not None and wrong < value - TOLERANCE:
        yield from _of_single(metric, answering, moved, value)


def _of_single(
    metric: TaskMetric, answering: _Answering, wrong: Sequence[Any], value: float
) -> Iterator[tuple[str, Broken | None]]:
    """Yield the law "single", with its violation, or None if it holds: replacing one right answer by that in `wrong`
    must lower the metric below `value`, that of right answers, at least for some record."""
    rights, best = answering.rights, answering.rows(answering.rights)
    scores = zip(answering.rows(wrong).scores, best.scores, strict=True)
    indexes = [index for index, (low, high) in enumerate(scores) if _is_less(low, high)]
    tried = [[*rights[:index], wrong[index], *rights[index + 1 :]] for index in indexes]
    if not tried:
        return
    for responses in tried:
        figure = _figure(metric, answering.rows(responses))
        if figure is None or figure < value - TOLERANCE:
            yield "single", None
            if figure is not None:
                yield from _of_share(metric, answering, wrong, figure)
            return
    # A quantile of equal scores does not move either, so it is tried with evenly spaced scores if scores are graded.
    if metric.join is not None and metric.join.primitive.reads == "scores" and _is_graded(answering):
        limits, size = best.ranges.get(None, UNIT), len(best)
        even = [limits.at((index + 1) / size) for index in range(size)] if limits.is_finite else list(best.scores)
        first, second = (
            _figure(metric, replace(best, scores=column, fields=dict.fromkeys(best.fields, column)))
            for column in (even, [*even[:-1], limits.low if limits.is_finite else even[-1]])
        )
        if not same_figure(first, second):
            yield "single", None
            return
    yield "single", _unless(False, _excerpt(tried[0], rights), value, value)


def _of_share(
    metric: TaskMetric, answering: _Answering, wrong: Sequence[Any], one: float
) -> Iterator[tuple[str, Broken | None]]:
    """Yield the law "share", with its violation, or None if it holds: with half of the answers from `wrong` the metric
    must be below `one`, that of a single wrong answer. It is not tried for a metric such as the minimum."""
    half = len(wrong) // 2
    responses = [*wrong[:half], *answering.rights[half:]]
    some, every = (_figure(metric, answering.rows(answers)) for answers in (responses, wrong))
    if some is not None and every is not None and half > 1 and every < one - TOLERANCE:
        yield "share", _unless(some < one - TOLERANCE, _excerpt(responses, answering.rights), some, one)


def _is_less(one: Any, other: Any) -> bool:
    return isinstance(one, float) and isinstance(other, float) and one < other - TOLERANCE


def _is_graded(answering: _Answering) -> bool:
    """Return True if some answer, original or with typos, gets a score between the lowest and the highest possible."""
    worse = [
        typed_over(one, sum(map(str.isalnum, one)) // 3) if isinstance(one, str) else one for one in answering.rights
    ]
    best = answering.rows(answering.rights)
    limits = best.ranges.get(None, UNIT)
    scores = [score for rows in (answering.rows(worse), answering.as_answered()) for score in rows.scores]
    return any(isinstance(score, float) and limits.low < score < limits.high for score in scores)


def _is_divided(node: Formula) -> bool:
    """Return True if a formula divides by a literal number, or multiplies by one below 1."""
    arithmetic = [one for one in walk_formula(node) if isinstance(one, Binary)]
    return any(
        (one.op == "/" and isinstance(one.b, Number))
        or (one.op == "*" and any(isinstance(side, Number) and side.value < 1 for side in (one.a, one.b)))
        for one in arithmetic
    )


def _of_rankings(
    metric: TaskMetric, rows: Rows, columns: Mapping[str, Sequence[Any]]
) -> Iterator[tuple[str, Broken | None]]:
    """Yield the laws "ranking" (relevant items must count more in front) and "stuffing" (repeated ones not more), each
    with its violation, or None if it holds; `columns` are the columns of `rows` that the metric reads."""
    found, repeated = list[Broken | None](), list[Broken | None]()
    for ranked, relevant in _rankings(columns):
        gold = [_items(value) for value in columns[relevant]]
        indexes = [index for index, items in enumerate(gold) if items]
        behind = [[*_fillers(items), *items] for items in gold]
        before = [[*items, *_fillers(items)] for items in gold]
        again = [[*items * 3, *_fillers(items)] for items in gold]
        part = rows.select(indexes)
        first, last, more = (
            _figure(metric, replace(part, columns={**part.columns, ranked: [column[index] for index in indexes]}))
            for column in (before, behind, again)
        )
        if first is None or last is None:
            continue
        shown = {relevant: gold[indexes[0]][:_SHOWN], ranked: before[indexes[0]][:_SHOWN]}
        found.append(_unless(first > last + TOLERANCE, shown, first, last))
        if first > last + TOLERANCE:
            shown = {**shown, ranked: again[indexes[0]][: 3 * _SHOWN]}
            repeated.append(_unless(more is None or more <= first + TOLERANCE, shown, more, first))
    if found:  # the ranking may be either of two columns, so the law must hold for one of both ways
        yield "ranking", None if None in found else found[0]
    if repeated:
        yield "stuffing", None if None in repeated else repeated[0]


def _of_labels(
    metric: TaskMetric, rows: Rows, columns: Mapping[str, Sequence[Any]]
) -> Iterator[tuple[str, Broken | None]]:
    """Yield the law "labels", with its violation, or None if it holds: renaming labels must not change the metric."""
    texts = {name: values for name, values in columns.items() if values and all(isinstance(v, str) for v in values)}
    # Labels occur repeatedly; other texts are compared by their words or letters, so exchanging them changes figures.
    labels = sorted({one for values in texts.values() for one in values})
    join = metric.join
    settings = [join.static.get(one.name, one.default) for one in join.primitive.params] if join is not None else []
    is_setting = any(one in labels for one in settings if isinstance(one, str))
    if len(texts) < 2 or not 2 <= len(labels) <= len(rows) // 2 or is_setting:
        return
    names = dict(zip(labels, [*labels[1:], labels[0]], strict=True))
    # Right answers alone don't show whether labels are distinguished, so every third record gets the same label.
    column = next(iter(texts))
    wrong = [labels[0] if index % 3 == 0 else one for index, one in enumerate(texts[column])]
    before = {**texts, column: wrong}
    after = {name: [names[one] for one in values] for name, values in before.items()}
    first, second = (_figure(metric, replace(rows, columns={**rows.columns, **changed})) for changed in (before, after))
    shown = {name: after[name][:_SHOWN] for name in after}
    yield "labels", _unless(first is None or same_figure(second, first), shown, second, first)


def _of_scores(metric: TaskMetric, rows: Rows) -> Iterator[tuple[str, Broken | None]]:
    """Yield the laws about thresholds for a metric of scores, each with its violation, or None if it holds, tried with
    one score for all records: the lowest, the highest, the middle of the range, and just below the middle."""
    limits = rows.ranges.get(None, UNIT)
    if not limits.is_finite:
        return  # an infinite range has no middle

    def at(share: float) -> float | None:
        column = [limits.at(share)] * len(rows)
        found: float | None = metric(replace(rows, scores=column, fields=dict.fromkeys(rows.fields, column))).value()
        return found

    none, below, half, full = (at(score) for score in (0.0, 0.499999, 0.5, 1.0))
    if full is None or none is None or half is None:
        return
    yield "threshold", _unless(none < full - TOLERANCE, "a score of 0 for all records", none, full)
    is_cut = below is not None and below <= TOLERANCE < half and half >= full - TOLERANCE
    yield "boundary", _unless(not is_cut, "a score of exactly 0.5 for all records", half, below)


def _of_passes(task: CompiledTask) -> Iterator[tuple[str, Broken | None]]:
    """Yield the laws about thresholds for a task's pass condition, each with its violation, or None if it holds, tried
    with the lowest score for all fields, the highest, the middle of the range, and just below the middle."""
    if not all(limits.is_finite for limits in task.ranges.values()):
        return

    def passes(share: float) -> bool:
        condition = task.parts.passes
        scores = {name or SCORE: limits.at(share) for name, limits in task.ranges.items()}
        return condition is not None and bool(condition.evaluate(scores))

    yield "threshold", _unless(not passes(0.0), "a score of 0 for all records", float(passes(0.0)), float(passes(1.0)))
    is_cut = passes(0.5) and not passes(0.499999)
    yield "boundary", _unless(not is_cut, "a score of exactly 0.5 for all records", 1.0, 0.0)


def _figure(metric: TaskMetric, rows: Rows) -> float | None:
    """Return the value of a metric for a table, on a scale on which higher is better; None if it is undefined."""
    return _better_high(metric, rows, metric(rows).value())


def _better_high(metric: TaskMetric, rows: Rows, value: float | None) -> float | None:
    """Return `value`, that of a metric, converted to a scale on which higher is better; None if it is None. Distances
    and errors are mapped to the scale from 0 to 1; a formula of which lower values are better is negated."""
    scale = metric.scale(rows.ranges)
    if value is None or metric.join is None:
        return -value if value is not None and metric.better == "lower" else value
    return on_scale(scale.range, value) if is_error(scale.range) else value


def _best(metric: TaskMetric, rows: Rows) -> float | None:
    """Return a metric's best possible value on the scale of `_better_high`; None for a formula without a limit."""
    scale = metric.scale(rows.ranges)
    if metric.join is not None:
        return scale.range.at(1.0)
    if not scale.range.is_finite:
        return None
    return -scale.range.low if metric.better == "lower" else scale.range.high


# ---- records and their answers


def can_answer(task: CompiledTask) -> bool:
    """Return True if the response of a task's records can be replaced, since its path consists of names."""
    return bool(_DOTTED.match(task.spec.record.get("response", "response")))


def _replace_value(record: Record, path: str, value: Any) -> dict[str, Any]:
    """Return a copy of a record with the given value at `path`, which consists of names separated by dots.

    Examples:
        >>> _replace_value({"output": {"text": "a", "n": 1}}, "output.text", "b")
        {'output': {'text': 'b', 'n': 1}}
    """
    name, _, rest = path.partition(".")
    nested = record.get(name)
    inner = _replace_value(nested if isinstance(nested, Mapping) else {}, rest, value) if rest else value
    return {**record, name: inner}


def _rankings(columns: Mapping[str, Sequence[Any]]) -> list[tuple[str, str]]:
    """Return all ordered pairs of columns with lists, as names of a possible ranking and of its relevant items."""
    lists = {name for name, values in columns.items() if any(_items(value) for value in values)}
    return [(one, other) for one in columns for other in columns if one != other and {one, other} <= lists]


def _items(value: Any) -> list[Any]:
    """Return the items of a list, also of one in a JSON string, or the keys of a map; [] for other values."""
    if isinstance(value, str) and value.lstrip()[:1] == "[":
        try:
            value = json.loads(value)
        except ValueError:
            return []
    return list(value) if isinstance(value, (list, dict)) else []


def _fillers(items: Sequence[Any]) -> list[Any]:
    """Return made-up items of the same type as the given ones, and different from them, to put into rankings."""
    if all(isinstance(item, int) for item in items):
        return [-1 - index for index in range(_BEHIND)]
    return [f"{JUNK} {index}" for index in range(_BEHIND)]


def _key(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str, sort_keys=True)


def _moved(rights: Sequence[Any], others: Sequence[Any]) -> int:
    return sum(map(differs, rights, others))


def _excerpt(responses: Sequence[Any], rights: Sequence[Any]) -> dict[str, Any]:
    return {"responses": list(responses[:_SHOWN]), "right": list(rights[:_SHOWN])}


def _unless(holds: bool, tried: Any, found: float | None, instead: float | None) -> Broken | None:
    if holds:
        return None
    result = "nothing" if found is None else f"{found:.4f}"
    other = "nothing" if instead is None else f"{instead:.4f}"
    return Broken(tried, None, f"{result}, and {other} otherwise", found, instead)
