"""Shared n-grams of short texts by searching coded strings.

Each token becomes one character, so an n-gram is a substring and "does the reference have it" is one search in C.
Searching is quadratic in the worst case, so long texts take the way over sets (``grams``), which counts the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import add

LONGEST = 200
# Characters that stand for tokens: short texts need few, and Python keeps one-byte characters ready made.
_ALPHABET = "".join(map(chr, range(2, 2 + LONGEST)))
_UNKNOWN = "\0"
_SEPARATOR = "\1"


def shared_counts(prediction: list[str], references: list[list[str]], orders: int) -> list[int]:
    """For each order, the occurrences in the prediction that the reference which has most of each n-gram covers.

    Examples:
        >>> shared_counts(["a", "b", "a"], [["a", "b", "c"]], 2)
        [2, 1]
    """
    letters = _Letters(zip(dict.fromkeys(_joined(references)), _ALPHABET, strict=False))
    letter = letters.__getitem__
    codes = ["".join(map(letter, reference)) for reference in references]
    searched = codes[0] if len(codes) == 1 else _SEPARATOR.join(codes)
    code = "".join(map(letter, prediction))
    found = len(code) - code.count(_UNKNOWN)
    repeated = [letter for letter in set(code) if code.count(letter) > 1]
    if repeated:
        found -= _excess(repeated, code, codes)
    counts = [found]
    grams: Sequence[str] = code
    has = searched.__contains__
    while found and len(counts) < orders:
        # n-grams one token longer; only in a text that repeats shorter ones can they repeat.
        grams = list(map(add, grams, code[len(counts) :]))
        found = sum(map(has, grams))
        if repeated and len(distinct := set(grams)) < len(grams):
            repeated = [gram for gram in distinct if grams.count(gram) > 1]
            found -= _excess(repeated, code, codes)
        else:
            repeated = []
        counts.append(found)
    return counts + [0] * (orders - len(counts))


class _Letters(dict[str, str]):
    def __missing__(self, token: str) -> str:
        return _UNKNOWN


def _joined(references: list[list[str]]) -> Iterable[str]:
    if len(references) == 1:
        return references[0]
    return (token for reference in references for token in reference)


def _excess(repeated: list[str], code: str, codes: list[str]) -> int:
    """How many occurrences of shared n-grams are more than any reference has."""
    total = 0
    for gram in repeated:
        if _UNKNOWN not in gram:
            covered = max([_occurrences(one, gram) for one in codes])
            if covered:
                total += max(0, _occurrences(code, gram) - covered)
    return total


def _occurrences(text: str, gram: str) -> int:
    """How often a substring occurs, overlapping occurrences included."""
    if len(gram) == 1:
        return text.count(gram)
    total, place = 0, text.find(gram)
    while place >= 0:
        total += 1
        place = text.find(gram, place + 1)
    return total
