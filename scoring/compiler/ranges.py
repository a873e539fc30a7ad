"""The range of a program's scores, from what its steps declare: `bounds` of the registry says how."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from scoring.compiler.program import BoundStep, Program
from scoring.ranges import EVERYTHING, UNIT, ScoreRange, as_range
from scoring.registry.model import REQUIRED, Param

NUMBER = "Number"


def range_of(program: Program) -> ScoreRange:
    """What a scorer may yield; everything for what is no scorer.

    Examples:
        >>> import scoring
        >>> str(range_of(scoring.scorer("equal | scale(by=0.5, plus=0.25)").program))
        '[0.25, 0.75]'
    """
    if program.join is None:
        return EVERYTHING
    found = step_range(program.join)
    for step in program.rescorers:
        found = step_range(step, found)
    return found


def aggregate_range(program: Program, fields: Sequence[ScoreRange]) -> ScoreRange:
    """What a pipeline that begins with an aggregator may yield, from the ranges of the fields."""
    if program.join is None:
        return EVERYTHING
    found = step_range(program.join, list(fields))
    for step in program.rescorers:
        found = step_range(step, found)
    return found


def _of_any_number(program: Program, score: ScoreRange) -> ScoreRange:
    """What an aggregator makes of any number of scores in one range: an end that moves with their number has no end."""
    one, two, three = (aggregate_range(program, [score] * count) for count in (1, 2, 3))
    low = -math.inf if three.low < two.low or two.low < one.low else one.low
    high = math.inf if three.high > two.high or two.high > one.high else one.high
    return ScoreRange(low, high).hull(two, three)


def metric_range(program: Program, scores: Mapping[str | None, ScoreRange]) -> ScoreRange:
    """What a data-set metric may come to.

    Args:
        program: The metric.
        scores: The range of every field's scores, and for None that of the records' own.
    """
    if program.join is None:
        return EVERYTHING
    field = program.join.static.get("field")
    return step_range(program.join, scores.get(field, EVERYTHING))


def step_range(step: BoundStep, *data: Any) -> ScoreRange:
    """What one step may yield, from the ranges of the scores that it is given."""
    primitive = step.primitive
    pipelines, variadic = _pipelines(step)
    if "formula" in primitive.traits:
        from scoring.compiler.combined import formula_range

        return formula_range(step, scorer_ranges(step))
    if primitive.bounds is not None:
        settings = {param.name: _setting(param, step) for param in primitive.params if param.pipeline is None}
        known = {name: value for name, value in settings.items() if not _is_variadic(primitive.param(name))}
        found: ScoreRange = primitive.bounds(*data, *variadic, **known, **pipelines)
        return found
    declared = ScoreRange(*map(float, primitive.range))
    given = [*variadic, *(one for one in pipelines.values() if isinstance(one, ScoreRange))]
    for one in data:
        given += one if isinstance(one, list) else [one]
    is_usual = all(one.low >= UNIT.low and one.high <= UNIT.high for one in given)
    return declared if is_usual or declared != UNIT or primitive.kind == "metric" else EVERYTHING


def scorer_ranges(step: BoundStep) -> dict[str, ScoreRange]:
    """The range of each scorer that a step was given by name."""
    return {name: range_of(one) for name, one in step.nested.items() if isinstance(one, Program)}


def _is_variadic(param: Param | None) -> bool:
    return param is None or bool(param.variadic)


def _pipelines(step: BoundStep) -> tuple[dict[str, Any], list[ScoreRange]]:
    """The ranges of the scorers that a step was given, by name and in order; of a map of them their hull's.

    An aggregator is what makes a range of the range of its scores.
    """
    named: dict[str, Any] = {}
    variadic: list[ScoreRange] = []
    for name, given in step.nested.items():
        if isinstance(given, Program):
            named |= {name: range_of(given)} if given.form == "scorer" else {}
            named |= {name: partial(_of_any_number, given)} if given.form == "aggregate" else {}
        elif isinstance(given, tuple):
            variadic = [range_of(program) for program in given if program.form == "scorer"]
        elif isinstance(given, Mapping):
            inner = [range_of(program) for program in given.values() if program.form == "scorer"]
            named |= {name: inner[0].hull(*inner[1:])} if inner else {}
    return named, variadic


def _setting(param: Param, step: BoundStep) -> Any:
    """A number as a range, since the record may tell it; another value as it is, None where it is not known."""
    if param.name in step.dynamic:
        if param.type.name != NUMBER:
            return None
        low, high = param.low, param.high
        return ScoreRange(EVERYTHING.low if low is None else low, EVERYTHING.high if high is None else high)
    value = step.static.get(param.name, None if param.default is REQUIRED else param.default)
    return as_range(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value
