"""Read the list and mapping form of a pipeline, `[lower, {zero_below: {threshold: 0.5}}]`, into the tree of its text.

- A list is a pipeline, a text in it is an expression, and a mapping with one key is a call of that name.
- The value of that key has named arguments (a mapping), positional arguments (a list), one positional argument (any
  other value), or no arguments (null).
- The first item may be a path, `{$path: reference}` or the text of one: the pipeline works on that value.
- Where a parameter takes a pipeline, a text is an expression; everywhere else a text is a literal. A value of the
  record is written `{$path: record.x}`, and a formula `{$formula: record.n / 2}`. A text that looks like such a path
  is refused as ambiguous; `{$text: record.x}` marks a literal text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Fragment, Span
from scoring.lang import limits
from scoring.lang.parser import parse_computed, parse_formula, parse_path, parse_pipeline
from scoring.lang.pipelines import as_value
from scoring.lang.printer import print_pipeline
from scoring.lang.scan import too_large
from scoring.lang.tree import (
    FIXED_ROOTS,
    ITEM,
    Call,
    FormulaText,
    ListValue,
    Literal,
    MapValue,
    Path,
    Pipeline,
    Value,
    children,
)
from scoring.lang.tree import Node as TreeNode
from scoring.lazy_pattern import lazy_pattern

PATH, TEXT, FORMULA = "$path", "$text", "$formula"
IsPipelineParam = Callable[[str, str | int], bool]

_CALL_NAME = lazy_pattern(r"[^\W\d]\w*(?:[./][^\W\d]\w*)*")
_LOOKS_LIKE_PATH = lazy_pattern(rf"(?:{'|'.join((*FIXED_ROOTS, 'values'))})(?:\.[^\W\d]\w*|\[-?[0-9]{{1,9}}\])+")
_RESERVED = frozenset({*FIXED_ROOTS, "true", "false", "null"})
_CALL_HELP = "write a call as `name: {argument: value}`, `name: [values]`, or `name: value`"


class _DataNode(Protocol):
    """The interface of a node of a spec file: its value, its span, its key's span, and a scalar's text."""

    @property
    def value(self) -> Any: ...
    @property
    def span(self) -> Span | None: ...
    @property
    def key_span(self) -> Span | None: ...
    def fragment(self) -> Fragment: ...


def from_data(node: _DataNode, is_pipeline_param: IsPipelineParam) -> Pipeline:
    """Return the pipeline in a node, which is a text, a list or a mapping; raise SpecError if it is invalid.

    ``is_pipeline_param`` takes the name of a primitive and the name or position of an argument, and returns whether
    the argument is a pipeline; a string is then parsed as an expression.
    """
    tree = _Reader(is_pipeline_param).pipeline(node, 0)
    if _depth(tree) > limits.DEPTH or len(print_pipeline(tree)) > limits.LENGTH:
        raise _too_large(node)
    return tree


class _Reader:
    def __init__(self, is_pipeline_param: IsPipelineParam) -> None:
        self._is_pipeline_param = is_pipeline_param

    def pipeline(self, node: _DataNode, depth: int) -> Pipeline:
        if depth > limits.DEPTH:
            raise _too_large(node)
        if isinstance(node.value, Mapping):
            return Pipeline((self.call(node, depth),), node.span)
        if not isinstance(node.value, list):
            return parse_pipeline(node.fragment())
        parts = [
            self.pipeline(item, depth + 1) if at else self.begun(item, depth + 1) for at, item in enumerate(node.value)
        ]
        if not any(part.steps for part in parts):
            raise SpecError.of("syntax-empty", "this list has no steps", node.span, "expected at least one step")
        steps = [step for part in parts for step in part.steps]
        if len(steps) > limits.STEPS:
            raise _too_large(node)
        return Pipeline(tuple(steps), node.span, parts[0].head)

    def begun(self, node: _DataNode, depth: int) -> Pipeline:
        """Return the first item of a list as a pipeline, which may be a path alone; ``depth`` is its nesting depth."""
        if _is_marked(node) and isinstance(path := _marked(node), Path | FormulaText):
            return Pipeline((), node.span, path)
        return parse_computed(node.fragment()) if isinstance(node.value, str) else self.pipeline(node, depth)

    def call(self, node: _DataNode, depth: int) -> Call:
        if len(node.value) != 1:
            raise SpecError.of(
                "syntax-data-call",
                f"a call is a mapping with one key, but this one has {len(node.value)}",
                node.span,
                "expected one key, the name of the step",
                help=_CALL_HELP,
            )
        name, below = next(iter(node.value.items()))
        is_step = name == ITEM and below.value not in (None, [], {})  # as in a text: see `PipelineReader.value`
        if not _CALL_NAME.fullmatch(name) or (name.split(".", 1)[0] in _RESERVED and not is_step):
            raise SpecError.of(
                "syntax-data-call",
                f"`{name}` is not the name of a step",
                below.key_span,
                "expected a name",
                help=_CALL_HELP,
            )
        if isinstance(below.value, Mapping) and not _is_marked(below):
            kwargs = tuple((key, self.argument(name, key, value, depth + 1)) for key, value in below.value.items())
            spans = tuple(value.key_span for value in below.value.values())
            return Call(name, (), kwargs, node.span, below.key_span, spans)
        values = below.value if isinstance(below.value, list) else [] if below.value is None else [below]
        args = tuple(self.argument(name, index, value, depth + 1) for index, value in enumerate(values))
        return Call(name, args, (), node.span, below.key_span)

    def argument(self, name: str, parameter: str | int, node: _DataNode, depth: int) -> Value:
        is_expression = isinstance(node.value, str | list | Mapping) and not _is_marked(node)
        if is_expression and self._is_pipeline_param(name, parameter):
            return self.pipeline(node, depth)
        return _value(node, depth)


def _value(node: _DataNode, depth: int) -> Value:
    if depth > limits.DEPTH:
        raise _too_large(node)
    value = node.value
    if isinstance(value, Mapping):
        if _is_marked(node):
            return _marked(node)
        items = tuple((key, _value(item, depth + 1)) for key, item in value.items())
        return MapValue(items, node.span, tuple(item.key_span for item in value.values()))
    if isinstance(value, list):
        return ListValue(tuple(_value(item, depth + 1) for item in value), node.span)
    if isinstance(value, str) and _LOOKS_LIKE_PATH.fullmatch(value):
        raise SpecError.of(
            "syntax-ambiguous-path",
            f"`{value}` may mean a text or a value of the record",
            node.span,
            "say which one you mean",
            help=(
                f"write `{{{PATH}: {value}}}` for the value of the record",
                f"write `{{{TEXT}: {value}}}` for the text",
            ),
        )
    _check_number(node)
    return Literal(value, node.span)


def _is_marked(node: _DataNode) -> bool:
    return isinstance(node.value, Mapping) and len(node.value) == 1 and next(iter(node.value)) in (PATH, TEXT, FORMULA)


def _marked(node: _DataNode) -> Value:
    mark, below = next(iter(node.value.items()))
    if not isinstance(below.value, str):
        raise SpecError.of("syntax-data-call", f"`{mark}` needs a text", below.span, "expected a text")
    if mark == FORMULA:
        return as_value(parse_formula(below.fragment()), below.fragment())
    return parse_path(below.fragment()) if mark == PATH else Literal(below.value, node.span)


def _check_number(node: _DataNode) -> None:
    value = node.value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    # The bit length is checked first, since converting a huge integer to text takes quadratic time.
    too_long = isinstance(value, int) and (value.bit_length() > 4 * limits.DIGITS or len(str(value)) > limits.DIGITS)
    if too_long or not math.isfinite(value):
        raise SpecError.of(
            "syntax-number",
            "this number is too large or too long",
            node.span,
            f"at most {limits.DIGITS} characters and 1.8e308",
        )


def _depth(node: TreeNode) -> int:
    below: Sequence[TreeNode] = tuple(children(node))
    # Steps share the brackets of their pipeline; every other node with children adds a bracket.
    return (not isinstance(node, Pipeline) and bool(below)) + max(map(_depth, below), default=0)


def _too_large(node: _DataNode) -> SpecError:
    most = f"at most {limits.DEPTH} brackets deep, {limits.STEPS} steps, {limits.LENGTH:,} characters"
    return too_large(node.span, "this pipeline is too large", most)
