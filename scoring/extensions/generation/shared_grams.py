"""Counting of n-grams that texts share: by searching coded strings for short texts, by sorting numbers for long ones.

In a short text each token becomes one character, so an n-gram is a substring, and finding it in the reference is a
single search in C. Searching is quadratic, so in a long text each token becomes a number. An n-gram is then the number
of its first n - 1 tokens, times the number of kinds of tokens, plus the number of its last token. After sorting, equal
n-grams are adjacent; where the numbers are small, they are tallied instead.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain, count, repeat
from operator import add
from typing import Any

LONGEST = 60
# Characters that represent tokens: short texts need few, and Python caches one-byte characters.
_ALPHABET = "".join(map(chr, range(2, 2 + LONGEST)))
_UNKNOWN = "\0"
_UNKNOWNS = repeat(_UNKNOWN)
_SEPARATOR = "\1"


def shared_grams(prediction: list[str], references: list[list[str]], orders: int) -> list[int]:
    """Return, for each order (n) from 1 to `orders`, how many n-grams of the prediction the references cover.

    Each n-gram counts at most as often as in the reference that has most of it.


    Examples:
        >>> shared_grams(["a", "a", "b"], [["a"], ["a", "a"]], 2)
        [2, 1]
    """
    if are_short(prediction, references):
        return shared_counts(*encode(prediction, references), orders)
    return shared_numbers(number_tokens(prediction, references), orders)


def number_tokens(prediction: list[str], references: list[list[str]]) -> list[Any]:
    """Return the prediction and the references with each token replaced by a number, from 0 up in the order in which
    the references have their tokens first.

    A token that no reference has gets the number after the last one.


    Examples:
        >>> number_tokens(["a", "x", "b"], [["b", "a", "b"]])
        [array([1, 2, 0]), array([0, 1, 0])]
    """
    import numpy as np

    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    numbered = [np.fromiter(map(numbers.__getitem__, text), np.int64) for text in references]
    return [np.fromiter(map(numbers.get, prediction, repeat(len(numbers))), np.int64), *numbered]


def shared_numbers(tokens: list[Any], orders: int, first: int = 1) -> list[int]:
    """Return, for each order (n) from `first` to `orders`, how many n-grams of the prediction the references cover, as
    `shared_grams` does, for texts that `number_tokens` returned.
    """
    kinds = max(int(one.max(initial=0)) for one in tokens) + 1
    grams, different, counted = tokens, kinds, _TALLIES * sum(map(len, tokens))
    found: list[int] = []
    for n in range(1, min(orders, len(tokens[0])) + 1):
        if n > 1:
            if different > _LARGEST // kinds:
                grams, different = _renumbered(grams)
            grams = [one[:-1] * kinds + own[n - 1 :] for one, own in zip(grams, tokens, strict=True)]
            different *= kinds
        if n < first:
            continue
        found.append(_tallied(grams, different) if different <= counted else _sorted(grams))
        if not found[-1]:
            break
    return found + [0] * (orders - first + 1 - len(found))


_LARGEST = 2**62
_TALLIES = 4
"""Numbers are tallied rather than sorted where there are at most so many different ones for each token."""


def _tallied(grams: list[Any], different: int) -> int:
    """Return how many of the first list's numbers the other lists cover, given that all are less than `different`."""
    import numpy as np

    own, most = np.bincount(grams[0], minlength=different), np.zeros(different, np.int64)
    for one in grams[1:]:
        np.maximum(most, np.bincount(one, minlength=different), out=most)
    return int(np.minimum(own, most).sum())


def _sorted(grams: list[Any]) -> int:
    """Return the same as `_tallied`, for numbers that may be large."""
    import numpy as np

    ordered = np.sort(grams[0])
    begins = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1], [True])))
    each = ordered[begins[:-1]]
    most = np.zeros(len(each), np.int64)
    for one in map(np.sort, grams[1:]):
        np.maximum(most, one.searchsorted(each, "right") - one.searchsorted(each), out=most)
    return int(np.minimum(most, np.diff(begins)).sum())


