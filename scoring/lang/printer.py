"""Print the canonical text of a pipeline: `parse(print(tree)) == tree`, and what was printed is printed the same again.

The text has no `: ` and no ` #` outside quotes, so that it can be written unquoted in YAML block style.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scoring.lang.tree import Call, FormulaText, ListValue, Literal, Path, Pipeline, Value
from scoring.lang.words import is_name, text_literal

_CONSTANTS = {True: "true", False: "false", None: "null"}
_INDENT = "  "


def print_pipeline(tree: Pipeline, width: int | None = None) -> str:
    """Return the canonical text of a pipeline: one line, or, if that is wider than `width`, one line for each step.

    Examples:
        >>> from scoring.lang.parser import parse_pipeline
        >>> print_pipeline(parse_pipeline("lower|zero_below( threshold=.5e0 )".replace("=.", "=0.")))
        'lower | zero_below(threshold=0.5)'
        >>> print(print_pipeline(parse_pipeline("drop_articles | to_ascii | lower"), width=20))
        drop_articles
        | to_ascii
        | lower
    """
    line = value_text(tree)
    if width is None or len(line) <= width:
        return line
    return "\n".join(_pipeline_lines(tree, "", width))


def value_text(value: Value | Call) -> str:
    """Return the canonical text of any value, on one line."""
    if isinstance(value, Pipeline):
        return " | ".join(map(value_text, _parts(value)))
    if isinstance(value, Call):
        arguments = ", ".join(_arguments(value))
        return f"{value.name}({arguments})" if arguments else value.name
    if isinstance(value, Literal):
        plain = value.value
        if isinstance(plain, str):
            return text_literal(plain)
        return _CONSTANTS[plain] if plain is None or isinstance(plain, bool) else repr(plain)
    if isinstance(value, FormulaText):
        return value.text
    if isinstance(value, Path):
        segments = (f"[{one}]" if isinstance(one, int) else f".{_name_text(one)}" for one in value.segments)
        return value.root + "".join(segments)
    if isinstance(value, ListValue):
        return f"[{', '.join(value_text(item) for item in value.items)}]"
    return f"{{{', '.join(_keywords(value.items))}}}"


def _arguments(call: Call) -> Iterator[str]:
    yield from (value_text(value) for value in call.args)
    yield from _keywords(call.kwargs)


def _keywords(items: Iterable[tuple[str, Value]]) -> Iterator[str]:
    for name, value in items:
        yield f"{_name_text(name)}={value_text(value)}"


def _name_text(name: str) -> str:
    return name if is_name(name) else text_literal(name)


def _parts(tree: Pipeline) -> tuple[Path | FormulaText | Call, ...]:
    """Return the parts of a pipeline, which are separated by `|`: the value at its head, if any, and its steps."""
    return tree.steps if tree.head is None else (tree.head, *tree.steps)


def _pipeline_lines(tree: Pipeline, indent: str, width: int) -> Iterator[str]:
    for index, part in enumerate(_parts(tree)):
        if isinstance(part, Call):
            yield from _call_lines(part, indent, "| " if index else "", width)
        else:
            yield f"{indent}{value_text(part)}"


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
