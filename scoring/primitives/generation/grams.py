"""Multisets of n-grams, made for one question: how many occurrences do two texts share?

Most n-grams occur once, so a multiset is kept as the set of its members and the short list of further occurrences.
The shared occurrences are then one set intersection in C, and a loop only over what is repeated on both sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, TypeAlias

# How many n-grams there are, which, and the further occurrences of those that repeat. A bare tuple: they are made
# by the million, and a class of three fields costs as much as everything else here.
Grams: TypeAlias = tuple[int, set[Any], list[Any]]
_FEW = 8


def grams_of(words: list[str], n: int) -> Grams:
    """The n-grams of a list of tokens.

    Examples:
        >>> grams_of(["a", "b", "a", "b"], 1)[2]
        ['a', 'b']
    """
    total = max(len(words) - n + 1, 0)
    distinct: set[Any] = set(words) if n == 1 else set(_grams(words, n))
    return total, distinct, _further(words if n == 1 else _grams(words, n)) if len(distinct) < total else []


def _grams(words: list[str], n: int) -> Iterable[Any]:
    if n == 2:
        return pairwise(words)
    if n == 3:
        return zip(words, words[1:], words[2:], strict=False)
    return zip(*[words[start:] for start in range(n)], strict=False)


def _further(found: Iterable[Any]) -> list[Any]:
    """Every occurrence but the first of each."""
    seen: set[Any] = set()
    see = seen.add
    return [gram for gram in found if gram in seen or see(gram)]


class Words:
    """The tokens of one text, with their n-grams made when they are asked for, and then kept."""

    __slots__ = ("_grams", "tokens")

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self._grams: dict[int, Grams] | None = None

    def grams(self, n: int) -> Grams:
        """The n-grams of the text."""
        if self._grams is None:
            self._grams = {}
        found = self._grams.get(n)
        if found is None:
            found = self._grams[n] = grams_of(self.tokens, n)
        return found


def shared(first: Grams, second: Grams) -> int:
    """How many occurrences two multisets share: the sum of the smaller counts.

    Examples:
        >>> shared(grams_of(["a", "a", "b"], 1), grams_of(["a", "a", "a"], 1))
        2
    """
    hits = len(first[1] & second[1])
    if first[2] and second[2]:
        hits += _shared_occurrences(first[2], second[2])
    return hits


def _shared_occurrences(first: list[Any], second: list[Any]) -> int:
    hits = 0
    if len(first) <= _FEW:
        left = first[:]
        for gram in second:
            if gram in left:
                hits += 1
                left.remove(gram)
        return hits
    counts = Counter(first)
    for gram in second:
        if counts.get(gram, 0) > 0:
            hits += 1
            counts[gram] -= 1
    return hits


def clipped(prediction: Grams, references: list[Grams]) -> int:
    """How many occurrences of the prediction are covered by the reference that has most of each n-gram.

    Examples:
        >>> clipped(grams_of(["a", "a", "b"], 1), [grams_of(["a"], 1), grams_of(["a", "a"], 1)])
        2
    """
    if len(references) == 1:
        return shared(prediction, references[0])
    covered: set[Any] = set().union(*[reference[1] for reference in references])
    hits = len(prediction[1] & covered)
    if prediction[2]:
        most: Counter[Any] = Counter()
        for reference in references:
            most |= Counter(reference[2])
        hits += _shared_occurrences(prediction[2], list(most.elements()))
    return hits