def _renumbered(grams: list[Any]) -> tuple[list[Any], int]:
    """Return lists of numbers that identify n-grams, with each number replaced by its rank among all of them.

    This keeps products of the numbers within 64 bits. Also return the total length of the lists.
    """
    import numpy as np

    _, ranks = np.unique(np.concatenate(grams), return_inverse=True)
    return np.split(ranks, np.cumsum([len(one) for one in grams])[:-1]), len(ranks)


def are_short(prediction: list[str], references: list[list[str]]) -> bool:
    """Return True if the texts have so few tokens that n-grams should be counted in texts coded by `encode`."""
    return len(prediction) <= LONGEST and sum(map(len, references)) <= LONGEST


def encode(prediction: list[str], references: list[list[str]]) -> tuple[str, list[str]]:
    """Return the prediction and the references as strings of one character per token: equal tokens have equal
    characters, and all tokens that no reference has share one.

    Examples:
        >>> encode(["a", "x", "b"], [["b", "a"]])
        ('\\x03\\x00\\x02', ['\\x02\\x03'])
    """
    tokens = references[0] if len(references) == 1 else chain.from_iterable(references)
    # The letter of a token is that of its last position, which belongs to no other token.
    letters = dict(zip(tokens, _ALPHABET, strict=False))
    known = letters.__getitem__
    code = "".join(map(letters.get, prediction, _UNKNOWNS))
    return code, ["".join(map(known, reference)) for reference in references]


def shared_counts(code: str, codes: list[str], orders: int) -> list[int]:
    """Return, for each order (n) from 1 to `orders`, how many n-grams of the prediction the references cover, as
    `shared_grams` does; `code` and `codes` are the texts that `encode` returned.

    Examples:
        >>> shared_counts(*encode(["a", "b", "a"], [["a", "b", "c"]]), 2)
        [2, 1]
    """
    searched = codes[0] if len(codes) == 1 else _SEPARATOR.join(codes)
    counts: list[int] = []
    grams: Sequence[str] = code
    repeats = True
    for n in range(1, orders + 1):
        if n > 1:
            grams = list(map(add, grams, code[n - 1 :]))
        known = code.replace(_UNKNOWN, "") if n == 1 else [gram for gram in grams if gram in searched]
        if not known:
            break
        # Longer n-grams can only repeat if shared shorter ones do.
        repeats = repeats and len(set(known)) < len(known)
        counts.append(_clipped(known, codes, n) if repeats else len(known))
    return counts + [0] * (orders - len(counts))


def shared_count(code: str, reference: str, n: int) -> int:
    """Return how many n-grams of the coded text `code` the coded reference covers, for one n."""
    grams: Iterable[str] = code
    for start in range(1, n):
        grams = map(add, grams, code[start:])
    known = code.replace(_UNKNOWN, "") if n == 1 else [gram for gram in grams if gram in reference]
    return len(known) if len(set(known)) == len(known) else _clipped(known, [reference], n)


def _clipped(grams: Sequence[str], codes: list[str], n: int) -> int:
    """Return how many of the prediction's n-grams the references cover, each counted at most as often as in the
    reference that has most of it.

    With one reference this is the length of the longest common subsequence of both lists after sorting.

    Args:
        grams: The n-grams of the prediction.
        codes: The references as coded by `encode`.
        n: The number of tokens in an n-gram.
    """
    if n == 1 and len(codes) == 1:
        return _common_subsequence()("".join(sorted(grams)), "".join(sorted(codes[0])))
    if len(codes) == 1:
        expected = [codes[0][start : start + n] for start in range(len(codes[0]) - n + 1)]
        return _common_subsequence()(sorted(grams), sorted(expected))
    most: Counter[str] = Counter()
    for code in codes:
        most |= Counter(code[start : start + n] for start in range(len(code) - n + 1))
    return (Counter(grams) & most).total()


@cache
def _common_subsequence() -> Callable[[Sequence[str], Sequence[str]], int]:
    """Return rapidfuzz's length of the longest common subsequence, imported by the first text and not by a check."""
    from rapidfuzz.distance import LCSseq

    return LCSseq.similarity
