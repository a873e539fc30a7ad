"""Versions and the ranges that an import may name."""

from __future__ import annotations

from scoring.late import pattern

_VERSION = pattern(r"\d+(\.\d+){0,2}$")
_CLAUSE = pattern(r"(>=|<=|>|<|==|=|!=)?\s*(\d+(?:\.\d+){0,2})$")


def parse_version(text: str) -> tuple[int, ...]:
    """A version as numbers, padded to three.

    Examples:
        >>> parse_version("1.2")
        (1, 2, 0)
    """
    numbers = [int(part) for part in text.split(".")]
    return tuple(numbers + [0] * (3 - len(numbers)))


def is_range(text: str) -> bool:
    """Whether a text is a range: a version, or clauses joined by commas.

    Examples:
        >>> is_range("1"), is_range(">=1.2,<2"), is_range("latest")
        (True, True, False)
    """
    return all(_CLAUSE.match(clause.strip()) for clause in text.split(","))


def satisfies(version: str, wanted: str) -> bool:
    """Whether a version lies in a range. A bare version stands for everything that starts with it.

    Examples:
        >>> satisfies("1.4.2", "1"), satisfies("1.4.2", "1.3"), satisfies("1.4.2", ">=1.2,<2")
        (True, False, True)
    """
    return all(_satisfies_clause(version, clause.strip()) for clause in wanted.split(","))


def _satisfies_clause(version: str, clause: str) -> bool:
    match = _CLAUSE.match(clause)
    if match is None:
        return False
    operator, bound = match[1], match[2]
    if operator is None:
        parts = tuple(int(part) for part in bound.split("."))
        return parse_version(version)[: len(parts)] == parts
    left, right = parse_version(version), parse_version(bound)
    return {
        ">=": left >= right,
        "<=": left <= right,
        ">": left > right,
        "<": left < right,
        "==": left == right,
        "=": left == right,
        "!=": left != right,
    }[operator]
