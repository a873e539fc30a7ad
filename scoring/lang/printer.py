"""The one canonical text of a tree. `parse(print(tree)) == tree`; printing what was printed changes nothing.

The text has no `: ` and no ` #` outside quotes, so that it can stand unquoted in YAML block style.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scoring.lang.formula import Formula
from scoring.lang.print_formula import formula_text
from scoring.lang.tree import Call, ListValue, Literal, Path, Pipeline, Value
from scoring.lang.words import is_name, quote

_CONSTANTS = {True: "true", False: "false", None: "null"}
_INDENT = "  "


def print_pipeline(tree: Pipeline, width: int | None = None) -> str:
    """The canonical text of a pipeline: one line, or, if that is wider than `width`, one line for each step.

    Examples:
        >>> from scoring.lang.parser import parse_pipeline
        >>> print_pipeline(parse_pipeline("lower|cutoff( threshold=.5e0 )".replace("=.", "=0.")))
        'lower | cutoff(threshold=0.5)'
        >>> print(print_pipeline(parse_pipeline("drop_articles | to_ascii | lower"), width=20))
        drop_articles
        | to_ascii
        | lower
    """
    line = value_text(tree)
    if width is None or len(line) <= width:
        return line
    return "\n".join(_pipeline_lines(tree, "", width))


def print_formula(tree: Formula) -> str:
    """The canonical text of a formula, on one line.

    Examples:
        >>> from scoring.lang.parser import parse_formula
        >>> print_formula(parse_formula("(a+b)*2 >= .5 and not(c)".replace(" .", " 0.")))
        '(a + b) * 2 >= 0.5 and not c'
    """
    return formula_text(tree)


def value_text(value: Value | Call) -> str:
    """The canonical text of any value, on one line."""
    if isinstance(value, Pipeline):
        return " | ".join(value_text(step) for step in value.steps)
    if isinstance(value, Call):
        arguments = ", ".join(_arguments(value))
        return f"{value.name}({arguments})" if arguments else value.name
    if isinstance(value, Literal):
        return _literal_text(value.value)
    if isinstance(value, Path):
        return value.root + "".join(_segment_text(segment) for segment in value.segments)
    if isinstance(value, ListValue):
        return f"[{', '.join(value_text(item) for item in value.items)}]"
    return f"{{{', '.join(_named(value.items))}}}"


def _arguments(call: Call) -> Iterator[str]:
    yield from (value_text(value) for value in call.args)
    yield from _named(call.kwargs)


def _named(items: Iterable[tuple[str, Value]]) -> Iterator[str]:
    for name, value in items:
        yield f"{_name_text(name)}={value_text(value)}"


def _name_text(name: str) -> str:
    return name if is_name(name) else quote(name)


def _segment_text(segment: str | int) -> str:
    return f"[{segment}]" if isinstance(segment, int) else f".{_name_text(segment)}"


def _literal_text(value: str | int | float | bool | None) -> str:
    if isinstance(value, str):
        return quote(value)
    return _CONSTANTS[value] if value is None or isinstance(value, bool) else repr(value)


def _pipeline_lines(tree: Pipeline, indent: str, width: int) -> Iterator[str]:
    for index, step in enumerate(tree.steps):
        yield from _call_lines(step, indent, "| " if index else "", width)


def _call_lines(call: Call, indent: str, prefix: str, width: int) -> Iterator[str]:
    line = f"{indent}{prefix}{value_text(call)}"
    if len(line) <= width or not (call.args or call.kwargs):
        yield line
        return
    yield f"{indent}{prefix}{call.name}("
    labelled = [("", value) for value in call.args] + [(f"{_name_text(name)}=", value) for name, value in call.kwargs]
    for label, value in labelled:
        yield from _argument_lines(label, value, indent + _INDENT, width)
    yield f"{indent})"


def _argument_lines(label: str, value: Value, indent: str, width: int) -> Iterator[str]:
    line = f"{indent}{label}{value_text(value)},"
    if len(line) <= width or not isinstance(value, Pipeline):
        yield line
        return
    first, *rest = _pipeline_lines(value, indent, width - 1)
    lines = [f"{indent}{label}{first.removeprefix(indent)}", *rest]
    yield from lines[:-1]
    yield lines[-1] + ","
