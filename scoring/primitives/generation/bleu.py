"""BLEU of a sentence, with weights and smoothing, equal to NLTK's to the last bit."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from typing import Annotated, Any, Literal

from scoring.primitives.generation.bleu_smoothing import SMOOTHING, Count, GramMatches
from scoring.primitives.generation.chunks import Chunks
from scoring.primitives.generation.shared_grams import shared_grams
from scoring.ranges import UNIT, ScoreRange
from scoring.registry import AtLeast, bounds, primitive
from scoring.result import Unscored
from scoring.values import Score

_LONGEST_CACHED = 4_000
_MOST_ORDERS = 100


# A word, an amount of dollars, or a run of anything but spaces and full stops; full stops disappear.
_WORDS = r"\w+|\$[\d]+|[^\s\.]+"
_ascii_words = re.compile(_WORDS, re.ASCII).findall


@cache
def _find_words() -> Callable[[str], list[str]]:
    """NLTK reads with the package `regex`, where a combining accent is part of a word."""
    import regex

    find: Callable[[str], list[str]] = regex.compile(_WORDS).findall
    return find


def bleu_tokens(text: str) -> list[str]:
    """Words, numbers and signs without full stops; case stays.

    Examples:
        >>> bleu_tokens("It costs $40, e.g. here.")
        ['It', 'costs', '$40', ',', 'e', 'g', 'here']

    Source:
        NLTK, as used in Valor, BLEU.
    """
    # A token holds no white space; four signs are such for `split`, and part of a token here.
    if "\x1c" in text or "\x1d" in text or "\x1e" in text or "\x1f" in text:
        return _cut(text)
    return _chunks.tokens(text)


def _cut(text: str) -> list[str]:
    return _ascii_words(text) if text.isascii() else _find_words()(text)


_chunks = Chunks(_cut)
_cached = lru_cache(maxsize=1024)(bleu_tokens)


def _tokens(text: str, tokenizer: str) -> list[str]:
    if tokenizer != "words":
        return text.split()
    return _cached(text) if len(text) <= _LONGEST_CACHED else bleu_tokens(text)


def matches(prediction: list[str], references: list[list[str]], orders: int) -> list[Count]:
    """For every order: how many n-grams of the prediction a reference covers, and how many there are (at least 1)."""
    length, found = len(prediction), shared_grams(prediction, references, orders)
    return [(matched, length - place if length > place else 1) for place, matched in enumerate(found)]


def closest_length(length: int, references: list[list[str]]) -> int:
    """The length of the reference whose length is nearest; of two equally near, the shorter."""
    if len(references) == 1:
        return len(references[0])
    return min((abs(len(one) - length), len(one)) for one in references)[1]


def brevity_penalty(length: int, closest: int) -> float:
    """What a text that is shorter than its reference loses.

    Examples:
        >>> brevity_penalty(12, 12), brevity_penalty(0, 12)
        (1.0, 0.0)
    """
    if length > closest:
        return 1.0
    return math.exp(1 - closest / length) if length else 0.0


def combine(found: GramMatches, closest: int, weights: tuple[float, ...], smoothing: str) -> float:
    """The weighted geometric mean of the precisions, times the brevity penalty."""
    if not found.counts[0][0]:
        return 0.0
    precisions = SMOOTHING[smoothing](found)
    logs = [weight * math.log(p) for weight, p in zip(weights, precisions, strict=True) if p > 0]
    return brevity_penalty(found.length, closest) * math.exp(min(math.fsum(logs), _LARGEST))


_LARGEST = math.log(sys.float_info.max)


@primitive(uses=("numpy", "rapidfuzz", "regex"), revision=2, topics=("writing",), aka=("bleu score",))
def bleu(
    prediction: str,
    reference: str | list[str],
    /,
    *,
    weights: tuple[float, ...] = (0.25, 0.25, 0.25, 0.25),
    smoothing: Literal["none", "method1", "method2", "method3", "method4", "method5", "method6", "method7"] = "none",
    tokenizer: Literal["words", "whitespace"] = "words",
    floor: Annotated[float, AtLeast(0)] = 1e-9,
) -> Score:
    """BLEU of one text against one or several references.

    Every n-gram counts as often as the reference that has most of it; the brevity penalty takes the reference of
    the nearest length. Without smoothing a missing n-gram order makes the score 0. Smoothing methods 5 and 7 give up to
    1.117 with the usual weights; method 6 and negative weights may give more.

    Args:
        weights: The weight of each order of n-grams, from 1 up.
        smoothing: What stands for a precision of 0, by the names of NLTK.
        tokenizer: words drops full stops and splits punctuation off; whitespace splits at spaces only.
        floor: A smaller result is 0.

    Examples:
        >>> bleu("the cat sat on the mat", "the cat sat on the mat")
        1.0
        >>> bleu("the cat sat", ["a dog", "the cat"], weights=(0.5, 0.5))
        0.5773502691896257
        >>> bleu("the cat sat", "the cat sat")
        0.0

    Source:
        K. Papineni et al., "BLEU: a method for automatic evaluation of machine translation", 2002; as used in
        Valor, BLEU.
    """
    orders = tuple(weights)
    if not orders or len(orders) > _MOST_ORDERS:
        raise Unscored(f"BLEU needs 1 to {_MOST_ORDERS} weights, not {len(orders)}")
    texts = [reference] if isinstance(reference, str) else list(reference)
    if not texts:
        raise Unscored("there is no reference text")
    predicted = _tokens(prediction, tokenizer)
    references = [_tokens(text, tokenizer) for text in texts]
    length = len(predicted)
    fifth = matches(predicted, references, 5)[4] if smoothing in ("method5", "method7") else (0, 1)
    found = GramMatches(matches(predicted, references, len(orders)), fifth, length)
    value = combine(found, closest_length(length, references), orders, smoothing)
    return 0.0 if value < floor else value


@bounds(bleu)
def _(*, weights: Sequence[float] | None, smoothing: str | None, **_: Any) -> ScoreRange:
    if weights is None or smoothing in (None, "method6") or min(weights, default=0.0) < 0:
        # The sixth takes from two precisions what a third might be, which may be any multiple of it.
        return ScoreRange(0.0, math.inf)
    if smoothing not in ("method5", "method7"):
        return UNIT
    logs, highest = [], Fraction(2)
    for weight in weights:  # each precision is averaged with its two neighbours; before the first stands 1 more than it
        highest = (highest + 2) / 3
        logs.append(weight * math.log(highest))
    return ScoreRange(0.0, math.exp(min(math.fsum(logs), _LARGEST)))
