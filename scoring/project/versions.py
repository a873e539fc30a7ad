"""Versions and ranges of versions for imports: one grammar for specs, imports, locks and manifests.

A version is part of signatures, file names and messages, so its characters must be unambiguous in all of them.

Source:
    https://semver.org/spec/v2.0.0.html; here the second and third number are optional, and a fourth is allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from scoring.lazy_pattern import lazy_pattern

_NUMBERS = r"[0-9]{1,9}(\.[0-9]{1,9}){0,3}"
_LABELS = r"[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*"
_WRITTEN = rf"{_NUMBERS}(-{_LABELS})?(\+{_LABELS})?"

GRAMMAR = f"^{_WRITTEN}$"
"""The pattern of a version for a JSON Schema."""

LONGEST = 100
"""The most characters of a version, or of one clause of a range."""

EXAMPLES = ("1.0.0", "1.2", "2.0.0-rc.1")

_VERSION = lazy_pattern(_WRITTEN)
_CLAUSE = lazy_pattern(rf"(>=|<=|>|<|==|=|!=)?[ ]*({_WRITTEN})")
_COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {
    ">=": ge,
    "<=": le,
    ">": gt,
    "<": lt,
    "==": eq,
    "=": eq,
    "!=": ne,
}


def is_version(text: str) -> bool:
    r"""Return whether a text is a version: one to four numbers, optionally with a pre-release and a build label.

    Examples:
        >>> is_version("1.2"), is_version("2.0.0-rc.1+linux"), is_version("latest"), is_version("1.0.0\n")
        (True, True, False, False)
    """
    return len(text) <= LONGEST and _VERSION.fullmatch(text) is not None


def parse_version(text: str) -> tuple[tuple[int, ...], bool, tuple[tuple[bool, int, str], ...]]:
    """Return the sort key of a version: its numbers, padded to four, whether it is a release, and pre-release labels.

    Examples:
        >>> parse_version("1.2")
        ((1, 2, 0, 0), True, ())
        >>> parse_version("1.2-rc.2") < parse_version("1.2-rc.10") < parse_version("1.2+linux") < parse_version("1.2.1")
        True
    """
    numbers, _, before = text.partition("+")[0].partition("-")
    # Numeric labels are ordered as numbers and before words, as in semantic versioning.
    parts = before.split(".") if before else []
    labels = tuple((not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts)
    found = tuple(map(int, numbers.split(".")))
    return found + (0,) * (4 - len(found)), not before, labels


def is_range(text: str) -> bool:
    """Return whether a text is a range: a version, or clauses joined by commas.

    Examples:
        >>> is_range("1"), is_range(">=1.2,<2"), is_range("latest")
        (True, True, False)
    """
    return all(len(clause) <= LONGEST and _CLAUSE.fullmatch(clause) for clause in _clauses(text))


def satisfies(version: str, wanted: str) -> bool:
    """Return whether a version is in a range, where a bare version matches all versions that start with it.

    A pre-release is only in a range that itself names a pre-release.

    Examples:
        >>> satisfies("1.4.2", "1"), satisfies("1.4.2", "1.3"), satisfies("1.4.2", ">=1.2,<2")
        (True, False, True)
        >>> satisfies("2.0.0-rc.1", "2"), satisfies("2.0.0-rc.1", ">=2.0.0-rc")
        (False, True)
    """
    clauses = _clauses(wanted)
    is_allowed = parse_version(version)[1] or any("-" in clause for clause in clauses)
    return is_allowed and all(_satisfies_clause(version, clause) for clause in clauses)


def _satisfies_clause(version: str, clause: str) -> bool:
    match = _CLAUSE.fullmatch(clause)
    if match is None:
        return False
    left, right = parse_version(version), parse_version(match[2])
    if match[1] is None:
        parts = tuple(map(int, match[2].partition("+")[0].partition("-")[0].split(".")))
        return left[0][: len(parts)] == parts if right[1] else left == right
    return _COMPARED[match[1]](left, right)


def _clauses(text: str) -> list[str]:
    return [clause.strip(" ") for clause in text.split(",")]
