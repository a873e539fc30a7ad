"""Find texts that differ only in form: case, white space, invisible characters, Unicode form."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence

from scoring.lazy_pattern import lazy_pattern

_INVISIBLE = lazy_pattern(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0001-\U000e01ef]"
)
_FORMS: Sequence[tuple[str, Callable[[str], str]]] = (
    ("other_forms", lambda text: text if text.isascii() else unicodedata.normalize("NFC", text)),
    ("invisible", lambda text: text if text.isascii() else _INVISIBLE.sub("", text)),
    ("blanks", lambda text: " ".join(text.split())),
    ("cases", str.casefold),
)
"""Ways in which two texts may differ in form alone, with functions that remove them, applied in this order."""


def nearly_equal_pairs(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pairs that may differ only in form; for ASCII texts, only in white space and case.

    Examples:
        >>> nearly_equal_pairs([("a b", "AB "), ("a", "b")]), nearly_equal_pairs([("ä", "b"), ("a", "b")])
        ([('a b', 'AB ')], [('ä', 'b')])
    """
    ours, theirs = ["\0".join(side) for side in zip(*pairs, strict=True)] or ("", "")
    if ours.isascii() and theirs.isascii():  # fast, for the whole batch at once, unless a text contains the separator
        folded = [_folded(side).split(b"\0") for side in (ours, theirs)]
        if len(folded[0]) == len(folded[1]) == len(pairs):
            return [pair for pair, one, other in zip(pairs, *folded, strict=True) if one == other]
    return [(a, b) for a, b in pairs if not (a.isascii() and b.isascii()) or _folded(a) == _folded(b)]


def _folded(text: str) -> bytes:
    """Return an ASCII text in lower case without white space."""
    return text.encode().translate(_LOWER, _BLANKS)


_LOWER = bytes(range(256)).lower()
_BLANKS = bytes(code for code in range(128) if chr(code).isspace())


def form_that_differs(one: str, other: str) -> str:
    """Return the name of the only form, of `_FORMS`, in which two texts differ, "" if they differ in more.

    Examples:
        >>> pairs = ("Cafe\u0301", "Café"), (" a", "a"), ("a\u200b", "A"), ("a", "b")
        >>> [form_that_differs(*pair) for pair in pairs]
        ['other_forms', 'blanks', 'cases', '']
    """
    for mine, theirs in zip(*((text[:1], text[-1:]) for text in (one.strip(), other.strip())), strict=True):
        if mine.isascii() and theirs.isascii() and mine.lower() != theirs.lower():
            return ""  # true of most pairs that differ; undoing forms can never make such ends equal
    for name, undone in _FORMS:
        one, other = undone(one), undone(other)
        if one == other:
            return name if one else ""
    return ""


def alike(names: Iterable[str]) -> list[list[str]]:
    """Return the groups of names that differ only in form, and so probably mean the same.

    Examples:
        >>> alike(["en", "de", " EN\u200b"])
        [[' EN\u200b', 'en']]
    """
    found: dict[str, list[str]] = {}
    for name in names:
        form = name
        for _, undone in _FORMS:
            form = undone(form)
        found.setdefault(form, []).append(name)
    return sorted(sorted(group) for group in found.values() if len(group) > 1)
