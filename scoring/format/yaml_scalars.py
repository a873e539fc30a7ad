"""Resolve unquoted YAML scalars by the core schema of YAML 1.2.

PyYAML follows YAML 1.1, where `no` is false, `12:30` is 750 and `1e3` is text; the meaning of a reference answer must
not change in such ways.
"""

from __future__ import annotations

import math

from scoring.format.limits import LIMITS
from scoring.format.nodes import Scalar
from scoring.lazy_pattern import lazy_pattern

_WORDS: dict[str, Scalar] = {"null": None, "true": True, "false": False}
_FIXED: dict[str, Scalar] = {
    "": None,
    "~": None,
    **{form: value for word, value in _WORDS.items() for form in (word, word.title(), word.upper())},
}
_INT = lazy_pattern(r"[-+]?[0-9]+\Z")
_BASED = lazy_pattern(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = lazy_pattern(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = lazy_pattern(r"[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z")
_NUMBER_BEGINS = frozenset("0123456789+-.")


class NotFinite(ValueError):
    """The exception for a number that is infinite or NaN."""


class TooLong(ValueError):
    """The exception for a number with too many characters."""


def resolve(written: str, digits: int = LIMITS.digits) -> Scalar:
    """Return the value of an unquoted scalar.

    Raises:
        NotFinite: For `.nan`, `.inf` and numbers beyond the range of a float.
        TooLong: For numbers of more than `digits` characters.

    Examples:
        >>> [resolve(text) for text in ("no", "12:30", "1e3", "012", "0x1F", "~", "2024-01-01")]
        ['no', '12:30', 1000.0, 12, 31, None, '2024-01-01']
    """
    if written in _FIXED:
        return _FIXED[written]
    if written[0] not in _NUMBER_BEGINS:
        return written
    if _INT.match(written):
        return int(_checked(written, digits))
    if _FLOAT.match(written):
        value = float(_checked(written, digits))
        if math.isinf(value):
            raise NotFinite(written)
        return value
    if _BASED.match(written):
        return int(_checked(written, digits), 0)
    if _NOT_FINITE.match(written):
        raise NotFinite(written)
    return written


def _checked(written: str, digits: int) -> str:
    if len(written) > digits:
        raise TooLong(written)
    return written
