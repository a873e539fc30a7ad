"""What metrics may name, and the columns that their names stand for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

from scoring.compiler.formula import FormulaCompiler
from scoring.compiler.messages import Findings
from scoring.compiler.row import column_of
from scoring.lang.evaluate import SCORE
from scoring.lang.tree import Literal, Path, Pipeline, Value
from scoring.late import dataclass
from scoring.ranges import ScoreRange
from scoring.registry import registry
from scoring.statistics.rows import PASSES_COLUMN, score_column
from scoring.values import Type

PASSED = "passed"
"""What metrics call whether a record passes."""


class NoPass(NamedTuple):
    """Why nothing passes: what kind of finding it is, the reason, and what to do, in which ``{}`` is the metric."""

    id: str
    why: str
    help: str


@dataclass(frozen=True, slots=True)
class MetricNames:
    """What metrics may name.

    Args:
        ranges: The range of every field's scores, and for None that of the records' own; None for a table that has no
            records, so that nothing can be added up.
        values: The record's declared values: the path to each, and its type.
        no_pass: What is said of a metric that counts what passes, None where the spec says when a record does.
        declared: The parts of a record that the spec declares.
    """

    ranges: Mapping[str | None, ScoreRange] | None
    values: Mapping[str, tuple[Path, Type]]
    no_pass: NoPass | None = None
    declared: Collection[str] = ()


def with_columns(pipeline: Pipeline, names: MetricNames, findings: Findings) -> tuple[Pipeline, list[Path]]:
    """A call of a metric with the texts that stand for its columns, and the computed values among these."""
    first = pipeline.steps[0]
    metric = registry.metric(first.name)
    if metric is None or names.ranges is None:
        return pipeline, []
    columns = {param.name for param in metric.params if param.is_path}
    slots = [param.name for param in metric.params]
    values: list[Path] = []

    def named(value: Value) -> Value:
        found = _column(value, names, findings)
        if isinstance(found, Path):
            values.extend([found] if found.root == "values" else [])
            return Literal(column_of(found), value.span)
        return found

    args = tuple(
        named(value) if place < len(slots) and slots[place] in columns else value
        for place, value in enumerate(first.args)
    )
    kwargs = tuple((name, named(value) if name in columns else value) for name, value in first.kwargs)
    return replace(pipeline, steps=(replace(first, args=args, kwargs=kwargs), *pipeline.steps[1:])), values


def _column(value: Value, names: MetricNames, findings: Findings) -> Value:
    """What a column is called; what is no name of one stays as it is."""
    if isinstance(value, Path) and value.root == "values":
        found = FormulaCompiler({}, findings, places=names.values).value(value).node
        return found if isinstance(found, Path) else value
    if not isinstance(value, Pipeline) or not value.is_word:
        return value
    word = value.steps[0].name
    if word in names.values:
        return names.values[word][0]
    own = {SCORE: score_column(), PASSED: PASSES_COLUMN}
    if word in (names.ranges or ()):
        return Literal(score_column(word), value.span)
    if word in own:
        return Literal(own[word], value.span)
    known = [name for name in (*(names.ranges or ()), *names.values, *own) if name is not None]
    findings.unknown(
        "unknown-field",
        f"there is no column `{word}`",
        value.span,
        word,
        known,
        f"columns: {', '.join(known)}; a key of the record is `record.{word}`",
    )
    return Literal(word, value.span)
