"""Ranges of the scores of programs, from what their steps declare: see `bounds` in the registry."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial, reduce
from typing import Any

from msgspec import Struct

from scoring.compiler.programs.program import BoundStep, Program
from scoring.ranges import EVERYTHING, UNIT, Growth, ScoreRange, as_range, snap_to_whole
from scoring.registry.model import REQUIRED, Param

NUMBER = "Number"


EITHER_WAY = "a higher score may raise the figure or lower it"


class FigureScale(Struct, frozen=True):
    """The range of a figure, and how it depends on the scores from which the figure is computed.

    ``scores`` is the range of these scores, and ``way`` is how the figure changes when they grow. ``open`` is "" if the
    figure can be bounded by replacing missing scores by the lowest and the highest score, else the reason why not.
    """

    range: ScoreRange = EVERYTHING
    scores: ScoreRange = EVERYTHING
    open: str = EITHER_WAY
    way: Growth = "open"


def range_of(program: Program) -> ScoreRange:
    """Return the range of a scorer; for any other program, the unbounded range.

    Examples:
        >>> import scoring
        >>> str(range_of(scoring.scorer("equal | scale(by=0.5, plus=0.25)").program))
        '[0.25, 0.75]'
    """
    return _scored(program)


def aggregate_range(program: Program, fields: Sequence[ScoreRange]) -> ScoreRange:
    """Return the range of a pipeline that starts with an aggregator, given the ranges of the fields."""
    return _scored(program, [*fields])


def _scored(program: Program, *data: Any) -> ScoreRange:
    """Return the range of a program's scores; ``data`` are the ranges of the scores that its joining step takes, if it
    takes scores."""
    if program.join is None:
        return EVERYTHING
    return reduce(lambda found, step: step_range(step, found), program.rescorers, step_range(program.join, *data))


def _of_any_number(program: Program, score: ScoreRange) -> ScoreRange:
    """Return the range of an aggregator's result over any number of scores in the range ``score``.

    An end of the range that moves with the number of scores is infinite.
    """
    one, two, three = (aggregate_range(program, [score] * count) for count in (1, 2, 3))
    low = -math.inf if three.low < two.low or two.low < one.low else one.low
    high = math.inf if three.high > two.high or two.high > one.high else one.high
    return ScoreRange(low, high).hull(two, three)


def step_range(step: BoundStep, *data: Any) -> ScoreRange:
    """Return the range of the scores that one step returns, given the ranges of its input scores (``data``)."""
    primitive = step.primitive
    pipelines, variadic = _pipelines(step)
    if "formula" in primitive.traits:
        from scoring.compiler.formulas.combined import formula_range

        return ScoreRange(*map(snap_to_whole, formula_range(step, scorer_ranges(step)).ends))
    if primitive.bounds is not None:
        plain = (param for param in primitive.params if param.pipeline is None and not param.variadic)
        settings = {param.name: _setting(param, step) for param in plain}
        found: ScoreRange = primitive.bounds(*data, *variadic, **settings, **pipelines)
        return found
    declared = ScoreRange(*map(float, primitive.range))
    intervals = [*variadic, *(one for one in pipelines.values() if isinstance(one, ScoreRange))]
    for one in data:
        intervals += one if isinstance(one, list) else [one]
    is_usual = all(one.low >= UNIT.low and one.high <= UNIT.high for one in intervals)
    return declared if is_usual or declared != UNIT or primitive.kind == "metric" else EVERYTHING


def scorer_ranges(step: BoundStep) -> dict[str, ScoreRange]:
    """Return, by parameter name, the ranges of the scorers among the named arguments of a step."""
    return {name: range_of(one) for name, one in step.nested.items() if isinstance(one, Program)}


def _pipelines(step: BoundStep) -> tuple[dict[str, Any], list[ScoreRange]]:
    """Return the ranges of the pipelines that are arguments of a step: a mapping by parameter name, and a list of those
    of a variadic parameter.

    For an aggregator, the entry is a function from the range of its input scores to the range of its result; for a map
    of scorers, the range that covers all of them.
    """
    keywords: dict[str, Any] = {}
    variadic: list[ScoreRange] = []
    for name, programs in step.nested.items():
        if isinstance(programs, Program):
            keywords |= {name: range_of(programs)} if programs.form == "scorer" else {}
            keywords |= {name: partial(_of_any_number, programs)} if programs.form == "aggregate" else {}
        elif isinstance(programs, tuple):
            variadic = [range_of(program) for program in programs if program.form == "scorer"]
        elif isinstance(programs, Mapping):
            inner = [range_of(program) for program in programs.values() if program.form == "scorer"]
            keywords |= {name: inner[0].hull(*inner[1:])} if inner else {}
    return keywords, variadic


def _setting(param: Param, step: BoundStep) -> Any:
    """Return a step's argument for ``param`` in the form that the range functions of primitives take: a number as a
    range, any other value unchanged.

    A number that is read from the record gets the bounds of its parameter; None means that nothing is known.
    """
    if param.name in step.dynamic:
        if param.type.name != NUMBER:
            return None
        return ScoreRange(-math.inf if param.low is None else param.low, math.inf if param.high is None else param.high)
    value = step.static.get(param.name, None if param.default is REQUIRED else param.default)
    return as_range(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value
