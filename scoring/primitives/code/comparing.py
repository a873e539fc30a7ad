"""When the output of a program, or the value of a call, is the expected one: the rules of the field."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal, TypeAlias

from scoring.registry.annotations import Says

OutputRule: TypeAlias = Literal["lines", "exact", "tokens", "floats", "decimals", "loose"]
CompareSetting = Annotated[
    OutputRule,
    Says(
        "``lines``: spaces at the ends of lines and blank lines at the end don't count; ``exact``; ``tokens``: the "
        "same words between white space; ``floats``: words, where numbers may differ by the tolerance; ``decimals``: "
        "lines without the space around them, where those of numbers are equal by value; ``loose``: the lines, near "
        "numbers, or the same words of lines in any order, for values also the first of expected ones."
    ),
]
TOLERANCE = 1e-6


def printed_alike(printed: str, expected: str) -> bool:
    """Whether two outputs are the same lines; spaces at the ends of lines and blank lines at the end don't count."""
    return _lines(printed) == _lines(expected)


def _lines(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def floats_alike(printed: str, expected: str, tolerance: float = TOLERANCE) -> bool:
    """Whether two outputs have the same words, where numbers may differ by a share of the expected one, or that much.

    Examples:
        >>> floats_alike("0.3333333 yes", "0.33333333 yes"), floats_alike("0.33 yes", "0.33333333 yes")
        (True, False)
    """
    ours, theirs = printed.split(), expected.split()
    return len(ours) == len(theirs) and all(
        one == other or _near(one, other, tolerance) for one, other in zip(ours, theirs, strict=True)
    )


def _near(one: str, other: str, tolerance: float) -> bool:
    try:
        found, wanted = float(one), float(other)
    except ValueError:
        return False
    return found == wanted or abs(found - wanted) <= tolerance * max(1.0, abs(wanted))


def decimals_alike(printed: str, expected: str) -> bool:
    """Whether two outputs have the same lines, without the space around them, or lines of the same numbers.

    Examples:
        >>> decimals_alike("1.50 2\\n", "1.5 2.0"), decimals_alike("1 2", "1\\n2")
        (True, False)

    Source:
        LiveCodeBench, lcb_runner/evaluation/testing_util.py, grade_stdio.
    """
    ours, theirs = (text.strip().split("\n") for text in (printed, expected))
    return len(ours) == len(theirs) and all(
        one.strip() == other.strip() or _same_decimals(one, other) for one, other in zip(ours, theirs, strict=True)
    )


def _same_decimals(one: str, other: str) -> bool:
    try:
        return [Decimal(word) for word in one.split()] == [Decimal(word) for word in other.split()]
    except InvalidOperation:
        return False


def loosely_alike(printed: str, expected: str) -> bool:
    """Whether one of many rules finds two outputs alike: the lines, numbers, or the words of lines in any order.

    Source:
        APPS, eval/testing_util.py, run_test.
    """
    ours = printed.splitlines()
    stripped = "\n".join(line.strip() for line in ours).strip()
    if expected.strip() in ("\n".join(ours).strip(), stripped) or ours == [expected]:
        return True
    theirs = [line.strip() for line in expected.split("\n") if line]
    if ours == theirs:
        return True
    ours = [line for line in ours if line]
    if ours == theirs or _close_numbers(ours, theirs):
        return True
    left, right = [set(line.split()) for line in ours if line.split()], [set(line.split()) for line in theirs]
    if {frozenset(words) for words in left} == {frozenset(words) for words in right}:
        return True
    with contextlib.suppress(ValueError):
        return _rounded(left) == _rounded(right)
    return False


def _close_numbers(ours: list[str], theirs: list[str]) -> bool:
    try:
        pairs = list(zip(map(float, ours), map(float, theirs), strict=True))
    except ValueError:
        return False
    return all(
        one == other or (math.isfinite(other) and abs(one - other) <= 1e-8 + 1e-5 * abs(other)) for one, other in pairs
    )


def _rounded(lines: list[set[str]]) -> set[frozenset[float]]:
    return {frozenset(round(float(word), 3) for word in words) for words in lines}


PRINTED: Mapping[OutputRule, Callable[[str, str], bool]] = {
    "lines": printed_alike,
    "exact": lambda printed, expected: printed == expected,
    "tokens": lambda printed, expected: printed.split() == expected.split(),
    "decimals": decimals_alike,
    "loose": loosely_alike,
}
"""The rules for outputs, but for `floats`, which has a tolerance."""


def same_values(found: Any, expected: Any, *, loose: bool) -> bool:
    """Whether the value of a call is the expected one, as Python has it; a tuple stands for a list.

    A loose comparison takes the first of expected values as well, with lists in place of tuples within it.

    Examples:
        >>> same_values((1, 2), [1, 2], loose=False), same_values([(1, 2)], [[[1, 2]]], loose=True)
        (True, True)

    Source:
        LiveCodeBench and APPS, testing_util.py.
    """
    value = list(found) if isinstance(found, tuple) else found
    wanted = _with_numbers(expected) if loose else expected
    if value == wanted or not loose:
        return bool(value == wanted)
    if not isinstance(wanted, list) or not wanted:
        return False
    if value == wanted[0]:
        return True
    pairs = isinstance(value, list) and bool(value) and isinstance(value[0], tuple)
    return (
        pairs
        and all(isinstance(one, list | tuple | set | str | dict) for one in value)
        and [list(one) for one in value] == wanted[0]
    )


def _with_numbers(expected: Any) -> Any:
    """Expected mappings with whole numbers for keys, which JSON can't write, in a list, as they are compared there."""
    for held in (expected, expected[0] if isinstance(expected, list) and expected else None):
        if isinstance(held, dict):
            return [with_number_keys(held)]
    return expected


def with_number_keys(value: Mapping[str, Any]) -> dict[Any, Any]:
    """A mapping whose keys are the whole numbers that they spell; as it is where one spells none.

    Examples:
        >>> with_number_keys({"1": "a"}), with_number_keys({"x": "a"})
        ({1: 'a'}, {'x': 'a'})
    """
    try:
        return {int(key): held for key, held in value.items()}
    except ValueError:
        return dict(value)
