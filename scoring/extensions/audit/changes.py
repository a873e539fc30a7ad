"""Changes of answers in an audit: changes of form that a scorer may ignore, and typos that it must not reward."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from scoring.lazy_pattern import lazy_pattern

_NUMERAL = lazy_pattern(r"-?\d{1,15}\Z")
# A Georgian letter, which no answer contains, so that no normalisation turns the typo into another answer.
_TYPO = "\u10d7"
_STEPS = 4
_MAX_DEPTH = 20


def _leaves(value: Any, change: Callable[[Any], Any], depth: int = _MAX_DEPTH) -> Any:
    """Return a copy of a value in which `change` is applied to everything except lists, maps and the keys of maps, down
    to `depth` levels."""
    if isinstance(value, (list, dict)):
        if not depth:
            return value
        if isinstance(value, list):
            return [_leaves(item, change, depth - 1) for item in value]
        return {key: _leaves(item, change, depth - 1) for key, item in value.items()}
    return change(value)


def _texts(value: Any, change: Callable[[str], Any]) -> Any:
    """Return a copy of a value in which `change` is applied to every string."""
    return _leaves(value, lambda leaf: change(leaf) if isinstance(leaf, str) else leaf)


def other_numbers(value: Any) -> Any:
    """Return a copy of a value in which integers, also those in strings, get a decimal place.

    Examples:
        >>> other_numbers([3, "24", 0.5, True])
        [3.0, '24.0', 0.5, True]
    """

    def change(leaf: Any) -> Any:
        if isinstance(leaf, int) and not isinstance(leaf, bool):
            return float(leaf) if abs(leaf) < 2**53 else leaf
        return f"{leaf}.0" if isinstance(leaf, str) and _NUMERAL.match(leaf) else leaf

    return _leaves(value, change)


def _with_commas(text: str) -> str:
    return f"{int(text):,}" if _NUMERAL.match(text) and text == str(int(text)) else text


CHANGES: dict[str, tuple[Callable[[Any], Any], ...]] = {
    "newline": (lambda value: f"{value}\n" if isinstance(value, str) and value else value,),
    "case": (lambda value: _texts(value, str.swapcase),),
    "whitespace": (lambda value: _texts(value, lambda text: f" {text.replace(' ', '  ')} " if text else text),),
    "order": (lambda value: value[::-1] if isinstance(value, list) else value,),
    "keys": (lambda value: dict(reversed(value.items())) if isinstance(value, dict) else value,),
    "numbers": (other_numbers, lambda value: _texts(value, _with_commas)),
}
"""The changes that each law of forms tries."""


def apply_changes(law: str, value: Any) -> list[Any]:
    r"""Return copies of a value in the other forms that the law named `law` tries, such as with an additional newline.

    Examples:
        >>> apply_changes("newline", "ab"), apply_changes("newline", ["ab"]), apply_changes("case", {"name": ["Ab"]})
        (['ab\n'], [['ab']], [{'name': ['aB']}])
        >>> apply_changes("whitespace", "a b"), apply_changes("order", [1, 2]), apply_changes("order", "ab")
        ([' a  b '], [[2, 1]], ['ab'])
        >>> (
        ...     [list(one) for one in apply_changes("keys", {"a": 1, "b": 2})],
        ...     apply_changes("numbers", ["1890", "64", 1890]),
        ... )
        ([['b', 'a']], [['1890.0', '64.0', 1890.0], ['1,890', '64', 1890]])
    """
    return [change(value) for change in CHANGES[law]]


def is_changed(before: Any, after: Any) -> bool:
    """Return True if two values differ in form; 3 and 3.0 do, and so do maps with different orders of keys."""
    return repr(before) != repr(after)


def typed_over(text: str, count: int) -> str:
    """Return a text with `count` of its letters and digits mistyped, spread over the text.

    Examples:
        >>> typed_over("abcd", 2)
        'თbთd'
    """
    positions = [position for position, letter in enumerate(text) if letter.isalnum()]
    letters = list(text)
    for step in range(count):
        letters[positions[step * len(positions) // count]] = _TYPO
    return "".join(letters)


def typos(text: str) -> Iterator[str]:
    """Yield copies of a text with more and more of its letters and digits mistyped, spread over the text, up to a half.

    Examples:
        >>> [found.count("\u10d7") for found in typos("abcdefgh")]
        [1, 2, 3, 4]
    """
    positions = [position for position, letter in enumerate(text) if letter.isalnum()]
    letters = list(text)
    count = min(_STEPS, len(positions) // 2)
    for step in range(count):
        letters[positions[(2 * step + 1) * len(positions) // (2 * count)]] = _TYPO
        yield "".join(letters)
