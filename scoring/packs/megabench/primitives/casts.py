"""MEGA-Bench as released: how its metrics turn a field into a set, a list, a dictionary or boxes.

Every quirk here is the released code's; SEMANTICS of the golden vectors lists them. The Python reader that it calls
is replaced by a bounded one, which gives the same values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scoring.packs.megabench.primitives.json import parse_json
from scoring.primitives.parsing.literal import read_literal
from scoring.primitives.printed import in_order
from scoring.registry import primitive

_CLOSING = {"(": ")", "{": "}", "[": "]"}


def iterable_of(make: Callable[..., Any], value: Any) -> Any:
    """``make`` (set or list) of the elements that the released code sees in a text."""
    if not isinstance(value, str):
        return make()
    text = value.strip(" ")
    if not text:
        return make()
    closing = _CLOSING.get(text[0])
    if closing is not None and text[-1] != closing:
        return make()
    try:
        found = read_literal(text)
    except (SyntaxError, ValueError):
        inner = text if closing is None else text[1:-1]
        return make([part.strip() for part in inner.split(",")])
    except TypeError:
        return make()
    if found is None:
        return ""
    if isinstance(found, (int, float)):
        return make([found])
    if make is list and isinstance(found, set):
        return in_order(found)
    try:
        return make(found)
    except TypeError:  # an unhashable element, a complex number, an ellipsis
        return make()


def _freeze(value: Any) -> Any:
    if isinstance(value, dict):
        return frozenset((key, _freeze(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(_freeze(item) for item in value)
    if isinstance(value, set):
        return frozenset(value)
    return value


@primitive
def megabench_upstream_to_set(value: object, /) -> Any:
    """The set that the released code makes of a field; numbers and nothing become the empty set.

    Examples:
        >>> sorted(megabench_upstream_to_set("[1, 2]")), megabench_upstream_to_set(5)
        ([1, 2], set())

    Source:
        MEGA-Bench, released code, cast_to_set.
    """
    if type(value) is str:
        return iterable_of(set, value)
    frozen = _freeze(value)
    if isinstance(frozen, (tuple, frozenset)):
        return set(frozen)
    return iterable_of(set, frozen)


@primitive
def megabench_upstream_text_to_set(value: object, /) -> Any:
    """The set that the released code reads out of a text; anything but a text is the empty set.

    Text that is no Python literal is split on commas; a quoted text becomes its characters.

    Examples:
        >>> sorted(megabench_upstream_text_to_set("b, a")), sorted(megabench_upstream_text_to_set("'ab'"))
        (['a', 'b'], ['a', 'b'])

    Source:
        MEGA-Bench, released code, str_to_set.
    """
    return iterable_of(set, value)


@primitive
def megabench_upstream_text_to_list(value: object, /) -> Any:
    """The list that the released code reads out of a text; anything but a text is the empty list.

    Examples:
        >>> megabench_upstream_text_to_list("(1, 2)"), megabench_upstream_text_to_list("a, b")
        ([1, 2], ['a', 'b'])

    Source:
        MEGA-Bench, released code, str_to_list.
    """
    return iterable_of(list, value)


@primitive
def megabench_upstream_to_dict(value: object, /) -> Any:
    """The dictionary that the released code makes of a field, its values cast in the same way.

    Examples:
        >>> megabench_upstream_to_dict("{'a': '{}'}")
        {'a': '{}'}

    Source:
        MEGA-Bench, released code, cast_to_dict.
    """
    if isinstance(value, dict):
        return {key: megabench_upstream_to_dict(item) for key, item in value.items()}
    if isinstance(value, str):
        return parse_json(value) or value
    return value


@primitive
def megabench_upstream_evaluate_as_string(value: object, /) -> Any:
    """A quoted text without its quotes; everything else as it is.

    The released code does this to every reference, to every value of a parsed JSON object and to the single answer.

    Examples:
        >>> megabench_upstream_evaluate_as_string("'B'"), megabench_upstream_evaluate_as_string("[1]")
        ('B', '[1]')

    Source:
        MEGA-Bench, released code, evaluate_as_string.
    """
    if not isinstance(value, str):
        return value
    if len(value) < 200 and "{" not in value and (value[:1] == "[" or ("'" not in value and '"' not in value)):
        return value  # plainly no literal of a text, and none that raises something else
    try:
        found = read_literal(value)
    except (SyntaxError, ValueError):
        return value
    except MemoryError:
        return ""
    return found if isinstance(found, str) else value
