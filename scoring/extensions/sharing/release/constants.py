"""Constants in programs, and strings in examples of docstrings, near which versions are likely to differ."""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from msgspec import Struct

from scoring.compiler.programs.program import Program
from scoring.lazy_pattern import lazy_pattern
from scoring.registry.model import REQUIRED, Primitive

T = TypeVar("T")
_NUMBER = lazy_pattern(r"\d+(?:\.\d+)?")
_MOST = 200


class Constants(Struct, frozen=True):
    """The constants in some programs.

    Args:
        texts: The strings in settings, including the keys of tables.
        numbers: The numbers in settings and formulas, and in the defaults of steps.
        patterns: The regular expressions.
    """

    texts: tuple[str, ...]
    numbers: tuple[float, ...]
    patterns: tuple[str, ...]


def constants_of(programs: Iterable[Program]) -> Constants:
    """Return the constants in some programs, up to a limit of each kind; first those that only some of the programs
    have, because results change near them."""
    found = [_of(program) for program in programs]
    return Constants(
        _ordered([texts for texts, _, _ in found]),
        _ordered([numbers for _, numbers, _ in found]),
        _ordered([patterns for _, _, patterns in found]),
    )


def _ordered(lists: Sequence[list[T]]) -> tuple[T, ...]:
    every = dict.fromkeys(value for values in lists for value in values)
    return tuple(sorted(every, key=lambda value: all(value in values for values in lists))[:_MOST])


def _of(program: Program) -> tuple[list[str], list[float], list[str]]:
    texts: list[str] = []
    numbers: list[float] = []
    patterns: list[str] = []
    for node in program.all_nodes():
        # The names by which a step chooses one of its pipelines.
        if "cases" in node.primitive.traits:
            texts += node.nested
            numbers += [float(name) for name in node.nested if _NUMBER.fullmatch(name)]
        texts += [name for pipelines in node.nested.values() if isinstance(pipelines, dict) for name in pipelines]
        left = [param for param in node.primitive.params if param.name not in node.static]
        defaults = {one.name: one.default for one in left if one.default is not REQUIRED and one.default is not None}
        for name, value in (defaults | dict(node.static)).items():
            found = texts_in(value)
            numbers += [number for number in _numbers_in(value) if number == number]
            if name in ("pattern", "around"):
                patterns += found
            elif name == "formula":
                numbers += [float(number) for text in found for number in _NUMBER.findall(text)]
            else:
                texts += found
    return texts, numbers, patterns


def _numbers_in(value: Any) -> Iterator[float]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | set | frozenset):
            waiting += one
        elif isinstance(one, int | float) and not isinstance(one, bool) and abs(one) < 1e300:
            yield one


def example_texts(primitives: Iterable[Primitive]) -> list[str]:
    """Return all strings in the arguments of calls in the docstring examples of some primitives, each once."""
    calls = (call for primitive in primitives for call in example_calls(primitive))
    return list(dict.fromkeys(text for call in calls for value in call for text in texts_in(value)))


def example_calls(primitive: Primitive) -> list[tuple[Any, ...]]:
    """Return the positional arguments of each call of a primitive in its docstring examples; calls with computed
    arguments are left out."""
    found = []
    for example in doctest.DocTestParser().get_examples(primitive.doc.examples):
        try:
            tree = ast.parse(example.source)
        except SyntaxError:
            continue
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if isinstance(call.func, ast.Name) and call.func.id == primitive.function.__name__:
                try:
                    found.append(tuple(map(ast.literal_eval, call.args)))
                except ValueError:  # an argument that is computed
                    continue
    return found


def texts_in(value: Any) -> list[str]:
    """Return every string in a value, however deeply nested, including the keys of mappings.

    Examples:
        >>> texts_in(["a", {"b": ("c", 1)}])
        ['a', 'b', 'c']
    """
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for item in pair for text in texts_in(item)]
    items = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
    return [text for item in items for text in texts_in(item)] if isinstance(items, list | tuple) else []
