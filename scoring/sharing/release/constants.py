"""The constants of programs: texts, numbers and patterns beside which their results may change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from scoring.compiler.program import Program
from scoring.late import dataclass
from scoring.registry.model import REQUIRED
from scoring.sharing.drawing.corpus import texts_in

T = TypeVar("T")

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_MOST = 200


@dataclass(frozen=True, slots=True)
class Constants:
    """What stands in programs.

    Args:
        texts: Texts of settings, keys of tables among them.
        numbers: Numbers of settings and formulas, and defaults of the steps.
        patterns: Those texts that are patterns.
    """

    texts: tuple[str, ...]
    numbers: tuple[float, ...]
    patterns: tuple[str, ...]


def constants_of(programs: Iterable[Program]) -> Constants:
    """The constants of some programs, those that not all of them have first: results change beside these."""
    found = [_of(program) for program in programs]
    return Constants(
        _ordered([texts for texts, _, _ in found]),
        _ordered([numbers for _, numbers, _ in found]),
        _ordered([patterns for _, _, patterns in found]),
    )


def _ordered(held: Sequence[list[T]]) -> tuple[T, ...]:
    every = dict.fromkeys(value for values in held for value in values)
    return tuple(sorted(every, key=lambda value: all(value in values for values in held))[:_MOST])


def _of(program: Program) -> tuple[list[str], list[float], list[str]]:
    texts: list[str] = []
    numbers: list[float] = []
    patterns: list[str] = []
    for node in program.all_nodes():
        # The names by which a step chooses one of its pipelines.
        texts += node.nested if "cases" in node.primitive.traits else ()
        texts += [name for given in node.nested.values() if isinstance(given, dict) for name in given]
        left = [param for param in node.primitive.params if param.name not in node.static]
        defaults = {one.name: one.default for one in left if one.default is not REQUIRED and one.default is not None}
        for name, value in (defaults | dict(node.static)).items():
            held = texts_in(value)
            numbers += [number for number in _numbers_in(value) if number == number]
            if name in ("pattern", "around"):
                patterns += held
            elif name == "formula":
                numbers += [float(found) for text in held for found in _NUMBER.findall(text)]
            else:
                texts += held
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
