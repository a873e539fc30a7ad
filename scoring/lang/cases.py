"""The names of cases, as in `switch`: a name matches the equal text, and the value that it is in JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache

from scoring.lazy_pattern import lazy_pattern

_NUMBER = lazy_pattern(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?\Z", re.ASCII)
_CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "None"), None),
}


def is_case_of(name: str, value: object) -> bool:
    """Return whether a value selects the case `name`: a text selects the equal name, other values their JSON form.

    Examples:
        >>> is_case_of("true", True), is_case_of("1", 1.0), is_case_of("1", True), is_case_of("01", 1)
        (True, True, False, False)
    """
    return name == value if isinstance(value, str) else _kind_of_name(name) == _kind_of(value)


def case_name(value: object) -> str:
    """Return the name of the case that a value selects: a text itself, the JSON form of any other value.

    Examples:
        >>> [case_name(value) for value in (True, None, 2.0, 0.5, "Int")]
        ['true', 'null', '2', '0.5', 'Int']
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return json.dumps(value) if value is None or isinstance(value, (bool, int, float)) else str(value)


def same_cases(names: Iterable[str]) -> tuple[str, str] | None:
    """Return the first two names of cases that one value would select, None if no value selects two of them.

    Examples:
        >>> same_cases(["true", "yes", "1", "1.0"]), same_cases(["1", "01", "true"])
        (('1', '1.0'), None)
    """
    seen: dict[object, str] = {}
    for name in names:
        first = seen.setdefault(_kind_of_name(name), name)
        if first != name:
            return first, name
    return None


@lru_cache(maxsize=4096)
def _kind_of_name(name: str) -> tuple[str, object]:
    if name in _CONSTANTS:
        return _kind_of(_CONSTANTS[name])
    return _kind_of(json.loads(name)) if len(name) < 400 and _NUMBER.match(name) else ("text", name)


def _kind_of(value: object) -> tuple[str, object]:
    # In Python, True equals 1.
    if value is None or isinstance(value, bool):
        return "constant", value
    return ("number", value) if isinstance(value, (int, float)) else ("text", str(value))
