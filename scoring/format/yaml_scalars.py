"""Resolve unquoted YAML scalars by the core schema of YAML 1.2.

PyYAML follows YAML 1.1, where `no` is false, `12:30` is 750 and `1e3` is text; the meaning of a reference answer must
not change in such ways.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal

from scoring.format.limits import LIMITS
from scoring.format.nodes import Scalar

_WORDS: dict[str, Scalar] = {"null": None, "true": True, "false": False}
_FIXED: dict[str, Scalar] = {
    "": None,
    "~": None,
    **{form: value for word, value in _WORDS.items() for form in (word, word.title(), word.upper())},
}
_INT = re.compile(r"[-+]?[0-9]+\Z")
_BASED = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z")
_NUMBER_BEGINS = frozenset("0123456789+-.")

_OTHER_BOOLS = frozenset(
    form for word in ("y", "yes", "n", "no", "on", "off") for form in (word, word.title(), word.upper())
)
_SEXAGESIMAL = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?\Z")
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?\Z")
_UNDERSCORED = re.compile(r"[-+]?[0-9][0-9_]*\Z")


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


def likely_number(written: str) -> str:
    """Return the number that people mean by a text that is not a number in YAML; "" if it is uncertain.

    Examples:
        >>> likely_number("70%"), likely_number("0,7"), likely_number("1_000"), likely_number("many")
        ('0.7', '0.7', '1000', '')
    """
    if not _OTHER_NUMBER.fullmatch(written):
        return ""
    if written.endswith("%"):
        return f"{Decimal(written[:-1].strip().replace(',', '.')) / 100:f}"
    return written.replace("_", "").replace(",", ".")


_OTHER_NUMBER = re.compile(r"[0-9]{1,9}(?:[.,][0-9]{1,9})? ?%|[0-9]{1,9},[0-9]{1,9}|[0-9]{1,9}(?:_[0-9]{3}){1,4}")


def meaning_in_yaml_1_1(written: str) -> str | None:
    """Return in words how YAML 1.1 readers interpret an unquoted text; None if it is text for them as well.

    Examples:
        >>> meaning_in_yaml_1_1("yes"), meaning_in_yaml_1_1("12:30"), meaning_in_yaml_1_1("yesterday")
        ('a boolean', 'the number 750', None)
    """
    if written in _OTHER_BOOLS:
        return "a boolean"
    if _SEXAGESIMAL.match(written):
        return f"the number {_base_60(written)}"
    if _DATE.match(written):
        return "a date"
    if "_" in written and _UNDERSCORED.match(written):
        return f"the number {written.replace('_', '')}"
    return None


def _base_60(written: str) -> str:
    """Return the number that a YAML 1.1 reader computes for a text such as `12:30`: 12 times 60 plus 30."""
    value = 0.0
    for part in written.lstrip("+-").replace("_", "").split(":"):
        value = value * 60 + float(part)
    return f"{-value if written[0] == '-' else value:g}"
