"""Traces: the value after every stage of every field of one record, as plain data."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

from scoring.compiler.formulas.ranges import step_range
from scoring.compiler.programs.expression_values import read_path, side_of
from scoring.compiler.programs.failures import failure
from scoring.compiler.programs.program import BoundStep, Computed, Program, show_path
from scoring.compiler.programs.stages import NO_ROW, REFERENCE, RESPONSE, ROW_VALUES, RowValues, StageValues
from scoring.compiler.running.items import ItemRow
from scoring.compiler.running.range_checks import checked_score
from scoring.compiler.running.run import chain_of, runner, settings_of
from scoring.compiler.tasks.compiled_parts import TaskParts
from scoring.compiler.tasks.fields import FieldRunner
from scoring.compiler.tasks.formula_fields import FormulaField
from scoring.compiler.tasks.task_stages import TaskStages
from scoring.depth import in_full_depth
from scoring.extensions.tracing import aligned as aligned  # it explains `align`
from scoring.extensions.tracing import value_differences as value_differences  # it explains `equal`
from scoring.extensions.tracing.documents import RecordTrace
from scoring.extensions.tracing.limits import trace_limits
from scoring.lang.places import place_text
from scoring.lang.tree import ITEM, Path
from scoring.result import FieldResult, NotApplicable, Outcome, RecordResult, Unparsed, Unscored

_Told: TypeAlias = tuple[dict[str, Any], list[dict[str, Any]]]
# The words at which paths into the two values begin that fields compare.
_WORDS = {"prediction": "parsed", "reference": "reference"}
MAX_ITEMS_SHOWN = 200
MAX_DEPTH = 12


def explain_record(parts: TaskParts, result: RecordResult, state: StageValues, made: TaskStages) -> dict[str, Any]:
    """Return the trace of one record as plain data: the parse stage, each field's stages and weight, and the score.

    Args:
        parts: The parts of the compiled task.
        result: The result of the record.
        state: The values that the stages of the task computed for the record.
        made: The stages of the task, which index ``state``.
    """
    response, reference, row = state[RESPONSE], state[REFERENCE], state[ROW_VALUES]
    story: dict[str, Any] = {"id": show(result.id), "response": None if _failed(response) else show(response)}
    if parts.parse is not None:
        story["parse"] = trace_chain(parts.parse.program.prediction, response, row, "prediction")
    if parts.parse_reference is not None:
        story["parse_reference"] = trace_chain(parts.parse_reference.program.prediction, reference, row, "reference")
    if parts.values:
        story["values"] = [_computed(value, row) for value in parts.values]
    told = {field.name: _of_scorer(field, state, made) for field in parts.fields}
    told |= {field.name: _of_formula(field, result.fields, row) for field in parts.formulas}
    story["fields"] = []
    for name in parts.field_names:
        (head, stages), span = told[name], parts.ranges[name].to_json()
        outcome = result.fields[name].outcome.to_json()
        story["fields"].append({"field": name, **head, "range": span, "stages": stages, **outcome})
    story["aggregate"] = parts.aggregate.text
    if parts.joining_paths:
        story["aggregate_reads"] = _read_stages(parts.joining_paths, row)
    story["range"] = parts.ranges[None].to_json()
    story.update(result.outcome.to_json())
    if result.passed is not None:
        story["passed"] = result.passed
    return RecordTrace(story)


def _of_scorer(field: FieldRunner, state: StageValues, made: TaskStages) -> _Told:
    """Return a description of a field that compares two values, and the stages of its scorer with their values: none if
    one of the two values could not be computed. The arguments are those of `explain_record`.
    """
    ours, theirs = field.reads(made.answer, made.wanted)
    row = state[ROW_VALUES]
    left, right = field.values(state[ours], state[RESPONSE], state[theirs])
    stages = [] if _failed(left) or _failed(right) else trace_scorer(field.scorer.program, left, right, row)
    scorer = field.scorer
    compared = {"prediction": field.prediction, "reference": field.reference}
    of = {f"{side}_of": show_path(one.whole) for side, one in compared.items() if one is not None}
    of |= {f"{side}_of": place_text((_WORDS[side], *place)) for side, place in field.places.items() if place}
    head = {"weight": field.weight, "scorer": scorer.text, **of, "reads_reference": scorer.reads_reference}
    return head, stages


def _of_formula(field: FormulaField, fields: Mapping[str, FieldResult], row: RowValues) -> _Told:
    """Return a description of a field whose score is a formula, and the formula's inputs as stages: scores of other
    ``fields``, and values of the record (``row``)."""
    read = [{"stage": name, "score": show(fields[name].score)} for name in sorted(field.compiled.fields)]
    return {"weight": field.weight, "scorer": field.text}, [*read, *_read_stages(field.compiled.paths, row)]


def _read_stages(paths: Iterable[Path], row: RowValues) -> list[dict[str, Any]]:
    """Return a stage for each path: the value that the path has in the record (``row``), or why it has none."""
    stages = []
    for path in sorted(paths, key=show_path):
        try:
            found = {"value": show(read_path(path, row))}
        except (Unscored, Unparsed, NotApplicable) as error:
            found = {"error": str(error)}
        stages.append({"stage": show_path(path), **found})
    return stages


def _computed(value: Computed, row: RowValues) -> dict[str, Any]:
    """Return the trace of a computed value: its expression, its stages if it has steps, and its result."""
    entry: dict[str, Any] = {"value": value.name} if value.is_declared else {}
    entry |= {"from": value.text}
    nodes = value.program.prediction
    if value.program.formula is not None:
        entry["stages"] = _read_stages(value.program.formula.paths, row)
        return entry | _value(row["values"][value.name], "gives")
    try:
        start = read_path(value.head, row)
    except Exception as error:
        start = failure(error)
    if nodes:
        side = side_of(value.head)
        entry["stages"] = [{"stage": show_path(value.head), **_value(start)}, *trace_chain(nodes, start, row, side)]
    return entry | _value(row["values"][value.name], "gives")


def trace_scorer(program: Program, prediction: Any, reference: Any, row: RowValues = NO_ROW) -> list[dict[str, Any]]:
    """Return each stage of a scorer with the values of both sides, then the score after each stage."""
    left, left_value = _steps(program.prediction, prediction, row, "prediction")
    right, right_value = _steps(program.reference_steps, reference, row, "reference")
    stages = [{"stage": "input", "prediction": show(prediction), "reference": show(reference)}, *_pair_up(left, right)]
    if _failed(left_value) or _failed(right_value) or program.join is None:
        return stages
    calls: list[dict[str, Any]] = []
    score: Any
    try:
        score = in_full_depth(_join, program.join, left_value, right_value, row, calls)
    except Exception as error:
        stages.append({"stage": program.join.step, "error": failure(error).reason, **_inside(calls)})
        return stages
    told = _story(program.join, left_value, right_value, row)
    stages.append({"stage": program.join.step, "score": show(score), **_inside(calls), **told})
    for node in program.rescorers:
        try:
            score = checked_score(score, step_range(program.join)) if node is program.rescorers[0] else score
            score = in_full_depth(chain_of([node], "score").run, score, row)
        except Exception as error:
            stages.append({"stage": node.step, "error": failure(error).reason})
            break
        stages.append({"stage": node.step, "score": show(score), **_settings(node)})
    return stages


def trace_chain(nodes: Sequence[BoundStep], value: Any, row: RowValues, side: str) -> list[dict[str, Any]]:
    """Return each stage of a chain of transforms, applied to ``value``, as plain data with the value after it;
    ``side`` is the side of the chain, ``prediction`` or ``reference``."""
    steps, _ = ([], value) if _failed(value) else _steps(nodes, value, row, side)
    return [{"stage": name, **_value(result)} for name, result in steps]


def _steps(nodes: Sequence[BoundStep], value: Any, row: RowValues, side: str) -> tuple[list[tuple[str, Any]], Any]:
    steps: list[tuple[str, Any]] = []
    for node in nodes:
        try:
            value = in_full_depth(chain_of([node], side).run, value, row)
        except Exception as error:
            value = failure(error)
            steps.append((node.step, value))
            break
        steps.append((node.step, value))
    return steps, value


def _pair_up(left: list[tuple[str, Any]], right: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    """Return the stages of both sides: in pairs if all their steps have the same names, else one side after the other.

    ``left`` are the stages of the prediction, ``right`` those of the reference.
    """
    if [name for name, _ in left] == [name for name, _ in right]:
        return [
            {"stage": name, **_value(one, "prediction"), **_value(other, "reference")}
            for (name, one), (_, other) in zip(left, right, strict=True)
        ]
    stages = [{"stage": name, **_value(value, "prediction")} for name, value in left]
    return stages + [{"stage": name, **_value(value, "reference")} for name, value in right]


def _failed(value: Any) -> bool:
    return type(value) is Outcome


def _value(value: Any, key: str = "value") -> dict[str, Any]:
    if _failed(value):
        return {"error" if key in ("value", "gives") else f"{key}_error": value.reason}
    return {key: show(value)}


def _join(node: BoundStep, prediction: Any, reference: Any, row: RowValues, calls: list[dict[str, Any]]) -> Any:
    """Return the result of a step that compares prediction and reference; append its calls of nested pipelines to
    ``calls``."""

    def recorded(program: Program, name: str) -> Any:
        return runner(program) if program.form == "aggregate" else _Recorder(program, name, row, calls)

    variadic, settings = settings_of(node, recorded)(row)
    return node.primitive.function(prediction, reference, *variadic, **settings)


def _story(node: BoundStep, prediction: Any, reference: Any, row: RowValues) -> dict[str, Any]:
    """Return the lines in which a comparator explains its score, under the key `told`; {} if it explains nothing."""
    if node.primitive.story is None:
        return {}
    try:
        variadic, settings = settings_of(node)(row)
        lines = in_full_depth(functools.partial(node.primitive.story, **settings), prediction, reference, *variadic)
    except Exception as error:
        return {"told": [{"stage": "…", "error": failure(error).reason}]}
    if not lines:
        return {}
    most = trace_limits().items
    more = [{"stage": "…", "value": f"{len(lines) - most:,} more"}] if len(lines) > most else []
    return {"told": [{name: show(value) for name, value in line.items()} for line in [*lines[:most], *more]]}


class _Recorder:
    """A wrapper of a nested pipeline that appends each of its calls, with stages and result, to a list."""

    def __init__(self, program: Program, name: str, row: RowValues, calls: list[dict[str, Any]]) -> None:
        self.text = program.text
        self._program = program
        self._name = name
        self._row = row
        self._calls = calls
        self._runner: Any = runner(program)

    def __call__(self, *values: Any) -> Any:
        return self.run(*values, self._row)

    def run(self, *given: Any) -> Any:
        """Return the result of the pipeline for some values; the last argument is the row, perhaps with an item."""
        *values, row = given
        entry: dict[str, Any] = {"pipeline": self._name, "text": self.text}
        is_item = isinstance(row, ItemRow) and row is not self._row
        if is_item:
            entry["item"] = show(row.get(ITEM))
        most = trace_limits().items
        room = len(self._calls) < (max(MAX_ITEMS_SHOWN, most) if is_item else most)
        if room:
            self._calls.append(entry)
        if len(self._calls) <= most and room:
            entry["stages"] = (
                trace_scorer(self._program, values[0], values[1], row)
                if len(values) == 2
                else trace_chain(self._program.prediction, values[0], row, "prediction")
            )
        try:
            result = self._runner.run(*values, row)
        except Exception as error:
            entry["error"] = failure(error).reason
            raise
        entry["result"] = show(result)
        return result

    # What goes through items asks for them this way, one by one: a story has no columns.
    outcomes = None


def _inside(calls: list[dict[str, Any]]) -> dict[str, Any]:
    return {"inside": calls} if calls else {}


def _settings(node: BoundStep) -> dict[str, Any]:
    return {"settings": {name: show(value) for name, value in node.static.items()}} if node.static else {}


def show(value: Any, depth: int = MAX_DEPTH) -> Any:
    """Return a value as plain data of limited size: JSON types where possible, otherwise its printed form, cut off.

    Collections nested deeper than ``depth`` become `…`.
    """
    if value is None or isinstance(value, (bool, int, float)):
        bits = value.bit_length() if isinstance(value, int) else 0
        return value if bits < 64 else f"a number of about {int(bits * 0.30103) + 1} digits"
    limits = trace_limits()
    if isinstance(value, str):
        return value if len(value) <= limits.text else f"{value[: limits.text]}… ({len(value)} characters)"
    if depth == 0:
        return "…"
    if isinstance(value, (list, tuple)):
        return [show(item, depth - 1) for item in value[: limits.items]]
    if isinstance(value, (set, frozenset)):
        return {"$set": sorted((show(item, depth - 1) for item in islice(value, limits.items)), key=str)}
    if isinstance(value, dict):
        shown = islice(value.items(), limits.items)
        return {str(show(key, 0))[: limits.text]: show(item, depth - 1) for key, item in shown}
    return repr(value)[: limits.text]
