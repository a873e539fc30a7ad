"""A compiled program as an expression again: every definition inlined, every argument by name, defaults left out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scoring.compiler.meaning import chain_meaning
from scoring.compiler.program import BoundStep, ComputedPath, Program
from scoring.depth import in_full_depth
from scoring.lang.tree import Call, ListValue, Literal, MapValue, Path, Pipeline, Value


class NotWritable(Exception):
    """The program holds what no expression can say."""


def expanded(program: Program) -> Pipeline | None:
    """The expression of primitives alone that means the same as the program; None where no expression says it.

    Examples:
        >>> import scoring
        >>> from scoring.lang.printer import print_pipeline
        >>> print_pipeline(expanded(scoring.scorer("lower | levenshtein | cutoff(0.5)").program))
        'lower | levenshtein | cutoff(threshold=0.5)'
    """
    try:
        return in_full_depth(_pipeline, program)
    except NotWritable:
        return None


def _pipeline(program: Program) -> Pipeline:
    before = [*_calls(program.prediction)]
    if program.form == "scorer" and chain_meaning(program.prediction) != chain_meaning(program.reference):
        chains = {"prediction": program.prediction, "reference": program.reference}
        sides = tuple((side, Pipeline(tuple(_calls(chain)))) for side, chain in chains.items() if chain)
        before = [Call("sides", (), sides)]
    joined = [] if program.join is None else [program.join]
    steps = (*before, *_calls([*joined, *program.rescorers]))
    if not steps:
        raise NotWritable
    return Pipeline(steps)


def _calls(nodes: Iterable[BoundStep]) -> Iterable[Call]:
    return [_call(node) for node in nodes]


def _call(node: BoundStep) -> Call:
    primitive = node.primitive
    args: list[Value] = []
    named: dict[str, Value] = {}
    for param in primitive.params:
        name, many = param.name, param.variadic == "positional"
        if name in node.nested:
            given = node.nested[name]
            if many and isinstance(given, tuple):
                args += [_pipeline(one) for one in given]
            else:
                named[name] = _nested(given)
        elif name in node.static and not _is_default(param.default, node.static[name]):
            if many:
                args += [_value(one) for one in node.static[name]]
            else:
                named[name] = _value(node.static[name])
        elif name in node.dynamic:
            named[name] = _path(node.dynamic[name])
    known = {param.name for param in primitive.params}
    rest: Mapping[str, Any] = {**node.static, **node.nested, **node.dynamic}
    for name, held in rest.items():
        if name in known:
            continue
        if name == "*":
            args += [_pipeline(one) if isinstance(one, Program) else _value(one) for one in held]
        elif isinstance(held, Path):
            named[name] = _path(held)
        else:
            named[name] = _nested(held) if name in node.nested else _value(held)
    return Call(primitive.name, tuple(args), tuple(named.items()))


def _is_default(default: Any, value: Any) -> bool:
    return type(default) is type(value) and bool(default == value)


def _nested(given: Program | Sequence[Program] | Mapping[str, Program]) -> Value:
    if isinstance(given, Program):
        return _pipeline(given)
    if isinstance(given, Mapping):
        return MapValue(tuple((name, _pipeline(one)) for name, one in given.items()))
    return ListValue(tuple(_pipeline(one) for one in given))


def _path(path: Path) -> Value:
    """A path; in place of a computed value what it is computed from."""
    if not isinstance(path, ComputedPath) or path.value is None:
        return Path(path.root, path.segments)
    if len(path.segments) != 1:
        raise NotWritable
    head, program = path.value.head, path.value.program
    begun = _path(head)
    steps = tuple(_calls(program.prediction))
    if isinstance(begun, Pipeline):
        return Pipeline((*begun.steps, *steps), head=begun.head)
    assert isinstance(begun, Path)
    return Pipeline(steps, head=begun) if steps else begun


def _value(value: Any) -> Value:
    """Plain data as an argument."""
    if value is None or isinstance(value, bool | str | int):
        return Literal(value)
    if isinstance(value, float) and math.isfinite(value):
        return Literal(value)
    if isinstance(value, list | tuple):
        return ListValue(tuple(map(_value, value)))
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        return MapValue(tuple((name, _value(one)) for name, one in value.items()))
    raise NotWritable
