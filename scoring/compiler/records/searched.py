"""Readers of any JMESPath, which are evaluated with a limited number of steps, since a path of 200 characters can
double a value thirty times.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import jmespath
from jmespath.visitor import TreeInterpreter
from msgspec.structs import replace

from scoring.depth import in_full_depth
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Span
from scoring.diagnostics.words import shown
from scoring.format.yaml_text import scalar

MOST_STEPS = 2_000_000
"""The most steps of one search: visits to parts of the path, and values that the path builds."""
_CHARACTERS = 32
# What gives more than was there: what it gives is weighed, as often as a part of it stands there.
_BUILDS = frozenset({"multi_select_list", "multi_select_dict", "flatten", "function_expression"})


class TooManySteps(ValueError):
    """The exception for a path whose evaluation takes more than `MOST_STEPS` steps."""


def searching_reader(path: str, span: Span | None) -> Callable[[Any], Any]:
    """Return a function that returns the value at any JMESPath in its argument, and None if there is none.

    Raises:
        SpecError: when the path is not a JMESPath.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PendingDeprecationWarning)  # a text in backticks that is no JSON
            compiled = in_full_depth(jmespath.compile, path)
        unknown = in_full_depth(_unknown_function, compiled.parsed)
    except jmespath.exceptions.JMESPathError as error:
        place = getattr(error, "lex_position", None) or getattr(error, "lexer_position", None)
        where = f" from its character {place + 1} on" if place is not None and place < len(path) else ""
        raise SpecError.of(
            "bad-path",
            f"{shown(path)} is no JMESPath{where}",
            span,
            help=_suggestion(path)
            or "a path looks like `output.text` or `choices[0].message`; names with spaces stand in double quotes",
        ) from None
    except RecursionError:
        raise SpecError.of(
            "bad-path", f"{shown(path)} nests too deep for a path", span, help="give parts names under `record:`"
        ) from None
    if unknown is not None:
        raise SpecError.of(
            "bad-path",
            f"{shown(path)} calls `{unknown}`, which is no function of JMESPath",
            span,
            help=f"functions: {', '.join(sorted(jmespath.functions.Functions.FUNCTION_TABLE))}",
        )

    def read(value: Any) -> Any:
        try:
            return in_full_depth(search_path, compiled.parsed, value)
        # Functions and slices let what Python makes of hostile values through: `ceil` of infinity, a step of 0.
        except (jmespath.exceptions.JMESPathError, ArithmeticError, RecursionError, TypeError, ValueError):
            return None

    return read


def refused_place(path: str, span: Span | None) -> SpecError:
    """Return the error for a text that is no path, where no JMESPath may stand."""
    try:
        searching_reader(path, span)
    except SpecError as error:
        found = (replace(one, message=one.message.replace("no JMESPath", "no path")) for one in error.diagnostics)
        return SpecError([*found])
    name = "_".join(re.findall(r"[A-Za-z_]\w*", path, re.ASCII)) or "all"
    written = scalar(path) if '"' not in path else f"'{path}'"
    return SpecError.of(
        "bad-path",
        f"{shown(path)} is a JMESPath, which stands under `record:` alone",
        span,
        "a path is names, members and positions",
        help=f"write `record: {{{name}: {written}}}`, and `{name}` here",
    )


def _suggestion(path: str) -> str:
    """Return advice with the JMESPath for a path in another tool's syntax; "" if that is not known."""
    from scoring.compiler.programs.suggestions import of_path

    found = of_path(path)
    try:
        in_full_depth(jmespath.compile, found)
    except jmespath.exceptions.JMESPathError:
        return ""
    return f"write `{scalar(found)}`" if '"' not in found else f"write `'{found}'`"


def _unknown_function(node: Mapping[str, Any]) -> str | None:
    """Return the first function in a parsed path that does not exist in JMESPath, None if all do; without this check,
    each search would fail."""
    if node["type"] == "function_expression" and node["value"] not in jmespath.functions.Functions.FUNCTION_TABLE:
        return str(node["value"])
    inner = (_unknown_function(child) for child in node["children"] if isinstance(child, Mapping))
    return next((name for name in inner if name is not None), None)


def search_path(path: Any, value: Any) -> Any:
    """Return the value that a compiled JMESPath selects from a value.

    Raises:
        TooManySteps: when the evaluation takes more than `MOST_STEPS` steps.
    """
    return _Counted().visit(path, value)


class _Counted(TreeInterpreter):
    """JMESPath's own interpreter, with a limit on the number of its steps."""

    def __init__(self) -> None:
        super().__init__()
        self._left = MOST_STEPS

    def visit(self, node: Any, *args: Any, **kwargs: Any) -> Any:
        self._spend(1)
        found = super().visit(node, *args, **kwargs)
        if node["type"] in _BUILDS:
            self._weigh(found)
        return found

    def visit_comparator(self, node: Any, value: Any) -> Any:
        sides = [self.visit(child, value) for child in node["children"]]
        self._weigh(sides[0])
        literals = [{"type": "literal", "value": side, "children": []} for side in sides]
        return super().visit_comparator(dict(node, children=literals), value)  # type: ignore[arg-type]

    def _spend(self, steps: int) -> None:
        self._left -= steps
        if self._left < 0:
            raise TooManySteps(f"a path takes more than {MOST_STEPS:,} steps")

    def _weigh(self, value: Any) -> None:
        left, pending = self._left, [value]
        pop, extend = pending.pop, pending.extend
        while pending and left >= 0:
            one = pop()
            kind = type(one)
            if kind is str:
                left -= len(one) // _CHARACTERS
            elif kind is list:
                left -= len(one)
                extend(one)
            elif kind is dict:
                left -= len(one)
                extend(one.values())
        self._left = left
        self._spend(0)
