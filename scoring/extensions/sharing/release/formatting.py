r"""Formatting of inputs and results of two versions in a few words: "`cafe` / `café`: 1.0 → 0.0".

Values that look alike are made distinguishable: combining marks, unusual spaces and invisible characters are written as
escapes, and a text that could be taken for a number, a list or nothing is quoted.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from typing import Any

from scoring.diagnostics.visible import visible
from scoring.result import Outcome

_LONGEST = 120
_PAIR = ("prediction", "response", "reference")


def show_input(tried_input: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    r"""Return an input of a definition as text, followed by the settings of parameters with which it was tried.

    Examples:
        >>> show_input({"prediction": "a", "reference": ["a", 1]}, {"threshold": 0.5})
        '`a` / `["a", 1]` with `threshold=0.5`'
        >>> show_input({"prediction": "1", "record": {"unit": "m"}}, {})
        '`"1"` with record `{"unit": "m"}`'
        >>> print(show_input({"prediction": "e\u0301", "reference": "é"}, {}))
        `e\u0301` / `é`
        >>> show_input({"reference": "a"}, {}), show_input({}, {})
        ('nothing / `a`', 'a record of nothing')
    """
    pair = [value_in_backticks(tried_input[name]) for name in _PAIR if name in tried_input]
    rest = [f"{name} {value_in_backticks(value)}" for name, value in tried_input.items() if name not in _PAIR]
    if not pair and not rest:
        pair = ["a record of nothing"]
    elif not pair or ("reference" in tried_input and len(pair) == 1):
        pair = ["nothing", *pair]
    rest += [f"`{name}={_short(_written(value))}`" for name, value in settings.items()]
    return " with ".join(filter(None, [" / ".join(pair), ", ".join(rest)]))


def show_result(found: Any) -> str:
    """Return the result of a definition as text: a score, the status if there is no score, or a value.

    Examples:
        >>> show_result(Outcome(0.1 + 0.2)), show_result(Outcome.unscored("no")), show_result(["a"])
        ('0.30000000000000004', 'unscored', '`["a"]`')
    """
    if isinstance(found, Outcome):
        if found.status == "scored":
            return repr(found.value)
        return found.status.replace("_", " ")
    if isinstance(found, float):
        return repr(found)
    return str(found) if isinstance(found, Refusal) else value_in_backticks(found)


class Refusal(str):
    """The message with which the compiler refuses a call of a definition, as a result to compare; all refusals are
    equal."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Refusal)

    __hash__ = str.__hash__

    def __str__(self) -> str:
        return "refused"


def value_in_backticks(value: Any) -> str:
    """Return a value as text in backticks, on one line and truncated if it is long."""
    return f"`{_short(value if isinstance(value, str) and _is_plain(value) else _written(value))}`"


def _short(text: str) -> str:
    """Return a text with invisible and ambiguous characters escaped, truncated if it is long."""
    text = "".join(sign.encode("unicode_escape").decode() if _is_odd(sign) else sign for sign in visible(text))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _written(value: Any) -> str:
    """Return a value as JSON, or as Python prints it if JSON has no such value (a tuple, a set …)."""
    try:
        if _is_json(value):
            return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        pass
    try:
        return repr(sorted(value, key=repr) if isinstance(value, set | frozenset) else value)
    except (ValueError, RecursionError):  # whole numbers of thousands of digits, and what is nested too deeply
        return f"a {type(value).__name__}"


def _is_json(value: Any, depth: int = 20) -> bool:
    if depth == 0:
        return False
    if isinstance(value, list):
        return all(_is_json(item, depth - 1) for item in value)
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(item, depth - 1) for key, item in value.items())
    return value is None or isinstance(value, str | int | float | bool)


def _is_plain(text: str) -> bool:
    """Return True if a text can be shown without quotes, because it reads as no other JSON value (a number, `null` …)
    and has no spaces at its ends."""
    if not text or text != text.strip() or "`" in text:
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return True
    return False


def _is_odd(sign: str) -> bool:
    return not sign.isascii() and (
        unicodedata.category(sign)[0] in "MZC" or unicodedata.normalize("NFKC", sign) != sign
    )
