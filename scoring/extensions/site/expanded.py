"""Writing a compiled program as an expression again, with definitions inlined, arguments named and defaults
left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from scoring.compiler.identity.meaning import chain_meaning
from scoring.compiler.programs.program import BoundStep, ComputedPath, Program
from scoring.depth import in_full_depth
from scoring.lang.tree import Call, ListValue, Literal, MapValue, Path, Pipeline, Value


class NotWritable(Exception):
    """The exception for a program that contains something for which expressions have no form."""


def expanded(program: Program) -> Pipeline | None:
    """Return an expression that means the same as a compiled program and uses only primitives, no definitions; None if
    there is none.

    Examples:
        >>> import scoring
        >>> from scoring.lang.printer import print_pipeline
        >>> print_pipeline(expanded(scoring.scorer("lower | levenshtein | zero_below(0.5)").program))
        'lower | levenshtein | zero_below(threshold=0.5)'
    """
    try:
        return in_full_depth(_pipeline, program)
    except NotWritable:
        return None


def _pipeline(program: Program) -> Pipeline:
    before = _calls(program.prediction)
    if program.form == "scorer" and chain_meaning(program.prediction) != chain_meaning(program.reference):
        chains = {"prediction": program.prediction, "reference": program.reference}
        sides = tuple((side, Pipeline(tuple(_calls(chain)))) for side, chain in chains.items() if chain)
        before = [Call("sides", (), sides)]
    joined = [] if program.join is None else [program.join]
    steps = (*before, *_calls([*joined, *program.rescorers]))
    if not steps:
        raise NotWritable
    return Pipeline(steps)


def _calls(nodes: Iterable[BoundStep]) -> list[Call]:
    return [_call(node) for node in nodes]


def _call(node: BoundStep) -> Call:
    args: list[Value] = []
    kwargs: dict[str, Value] = {}
    settings: Mapping[str, Any] = {**node.static, **node.nested, **node.dynamic}
    known = {param.name: param for param in node.primitive.params}
    for name in (*(name for name in known if name in settings), *(name for name in settings if name not in known)):
        param, value = known.get(name), settings[name]
        is_default = param is not None and type(param.default) is type(value) and bool(param.default == value)
        if name in node.static and is_default:
            continue
        many = param is not None and param.variadic == "positional" and isinstance(value, list | tuple)
        if many or name == "*":
            args += map(_value, value)
        else:
            kwargs[name] = _value(value)
    return Call(node.primitive.name, tuple(args), tuple(kwargs.items()))


def _path(path: Path) -> Value:
    """Return a compiled path as part of an expression; one to a computed value is replaced by the pipeline that
    computes the value."""
    if not isinstance(path, ComputedPath):
        return Path(path.root, path.segments)
    if len(path.segments) != 1 or path.value.program.formula is not None:
        raise NotWritable
    head, program = path.value.head, path.value.program
    begun = _path(head)
    steps = tuple(_calls(program.prediction))
    if isinstance(begun, Pipeline):
        return Pipeline((*begun.steps, *steps), head=begun.head)
    assert isinstance(begun, Path)
    return Pipeline(steps, head=begun) if steps else begun


def _value(value: Any) -> Value:
    """Return an argument of a step (a program, a path or plain data) as an expression."""
    if isinstance(value, Program):
        return _pipeline(value)
    if isinstance(value, Path):
        return _path(value)
    if value is None or isinstance(value, bool | str | int):
        return Literal(value)
    if isinstance(value, float) and math.isfinite(value):
        return Literal(value)
    if isinstance(value, list | tuple):
        return ListValue(tuple(map(_value, value)))
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        return MapValue(tuple((name, _value(one)) for name, one in value.items()))
    raise NotWritable
